package files

import (
	"bytes"
	"fmt"
	"strings"

	"helve/engine/search"
	"helve/internal/fsroot"
	"helve/tool"
)

// grepData is what grep found.
type grepData struct {
	Pattern string      `json:"pattern" jsonschema:"As it was asked for"`
	Mode    string      `json:"mode" jsonschema:"lines, files or count"`
	Matches []grepMatch `json:"matches" jsonschema:"Lines found, in mode lines; the newest file first"`
	Files   []grepFile  `json:"files" jsonschema:"Files with a match, in the other modes"`
	Count   int         `json:"count" jsonschema:"Lines found; in mode files the files"`
	Context bool        `json:"context,omitempty" jsonschema:"Lines around were asked for"`
	Next    int         `json:"next,omitempty" jsonschema:"The offset at which a further call goes on"`
	Notes   []string    `json:"notes,omitempty" jsonschema:"What may explain an empty answer"`
	Ignored []string    `json:"ignored,omitempty" jsonschema:"What of the question meant nothing"`
	searched
}

// grepMatch is one line that was found.
type grepMatch struct {
	Path   string   `json:"path" jsonschema:"Relative to the workspace"`
	Line   int      `json:"line" jsonschema:"From 1"`
	Column int      `json:"column,omitempty" jsonschema:"Byte, from 1; for programs only"`
	Text   string   `json:"text"`
	Cut    bool     `json:"cut,omitempty" jsonschema:"The line is longer"`
	Before []string `json:"before,omitempty" jsonschema:"Lines before it; one that was cut ends in […]"`
	After  []string `json:"after,omitempty" jsonschema:"Lines after it"`
}

// grepFile is a file with a match.
type grepFile struct {
	Path  string `json:"path"`
	Count int    `json:"count,omitempty" jsonschema:"Lines found in it, in mode count"`
}

// cutMark stands behind a line that is longer.
const cutMark = " […]"

// Text is the answer for a model.
func (d grepData) Text() string {
	var b strings.Builder
	for _, what := range d.Ignored {
		b.WriteString("[ignored: " + what + "]\n")
	}
	b.WriteString(d.body())
	return b.String()
}

// body is the answer without what was ignored: lines as path:number:text, those of context as path-number-text, and
// what it does not show.
func (d grepData) body() string {
	if d.Count == 0 {
		words := "No matches found for pattern: " + d.Pattern
		for _, n := range d.Notes {
			words += "\n[" + n + "]"
		}
		return d.nothing(words) + secretsNote(d.Secrets, grepSecrets)
	}
	var b strings.Builder
	for _, f := range d.Files {
		b.WriteString(f.Path)
		if d.Mode == "count" {
			fmt.Fprintf(&b, ":%d", f.Count)
		}
		b.WriteByte('\n')
	}
	d.writeMatches(&b)
	shown := fmt.Sprintf("%d %s", d.Count, matches(d.Mode))
	b.WriteString(d.notes(shown, fmt.Sprintf("narrow with include, type or path, or go on with offset=%d", d.Next)))
	return strings.TrimSuffix(b.String(), "\n") + secretsNote(d.Secrets, grepSecrets)
}

// writeMatches writes the lines. Those of context stand in two matches where these are near each other, and are
// written once.
func (d grepData) writeMatches(b *strings.Builder) {
	w := matchWriter{Builder: b, gaps: d.Context}
	for i := range d.Matches {
		m := &d.Matches[i]
		if m.Path != w.path {
			w.path, w.last = m.Path, 0
		}
		for k, text := range m.Before {
			w.line('-', m.Line-len(m.Before)+k, text)
		}
		mark := ""
		if m.Cut {
			mark = cutMark
		}
		w.line(':', m.Line, m.Text+mark)
		end := m.Line + len(m.After) + 1
		if i+1 < len(d.Matches) && d.Matches[i+1].Path == m.Path { // the next one writes itself
			end = min(end, d.Matches[i+1].Line)
		}
		for n := m.Line + 1; n < end; n++ {
			w.line('-', n, m.After[n-m.Line-1])
		}
	}
}

// A matchWriter writes lines of files, each once.
type matchWriter struct {
	*strings.Builder
	gaps bool   // are marked
	path string // the file at hand
	last int    // number of the line that was written last
}

func (w *matchWriter) line(sep byte, number int, text string) {
	if number <= w.last {
		return
	}
	if w.gaps && number != w.last+1 && w.Len() > 0 {
		w.WriteString("--\n")
	}
	w.last = number
	fmt.Fprintf(w, "%s%c%d%c%s\n", w.path, sep, number, sep, text)
}

// matches is what a mode counts.
func matches(mode string) string {
	if mode == "files" {
		return "files"
	}
	return "matches"
}

// grepOut is the answer as it grows.
type grepOut struct {
	prefix        string // of paths, outside the first root
	mode          search.Mode
	before, after int // lines of context
	room          int // bytes of data that a program takes; 0: no bound but that of the lines
	used          int
	call          *tool.Call

	data  grepData
	files int // so far
	cut   int // lines that are cut
	left  *hiddenSecrets
	last  string     // the file at hand, which may come in parts
	lines []grepLine // of it, where they may be context of each other
}

