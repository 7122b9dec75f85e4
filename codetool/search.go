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

func searchCodebase(x *Index) spec[searchIn] {
	return spec[searchIn]{
		name:  "search_codebase",
		title: "Search Codebase",
		short: "Lines that match a regular expression: path:line:text, by path.",
		run:   x.grep,
	}
}

// grep searches in the order of paths, so that a cursor goes on where an answer ended. It needs no index of code: the
// search engine looks at the files itself, with its own index where there is one. A search that found nothing is no
// error.
func (x *Index) grep(ctx context.Context, s *sheet, in searchIn) error {
	o, err := x.work()
	if err != nil {
		return err
	}
	start, err := strconv.Atoi("0" + offset(in.Cursor))
	if err != nil {
		return tool.Errorf(tool.Validation, "cursor %q: not one of this list: leave it out to start anew", in.Cursor)
	}
	s.moved(in.Cursor)
	found := 0
	q := search.Query{
		Patterns: []string{in.Pattern},
		Sort:     search.ByPath,
		Limit:    page(in.MaxResults, "").Limit,
		Offset:   start,
		MaxText:  lineBytes,
		Without:  x.o.Denied,
	}
	sum, err := o.search.Grep(ctx, q, func(f *search.File) error {
		for _, l := range f.Lines {
			line := matchLine(f, l)
			if found > 0 && !s.fits(line) {
				return errFull
			}
			s.about(f.Path)
			s.printf("%s", line)
			found++
		}
		return nil
	})
	x.mu.Lock()
	x.searched = sum
	x.mu.Unlock()
	full := errors.Is(err, errFull)
	var bad *search.PatternError
	switch {
	case errors.As(err, &bad):
		return &tool.Error{Code: tool.Validation, Err: err}
	case err != nil && !full:
		return err
	case full || sum.Capped:
		s.printf("[truncated: more; cursor %s]\n", s.cursor(offset(in.Cursor), found))
	case found == 0:
		s.printf("No matches found for pattern: %s\n", in.Pattern)
	}
	return nil
}

// matchLine is one match. A line of another encoding than UTF-8 is shown with marks where it could not be read.
func matchLine(f *search.File, l search.Line) string {
	text := strings.TrimRight(string(l.Text), "\r\n")
	text = strings.ToValidUTF8(text, "\ufffd")
	return fmt.Sprintf("%s:%d:%s\n", f.Path, l.Number, text)
}

// errFull ends a search whose answer is full.
var errFull = errors.New("the answer is full")
