package exact

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"helve/engine/code"
	"helve/engine/exact/internal/scip"
)

const (
	// maxWrittenText is the largest file of which an index is believed, in bytes.
	maxWrittenText = 1 << 20
	// maxTexts bounds the texts that one question holds, in bytes.
	maxTexts = 32 << 20
)

// meanings answers what the index knows of places; out[i] is for places[i].
func (w *written) meanings(ctx context.Context, files iter.Seq[code.Entry], places []code.Asked, out []code.Meaning) {
	l := w.ready(ctx)
	if l == nil {
		return
	}
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return
	}
	defer root.Close()
	q := &lookup{
		index:  l,
		root:   root,
		files:  map[string]code.Entry{},
		texts:  map[string][]byte{},
		whole:  map[*scip.Document]bool{},
		needed: map[string]bool{},
	}
	for f := range files {
		q.files[f.Path] = f
	}
	for i := range places {
		if ctx.Err() != nil {
			break
		}
		if d := l.index.Doc(places[i].Path); d != nil {
			out[i] = q.meaning(ctx, d, &places[i])
		}
	}
	w.report(q.needed)
}

const othersNow = "%d of the %d files that a question needs are others now than it says; run the indexer again"

// report tells once how many files the index does not know as they are.
func (w *written) report(needed map[string]bool) {
	others := 0
	for _, ok := range needed {
		if !ok {
			others++
		}
	}
	w.mu.Lock()
	first := others > 0 && !w.told
	w.told = w.told || first
	w.mu.Unlock()
	if first {
		w.tell(fmt.Errorf(othersNow, others, len(needed)))
	}
}

// A lookup is one question to an index.
type lookup struct {
	index  *loading
	root   *os.Root
	files  map[string]code.Entry
	texts  map[string][]byte
	size   int                     // of the texts
	whole  map[*scip.Document]bool // what is believed, and what is not
	needed map[string]bool         // the files that were looked at: false, they are others now
}

// meaning is what the index knows of a place.
func (q *lookup) meaning(ctx context.Context, d *scip.Document, p *code.Asked) code.Meaning {
	if len(p.Text) > maxWrittenText || !q.believed(ctx, d, p.Text) {
		return code.Meaning{}
	}
	at, ok := d.At(p.Text, p.Line, p.Column)
	if !ok || len(at) > maxPlaces {
		return code.Meaning{}
	}
	m := code.Meaning{Known: true, By: writtenName}
	for _, place := range at {
		text := p.Text
		if place.Doc != d {
			text = q.text(place.Doc.Path)
		}
		if place.Doc != d && !q.agrees(place.Doc, text) {
			return code.Meaning{}
		}
		line, column, ok := place.Position(text)
		if !ok {
			return code.Meaning{}
		}
		m.At = append(m.At, code.Definition{Path: place.Doc.Path, Position: code.Position{Line: line, Column: column}})
	}
	return m
}

// believed tells whether the index speaks of this text, and of the files that define what it uses.
func (q *lookup) believed(ctx context.Context, d *scip.Document, text []byte) bool {
	if known, ok := q.whole[d]; ok {
		return known
	}
	ok := q.agrees(d, text)
	if ok {
		for _, other := range d.Uses() {
			if ctx.Err() != nil {
				return false
			}
			if !q.agrees(other, nil) {
				ok = false
				break
			}
		}
	}
	q.whole[d] = ok
	return ok
}

// agrees tells whether the index speaks of a file as it is now. text is the file's, or nil where it is to be read.
func (q *lookup) agrees(d *scip.Document, text []byte) bool {
	file, ok := q.files[d.Path]
	if !ok {
		q.needed[d.Path] = false
		return false
	}
	q.index.mu.Lock()
	known := q.index.agreed[d.Path]
	q.index.mu.Unlock()
	if known.file != file {
		if text == nil {
			text = q.text(d.Path)
		}
		known = agreement{file, text != nil && d.Agrees(text)}
		q.index.mu.Lock()
		q.index.agreed[d.Path] = known
		q.index.mu.Unlock()
	}
	q.needed[d.Path] = known.ok
	return known.ok
}

// text is that of a file; nil: it cannot be read, or is too large.
func (q *lookup) text(path string) []byte {
	if text, ok := q.texts[path]; ok {
		return text
	}
	if _, ok := q.files[path]; !ok {
		return nil // nobody may read it, or nobody can
	}
	f, err := openRegular(q.root, filepath.FromSlash(path))
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxWrittenText+1))
	if err != nil || len(text) > maxWrittenText {
		return nil
	}
	if q.size += len(text); q.size > maxTexts {
		q.texts, q.size = map[string][]byte{}, len(text)
	}
	q.texts[path] = text
	return text
}
