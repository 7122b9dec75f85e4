// Package pdf reads the text of PDF files, hostile ones too: it trusts no table and no length in them, looks for the
// objects itself, and is bounded in everything that a file can ask for. It shows no layout but lines and gaps between
// words.
package pdf

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
)

// What is not read.
var (
	ErrNotPDF    = errors.New("not a PDF file")
	ErrEncrypted = errors.New("the PDF is encrypted")
	ErrNoPages   = errors.New("the PDF has no pages that can be read")
)

// Bounds, far above what documents have and far below what hurts. A file that asks for more is read as far as they go.
const (
	maxObjects  = 500_000
	maxDepth    = 64        // of objects in objects
	maxPages    = 5_000     // of one document
	maxStream   = 16 << 20  // one stream, decompressed
	maxInflated = 128 << 20 // all of them
	maxText     = 8 << 20   // bytes of text
	maxSteps    = 5_000_000 // operators of all pages
	maxTrailers = 20        // looked at from the end
)

// Text is the text of each page of a file that is given whole, in the order of the pages; "" for one that only has
// pictures. A line of the page is a line of the text, a wider gap an empty line; columns come in the order in which the
// file draws them. Characters without a known meaning are left out. What is damaged or beyond a bound is read as far as
// it goes, without an error.
//
// The errors are ErrNotPDF, ErrEncrypted, ErrNoPages and the context's, which is looked at between operators.
func Text(ctx context.Context, file []byte) ([]string, error) {
	if !bytes.Contains(file[:min(len(file), 1024)], []byte("%PDF-")) {
		return nil, ErrNotPDF
	}
	d := &document{
		ctx:     ctx,
		objects: map[int]any{},
		budget:  maxInflated,
	}
	d.scan(file)
	root, encrypted := d.root(file)
	if encrypted {
		return nil, ErrEncrypted
	}
	pages := d.pages(root)
	if len(pages) == 0 {
		return nil, ErrNoPages
	}
	out := make([]string, 0, len(pages))
	w := &writer{doc: d, room: maxText, steps: maxSteps}
	for _, p := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, w.page(p))
	}
	return out, nil
}

// A document is the objects of a file by their number.
type document struct {
	ctx     context.Context
	objects map[int]any // the generation of an object does not matter: the last of a number counts
	budget  int         // bytes that may still be decompressed
}

// scan finds every object in the file, the last of a number wins, as in an updated file.
func (d *document) scan(file []byte) {
	for at := 0; len(d.objects) < maxObjects; {
		i := bytes.Index(file[at:], []byte("obj"))
		if i < 0 {
			break
		}
		at += i + 3
		num, ok := numberBefore(file, at-3)
		if !ok { // endobj, or a word of a text
			continue
		}
		p := &parser{src: file, at: at}
		v, ok := p.object()
		if !ok { // it is damaged: the next may not be
			continue
		}
		if dict, is := v.(dict); is {
			raw, end, ok := p.stream(dict)
			if ok {
				v = &stream{dict, raw}
				p.at = end
			}
		}
		d.objects[num] = v
		at = max(at, p.at) // what looks like an object inside a stream is none
	}
	d.unpack()
}

// numberBefore reads "12 0 " backwards from "obj".
func numberBefore(b []byte, at int) (int, bool) {
	end := before(b, at, isSpace, at)
	gen := before(b, end, isDigit, at)
	mid := before(b, gen, isSpace, at)
	start := before(b, mid, isDigit, 9) // so many digits fit in an int everywhere
	if gen == end || mid == gen {
		return 0, false
	}
	n, err := strconv.Atoi(string(b[start:mid]))
	return n, err == nil
}

// before is where bytes of a class begin that end before at; most is how many may be passed.
func before(b []byte, at int, is func(byte) bool, most int) int {
	for most > 0 && at > 0 && is(b[at-1]) {
		at--
		most--
	}
	return at
}

// unpack takes the objects out of object streams; one that stands in the file itself is newer or the same.
func (d *document) unpack() {
	for _, num := range sortedKeys(d.objects) {
		s, ok := d.objects[num].(*stream)
		if ok && s.dict["Type"] == name("ObjStm") {
			d.unpackStream(s)
		}
	}
}

