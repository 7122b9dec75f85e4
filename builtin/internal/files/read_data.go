package files

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"helve/builtin/internal/render"
	filetext "helve/builtin/internal/text"
	"helve/internal/fsroot"
	"helve/tool"
)

// readData is what read brings: one file, or several in the order in which they were asked for.
type readData struct {
	readOne
	Files []readOne `json:"files,omitempty" jsonschema:"Several files; what stands beside them is then empty"`
}

// readOne is a file, or a window of its lines.
type readOne struct {
	Path     string    `json:"path" jsonschema:"As it was asked for; empty where there are several files"`
	Lines    []string  `json:"lines" jsonschema:"Without their ends; of a PDF or notebook its text"`
	From     int64     `json:"from" jsonschema:"Number of the first line, from 1; 0 where there are no lines"`
	Total    *int64    `json:"total,omitempty" jsonschema:"Lines of the file; absent where they were not counted"`
	More     bool      `json:"more,omitempty" jsonschema:"There are lines after the last"`
	Cut      []cutLine `json:"cut,omitempty" jsonschema:"Lines that are longer than what is here"`
	Encoding string    `json:"encoding,omitempty" jsonschema:"Of a text file"`
	Type     string    `json:"type,omitempty" jsonschema:"Media type of what is no text file"`
	Size     int64     `json:"size" jsonschema:"Bytes of the file"`
	Bytes    string    `json:"bytes,omitempty" jsonschema:"In base64: the first bytes of what is no text, for a program all of them"`
	Width    int       `json:"width,omitempty" jsonschema:"Pixels of a picture, which is a part of the result"`
	Height   int       `json:"height,omitempty"`
	Notes    []string  `json:"notes,omitempty" jsonschema:"What else the text says"`
	Error    string    `json:"error,omitempty" jsonschema:"Why this one of several files could not be read"`
	render.Extent
}

// cutLine is a line of which a part is missing.
type cutLine struct {
	Line  int64 `json:"line" jsonschema:"Its number"`
	Bytes int64 `json:"bytes" jsonschema:"That are missing at its end"`
}

// Text is what a model reads: numbered lines, and notes in brackets.
func (d readData) Text() string {
	if d.Files == nil {
		return d.readOne.Text()
	}
	var b strings.Builder
	for i, f := range d.Files {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.head())
		if text := f.Text(); f.hasText() {
			b.WriteString("\n" + text)
		}
	}
	return b.String()
}

// head stands above each of several files. Below it an error follows at once.
func (d *readOne) head() string {
	head := "==> " + fsroot.Quote(d.Path) + " <=="
	if d.Error != "" {
		head += "\n" + d.Error
	}
	return head
}

// texts are the parts of the text of one file.
func (d *readOne) texts() []string {
	var out []string
	switch {
	case d.Error != "":
		return nil
	case d.Width > 0:
	case d.Bytes != "":
		out = append(out, d.binary())
	default:
		body := d.numbered()
		out = append(out, body+d.footer(body == ""))
	}
	for _, n := range d.Notes {
		out = append(out, "["+n+"]")
	}
	return out
}

// hasText tells a file of which there is anything to read.
func (d *readOne) hasText() bool { return len(d.texts()) > 0 }

// Text is one file.
func (d *readOne) Text() string { return strings.Join(d.texts(), "\n") }

// numbered writes lines as `%6d|text`.
func (d *readOne) numbered() string {
	var b strings.Builder
	size := 0
	for _, l := range d.Lines {
		size += len(l) + len(lineHead)
	}
	b.Grow(size) // once: growing costs more than the text
	cut := d.Cut
	for i, text := range d.Lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		at := d.From + int64(i)
		number := strconv.FormatInt(at, 10) // longer ones only move their own line
		b.WriteString("      "[min(len(number), 6):])
		b.WriteString(number)
		b.WriteByte('|')
		b.WriteString(text)
		if len(cut) > 0 && cut[0].Line == at {
			fmt.Fprintf(&b, lineCut, cut[0].Bytes)
			cut = cut[1:]
		}
	}
	return b.String()
}

const (
	// lineHead is what stands before a line, but for its number.
	lineHead = "\n123456|"
	// lineCut stands behind a line of which a part is missing.
	lineCut = " [… %d bytes more in this line]"
)

