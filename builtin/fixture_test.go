package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"helve/builtin"
	"helve/engine/sandbox"
	"helve/tool"
	"helve/wrap"
)

// TestMain lets the sandbox launch this program.
func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(m.Run())
}

// A fixture is a workspace in a temporary folder with a kit that allows everything.
type fixture struct {
	t   testing.TB
	dir string
	ws  *builtin.Toolbox
	kit *tool.Kit

	state string
}

func open(t testing.TB, o builtin.Options) *fixture {
	t.Helper()
	if o.Dirs == nil {
		o.Dirs = []string{t.TempDir()}
	}
	if o.Environ == nil {
		o.Environ = []string{"HOME=" + filepath.Join(t.TempDir(), "home"), "PATH=" + os.Getenv("PATH")}
	}
	if o.State == "" {
		o.State = t.TempDir()
	}
	o.Sandbox.Level = sandbox.WorkspaceWrite
	ws, err := builtin.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	reg := &tool.Registry{}
	if err := reg.Add(builtin.All(ws)...); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: allowAll{}, Wrap: wrap.Standard(wrap.Options{})})
	return &fixture{t, ws.Dir(), ws, kit, o.State}
}

type allowAll struct{}

func (allowAll) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (allowAll) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

// args are arguments of a call.
type args map[string]any

// call runs a tool without a session.
func (h *fixture) call(name string, a args) *tool.Result { return h.in(nil, name, a) }

// in runs a tool in a session.
func (h *fixture) in(s *tool.Session, name string, a args) *tool.Result {
	h.t.Helper()
	b, err := json.Marshal(a)
	if err != nil {
		h.t.Fatal(err)
	}
	res, err := h.kit.Call(context.Background(), &tool.Call{Name: name, Args: b, Session: s})
	if err != nil {
		h.t.Fatal(err)
	}
	h.agrees(name, res)
	return res
}

// agrees: what the history's tools say is made of their data. Other results may have been cut on their way.
func (h *fixture) agrees(name string, res *tool.Result) {
	h.t.Helper()
	for _, tl := range builtin.Past(h.ws) {
		s := tl.Spec()
		if s.Name != name || res.Data == nil {
			continue
		}
		text, err := tl.(tool.Renderer).TextOf(res.Data)
		if _, bad := s.Output.Check(res.Data); err != nil || bad != nil || text != res.Text() {
			h.t.Errorf("%s: %v, %v\n%s\nits text: %q\nthe text: %q", name, err, bad, res.Data, text, res.Text())
		}
	}
}

func (h *fixture) put(name, content string) string {
	h.t.Helper()
	p := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
	return p
}

func (h *fixture) get(name string) string {
	h.t.Helper()
	b, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// session is one that remembers in a temporary folder, closed at the end.
func session(t testing.TB, store tool.Store) *tool.Session {
	s := &tool.Session{ID: "s", Store: store}
	t.Cleanup(func() { s.Close() })
	return s
}

func meta[T any](t testing.TB, r *tool.Result) (out T) {
	t.Helper()
	if err := json.Unmarshal(r.Meta, &out); err != nil {
		t.Fatalf("metadata %s: %v", r.Meta, err)
	}
	return out
}

func code(r *tool.Result) tool.Code {
	if r.Err == nil {
		return ""
	}
	return r.Err.Code
}
