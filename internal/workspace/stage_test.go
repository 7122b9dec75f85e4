package workspace

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A stand is a person's home with a workspace in it, for the tests of one stage: what the stages before it make is made,
// and nothing else.
type stand struct {
	t         *testing.T
	home, dir string
	said      bytes.Buffer
	o         Options
}

func stands(t *testing.T) *stand {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{t: t, home: home, dir: filepath.Join(home, "work")}
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	log := slog.NewTextHandler(&s.said, &slog.HandlerOptions{Level: LevelNotice})
	s.o = filled(Options{
		Dirs:    []string{s.dir},
		Layers:  Layers{User: filepath.Join(home, "user.json"), Managed: filepath.Join(home, "etc")},
		State:   filepath.Join(home, "state"),
		Cache:   filepath.Join(home, "cache"),
		Environ: []string{"HOME=" + home},
		Log:     slog.New(log),
	})
	s.user(`{}`)
	return s
}

// user writes the person's own configuration.
func (s *stand) user(text string) {
	s.t.Helper()
	if err := os.WriteFile(s.o.Layers.User, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stand) say() messages { return messages{s.o.Log} }

func (s *stand) places() *places {
	s.t.Helper()
	p, err := locate(&s.o, s.say())
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *stand) configuration() *configuration {
	s.t.Helper()
	c, err := configure(&s.o, s.places(), s.say())
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// guard is one that stands, for a workspace without tools.
func (s *stand) guard() *guard {
	s.t.Helper()
	c := s.configuration()
	g := newGuard(&s.o, c, c.places)
	if err := g.stand(nil, &s.o); err != nil {
		s.t.Fatal(err)
	}
	return g
}

// told tells whether a message was heard, and forgets all that was said.
func (s *stand) told(text string) bool {
	defer s.said.Reset()
	return strings.Contains(s.said.String(), text)
}
