package workspace_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"helve/parts/everything"
	"helve/tool"

	. "helve/internal/workspace"
)

// A place is a person's home with a workspace in it, and what is said there.
type place struct {
	t         *testing.T
	home, dir string
	said      *said
}

// said collects what a workspace logs, a line a message.
type said struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *said) Enabled(_ context.Context, l slog.Level) bool { return l >= LevelNotice }
func (s *said) WithAttrs([]slog.Attr) slog.Handler           { return s }
func (s *said) WithGroup(string) slog.Handler                { return s }

func (s *said) Handle(_ context.Context, r slog.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.b.WriteString(r.Message + "\n")
	return nil
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newPlace(t *testing.T) place {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{t, home, filepath.Join(home, "work"), &said{}}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

const userConfig = "~/.config/helve/config.json"

// put writes a file of the workspace, or of the home with a leading ~/.
func (p place) put(name, text string) place {
	p.t.Helper()
	file := filepath.Join(p.dir, name)
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		file = filepath.Join(p.home, rest)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// options are those of a program that this person starts in the workspace.
func (p place) options() Options {
	return Options{
		Dirs:    []string{p.dir},
		Layers:  Layers{Managed: filepath.Join(p.home, "etc")},
		Environ: []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")},
		Log:     slog.New(p.said),
		Parts:   everything.Parts(),
	}
}

// open opens the workspace, as set changes the options, until the test ends.
func (p place) open(set ...func(*Options)) *Assembly {
	p.t.Helper()
	o := p.options()
	for _, f := range set {
		f(&o)
	}
	w, err := Open(p.t.Context(), o)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		if err := w.Close(); err != nil {
			p.t.Error(err)
		}
	})
	return w
}

// ask calls a tool.
func ask(t *testing.T, w *Assembly, name, args string) *tool.Result {
	t.Helper()
	r, err := w.Kit().Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Dir: w.Dir()})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
