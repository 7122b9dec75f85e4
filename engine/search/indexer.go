package search

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"time"

	"helve/engine/search/internal/trigram"
	"helve/engine/tree"
)

// indexer is one worker of a build.
type indexer struct {
	b     *builder
	shard *trigram.Shard
	buf   []byte
}

// work takes files, a few at a time, until there are none.
func (r *indexer) work(ctx context.Context, next *atomic.Int64) error {
	files := r.b.files
	for ctx.Err() == nil {
		from := int(next.Add(share)) - share
		if from >= len(files) {
			break
		}
		for i := from; i < min(from+share, len(files)); i++ {
			err := r.add(&files[i])
			if err != nil {
				return err
			}
		}
	}
	return r.shard.Flush()
}

// add indexes one file. Of one that cannot be read, changes, or is too large only the name is kept, so that it is
// always searched.
func (r *indexer) add(e *tree.Entry) error {
	r.b.advance(e.Stat.Size)
	if e.Stat.Size > largeFile {
		r.b.large.Lock()
		defer func() {
			r.buf = make([]byte, window)
			r.b.large.Unlock()
		}()
	}
	f := trigram.File{Path: e.Path, Dir: strings.LastIndexByte(e.Path, '/') + 1}
	text, ok := r.read(e, &f)
	switch {
	case ok:
		return r.shard.Add(f, text)
	case r.b.replaces:
		r.shard.Loose(f.Path, f.Dir)
	}
	return nil
}

// read returns what of a file is searched, and whether it may be indexed.
func (r *indexer) read(e *tree.Entry, f *trigram.File) ([]byte, bool) {
	began := time.Now()
	h, err := r.b.e.tree.Open(e.Path)
	if err != nil {
		return nil, false
	}
	defer h.Close()
	st, regular, err := h.Stat()
	if err != nil || !regular || st.Size != e.Stat.Size || st.Size > trigram.MaxFile {
		return nil, false
	}
	age := began.UnixNano() - max(st.CTime, st.MTime)
	if age < int64(tooYoung) {
		return nil, false
	}
	if int64(len(r.buf)) <= st.Size {
		r.buf = make([]byte, st.Size+1)
	}
	n, err := fill(h, r.buf[:st.Size+1], 0) // one byte more than there should be, to see that there is none
	if err != nil || int64(n) != st.Size {
		return nil, false
	}
	after, _, err := h.Stat()
	if err != nil || after != st {
		return nil, false
	}
	text := r.buf[:n]
	wide, _ := wideOrder(text)
	if wide {
		return nil, false // it is searched as UTF-8, at other offsets
	}
	f.Stat = st
	nul := bytes.IndexByte(text, 0)
	if nul >= 0 {
		f.Binary = nul < binaryHead
		text = text[:nul]
	}
	if f.Binary {
		text = nil
	}
	return text, true
}
