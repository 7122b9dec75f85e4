// Package edit replaces text in text: it finds the one place that an edit means, or says why there
// is none.
//
// An edit names the old text and the new. The old text must occur exactly once (line endings aside:
// a file keeps its own), or the edit must ask for all places. Where the old text differs from the
// file in the kind and amount of white space alone, never in whether two words are separated, and
// exactly one place fits, the edit is applied there with the file's white space kept and the new
// lines indented as the file does; the plan says so. Whatever is less certain is refused with the
// nearest place, as a [Refusal].
//
// The package is pure: it works on the bytes of one text, UTF-8 without a byte order mark, and
// touches no file.
package edit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
)

// Bounds: what one edit may replace and make. A replacement in a million places, or a text that
// grows past 512 MiB, is a mistake or an attack; both would cost more memory than the file.
const (
	maxPlaces = 1 << 20
	maxResult = 512 << 20
)

// keptHunks is how many hunks a plan keeps to show; all of them count for its identity.
const keptHunks = 1000

// An Edit replaces Old by New.
type Edit struct {
	Old, New string
	All      bool // every place, not the only one
}

// A Hunk is one changed run of whole lines, with their endings.
type Hunk struct {
	Line           int // counted from 1, in the text that the edit met
	Removed, Added string
}

// A Plan is edits that can be applied.
type Plan struct {
	Hunks        []Hunk   // the first thousand, in the order of the edits
	Replacements []int    // by edit
	Notes        []string // what a reader should know: an edit that did not match exactly, and where

	parts  [][]byte // the new text
	single bool     // of one edit: the first part and the last are those of before
	before []byte
	digest [sha256.Size]byte
}

// Make plans edits on a text, each on what the one before left; the first that cannot be applied is
// returned as a *Refusal, and none is. The plan keeps slices of content, which must not change.
func Make(content []byte, edits ...Edit) (*Plan, error) {
	p := &Plan{before: content, parts: [][]byte{content}}
	p.single = len(edits) == 1
	id := sha256.New()
	for i, e := range edits {
		now := p.flat()
		f := finder{now, style(now)}
		found := f.place(e)
		if found.refusal == nil {
			found.refusal = p.apply(f, found.splices, id)
		}
		if r := found.refusal; r != nil {
			r.Edit, r.Of = i, len(edits)
			return nil, r
		}
		p.Replacements = append(p.Replacements, len(found.splices))
		if found.note != "" {
			note := prefix(i, len(edits)) + found.note
			p.Notes = append(p.Notes, note)
		}
	}
	id.Sum(p.digest[:0])
	return p, nil
}

// Same tells whether two plans remove the same lines and add the same lines in the same order,
// wherever they stand: what was approved for one may be written by the other.
func (p *Plan) Same(q *Plan) bool {
	return p.digest == q.digest
}

// Digest identifies the removed and added lines, not their position.
func (p *Plan) Digest() [sha256.Size]byte {
	return p.digest
}

// WriteTo writes the new text.
func (p *Plan) WriteTo(w io.Writer) (int64, error) {
	var n int64
	for _, b := range p.parts {
		m, err := w.Write(b)
		n += int64(m)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// Size is the length of the new text.
func (p *Plan) Size() int64 {
	n := 0
	for _, b := range p.parts {
		n += len(b)
	}
	return int64(n)
}

// Before is the text that was planned on; it must not be changed.
func (p *Plan) Before() []byte { return p.before }

// After is the new text; it must not be changed.
func (p *Plan) After() []byte { return p.flat() }

// flat joins the parts for whoever needs the text in one piece.
func (p *Plan) flat() []byte {
	if len(p.parts) != 1 {
		p.parts = [][]byte{bytes.Join(p.parts, nil)}
	}
	return p.parts[0]
}

// A splice replaces content[start:end].
type splice struct {
	start, end int
	new        []byte
}

// apply makes the new parts of splices in ascending order.
func (p *Plan) apply(f finder, found []splice, id hash.Hash) *Refusal {
	now := f.content
	size := len(now)
	for _, s := range found {
		size += len(s.new)
		size -= s.end - s.start
	}
	if size > maxResult {
		return &Refusal{Kind: TooLarge}
	}
	parts := make([][]byte, 0, 2*len(found)+1)
	at := 0
	for _, s := range found {
		parts = append(parts, now[at:s.start], s.new)
		at = s.end
	}
	p.parts = append(parts, now[at:])
	p.record(f, found, id)
	return nil
}

// record groups the splices that share lines and notes the whole lines that each group changes.
func (p *Plan) record(f finder, found []splice, id hash.Hash) {
	counter := f.counter()
	for len(found) > 0 {
		lines := span{f.lineStart(found[0].start), f.lastLine(found[0])}
		n := 1
		for n < len(found) && found[n].start < lines.end {
			lines.end = max(lines.end, f.lastLine(found[n]))
			n++
		}
		removed := f.text(lines)
		added := f.spliced(lines, found[:n])
		identify(id, removed)
		identify(id, added)
		if len(p.Hunks) < keptHunks {
			p.Hunks = append(p.Hunks, Hunk{
				Line:    counter.at(lines.start),
				Removed: string(removed),
				Added:   string(added),
			})
		}
		found = found[n:]
	}
}

// identify hashes a text with its length, so that what is removed never runs into what is added.
func identify(id hash.Hash, b []byte) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(b)))
	id.Write(size[:])
	id.Write(b)
}

// spliced are lines with the splices that are in them.
func (f finder) spliced(lines span, found []splice) []byte {
	var out []byte
	at := lines.start
	for _, s := range found {
		out = append(out, f.content[at:s.start]...)
		out = append(out, s.new...)
		at = s.end
	}
	return append(out, f.content[at:lines.end]...)
}

// lastLine is the end of the last line that a splice touches. One that ends just behind a newline
// and brings its own leaves the next line alone, and so does one that removes whole lines.
func (f finder) lastLine(s splice) int {
	nl := []byte{f.style.nl}
	old := f.content[s.start:s.end]
	if bytes.HasSuffix(old, nl) {
		whole := len(s.new) == 0 && f.lineStart(s.start) == s.start
		if whole || bytes.HasSuffix(s.new, nl) {
			return s.end
		}
	}
	return f.nextLine(s.end)
}
