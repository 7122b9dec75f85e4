package cjk

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"helve/internal/packed"
)

var update = flag.Bool("update", false, "write tables.zst")

// library has the same encodings.
var library = map[encoding.Encoding]encoding.Encoding{
	GBK:       simplifiedchinese.GBK,
	GB18030:   simplifiedchinese.GB18030,
	Big5:      traditionalchinese.Big5,
	ShiftJIS:  japanese.ShiftJIS,
	EUCJP:     japanese.EUCJP,
	EUCKR:     korean.EUCKR,
	ISO2022JP: japanese.ISO2022JP,
}

// meant is the only character that the library takes bytes for, 0 for none.
func meant(d *encoding.Decoder, b ...byte) rune {
	d.Reset()
	s, err := d.Bytes(b)
	if err != nil {
		return 0
	}
	for i, two := range twofolds {
		if string(s) == two {
			return twofold + rune(i)
		}
	}
	r, n := utf8.DecodeRune(s)
	if n != len(s) || r == utf8.RuneError {
		return 0
	}
	return r
}

// fromLibrary are the bytes of tables.zst before they are compressed.
func fromLibrary() []byte {
	var out []byte
	last := rune(0)
	note := func(r rune) {
		if r == 0 {
			out = append(out, 0)
			return
		}
		difference := int64(r - last)
		if difference >= 0 {
			difference++
		}
		out = binary.AppendVarint(out, difference)
		last = r
	}
	for _, e := range []encoding.Encoding{GBK, Big5, EUCKR, ShiftJIS, EUCJP} {
		last = 0
		d := library[e].NewDecoder()
		for i := range pairs {
			note(meant(d, byte(i/trails+firstLead), byte(i%trails+firstTrail)))
		}
	}
	last = 0
	d := library[EUCJP].NewDecoder()
	for i := range triples {
		note(meant(d, 0x8f, byte(i/thirds+firstThird), byte(i%thirds+firstThird)))
	}
	last = 0
	d = library[GB18030].NewDecoder()
	for i := range others {
		note(meant(d, binary.BigEndian.AppendUint32(nil, uint32(place(i)))...))
	}
	return out
}

func TestTheTablesAreTheLibrarys(t *testing.T) {
	want := fromLibrary()
	packed.Check(t, "tables.zst", want, *update)
}

// The library writes some characters as what it reads as others (U+E000 in GB18030 as U+F014), and some that it reads not
// at all (U+0080 in Shift_JIS).
func TestEveryCharacterIsWrittenAsTheLibraryWritesIt(t *testing.T) {
	for ours, theirs := range library {
		var wrong []string
		to, from := theirs.NewEncoder(), theirs.NewDecoder()
		own := ours.NewEncoder()
		means := func(b []byte, r rune) bool {
			from.Reset()
			s, err := from.Bytes(b)
			return err == nil && string(s) == string(r)
		}
		for r := rune(0); r < 0x30000; r++ {
			if !utf8.ValidRune(r) || r == utf8.RuneError {
				continue
			}
			to.Reset()
			own.Reset()
			want, failed := to.Bytes([]byte(string(r)))
			got, err := own.Bytes([]byte(string(r)))
			known := failed == nil && means(want, r)
			if known && (err != nil || !bytes.Equal(got, want)) || err == nil && !means(got, r) {
				wrong = append(wrong, fmt.Sprintf("%U % x, the library % x", r, got, want))
			}
		}
		if len(wrong) > 0 {
			t.Errorf("%s: %d: %q", ours, len(wrong), wrong[:min(len(wrong), 20)])
		}
	}
}

// What one has and the other makes of it, in pieces of a byte as well.
func TestTextsAreReadAndWrittenAsTheLibraryDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for ours, theirs := range library {
		var has []rune
		for r := rune(0); r < 0x10000; r++ {
			private := r >= 0xe000 && r < 0xf900 // here the library is not at one with itself
			b, err := theirs.NewEncoder().Bytes([]byte(string(r)))
			if err == nil && !private && meant(theirs.NewDecoder(), b...) == r {
				has = append(has, r)
			}
		}
		for range 200 {
			var s []rune
			for range random.IntN(40) {
				s = append(s, has[random.IntN(len(has))], has[random.IntN(60)])
			}
			text := []byte(string(s))
			want, err := theirs.NewEncoder().Bytes(text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ours.NewEncoder().Bytes(text)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s: %q: % x, %v; the library % x", ours, text, got, err, want)
			}
			var back bytes.Buffer
			_, err = back.ReadFrom(ours.NewDecoder().Reader(iotest.OneByteReader(bytes.NewReader(got))))
			if err != nil || !bytes.Equal(back.Bytes(), text) {
				t.Fatalf("%s: % x: %q, %v; want %q", ours, got, back.Bytes(), err, text)
			}
		}
	}
}

// Bytes that nobody wrote are read as something, and what the library would write is read as it reads it.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\x81\x30\x81\x30 \x8f\xa1\xa1 \x1b$B!!\n\x1b(I!\x1b(B \xff\x80\x8e"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for e, theirs := range library {
			s, err := e.NewDecoder().Bytes(b)
			if err != nil || !utf8.Valid(s) {
				t.Fatalf("%s: %q, %v", e, s, err)
			}
			want, err := theirs.NewDecoder().Bytes(b)
			if err != nil || bytes.ContainsRune(want, utf8.RuneError) {
				continue
			}
			again, err := theirs.NewEncoder().Bytes(want)
			if err == nil && bytes.Equal(again, b) && !bytes.Equal(s, want) {
				t.Fatalf("%s: % x: %q, the library %q", e, b, s, want)
			}
		}
	})
}
