package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"helve/source/internal/absence"
	"helve/tool"
)

const (
	// triedAgain is how long a discovery that is known to fail may take when a list tries it once more.
	triedAgain = 2 * time.Second
	// lookEvery is how often whoever follows a discovery that failed looks whether it may be tried again.
	lookEvery = 5 * time.Second
)

// book is where it is remembered that the discovery failed.
func (s *Source) book() *absence.Book {
	argv, err := words(s.cfg.Discover, s.home())
	if err != nil {
		return &absence.Book{}
	}
	name, of, with := absence.Names(s.cfg.Dir, s.o.Environ, argv)
	return &absence.Book{
		Dir:   s.o.CacheDir,
		File:  "discovery-" + s.cfg.digest() + "-" + name + ".away.json",
		Of:    of,
		With:  with,
		Limit: s.cfg.Timeout,
		Now:   s.o.Now,
	}
}

// Absence is what is remembered of a discovery that failed; nil: nothing, or it worked since. Nothing is run.
func (s *Source) Absence() *absence.Absence { return s.book().Absence() }

// away tells why the first listing does not run the command; nil: it does, for at most as long as the time says where
// that is not 0.
func (s *Source) away(ctx context.Context) (time.Duration, error) {
	b := s.book()
	r := b.Known()
	if r == nil {
		return 0, nil
	}
	s.failed.Store(true)
	if ctx.Err() == nil && r.Due(s.o.Now()) {
		return triedAgain, nil
	}
	return 0, fmt.Errorf("%s, %s: %w (helve discover asks now)", r.Why, r.Ago(s.o.Now()), absence.ErrAway)
}

// noted is listed, and remembers how that went.
func (s *Source) noted(ctx context.Context, argv, call []string) ([]tool.Tool, error) {
	try := s.book().Try()
	tools, err := s.listed(ctx, argv, call)
	s.failed.Store(err != nil)
	switch {
	case err == nil:
		try.Came()
	case errors.Is(ctx.Err(), context.Canceled):
		try.Left()
	default:
		try.Failed(err.Error())
	}
	return tools, err
}

// Watch tries a discovery that failed again, after pauses that grow, until it works or ctx is done.
func (s *Source) Watch(ctx context.Context, changed func()) {
	for s.cfg.Discover != "" && s.o.CacheDir != "" {
		t := time.NewTimer(lookEvery)
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
		if s.failed.Load() && s.book().Away() == nil {
			changed()
		}
	}
}
