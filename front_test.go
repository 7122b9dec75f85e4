package helve_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"helve"
	"helve/policy"
	"helve/source"
	"helve/tool"
)

// opened is a workspace in a home of its own, in mode auto, with files in it.
func opened(t *testing.T, change func(*helve.Options), files ...string) (*helve.Workspace, string) {
	t.Helper()
	_, o := home(t)
	o.Mode = "auto"
	for _, name := range files {
		put(t, filepath.Join(o.Dirs[0], name), "of "+name+"\n")
	}
	if change != nil {
		change(&o)
	}
	w, err := helve.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, o.Dirs[0]
}

func wrote(t *testing.T, w *helve.Workspace, path, text string) {
	t.Helper()
	args, err := json.Marshal(map[string]string{"file_path": path, "contents": text})
	if err != nil {
		t.Fatal(err)
	}
	res, err := w.Kit().Call(t.Context(), &tool.Call{Name: "write", Args: args})
	if err != nil || res.Err != nil {
		t.Fatalf("write %s: %v, %+v", path, err, res)
	}
}

// A program asks a workspace what it is: folders, mode, profiles.
func TestAWorkspaceTellsWhatItIs(t *testing.T) {
	more, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w, dir := opened(t, func(o *helve.Options) {
		o.Dirs = append(o.Dirs, more)
		o.Profile, o.Mode = "codebase-index", "plan"
	})
	if w.Dir() != dir || !slices.Equal(w.Dirs(), []string{dir, more}) {
		t.Errorf("it is %s of %q", w.Dir(), w.Dirs())
	}
	if w.Mode() != policy.Plan || w.Profile() != "codebase-index" {
		t.Errorf("mode %v, profile %q", w.Mode(), w.Profile())
	}
	for _, name := range []string{"default", "codebase-index", "small"} {
		if !slices.Contains(w.Profiles(), name) {
			t.Errorf("no %s among the profiles %q", name, w.Profiles())
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if got, err := helve.Folder(link); err != nil || got != dir {
		t.Errorf("a link to it is %q, %v", got, err)
	}
	if got, err := helve.Folder(filepath.Join(dir, "none")); err == nil {
		t.Errorf("a folder that is not there is %q", got)
	}
	if !helve.SessionID("a.b-C_1") || helve.SessionID("a/b") || helve.SessionID("") {
		t.Error("the names of sessions are others")
	}
	if helve.Version() == "" {
		t.Error("it has no version")
	}
}

// A tool of a program's own is called as the others are, and a kit of another mode holds to that mode.
func TestAProgramAddsToolsAndKits(t *testing.T) {
	w, _ := opened(t, nil)
	spec := tool.Spec{Name: "own", Kind: tool.Write, Touches: tool.Nothing, Doc: tool.Doc{Short: "Says own."}}
	own := tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("own"), nil })
	if err := w.Add(own); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(own); err == nil {
		t.Error("one name means two tools")
	}
	if err := w.Registry().Add(own); err == nil {
		t.Error("the registry does not have it")
	}
	plan, err := w.NewKit(helve.KitOptions{Mode: "plan"})
	if err != nil {
		t.Fatal(err)
	}
	for kit, refused := range map[*tool.Kit]bool{w.Kit(): false, plan: true} {
		res, err := kit.Call(t.Context(), &tool.Call{Name: "own"})
		if err != nil || (res.Err != nil) != refused || !refused && res.Text() != "own" {
			t.Errorf("refused %v: %+v, %v", refused, res, err)
		}
	}
	x, err := w.Why(t.Context(), &tool.Call{Name: "own"})
	if err != nil || x.Name != "own" || x.Call.Verdict != tool.Allow {
		t.Errorf("why: %+v, %v", x, err)
	}
	if _, err := w.Why(t.Context(), &tool.Call{Name: "none"}); err == nil {
		t.Error("why there is no tool is not said")
	}
}

