package upstream

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helve/tool"
)

// counted is how often a capable server was started, or listed.
func counted(t *testing.T, file, what string) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(b), what+"\n")
}

// capableOf is a session whose client can be asked for things.
func capableOf(capabilities string) *tool.Session {
	return &tool.Session{
		Principal:    "local",
		Capabilities: json.RawMessage(capabilities),
		Back: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
			return json.RawMessage(`{}`), nil
		},
	}
}

func toolNames(r *tool.Registry) string {
	var out []string
	for _, s := range r.View().Specs() {
		out = append(out, s.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// Two clients of one server at the same time: each sees what the server has for what its client can be asked, over one process of its
// own; what the server adds in one session is that session's.
func TestEachSessionSeesTheServerThatItsClientWouldSee(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	s := newSource(t, stdioConfig("capable:"+log), Options{})
	base := &tool.Registry{}
	defer base.Close()
	open := func(capabilities string) (*tool.Session, *tool.Registry, *tool.Kit) {
		session := capableOf(capabilities)
		r := base.Branch()
		if err := r.Attach(t.Context(), s.For(session)); err != nil {
			t.Fatal(err)
		}
		return session, r, r.Kit(tool.KitOptions{Policy: allow{}})
	}
	a, regA, kitA := open(`{"sampling":{},"elicitation":{}}`)
	b, regB, _ := open(`{"roots":{}}`)
	defer func() { regA.Close(); regB.Close(); a.Close(); b.Close() }()
	if got := toolNames(regA); got != "echo with_elicitation with_sampling" {
		t.Errorf("a sees %s", got)
	}
	if got := toolNames(regB); got != "echo with_roots" {
		t.Errorf("b sees %s", got)
	}
	if res := run(t, kitA, &tool.Call{Name: "mcp__srv__with_sampling", Session: a}); res.Err != nil {
		t.Error(res.Err)
	}
	soon(t, "a sees what the server added", func() bool { return strings.Contains(toolNames(regA), "grown") })
	if got := toolNames(regB); got != "echo with_roots" {
		t.Errorf("b sees what was added for a: %s", got)
	}
	if n := counted(t, log, "started"); n != 2 {
		t.Errorf("%d processes for two sessions", n)
	}
	if got := s.For(&tool.Session{Principal: "local"}); got != nil {
		t.Errorf("a client that can be asked nothing has a view of its own: %v", got)
	}
}

// What a process lists after it has served calls may be what these made of it: another one is not said to have that.
func TestWhatOneProcessAddedIsNotRemembered(t *testing.T) {
	cache, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	s := newSource(t, stdioConfig("capable:"+log), Options{CacheDir: cache})
	r := &tool.Registry{}
	if err := r.Attach(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if res := run(t, r.Kit(tool.KitOptions{Policy: allow{}}), &tool.Call{Name: "mcp__srv__echo"}); res.Err != nil {
		t.Fatal(res.Err)
	}
	soon(t, "the process lists what it added", func() bool { return strings.Contains(toolNames(r), "grown") })
	r.Close()

	later := newSource(t, stdioConfig("capable:"+log), Options{CacheDir: cache, Launch: refusing{}})
	tools, err := later.Tools(t.Context())
	if err != nil || len(tools) != 1 || tools[0].Spec().Name != "echo" {
		t.Errorf("another process is said to have %d tools, %v", len(tools), err)
	}
}

// Listing and calling share a process, whoever comes first.
func TestOneProcessListsAndServes(t *testing.T) {
	for _, listFirst := range []bool{true, false} {
		log := filepath.Join(t.TempDir(), "log")
		s := newSource(t, stdioConfig("capable:"+log), Options{})
		session := &tool.Session{Principal: "local"}
		ask := func() error {
			_, err := s.Request(t.Context(), session, "ping", nil)
			return err
		}
		list := func() error {
			_, err := s.Tools(t.Context())
			return err
		}
		steps := []func() error{ask, list, ask}
		if listFirst {
			steps = []func() error{list, ask, list}
		}
		for _, step := range steps {
			if err := step(); err != nil {
				t.Fatal(err)
			}
		}
		if n := counted(t, log, "started"); n != 1 {
			t.Errorf("list first %v: %d processes", listFirst, n)
		}
		session.Close()
	}
}

// What was listed in one folder is known in the next, and with it what clients with more capabilities see; nothing is started for that.
// A call starts the server, and its list is read where it was never read before, without being another one.
func TestAListIsRememberedByTheServersDefinition(t *testing.T) {
	cache := t.TempDir()
	log := filepath.Join(t.TempDir(), "log")
	in := func(dir string) (*Source, *tool.Registry, *tool.Registry, *tool.Session) {
		c := stdioConfig("capable:" + log)
		c.Dir = dir
		s := newSource(t, c, Options{CacheDir: cache})
		base := &tool.Registry{}
		if err := base.Attach(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		session := capableOf(`{"elicitation":{}}`)
		branch := base.Branch()
		if err := branch.Attach(t.Context(), s.For(session)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { branch.Close(); session.Close(); base.Close() })
		return s, base, branch, session
	}
	_, base, branch, _ := in(t.TempDir())
	first, firstOwn := toolNames(base), toolNames(branch)
	if first != "echo" || firstOwn != "echo with_elicitation" || counted(t, log, "started") != 2 {
		t.Fatalf("%s, %s, %d processes", first, firstOwn, counted(t, log, "started"))
	}
	s, base, branch, session := in(t.TempDir())
	if toolNames(base) != first || toolNames(branch) != firstOwn {
		t.Errorf("in a new folder: %s, and %s; want %s, and %s", toolNames(base), toolNames(branch), first, firstOwn)
	}
	if n := counted(t, log, "started"); n != 2 {
		t.Errorf("%d processes were started for lists that are known", n-2)
	}
	lists := counted(t, log, "listed")
	if _, err := s.Request(t.Context(), session, "ping", nil); err != nil {
		t.Fatal(err)
	}
	soon(t, "the list is read in the new folder", func() bool { return counted(t, log, "listed") > lists })
	if toolNames(branch) != firstOwn {
		t.Errorf("the list changed: %s", toolNames(branch))
	}
}

// A server that lists differently in another folder has a remembered list for each from then on.
func TestAListThatDependsOnTheFolderIsRememberedForEach(t *testing.T) {
	cache := t.TempDir()
	dirs := []string{t.TempDir(), t.TempDir()}
	for i, d := range dirs {
		def := `[{"name":"only_` + string(rune('a'+i)) + `","inputSchema":{"type":"object"}}]`
		if err := os.WriteFile(filepath.Join(d, "defs.json"), []byte(def), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := func(dir string) (*Source, *tool.Registry) {
		c := stdioConfig("defs:defs.json")
		c.Dir = dir
		s := newSource(t, c, Options{CacheDir: cache, StateDir: filepath.Join(cache, "state")})
		r := &tool.Registry{}
		t.Cleanup(func() { r.Close() })
		if err := r.Attach(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		return s, r
	}
	if _, r := open(dirs[0]); toolNames(r) != "only_a" {
		t.Fatal(toolNames(r))
	}
	s, r := open(dirs[1]) // what is remembered is the first answer only
	if _, err := s.Request(t.Context(), nil, "ping", nil); err != nil {
		t.Fatal(err)
	}
	soon(t, "the list of this folder", func() bool { return toolNames(r) == "only_b" })
	if got := s.Changes(); len(got) > 0 {
		t.Errorf("another folder's definitions count as approved here: %+v", got)
	}
	for i, d := range dirs {
		want := "only_" + string(rune('a'+i))
		if _, r := open(d); toolNames(r) != want {
			t.Errorf("remembered in the folder of %s: %s", want, toolNames(r))
		}
	}
}

// A program that is the folder's own is remembered for that folder alone.
func TestAProgramOfTheFolderIsTheFolders(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "server.js"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command string
		args    []string
		own     bool
	}{
		{"node", []string{"server.js"}, true},
		{"node", []string{"other.js"}, false},
		{"./server", nil, true},
		{"bin/server", nil, true},
		{"/usr/bin/server", []string{"."}, false},
		{"npx", []string{"-y", "some-server"}, false},
	} {
		key := func(d string) string {
			cfg := Config{Name: "x", Command: c.command, Args: c.args, Dir: d}
			return cfg.key(cfg.Digest())
		}
		if own := key(dir) != key(filepath.Dir(dir)); own != c.own {
			t.Errorf("%s %v: of the folder %v, want %v", c.command, c.args, own, c.own)
		}
	}
}
