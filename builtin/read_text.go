package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	filetext "helve/builtin/internal/text"
	"helve/tool"
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
	got, err := r.show(ctx, f, src, fi)
	if err == nil {
		seenBy(r.call.Session).note(f.path, fi, whole)
	}
	return got, err
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
		return binary(r, f, src, head), nil
	}
	src.index = filetext.NewIndex(src.enc, sample)
	if src.size > hashedFile {
		r.w.lines.put(f.path, fi, knownLines{src.index, src.enc})
	}
	return r.text(ctx, f, src)
}

// text shows a window of lines.
func (r *reading) text(ctx context.Context, f readFile, src source) (*content, error) {
	if src.index == nil {
		src.index = filetext.NewIndex(src.enc, nil)
	}
	skip, count := r.in.window()
	win, err := src.index.Window(ctx, src.r, src.size, filetext.Want{
		First: skip,
		Count: count,
		Bytes: max(r.room, 1),
	})
	if err != nil {
		return nil, err
	}
	if win.Total < 0 && src.size <= countedFile {
		win.Total, err = src.index.Total(ctx, src.r, src.size)
		if err != nil {
			return nil, err
		}
	}
	body, shown := numbered(win.Lines, skip, r.room)
	r.room -= len(body)
	m := readMeta{
		FilePath:  f.asked,
		LinesRead: shown,
		Offset:    skip,
		HasMore:   win.More || shown < len(win.Lines),
		Size:      src.size,
	}
	if win.Total >= 0 {
		m.Total = &win.Total
	}
	if f.spill == "" {
		m.Encoding = src.enc.Name()
	}
	parts := []tool.Part{tool.Text(body + footer(&m, body))}
	return &content{parts, m, m.String()}, nil
}

// numbered writes lines as `%6d|text`, as many as there is room for, at least one.
func numbered(lines []filetext.Line, offset int64, room int) (string, int) {
	var b strings.Builder
	size := 0
	for _, l := range lines {
		size += len(l.Text) + len("\n123456|")
	}
	b.Grow(min(size, room+lineShown)) // once: growing costs more than the text
	for i, l := range lines {
		text := shorten(l)
		// The first comes in any case, or nobody would get past it.
		if i > 0 && b.Len()+len(text)+len("\n123456|") > room {
			return b.String(), i
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		number := strconv.FormatInt(offset+int64(i)+1, 10) // longer ones only move their own line
		b.WriteString("      "[min(len(number), 6):])
		b.WriteString(number)
		b.WriteByte('|')
		b.WriteString(text)
	}
	return b.String(), len(lines)
}

// shorten cuts a long line and says by how much.
func shorten(l filetext.Line) string {
	if len(l.Text) <= lineShown && l.Cut == 0 {
		return l.Text
	}
	text, cut := l.Text, l.Cut
	if utf8.RuneCountInString(text) > lineShown {
		n := 0
		for i := range text {
			if n == lineShown {
				cut += int64(len(text) - i)
				text = text[:i]
				break
			}
			n++
		}
	}
	if cut == 0 {
		return text
	}
	return fmt.Sprintf("%s [… %d bytes more in this line]", text, cut)
}

// footer says what the lines do not show: that there are more, that there are none, that the file is not UTF-8.
func footer(m *readMeta, body string) string {
	var say []string
	next := m.Offset + int64(m.LinesRead)
	switch {
	case m.HasMore && m.Total != nil:
		say = append(say, fmt.Sprintf("lines %d-%d of %d; go on with start_line=%d",
			m.Offset+1, next, *m.Total, next+1))
	case m.HasMore:
		say = append(say, fmt.Sprintf("lines %d-%d; there are more: go on with start_line=%d",
			m.Offset+1, next, next+1))
	case m.LinesRead == 0 && m.Size == 0:
		say = append(say, "the file is empty")
	case m.LinesRead == 0 && m.Total != nil:
		say = append(say, fmt.Sprintf("no line %d: the file has %s", m.Offset+1, quantity(int(*m.Total), "line")))
	case m.Offset > 0 && m.Total != nil:
		say = append(say, fmt.Sprintf("lines %d-%d of %d", m.Offset+1, next, *m.Total))
	}
	if m.Encoding != "" && m.Encoding != filetext.UTF8.Name() {
		say = append(say, "encoding "+m.Encoding)
	}
	if len(say) == 0 {
		return ""
	}
	note := "[" + strings.Join(say, "; ") + "]"
	if body == "" {
		return note
	}
	return "\n" + note
}

// knownLines is what was learnt about a large file's lines.
type knownLines struct {
	index *filetext.Index
	enc   filetext.Encoding
}