// A grepLine is a line as the engine found it.
type grepLine struct {
	grepMatch
	context bool
}

// around is about what a match takes in JSON beside its path and text.
const around = 32

// add takes what was found in a file, or in a part of one.
func (o *grepOut) add(f *search.File) error {
	path := fsroot.Quote(o.prefix + f.Path)
	if path != o.last {
		o.flush()
		o.files++
		o.last = path
	}
	switch o.mode {
	case search.Files:
		o.data.Files = append(o.data.Files, grepFile{Path: path})
		o.data.Count++
	case search.Count:
		o.counted(path, f.Count)
	default:
		for _, l := range f.Lines {
			o.line(path, l)
		}
	}
	o.used += around + len(path)
	if o.room > 0 && o.used > o.room {
		return o.call.TooLarge()
	}
	return nil
}

// counted adds lines to the file at hand.
func (o *grepOut) counted(path string, n int) {
	o.data.Count += n
	if last := len(o.data.Files) - 1; last >= 0 && o.data.Files[last].Path == path {
		o.data.Files[last].Count += n
		return
	}
	o.data.Files = append(o.data.Files, grepFile{Path: path, Count: n})
}

// line takes a line. What is not UTF-8 is shown as U+FFFD: results are JSON.
func (o *grepOut) line(path string, l search.Line) {
	text := string(bytes.ToValidUTF8(bytes.TrimSuffix(l.Text, []byte("\r")), []byte("\ufffd")))
	m := grepMatch{Path: path, Line: l.Number, Column: l.Column, Text: text, Cut: l.Cut}
	o.used += around + len(path) + len(text)
	if l.Cut {
		o.cut++
	}
	if !l.Context {
		o.data.Count++
	}
	if o.before+o.after == 0 {
		o.data.Matches = append(o.data.Matches, m)
		return
	}
	o.lines = append(o.lines, grepLine{m, l.Context})
}

// flush makes matches of the lines of a file, each with the lines around it.
func (o *grepOut) flush() {
	for i := range o.lines {
		if o.lines[i].context {
			continue
		}
		m := o.lines[i].grepMatch
		from, to := i, i
		for from > 0 && o.follows(from) && m.Line-o.lines[from-1].Line <= o.before {
			from--
		}
		for to+1 < len(o.lines) && o.follows(to+1) && o.lines[to+1].Line-m.Line <= o.after {
			to++
		}
		m.Before, m.After = texts(o.lines[from:i]), texts(o.lines[i+1:to+1])
		o.used += len(strings.Join(m.Before, "")) + len(strings.Join(m.After, ""))
		o.data.Matches = append(o.data.Matches, m)
	}
	o.lines = o.lines[:0]
}

// follows tells that a line is the one after the line before it in the list.
func (o *grepOut) follows(i int) bool { return o.lines[i-1].Line+1 == o.lines[i].Line }

// texts are lines of context.
func texts(lines []grepLine) []string {
	var out []string
	for _, l := range lines {
		text := l.Text
		if l.Cut {
			text += cutMark
		}
		out = append(out, text)
	}
	return out
}

// result is the answer with what it does not show: where it stopped, what could not be read.
func (o *grepOut) result(in grepIn, sum search.Summary) (*tool.Result, error) {
	o.flush()
	if err := searchedWhole(o.call, sum); err != nil {
		return nil, err
	}
	d := &o.data
	d.Pattern, d.Mode, d.Context = in.Pattern, in.Mode, o.before+o.after > 0
	if sum.Capped || sum.Partial {
		d.Next = in.Offset + in.HeadLimit
	}
	cut := ""
	if o.cut > 0 {
		cut = fmt.Sprintf("%d lines are cut at %d bytes", o.cut, grepLineShown)
	}
	d.searched = searchedOf(sum, o.left, cut)
	if d.Count == 0 {
		d.Notes = in.chosen(sum)
		if in.Offset > 0 {
			d.Notes = append(d.Notes, fmt.Sprintf("behind the first %d: offset passes them over", in.Offset))
		}
	}
	if d.Matches == nil { // lists, also where there is nothing in them
		d.Matches = []grepMatch{}
	}
	if d.Files == nil {
		d.Files = []grepFile{}
	}
	res := (&tool.Result{}).WithData(d)
	for _, what := range d.Ignored {
		res.Parts = append(res.Parts, tool.Text("[ignored: "+what+"]"))
	}
	res.Parts = append(res.Parts, tool.Text(d.body()))
	res.WithMeta(grepMeta{in.Pattern, d.Count, o.files, sum.Capped, sum.Partial})
	if d.Count == 0 {
		return res.WithSummary("no matches for %s", in.Pattern), nil
	}
	return res.WithSummary("%s %s for %s", d.atLeast(d.Count), matches(in.Mode), in.Pattern), nil
}
