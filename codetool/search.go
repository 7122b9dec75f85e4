package codetool

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"helve/engine/search"
	"helve/tool"
)

// searchIn is a search in the whole project. The tool grep has more ways to narrow one; this one shows what the other
// code tools show, and nothing else.
type searchIn struct {
	Pattern    string `json:"pattern" jsonschema:"description=Regular expression (RE2),minLength=1"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,default=100,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in searchIn) String() string { return "search " + in.Pattern }

// foundLine is a line that was found.
type foundLine struct {
	Path string `json:"path" jsonschema:"description=Relative to the workspace"`
	Line int    `json:"line" jsonschema:"description=From 1"`
	Text string `json:"text"`
	Cut  bool   `json:"cut,omitempty" jsonschema:"description=The line is longer"`
}

// searchData is what a search found.
type searchData struct {
	Pattern string      `json:"pattern" jsonschema:"description=As it was asked for"`
	Matches []foundLine `json:"matches" jsonschema:"description=By path and line"`
	Cursor  string      `json:"cursor,omitempty" jsonschema:"description=There are more: with it the same call goes on"`
	Moved   bool        `json:"moved,omitempty" jsonschema:"description=Files changed since the cursor was given"`
	extent
}

// Text are the lines as path:line:text.
func (d searchData) Text() string {
	var b strings.Builder
	if d.Moved {
		b.WriteString(movedNote)
	}
	for _, m := range d.Matches {
		b.WriteString(m.String())
	}
	switch {
	case d.Cursor != "":
		fmt.Fprintf(&b, "[truncated: more; cursor %s]\n", d.Cursor)
	case len(d.Matches) == 0:
		fmt.Fprintf(&b, "No matches found for pattern: %s\n", d.Pattern)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (m foundLine) String() string { return fmt.Sprintf("%s:%d:%s\n", m.Path, m.Line, m.Text) }

func searchCodebase(x *Index) spec[searchIn] {
	return spec[searchIn]{
		name:    "search_codebase",
		title:   "Search Codebase",
		short:   "Lines that match a regular expression: path:line:text, by path.",
		limits:  []string{"max_results"},
		renders: tool.Renders[searchData],
		run:     x.grep,
	}
}

// grep searches in the order of paths, so that a cursor goes on where an answer ended. It needs no index of code: the
// search engine looks at the files itself, with its own index where there is one. A search that found nothing is no
// error.
func (x *Index) grep(ctx context.Context, s *sheet, in searchIn) (tool.Rendered, error) {
	o, err := x.work()
	if err != nil {
		return nil, err
	}
	start, err := strconv.Atoi("0" + offset(in.Cursor))
	if err != nil {
		return nil, tool.Errorf(tool.Validation, "cursor %q: not one of this list: leave it out to start anew", in.Cursor)
	}
	f := finding{s: s, data: searchData{Pattern: in.Pattern, Matches: []foundLine{}, Moved: s.moved(in.Cursor)}}
	if f.data.Moved {
		s.spend(movedNote)
		s.lacks("files changed since the cursor was given")
	}
	q := search.Query{
		Patterns: []string{in.Pattern},
		Sort:     search.ByPath,
		Limit:    s.page(in.MaxResults, "").Limit,
		Offset:   start,
		MaxText:  lineBytes,
		Without:  x.o.Denied,
	}
	if s.whole() {
		q.MaxText = 0
	}
	sum, err := o.search.Grep(ctx, q, f.add)
	x.mu.Lock()
	x.searched = sum
	x.mu.Unlock()
	full := errors.Is(err, errFull)
	var bad *search.PatternError
	switch {
	case errors.As(err, &bad):
		return nil, &tool.Error{Code: tool.Validation, Err: err}
	case err != nil && !full:
		return nil, err
	case full || sum.Capped:
		f.data.Cursor = s.cursor(start + len(f.data.Matches))
		s.lacks("there are more lines")
	}
	f.data.extent = s.extent()
	return f.data, nil
}

// A finding is a search as it goes on.
type finding struct {
	s    *sheet
	data searchData
	used int // bytes of data, about
}

// add takes the lines of a file.
func (f *finding) add(of *search.File) error {
	for _, l := range of.Lines {
		m := lineFound(of, l)
		line := m.String()
		if len(f.data.Matches) > 0 && !f.s.fits(line) {
			return errFull
		}
		f.used += len(line) + len(`{"path":"","line":,"text":""},`)
		if f.s.whole() && f.used > f.s.call.Whole {
			return f.s.call.TooLarge()
		}
		if m.Cut {
			f.s.lacks("lines are cut at %d bytes", lineBytes)
		}
		f.s.about(of.Path)
		f.s.spend(line)
		f.data.Matches = append(f.data.Matches, m)
	}
	return nil
}

// lineFound is one match. A line of another encoding than UTF-8 is shown with marks where it could not be read.
func lineFound(f *search.File, l search.Line) foundLine {
	text := strings.TrimRight(string(l.Text), "\r\n")
	return foundLine{clean(f.Path), l.Number, clean(text), l.Cut}
}

// errFull ends a search whose answer is full.
var errFull = errors.New("the answer is full")
