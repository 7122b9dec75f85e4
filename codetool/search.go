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

type searchIn struct {
	Pattern    string `json:"pattern" jsonschema:"description=Regular expression (RE2),minLength=1"`
	MaxResults int    `json:"max_results,omitempty" jsonschema:"description=Limit,default=100,minimum=0"`
	Cursor     string `json:"cursor,omitempty" jsonschema:"description=From before"`
}

func (in searchIn) String() string { return "search " + in.Pattern }

func searchCodebase(x *Index) spec[searchIn] {
	return spec[searchIn]{name: "search_codebase", title: "Search Codebase", short: "Lines that match a regular expression: path:line:text, by path.",
		run: x.grep}
}

// grep searches in the order of paths, so that a cursor goes on where an answer ended.
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
	limit := page(in.MaxResults, "").Limit
	found, full := 0, false
	q := search.Query{Patterns: []string{in.Pattern}, Sort: search.ByPath, Limit: limit, Offset: start, MaxText: lineBytes, Without: x.o.Denied}
	sum, err := o.search.Grep(ctx, q, func(f *search.File) error {
		for _, l := range f.Lines {
			line := fmt.Sprintf("%s:%d:%s\n", f.Path, l.Number, strings.ToValidUTF8(strings.TrimRight(string(l.Text), "\r\n"), "\ufffd"))
			if full = full || found > 0 && !s.fits(line); full {
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
	var bad *search.PatternError
	switch {
	case errors.As(err, &bad):
		return &tool.Error{Code: tool.Validation, Err: err}
	case err != nil && !errors.Is(err, errFull):
		return err
	}
	switch {
	case full || sum.Capped:
		s.printf("[truncated: more; cursor %s]\n", s.cursor(offset(in.Cursor), found))
	case found == 0:
		s.printf("No matches found for pattern: %s\n", in.Pattern)
	}
	return nil
}

// errFull ends a search whose answer is full.
var errFull = errors.New("the answer is full")
