package bash

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/engine/sandbox"
	"helve/tool"
)

// taskData is what a background command printed since the last time, and how it stands.
type taskData struct {
	TaskID   string     `json:"task_id"`
	Running  bool       `json:"running" jsonschema:"Any of its processes is left"`
	ExitCode *int       `json:"exit_code,omitempty" jsonschema:"Absent while it runs"`
	Signal   string     `json:"signal,omitempty" jsonschema:"That ended it"`
	State    string     `json:"state" jsonschema:"How it stands, in words"`
	Over     bool       `json:"over,omitempty" jsonschema:"It had ended before it was to be ended"`
	Stdout   piece      `json:"stdout"`
	Stderr   piece      `json:"stderr"`
	Held     []heldBack `json:"held_back,omitempty" jsonschema:"Put aside: another program would follow it"`
	Notes    []string   `json:"notes,omitempty" jsonschema:"What the model is told beside the output"`
	record.UndoMeta
	render.Extent
}

// A piece is what came in a stream.
type piece struct {
	Text string `json:"text" jsonschema:"Whole lines, where there is a filter"`
	Lost int64  `json:"lost,omitempty" jsonschema:"Bytes before it that are no longer kept"`
	Rest int64  `json:"rest,omitempty" jsonschema:"Bytes behind it: call again"`
}

// Text is what a model reads.
func (d taskData) Text() string {
	if d.Over {
		return fmt.Sprintf("%s had ended already: it %s", d.TaskID, d.State)
	}
	text := d.Stdout.String()
	e := d.Stderr.String()
	if e != "" {
		text += "[stderr]\n" + e
	}
	if text == "" {
		text = "(no new output)\n"
	}
	for _, line := range d.Notes {
		text += line + "\n"
	}
	return text + "[" + d.TaskID + " " + d.State + "]"
}

// String is the piece with words on what is missing, ended by a line end.
func (p piece) String() string {
	text := p.Text
	if p.Lost > 0 {
		text = fmt.Sprintf("[… %d bytes no longer kept …]\n", p.Lost) + text
	}
	if p.Rest > 0 {
		text += fmt.Sprintf("\n[… %d more bytes: call again]", p.Rest)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// reach says whether all that came is here.
func (d *taskData) reach() render.Extent {
	lost, rest := "", ""
	if d.Stdout.Lost+d.Stderr.Lost > 0 {
		lost = "some of the output is no longer kept"
	}
	if d.Stdout.Rest+d.Stderr.Rest > 0 {
		rest = "there is more: call again"
	}
	return render.ExtentOf(lost, rest)
}

// newsShare is which part of what a program takes one call brings of a stream: what is read is not read again, so it
// has to fit, however much of it JSON escapes.
const newsShare = 16

// A reader reads a task's streams for one call.
type reader struct {
	filter  *regexp.Regexp // of lines; matches everything where there is none
	most    int            // bytes of a stream
	running bool
}

// readerFor reads as much as the caller takes.
func readerFor(c *tool.Call, filter *regexp.Regexp, running bool) reader {
	r := reader{filter: filter, most: bashShown, running: running}
	if c.Whole > 0 {
		r.most = max(c.Whole/newsShare, 1)
	}
	return r
}

// since reads a stream from a cursor on, a bounded piece a call.
func (r reader) since(o *sandbox.Output, c *cursor) piece {
	data, next, lost := o.Since(c.at, r.most)
	rest := o.Size() - next
	if r.running || rest > 0 {
		data = r.complete(data, rest > 0)
	}
	*c = cursor{c.at + lost + int64(len(data)), next}
	var b strings.Builder
	for line := range strings.Lines(strings.ToValidUTF8(string(data), "\ufffd")) {
		if r.filter.MatchString(strings.TrimRight(line, "\r\n")) {
			b.WriteString(line)
		}
	}
	return piece{Text: b.String(), Lost: lost, Rest: rest}
}

// complete leaves what the next call is to bring: the first bytes of a character whose others are not there yet and,
// where a filter judges lines, the beginning of a line. What lies before more output is given as it is when nothing
// of it is complete, or no call would ever get further.
func (r reader) complete(data []byte, more bool) []byte {
	whole := wholeRunes(data)
	if r.filter.String() != "" {
		whole = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	if len(whole) == 0 && (more || len(data) == r.most) {
		return data
	}
	return whole
}

// A cursor is where the next call goes on in a stream, and how far the stream was known at the last one.
type cursor struct{ at, seen int64 }
