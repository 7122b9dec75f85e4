package workspace_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/server"
	"helve/tool"

	. "helve/internal/workspace"
)

// Files are as they were where each is, or none of both is there.
func TestFilesThatAreNotThereAreAlike(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	none := StampsOf([]string{file, file})
	if !SameStamps(none, none) {
		t.Error("a file that never was has changed")
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	there := StampsOf([]string{file, file})
	if SameStamps(none, there) || SameStamps(there, none) || !SameStamps(there, StampsOf([]string{file, file})) {
		t.Error("a file that came or went has not")
	}
}

// Who goes away gets the error of that, not the answer of nobody.
func TestACallWhoseCallerWentIsAnError(t *testing.T) {
	w := newPlace(t).put("a", "a").open()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	res, err := w.Kit().Call(ctx, &tool.Call{Name: "read", Args: json.RawMessage(`{"file_path":"a"}`)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", res, err)
	}
}

// Of two profiles that fit a client the first by name counts, at each start.
func TestAClientThatFitsTwiceIsTheFirstByName(t *testing.T) {
	p := newPlace(t).put(userConfig, `{"client_profiles": {
		"zeta": {"info": ["both*"]}, "alpha": {"info": ["both*"]}, "midi": {"info": ["both*"]}}}`)
	for range 8 {
		w := p.open()
		got, err := w.ClientOf(server.Client{Name: "both of them"})
		if err != nil || got.Name != "alpha" {
			t.Fatalf("it is %q, %v", got.Name, err)
		}
		w.Close()
	}
}

// A nosy part looks at what a workspace tells its parts.
type nosy struct {
	dirs, environ []string
	logs          bool
}

func (*nosy) Keys() []string { return nil }

func (n *nosy) Open(_ context.Context, s *Site) error {
	n.dirs, n.environ, n.logs = s.Dirs(), s.Environ(), s.Log() != nil
	s.Environ()[0] = "CHANGED=1"
	return nil
}

func TestAPartHearsOfItsPlace(t *testing.T) {
	p := newPlace(t)
	n, again := &nosy{}, &nosy{}
	p.open(func(o *Options) { o.Parts = []Part{n, again} })
	if !slices.Equal(n.dirs, []string{p.dir}) || !n.logs || !slices.Contains(n.environ, "HOME="+p.home) {
		t.Errorf("%+v", n)
	}
	if slices.Contains(again.environ, "CHANGED=1") {
		t.Error("a part changes the environment of the others")
	}
}

// What an edit broke elsewhere stands below its result, once a question was asked about the code.
func TestAnEditSaysWhatItBroke(t *testing.T) {
	p := newPlace(t).put("a.py", "def one(x):\n    return x\n").put("b.py", "from a import one\n\ndef two():\n    return one(1)\n")
	w := p.open(func(o *Options) { o.Mode = "auto" })
	if r := ask(t, w, "explore", `{"name":"one"}`); r.Err != nil {
		t.Fatal(r.Text())
	}
	r := ask(t, w, "edit", `{"file_path":"a.py","old_string":"def one(x)","new_string":"def three(x)"}`)
	if r.Err != nil || !strings.Contains(r.Text(), "b.py:") || !strings.Contains(r.Text(), "one") {
		t.Errorf("%s", r.Text())
	}
}
