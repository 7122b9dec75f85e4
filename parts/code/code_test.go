package code

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"helve/codetool"
	"helve/internal/workspace"
)

// A probe looks whether language servers would be asked.
type probe struct{ asks codetool.Checker }

func (*probe) Keys() []string { return []string{"code"} }

func (p *probe) Open(_ context.Context, s *workspace.Site) error {
	p.asks = checker(s, workspace.Within(s))
	return nil
}

// Language servers are started where the person says so, neither by default, nor because a project wants it.
func TestServersAreAskedWhereThePersonSaysSo(t *testing.T) {
	for _, c := range []struct {
		name, user, project string
		want                bool
	}{
		{"by default", `{}`, `{}`, false},
		{"the person", `{"code": {"exact": "auto"}}`, `{}`, true},
		{"a project that is not trusted", `{}`, `{"code": {"exact": "auto"}}`, false},
		{"switched off by a project", `{"code": {"exact": "auto"}}`, `{"code": {"exact": "off"}}`, false},
	} {
		home := t.TempDir()
		put := func(name, text string) {
			t.Helper()
			file := filepath.Join(home, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		put("user.json", c.user)
		put("work/.helve/config.json", c.project)
		p := &probe{}
		w, err := workspace.Open(t.Context(), workspace.Options{
			Dirs:    []string{filepath.Join(home, "work")},
			Layers:  workspace.Layers{User: filepath.Join(home, "user.json"), Managed: filepath.Join(home, "etc")},
			Environ: []string{"HOME=" + home},
			Parts:   []workspace.Part{p},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.asks != nil; got != c.want {
			t.Errorf("%s: servers are asked: %v, want %v", c.name, got, c.want)
		}
		if p.asks != nil {
			p.asks.Close()
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
