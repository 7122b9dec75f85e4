package cjk

import (
	_ "embed"
	"encoding/binary"
	"sync"
	"unicode/utf8"

	"helve/internal/packed"
)

// tablesPacked has the characters of all tables, one after the other, as differences from the one before: 0 for a place that
// has none, and one more for a difference that is not negative. `go test -update` makes it from golang.org/x/text.
//
//go:embed tables.zst
var tablesPacked []byte

const (
	firstLead, lastLead   = 0x81, 0xfe
	firstTrail, lastTrail = 0x40, 0xfe
	trails                = lastTrail - firstTrail + 1
	pairs                 = (lastLead - firstLead + 1) * trails

	firstThird = 0xa1 // of the three bytes that EUC-JP has for JIS X 0212; the first is 0x8f
	thirds     = lastTrail - firstThird + 1
	triples    = thirds * thirds

	others = 39420 // places of GB18030 below U+10000 that take four bytes
)

// A table has the characters of an encoding by their bytes; 0 is no character.
type table struct {
	pairs   []rune
	triples []rune // EUC-JP
	others  []rune // GB18030

	reverse func() *reverse
}

// pair is what two bytes mean.
func (t *table) pair(lead, trail byte) rune {
	if lead < firstLead || lead > lastLead || trail < firstTrail || trail > lastTrail {
		return 0
	}
	return t.pairs[int(lead-firstLead)*trails+int(trail-firstTrail)]
}

// triple is what two bytes mean behind 0x8f.
func (t *table) triple(lead, trail byte) rune {
	if lead < firstThird || lead > lastLead || trail < firstThird || trail > lastTrail {
		return 0
	}
	return t.triples[int(lead-firstThird)*thirds+int(trail-firstThird)]
}

// layout says which tables stand in tablesPacked, in which order.
func layout(all map[string]*table) []*[]rune {
	return []*[]rune{
		&all["GBK"].pairs, &all["Big5"].pairs, &all["EUC-KR"].pairs, &all["Shift_JIS"].pairs, &all["EUC-JP"].pairs,
		&all["EUC-JP"].triples, &all["GB18030"].others,
	}
}

// sizes are the numbers of their places.
var sizes = [...]int{pairs, pairs, pairs, pairs, pairs, triples, others}

// tables are unpacked when the first text needs one: some milliseconds, and 0.7 MB.
var tables = sync.OnceValue(func() map[string]*table {
	all := map[string]*table{}
	for _, name := range []string{"GBK", "GB18030", "Big5", "EUC-KR", "Shift_JIS", "EUC-JP"} {
		t := new(table)
		last := name == "Big5" // of several codes of a character, this is the one that is written
		t.reverse = sync.OnceValue(func() *reverse { return turned(t, last) })
		all[name] = t
	}
	b := packed.Bytes(tablesPacked)
	for i, to := range layout(all) {
		*to = make([]rune, sizes[i])
		b = unpack(*to, b)
	}
	all["GB18030"].pairs = all["GBK"].pairs
	all["ISO-2022-JP"] = all["EUC-JP"]
	return all
})

func tableOf(name string) *table { return tables()[name] }

// unpack fills a table from the beginning of b and returns the rest.
func unpack(to []rune, b []byte) []byte {
	last := rune(0)
	for i := range to {
		difference, n := binary.Varint(b)
		if n <= 0 {
			panic("cjk: tables.zst ends too early")
		}
		b = b[n:]
		switch {
		case difference == 0:
			continue
		case difference > 0:
			difference--
		}
		last += rune(difference)
		to[i] = last
	}
	return b
}

// A code is how an encoding writes a character: its bytes as one big-endian number, 0 for one that it has not.
type code uint32

// A reverse has the codes of characters: pages of 256, up to the end of plane 2.
type reverse [0x300]*[256]code

// of is the code of a character.
func (v *reverse) of(r rune) code {
	if page := r >> 8; page < rune(len(v)) && v[page] != nil {
		return v[page][r&0xff]
	}
	return 0
}

// turned turns a table round. Of several codes of a character the first counts, or the last.
func turned(t *table, last bool) *reverse {
	v := new(reverse)
	note := func(r rune, c code) {
		if r < utf8.RuneSelf || r >= twofold || v.of(r) != 0 && !last {
			return
		}
		if v[r>>8] == nil {
			v[r>>8] = new([256]code)
		}
		v[r>>8][r&0xff] = c
	}
	for i, r := range t.pairs {
		note(r, code((i/trails+firstLead)<<8|i%trails+firstTrail))
	}
	for i, r := range t.triples {
		note(r, code(0x8f<<16|(i/thirds+firstThird)<<8|i%thirds+firstThird))
	}
	for i, r := range t.others {
		note(r, place(i))
	}
	return v
}

// place is the code at a place of GB18030's list of what takes four bytes.
func place(n int) code {
	return code((n/12600+firstLead)<<24 | (n/1260%10+'0')<<16 | (n/10%126+firstLead)<<8 | n%10 + '0')
}
