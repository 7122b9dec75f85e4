package files

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"strings"

	filetext "helve/builtin/internal/text"
)

const (
	// lineShown is where a line is cut, in characters: longer ones are generated, or data.
	lineShown = 2000
	// countedFile is up to which size all lines are counted at once: it takes a millisecond. Of a larger file the
	// total is told where it is known.
	countedFile = 8 << 20
)

// textSource is a text that was made of a file.
func textSource(text string) source {
	return source{r: strings.NewReader(text), size: int64(len(text))}
}

// A source is a file's content, or a part of the workspace that is shown like one.
type source struct {
	r     io.ReaderAt
	size  int64             // bytes
	index *filetext.Index   // nil: not known yet
	enc   filetext.Encoding // zero is UTF-8
}

// opened finds out what a file is and shows it so.
func (r *reading) opened(ctx context.Context, f readFile, file *os.File, fi fs.FileInfo) (*content, error) {
	var whole []byte
	src := source{r: file, size: fi.Size()}
	if src.size <= hashedFile { // it may grow meanwhile: what was read is what is known
		var err error
		whole, err = io.ReadAll(io.LimitReader(file, src.size))
		if err != nil {
			return nil, err
		}
		src.r, src.size = bytes.NewReader(whole), int64(len(whole))
	}
	disk := whole
	now, err := r.w.unsaved(ctx, f.path, disk)
	if err != nil {
		return nil, err
	}
	if now != nil {
		whole = now.raw
		src.r, src.size = bytes.NewReader(whole), int64(len(whole))
	}
	got, err := r.show(ctx, f, src, fi)
	if err != nil {
		return nil, err
	}
	SeenBy(r.call.Session).Note(f.path, fi, whole)
	if r.w.Buffers != nil {
		SeenBy(r.call.Session).noteDisk(f.path, fi, disk)
	}
	if now != nil {
		got.data.Notes = append(got.data.Notes, "unsaved changes of the editor are in it: on the disk it is another, which commands see")
	}
	return got, nil
}

// show chooses the view: that of a special type, a picture of its bytes for what is binary, else lines of text.
// Which it is, the first bytes and a sample tell; a large file is not read as a whole.
func (r *reading) show(ctx context.Context, f readFile, src source, fi fs.FileInfo) (*content, error) {
	known, ok := r.w.lines.get(f.path, fi)
	if ok {
		src.index, src.enc = known.index, known.enc
		return r.text(ctx, f, src)
	}
	head := make([]byte, min(src.size, sniffed))
	_, err := src.r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	view := viewer(f.path.Rel(), head)
	if view != nil { // a view that answers nothing leaves the file to the next
		got, err := view(r, ctx, f, src, head)
		if got != nil || err != nil {
			return got, err
		}
	}
	sample, err := filetext.Sample(src.r, src.size)
	if err != nil {
		return nil, err
	}
	src.enc, err = filetext.Detect(sample)
	// A sample ends with its last whole line: what follows the lines may be no text.
	cut := bytes.IndexByte(head, 0) >= 0 && bytes.IndexByte(sample, 0) < 0
	if err != nil || cut {
		return binary(r, f, src, head)
	}
	src.index = filetext.NewIndex(src.enc, sample)
	if src.size > hashedFile {
		r.w.lines.put(f.path, fi, knownLines{src.index, src.enc})
	}
	return r.text(ctx, f, src)
}

// text brings a window of lines.
func (r *reading) text(ctx context.Context, f readFile, src source) (*content, error) {
	if src.index == nil {
		src.index = filetext.NewIndex(src.enc, nil)
	}
	skip, count := r.in.window()
	want := filetext.Want{First: skip, Count: count, Bytes: max(r.room, 1)}
	whole := r.call.Whole > 0
	if whole { // with a byte more than there is room for: so it shows
		want.Bytes = max(r.room, 0) + 1
		want.LineBytes = want.Bytes
	}
	win, err := src.index.Window(ctx, src.r, src.size, want)
	if err != nil {
		return nil, err
	}
	if win.Total < 0 && src.size <= countedFile {
		win.Total, err = src.index.Total(ctx, src.r, src.size)
		if err != nil {
			return nil, err
		}
	}
	d := readOne{Path: f.asked, From: skip + 1, More: win.More, Size: src.size}
	r.room -= d.take(win.Lines, r.room, whole)
	if whole && (win.Full || len(d.Cut) > 0 || r.room < 0) {
		return nil, r.tooLarge()
	}
	if win.Total >= 0 {
		d.Total = &win.Total
	}
	if f.spill == "" {
		d.Encoding = src.enc.Name()
	}
	d.extend(r.in.EndLine)
	m := d.meta()
	return &content{data: d, summary: m.String()}, nil
}

// knownLines is what was learnt about a large file's lines.
type knownLines struct {
	index *filetext.Index
	enc   filetext.Encoding
}
