package shell

import (
	"fmt"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// smallText in bytes and smallScript in statements are judged whatever the clock says: so little takes a few milliseconds
// at most, and on a machine that is busy with other things the clock tells of those. A verdict must not depend on them.
const (
	smallText   = 4 << 10
	smallScript = 50
)

// parse never panics and gives up when the time is over and the text is not small.
func parse(src string, until time.Time) (f *syntax.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("%w: %v", ErrSyntax, r)
		}
	}()
	r := &untilReader{r: strings.NewReader(src), until: until}
	p := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	f, err = p.Parse(r, "")
	switch {
	case err == nil:
		return f, nil
	case r.late:
		return nil, ErrDeadline
	}
	return nil, fmt.Errorf("%w: %s", ErrSyntax, err)
}

// untilReader fails after a moment, which is what stops the parser: it reads in pieces of 1 KiB.
type untilReader struct {
	r     *strings.Reader
	until time.Time
	late  bool
}

// Read reports the deadline only behind a small text, so that short commands are judged alike on a busy machine.
func (u *untilReader) Read(p []byte) (int, error) {
	done := u.r.Size() - int64(u.r.Len())
	if done >= smallText && time.Now().After(u.until) {
		u.late = true
		return 0, ErrDeadline
	}
	return u.r.Read(p)
}