// unpackStream reads the numbers and places at the beginning of one, and the objects there.
func (d *document) unpackStream(s *stream) {
	body := d.decode(s)
	head := &parser{src: body}
	first, _ := d.number(s.dict["First"])
	count, _ := d.number(s.dict["N"])
	for i := 0; i < int(count) && len(d.objects) < maxObjects; i++ {
		n, ok1 := head.integer()
		off, ok2 := head.integer()
		at := int(first) + off
		if !ok1 || !ok2 || at < 0 || at >= len(body) {
			return
		}
		_, known := d.objects[n]
		if known {
			continue
		}
		v, ok := (&parser{src: body, at: at}).object()
		if ok {
			d.objects[n] = v
		}
	}
}

// root is the catalogue: what the last trailer names, else whatever calls itself so.
func (d *document) root(file []byte) (root dict, encrypted bool) {
	root, encrypted = d.trailers(file)
	for _, num := range sortedKeys(d.objects) {
		switch v := d.objects[num].(type) {
		case *stream:
			if v.dict["Type"] == name("XRef") { // newer files have this instead of a trailer
				encrypted = encrypted || v.dict["Encrypt"] != nil
				r := d.dict(v.dict["Root"])
				if r != nil {
					root = r
				}
			}
		case dict:
			if root == nil && v["Type"] == name("Catalog") {
				root = v
			}
		}
	}
	return root, encrypted
}

// trailers are asked for the catalogue, the last one first.
func (d *document) trailers(file []byte) (root dict, encrypted bool) {
	for end, tries := len(file), 0; root == nil && tries < maxTrailers; tries++ {
		i := bytes.LastIndex(file[:end], []byte("trailer"))
		if i < 0 {
			break
		}
		end = i
		t, ok := (&parser{src: file, at: i + len("trailer")}).dict()
		if ok {
			encrypted = encrypted || t["Encrypt"] != nil
			root = d.dict(t["Root"])
		}
	}
	return root, encrypted
}

// A page is its content, a stream or a list of them, and the dictionary of what it refers to by name.
type page struct{ contents, resources any }

// pages are the leaves of the page tree in reading order, at most maxPages.
func (d *document) pages(root dict) []page {
	w := &pageWalk{doc: d, seen: map[int]bool{}}
	if root != nil {
		w.node(root["Pages"], nil, 0)
	}
	if len(w.found) == 0 { // no tree: every object that calls itself a page
		for _, num := range sortedKeys(d.objects) {
			v, ok := d.objects[num].(dict)
			if ok && v["Type"] == name("Page") && len(w.found) < maxPages {
				w.found = append(w.found, page{v["Contents"], v["Resources"]})
			}
		}
	}
	return w.found
}

// A pageWalk collects pages from the page tree.
type pageWalk struct {
	doc   *document
	seen  map[int]bool // a tree that contains itself ends
	found []page
}

// node goes through a part of the tree. Resources are inherited: the nearest of them above a page count.
func (w *pageWalk) node(v, resources any, depth int) {
	if r, ok := v.(ref); ok {
		if w.seen[r.num] { // also what is named twice: a page that is its own sister would never end
			return
		}
		w.seen[r.num] = true
	}
	n := w.doc.dict(v)
	if n == nil || depth > maxDepth || len(w.found) >= maxPages {
		return
	}
	if own := n["Resources"]; own != nil {
		resources = own
	}
	kids, tree := w.doc.resolve(n["Kids"]).([]any)
	if !tree {
		w.found = append(w.found, page{n["Contents"], resources})
		return
	}
	for _, k := range kids {
		w.node(k, resources, depth+1)
	}
}

// content is a page's program: one stream, or several as one.
func (d *document) content(v any) []byte {
	switch v := d.resolve(v).(type) {
	case *stream:
		return d.decode(v)
	case []any:
		var parts [][]byte
		for _, one := range v {
			s, ok := d.resolve(one).(*stream)
			if ok {
				parts = append(parts, d.decode(s))
			}
		}
		return bytes.Join(parts, []byte("\n"))
	}
	return nil
}

// tidy ends lines without blanks and leaves at most one empty line.
func tidy(s string) string {
	var out []string
	empty := true
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" && empty {
			continue
		}
		empty = line == ""
		out = append(out, line)
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}