// What a program's calls did is in the history: shown, taken back, done again, forgotten.
func TestAProgramUndoesAndRedoes(t *testing.T) {
	w, dir := opened(t, nil, "a")
	is := func(want string) {
		t.Helper()
		if b, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(b) != want {
			t.Errorf("it is %q, %v, want %q", b, err, want)
		}
	}
	wrote(t, w, "b", "one\n")
	wrote(t, w, "b", "two\n")
	if _, err := w.Kit().Call(t.Context(), &tool.Call{Name: "bash", Args: json.RawMessage(`{"command":"echo new > a"}`)}); err != nil {
		t.Fatal(err)
	}
	calls, damaged, err := w.History(t.Context(), 0)
	if err != nil || damaged != 0 || len(calls) != 3 || calls[0].Tool != "bash" {
		t.Fatalf("%+v, %d damaged, %v", calls, damaged, err)
	}
	if few, _, err := w.History(t.Context(), 1); err != nil || len(few) != 1 || few[0].ID != calls[0].ID {
		t.Errorf("the last one: %+v, %v", few, err)
	}
	diff, err := w.Diff(t.Context(), calls[0].ID)
	if err != nil || !strings.Contains(diff.Text(), "+new") {
		t.Errorf("%+v, %v", diff, err)
	}
	is("new\n")
	if res, err := w.Undo(t.Context(), helve.UndoOptions{}); err != nil || res.Err != nil {
		t.Errorf("undo: %+v, %v", res, err)
	}
	is("of a\n")
	if res, err := w.Redo(t.Context(), false); err != nil || res.Err != nil {
		t.Errorf("redo: %+v, %v", res, err)
	}
	is("new\n")
	if n, freed, err := w.PruneHistory(time.Now().Add(time.Hour), 0); err != nil || n == 0 || freed == 0 {
		t.Errorf("%d calls were forgotten, %d bytes, %v", n, freed, err)
	}
	wrote(t, w, "b", "three\n")
	if err := w.ForgetHistory(); err != nil {
		t.Error(err)
	}
	if calls, _, err := w.History(t.Context(), 0); err != nil || len(calls) != 0 {
		t.Errorf("after all is forgotten: %+v, %v", calls, err)
	}
}

// A source that brings nothing is an error with its name, from Connect; Follow goes on without it.
func TestASourceThatIsAwayIsNamed(t *testing.T) {
	w, _ := opened(t, func(o *helve.Options) {
		o.Config = []byte(`{"mcp_servers": {"away": {"command": "/no/such/program"}}}`)
	})
	err := w.Connect(t.Context())
	failed, ok := errors.AsType[*source.Error](err)
	if !ok || failed.Source != "away" {
		t.Errorf("got %v", err)
	}
	if err := w.Connect(t.Context(), "another"); err != nil {
		t.Errorf("of another name: %v", err)
	}
	select {
	case <-w.Follow():
	case <-time.After(inTime):
		t.Error("it follows without an end")
	}
}

// Sessions are each their own; one of a name goes on where it was left.
func TestSessionsAreEachTheirOwn(t *testing.T) {
	w, _ := opened(t, nil, "a")
	one, two := w.NewSession(), w.NewSession()
	if one == nil || two == nil || one.ID == two.ID || one.ID == "" {
		t.Fatal("two sessions are one")
	}
	named, err := w.Session("mine")
	if err != nil || named.ID != "mine" {
		t.Errorf("%v, %v", named, err)
	}
	if _, err := w.Session("no/name"); err == nil {
		t.Error("a session has a path for a name")
	}
	read, write := json.RawMessage(`{"file_path":"a"}`), json.RawMessage(`{"file_path":"a","contents":"x"}`)
	if _, err := w.Kit().Call(t.Context(), &tool.Call{Name: "read", Args: read, Session: one}); err != nil {
		t.Fatal(err)
	}
	for s, refused := range map[*tool.Session]bool{two: true, one: false} { // who has not read it may not overwrite it
		res, err := w.Kit().Call(t.Context(), &tool.Call{Name: "write", Args: write, Session: s})
		if err != nil || refused && res.Err == nil {
			t.Errorf("refused %v: %+v, %v", refused, res, err)
		}
	}
}

// A configuration that changes counts once it is read again; one that is broken leaves the rules as they were.
func TestAConfigurationIsReadAgain(t *testing.T) {
	dir, o := home(t)
	file := filepath.Join(dir, "own.json")
	put(t, file, `{}`)
	o.Places.User = file
	w, err := helve.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	put(t, file, `{"tools": {"ls": false, "raed": false}}`)
	if !w.Kit().View().Has("ls") {
		t.Error("it counts before it is read")
	}
	if err := w.Reload(); err != nil || w.Kit().View().Has("ls") {
		t.Errorf("it does not count: %v", err)
	}
	found := w.Findings()
	if !slices.ContainsFunc(found, func(f helve.Finding) bool { return f.File == file && strings.Contains(f.Message, "raed") }) {
		t.Errorf("a name that means no tool is not found: %+v", found)
	}
	put(t, file, `{"tools": `)
	if err := w.Reload(); err == nil || w.Kit().View().Has("ls") {
		t.Errorf("a broken one: %v", err)
	}
	if w.Approvals() == nil {
		t.Error("approvals are lost")
	}
}
