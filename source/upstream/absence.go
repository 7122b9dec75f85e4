package upstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"helve/source/internal/absence"
)

const (
	// triedAgain is how long a server that is known to be away may take when a list tries it once more: those who list
	// do not wait the whole start time-out for it again.
	triedAgain = 2 * time.Second
	// lookEvery is how often whoever follows a server that is left alone looks whether it was reached by others.
	lookEvery = 5 * time.Second
	// startingSaid is how much of what a server says while it starts is in the error of those who leave, in bytes.
	startingSaid = 1000
)

// ErrAway says that a server did not come shortly before, so that the first listing did not ask it again. Later
// listings do.
var ErrAway = absence.ErrAway

// An Absence is what is remembered of a server that did not come.
type Absence = absence.Absence

// errSlow says that the start time-out is over.
var errSlow = errors.New("it did not answer")

// book is where it is remembered that the server is away.
func (s *server) book() *absence.Book {
	words, err := expandAll(append([]string{s.cfg.Command}, s.cfg.Args...), s.o.Environ)
	var given []string
	for _, values := range []map[string]string{s.cfg.Env, s.cfg.Headers} {
		full, bad := expand(values, s.o.Environ)
		err = errors.Join(err, bad)
		for _, k := range slices.Sorted(maps.Keys(full)) {
			given = append(given, k, full[k])
		}
	}
	if err != nil {
		return &absence.Book{} // it cannot be tried at all, which costs nothing
	}
	name, of, with := absence.Names(s.cfg.Dir, s.o.Environ, words, given...)
	return &absence.Book{
		Dir:   s.o.CacheDir,
		File:  "mcp-" + s.key + "-" + name + ".away.json",
		Of:    of,
		With:  with,
		Limit: s.cfg.StartTimeout,
	}
}

// away tells why the first listing does not ask the server; nil: it does, for at most as long as the time says where
// that is not 0. With ctx over already nobody waits, and whoever follows the server tries it.
func (s *server) away(ctx context.Context) (time.Duration, error) {
	r := s.book().Known()
	if r == nil {
		return 0, nil
	}
	now := time.Now()
	if ctx.Err() == nil && r.Due(now) {
		return triedAgain, nil
	}
	return 0, fmt.Errorf("mcp server %s: %s, %s: %w (helve mcp test %s asks now)",
		s.cfg.Name, r.Why, r.Ago(now), ErrAway, s.cfg.Name)
}

// goesOn is the error of those who do not wait any more for a server that goes on starting.
func (s *server) goesOn() error {
	said := s.log.String()
	said = strings.ToValidUTF8(said[max(0, len(said)-startingSaid):], "")
	if said != "" {
		said = "; it said: " + said
	}
	return fmt.Errorf("%w within %v, and goes on starting%s", errSlow, s.cfg.StartTimeout, said)
}

// ended notes how an attempt to list the server ended, if that says something about the server.
func (s *server) ended(ctx, life context.Context, try *absence.Try, err error) {
	switch {
	case err == nil:
		try.Came()
	case life.Err() != nil, errors.Is(err, errClosed), errors.Is(ctx.Err(), context.Canceled):
		try.Left() // we are leaving, it may yet come
	case errors.Is(err, errLogin):
		try.Came() // it is there
	case errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, errSlow):
		try.Failed("it did not answer in time")
	default:
		try.Failed(strings.TrimPrefix(err.Error(), "mcp server "+s.cfg.Name+": ")) // whoever tells of it names the server
	}
}