// footer says what the lines do not show: that there are more, that there are none, that the file is not UTF-8.
func (d *readOne) footer(bare bool) string {
	var say []string
	count := int64(len(d.Lines))
	last := d.From + count - 1
	switch {
	case d.More && d.Total != nil:
		say = append(say, fmt.Sprintf("lines %d-%d of %d; go on with start_line=%d", d.From, last, *d.Total, last+1))
	case d.More:
		say = append(say, fmt.Sprintf("lines %d-%d; there are more: go on with start_line=%d", d.From, last, last+1))
	case count == 0 && d.Size == 0:
		say = append(say, "the file is empty")
	case count == 0 && d.Total != nil:
		say = append(say, fmt.Sprintf("no line %d: the file has %s", d.From, render.Quantity(int(*d.Total), "line")))
	case d.From > 1 && d.Total != nil:
		say = append(say, fmt.Sprintf("lines %d-%d of %d", d.From, last, *d.Total))
	}
	if d.Encoding != "" && d.Encoding != filetext.UTF8.Name() {
		say = append(say, "encoding "+d.Encoding)
	}
	if len(say) == 0 {
		return ""
	}
	note := "[" + strings.Join(say, "; ") + "]"
	if bare {
		return note
	}
	return "\n" + note
}

// binary shows the type and the first bytes of a file that is no text.
func (d *readOne) binary() string {
	head := d.Bytes[:min(len(d.Bytes), base64.StdEncoding.EncodedLen(hexShown)/4*4)]
	shown, err := base64.StdEncoding.DecodeString(head)
	if err != nil { // it was encoded here
		shown = nil
	}
	shown = shown[:min(len(shown), hexShown)]
	dump := strings.TrimSuffix(hex.Dump(shown), "\n")
	return fmt.Sprintf("Binary file: %s (%s, %d bytes). The first %d bytes:\n%s",
		fsroot.Quote(d.Path), d.Type, d.Size, len(shown), dump)
}

// parts are the texts of a file as parts of a result, with its picture, if it is one.
func (d *readOne) parts(pictures []tool.Part) []tool.Part {
	var out []tool.Part
	if d.Width > 0 {
		out = append(out, pictures...)
		pictures = nil
	}
	for _, text := range d.texts() {
		out = append(out, tool.Text(text))
	}
	return append(out, pictures...)
}

// meta is the metadata of the file.
func (d *readOne) meta() readMeta {
	m := readMeta{
		FilePath:  d.Path,
		Total:     d.Total,
		LinesRead: len(d.Lines),
		Offset:    max(d.From-1, 0),
		HasMore:   d.More,
		Encoding:  d.Encoding,
		Type:      d.Type,
		Size:      d.Size,
	}
	if d.Width > 0 || d.Bytes != "" { // it has no lines
		m.Total = new(int64)
	}
	return m
}

// take puts as many lines of a window into the data as there is room for, at least one: or nobody would get past it. A
// model gets the beginning of long lines. It returns how many bytes of text they take.
func (d *readOne) take(lines []filetext.Line, room int, whole bool) int {
	d.Lines = make([]string, 0, len(lines))
	used := 0
	for i, l := range lines {
		text, cut := l.Text, l.Cut
		if !whole {
			text, cut = shorten(l)
		}
		size := len(text)
		if cut > 0 {
			size += len(fmt.Sprintf(lineCut, cut))
		}
		if i > 0 && !whole && used+size+len(lineHead) > room {
			d.More = true
			return used
		}
		used += size + headOf(d.From+int64(i)) + min(i, 1)
		d.Lines = append(d.Lines, text)
		if cut > 0 {
			d.Cut = append(d.Cut, cutLine{d.From + int64(i), cut})
		}
	}
	return used
}

// headOf is how many bytes stand before the line of that number.
func headOf(number int64) int {
	n := len("123456|")
	for ; number > 999_999; number /= 10 {
		n++
	}
	return n
}

// shorten is the beginning of a line, and how many bytes of it are missing.
func shorten(l filetext.Line) (string, int64) {
	text, cut := l.Text, l.Cut
	if len(text) <= lineShown || utf8.RuneCountInString(text) <= lineShown {
		return text, cut
	}
	n := 0
	for i := range text {
		if n == lineShown {
			return text[:i], cut + int64(len(text)-i)
		}
		n++
	}
	return text, cut
}

// extend says whether all that was asked for is here, and why not. end is the last line that was asked for, 0 for the
// last one of the file.
func (d *readOne) extend(end int64) {
	more, cut := "", ""
	got := d.From + int64(len(d.Lines)) - 1
	if d.More && (end == 0 || got < end) {
		more = "there are more lines"
	}
	if len(d.Cut) > 0 {
		cut = render.Quantity(len(d.Cut), "line") + " cut at the end"
	}
	d.Extent = render.ExtentOf(more, cut)
}
