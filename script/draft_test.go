package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"helve/policy"
	"helve/script"
	"helve/tool"
)

// A sheet is a folder whose files the tools put, get and look have, with drafts that are folders, too.
type sheet struct {
	*bench
	dir     string
	tools   map[string]func(dir func(string) string, seen func()) tool.Tool
	scripts *script.Scripts

	mu      sync.Mutex
	drafts  []*folder
	leave   string // a file that whoever says yes leaves out
	broken  error  // commits make the first file only, and fail with it
	unfit   bool   // none can be had
	told    []string
	commits []string // what each one made
}

// A folder is a draft: the files that were changed in it, and what was there when they were.
type folder struct {
	s       *sheet
	layer   string
	was     map[string]string
	seen    bool
	dropped bool
}

func (f *folder) In(t tool.Tool) tool.Tool {
	twin := f.s.tools[t.Spec().Name]
	if twin == nil {
		return nil
	}
	return twin(f.at, func() { f.seen = true })
}

// own is the folder of a draft, and of one that is more than that.
func (f *folder) own() *folder { return f }

// at is where a file stands as the draft has it.
func (f *folder) at(name string) string {
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	if _, changed := f.was[name]; changed {
		return filepath.Join(f.layer, name)
	}
	return filepath.Join(f.s.dir, name)
}

func (f *folder) Changed() (bool, error) { return len(f.was) > 0, nil }

func (f *folder) Drop() error {
	f.dropped = true
	return os.RemoveAll(f.layer)
}

func (f *folder) Commit(ctx context.Context, c *tool.Call, about string) (*script.Committed, error) {
	names := slices.Sorted(maps.Keys(f.was))
	f.s.told = append(f.s.told, about)
	for _, name := range names {
		if now, _ := os.ReadFile(filepath.Join(f.s.dir, name)); string(now) != f.was[name] {
			return &script.Committed{Refused: tool.Errorf(tool.Execution, "somebody changed %s meanwhile", name), Proposed: "+" + name}, nil
		}
	}
	if f.seen {
		a, err := c.Ask(ctx, tool.Late{Title: "keep " + strings.Join(names, " "), Why: "it was drafted", Parent: c.Parent, Preview: tool.Summary(about)})
		switch {
		case err != nil:
			return nil, err
		case a.Need != nil:
			return &script.Committed{Need: a.Need}, nil
		case !a.Yes:
			return &script.Committed{Refused: tool.Errorf(tool.Permission, "declined").WithHint("%s", a.Note), Proposed: "+" + names[0]}, nil
		}
	}
	done := &script.Committed{}
	var made []map[string]string
	for _, name := range names {
		if name == f.s.leave {
			done.Notes = append(done.Notes, name+" was left out.")
			continue
		}
		text, err := os.ReadFile(filepath.Join(f.layer, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(f.s.dir, name), text, 0o600)
		}
		if err != nil {
			return nil, err
		}
		made = append(made, map[string]string{"path": name, "change": "modified"})
		if f.s.broken != nil {
			break
		}
	}
	done.Meta = map[string]any{"undo": c.Parent, "changes": made}
	f.s.commits = append(f.s.commits, c.Parent+": "+strings.Join(names, " "))
	return done, f.s.broken
}

// newSheet makes one whose tools say of whom they have a word.
func newSheet(t *testing.T, o tool.KitOptions) *sheet {
	t.Helper()
	s := &sheet{dir: t.TempDir()}
	own := func(name string) tool.Origin { return tool.Origin{Kind: tool.Builtin, Name: name} }
	put := func(at func(string) string, seen func()) tool.Tool {
		spec := tool.Spec{Name: "put", Kind: tool.Write, Serial: true, Origin: own("put"), Doc: tool.Doc{Short: "Writes."}}
		return tool.Plan(spec, func(_ context.Context, c *tool.Call, in pathIn) (*tool.Job, error) {
			run := func(context.Context) (*tool.Result, error) {
				if in.Path == "bad" {
					return nil, errors.New("it cannot be written")
				}
				s.put(c, in.Path)
				text, err := os.ReadFile(at(in.Path))
				if err != nil && !errors.Is(err, os.ErrNotExist) {
					return nil, err
				}
				return tool.Textf("wrote %s", in.Path), os.WriteFile(at(in.Path), append(text, '+'), 0o600)
			}
			return &tool.Job{
				Title: "put " + in.Path, Effects: []tool.Effect{{Kind: tool.Write, Target: in.Path}}, Review: seen, Run: run,
			}, nil
		})
	}
	get := func(name string) func(at func(string) string, _ func()) tool.Tool {
		return func(at func(string) string, _ func()) tool.Tool {
			spec := tool.Spec{Name: name, Kind: tool.Read, Origin: own(name), Doc: tool.Doc{Short: "Reads."}}
			return tool.Plan(spec, func(_ context.Context, _ *tool.Call, in pathIn) (*tool.Job, error) {
				return &tool.Job{
					Effects: []tool.Effect{{Kind: tool.Read, Target: in.Path}},
					Run: func(context.Context) (*tool.Result, error) {
						text, _ := os.ReadFile(at(in.Path))
						return tool.NewResult(tool.Text(string(text))), nil
					},
				}, nil
			})
		}
	}
	s.tools = map[string]func(func(string) string, func()) tool.Tool{"put": put, "get": get("get")}
	onDisk := func(name string) string { return filepath.Join(s.dir, name) }
	s.scripts = script.Tool(nil, script.Options{Draft: s.begin})
	t.Cleanup(func() { s.scripts.Close() })
	s.bench = newBench(t, o)
	r := &tool.Registry{}
	err := r.Add(s.scripts, put(onDisk, nil), get("get")(onDisk, nil), get("look")(onDisk, nil),
		blind("add", nil), blind("fails", errors.New("so it is")), serverTool(t, "near", false), serverTool(t, "far", true))
	if err != nil {
		t.Fatal(err)
	}
	if o.Policy == nil {
		o.Policy = policy.AskFirst
	}
	s.kit = r.Kit(o)
	return s
}

// put notes a change of a draft that is about to be made: what was there before it.
func (s *sheet) put(c *tool.Call, name string) {
	s.writes.Add(1)
	d, ok := c.Draft.(interface{ own() *folder })
	if !ok {
		return
	}
	f := d.own()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := f.was[name]; known {
		return
	}
	text, _ := os.ReadFile(filepath.Join(s.dir, name))
	if len(text) > 0 {
		os.WriteFile(filepath.Join(f.layer, name), text, 0o600)
	}
	f.was[name] = string(text)
}

func (s *sheet) begin(_ context.Context, c *tool.Call) (script.Draft, error) {
	if s.unfit {
		return nil, tool.Errorf(tool.Execution, "there is no room")
	}
	if c.Resume != nil {
		return nil, errors.New("an answer to something else")
	}
	f := &folder{s: s, layer: s.t.(*testing.T).TempDir(), was: map[string]string{}}
	s.drafts = append(s.drafts, f)
	return f, nil
}

// disk is what is on it.
func (s *sheet) disk() string {
	s.t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(s.dir, e.Name()))
		out = append(out, e.Name()+string(text))
	}
	return strings.Join(out, " ")
}

// serverTool is one of a server on this machine, or away from it.
func serverTool(t *testing.T, server string, away bool) tool.Tool {
	t.Helper()
	spec := tool.Spec{Name: "tell", Origin: tool.Origin{Kind: tool.MCP, Server: server, Name: "tell"}, Away: away,
		Wire: json.RawMessage(`{"name":"tell","inputSchema":{"type":"object"}}`)}
	x, err := tool.Raw(spec, func(context.Context, *tool.Call, json.RawMessage) (*tool.Result, error) {
		return tool.Textf("told"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// blind is a tool that sees no file.
func blind(name string, fails error) tool.Tool {
	spec := tool.Spec{Name: name, Kind: tool.Read, Touches: tool.Nothing, Origin: tool.Origin{Kind: tool.Builtin, Name: name}, Doc: tool.Doc{Short: "Sees no file."}}
	return tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("seen"), fails })
}

const many = "for i in range(48):\n    put(path='f%02d' % i)\nget(path='f47')"

// However many files a script changes: it is one question, one commit and one undo, and its reads see what it changed.
func TestAScriptIsOneQuestion(t *testing.T) {
	for _, mode := range []policy.Mode{policy.AskFirst, policy.Review, policy.Auto} {
		d := &desk{}
		d.say = d.yes
		s := newSheet(t, tool.KitOptions{Ask: d.ask, Policy: mode})
		res := s.run(many)
		if res.Err != nil || res.Text() != "+" || len(strings.Fields(s.disk())) != 48 {
			t.Errorf("mode %s: %s, on disk %s", mode, res.Text(), s.disk())
		}
		questions := 1
		if mode == policy.Auto {
			questions = 0
		}
		if len(d.asked) != questions || len(s.commits) != 1 || len(s.drafts) != 1 || !s.drafts[0].dropped {
			t.Errorf("mode %s: asked %q, commits %q", mode, d.titles(), s.commits)
		}
		var meta struct {
			Undo    string
			Changes []struct{ Path, Change string }
		}
		if json.Unmarshal(res.Meta, &meta) != nil || meta.Undo != res.Family || len(meta.Changes) != 48 {
			t.Errorf("mode %s: metadata %s", mode, res.Meta)
		}
		if questions == 0 {
			continue
		}
		about := d.asked[0].Preview.String()
		for _, want := range []string{"A script made 49 calls:\n  put {\"path\":\"f00\"}\n", "and 19 more", "The script:\n" + many} {
			if !strings.Contains(about, want) {
				t.Errorf("mode %s: %q is not in\n%s", mode, want, about)
			}
		}
		if q := d.asked[0]; !q.Late || !q.Deferred || q.Job.Call.Parent != res.Family || res.Approver.Kind != tool.ByPerson {
			t.Errorf("mode %s: %+v by %+v", mode, q, res.Approver)
		}
	}
}

// Whatever ends a script before its end leaves the disk as it was, and the answer says of each call what became of it.
func TestAScriptThatEndsEarlyChangesNothing(t *testing.T) {
	d := &desk{}
	d.say = d.yes
	const begins = "put(path='a')\nfar.tell()\nadd()\ntry_call(put, path='bad')\n"
	said := []string{
		`put {"path":"a"} (drafted and dropped)`, `mcp__far__tell {} (done elsewhere)`, `add {} (done)`,
		`put {"path":"bad"} (failed)`, "No file on disk is another one.",
	}
	for name, c := range map[string]struct{ ends, want string }{
		"a call fails":  {"fails()", "so it is"},
		"it fails":      {"fail('no more')", "no more"},
		"the steps end": {"while True: pass", "more than 100000000 steps"},
		"the time ends": {"while True: add()", ""},
	} {
		s := newSheet(t, tool.KitOptions{Ask: d.ask})
		args := map[string]any{"script": begins + c.ends}
		if c.want == "" {
			args["timeout"] = 1500
		}
		res := s.call(args, nil)
		if res.Err == nil || !strings.Contains(res.Text(), c.want) || s.disk() != "" || len(s.commits) > 0 || !s.drafts[0].dropped {
			t.Errorf("%s: on disk %q, %s", name, s.disk(), res.Text())
		}
		for _, want := range said {
			if c.want != "" && !strings.Contains(res.Text(), want) {
				t.Errorf("%s: %q is not in\n%s", name, want, res.Text())
			}
		}
	}
	s := newSheet(t, tool.KitOptions{Ask: d.ask})
	res := s.call(map[string]any{"script": begins + "fails()", "keep": "partial"}, nil)
	if res.Err == nil || s.disk() != "a+" || len(s.commits) != 1 {
		t.Errorf("partial: on disk %q, %s", s.disk(), res.Text())
	}
	for _, want := range []string{`put {"path":"a"} (committed)`, "  modified a\n", "helve undo " + res.Family, "so it is"} {
		if !strings.Contains(res.Text(), want) {
			t.Errorf("partial: %q is not in\n%s", want, res.Text())
		}
	}
}

// What a person did not agree to, what is in conflict, what they left out and what a commit did not come to: the answer
// names what is on disk, and nothing besides.
func TestTheAnswerNamesWhatACommitMade(t *testing.T) {
	no := func(*tool.Question) tool.Answer { return tool.Answer{Note: "not so"} }
	for name, c := range map[string]struct {
		set   func(*sheet, *desk)
		disk  string
		fails bool
		want  []string
	}{
		"a no": {func(_ *sheet, d *desk) { d.say = no }, "", true, []string{
			"run_script: declined", "not so", "The difference that was not made:\n+a", "(drafted and dropped)",
			"No file on disk", "What the script came to before that:\n7",
		}},
		"nobody to ask": {func(s *sheet, d *desk) {
			d.say = func(*tool.Question) tool.Answer { return tool.Answer{Unasked: true} }
		},
			"", true, []string{"run_script: declined", "(drafted and dropped)"}},
		"left out":        {func(s *sheet, _ *desk) { s.leave = "a" }, "b+", false, []string{"7", "a was left out."}},
		"made and failed": {func(s *sheet, _ *desk) { s.broken = errors.New("the disk is full") }, "a+", true, []string{"the disk is full", "  modified a\n", "committed in part"}},
	} {
		d := &desk{}
		d.say = d.yes
		s := newSheet(t, tool.KitOptions{Ask: d.ask})
		c.set(s, d)
		res := s.run("put(path='a')\nput(path='b')\n7")
		if (res.Err != nil) != c.fails || s.disk() != c.disk {
			t.Errorf("%s: on disk %q, %s", name, s.disk(), res.Text())
		}
		for _, want := range c.want {
			if !strings.Contains(res.Text(), want) {
				t.Errorf("%s: %q is not in\n%s", name, want, res.Text())
			}
		}
	}
	d := &desk{}
	d.say = d.yes
	file := ""
	meanwhile := func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			if c.Name == "add" {
				os.WriteFile(file, []byte("mine"), 0o600)
			}
			return next(ctx, c)
		}
	}
	s := newSheet(t, tool.KitOptions{Ask: d.ask, Around: []func(tool.Caller) tool.Caller{meanwhile}})
	file = filepath.Join(s.dir, "a")
	if res := s.run("put(path='a')\nadd()"); res.Err == nil || s.disk() != "amine" || !strings.Contains(res.Text(), "somebody changed a meanwhile") {
		t.Errorf("a conflict: on disk %q, %s", s.disk(), res.Text())
	}
}

// A call that sees the disk finds there what the script changed before it, and the next change is another draft of the
// same undo. One that sees no files has nothing committed.
func TestACallThatSeesTheDiskFindsTheChangesThere(t *testing.T) {
	d := &desk{}
	d.say = d.yes
	for name, c := range map[string]struct {
		script  string
		commits int
	}{
		"a tool of ours":          {"put(path='a')\nx = look(path='a')\nput(path='b')\nx", 2},
		"a server here":           {"put(path='a')\nnear.tell()\nput(path='b')\nget(path='a')", 2},
		"a server elsewhere":      {"put(path='a')\nfar.tell()\nput(path='b')\nget(path='a')", 1},
		"one that sees no file":   {"put(path='a')\nadd()\nput(path='b')\nget(path='a')", 1},
		"nothing was changed yet": {"look(path='a')\nput(path='a')\nput(path='b')\nget(path='a')", 1},
		"in a parallel": {"parallel([lambda: put(path='a'), lambda: look(path='a'), lambda: put(path='b'), lambda: look(path='b')])[1]",
			2},
	} {
		s := newSheet(t, tool.KitOptions{Ask: d.ask})
		res := s.run(c.script)
		if res.Text() != "+" || s.disk() != "a+ b+" || len(s.commits) != c.commits {
			t.Errorf("%s: %s, on disk %q, commits %q", name, res.Text(), s.disk(), s.commits)
		}
		for _, one := range s.commits {
			if !strings.HasPrefix(one, res.Family+": ") {
				t.Errorf("%s: commits %q of %s", name, s.commits, res.Family)
			}
		}
		if c.commits == 2 && !strings.Contains(s.told[0], "It goes on with a call that has to find the changes on disk:\n  ") {
			t.Errorf("%s: told %q", name, s.told)
		}
	}
}

// A client that is asked in rounds is asked about the script once, at its end; nothing runs twice, and the script itself
// does not run again.
func TestAClientIsAskedAboutADraftAtTheEnd(t *testing.T) {
	var said atomic.Value
	s := newSheet(t, tool.KitOptions{Ask: client(&said)})
	res, asked := s.rounds(many, `{"approval":"yes"}`)
	if res.Text() != "+" || len(asked) != 1 || s.writes.Load() != 48 || len(s.commits) != 1 || len(s.drafts) != 1 {
		t.Errorf("got %s, asked %q, %d writes, commits %q", res.Text(), asked, s.writes.Load(), s.commits)
	}
	s = newSheet(t, tool.KitOptions{Ask: client(&said)})
	const mixed = "put(path='a')\nput(path='.env')\nx = look(path='a')\nput(path='b')\nx"
	res, asked = s.rounds(mixed, `{"approval":"yes"}`)
	if res.Text() != "+" || s.disk() != ".env+ a+ b+" || s.writes.Load() != 3 || len(s.commits) != 2 {
		t.Errorf("got %s, on disk %q, %d writes, commits %q", res.Text(), s.disk(), s.writes.Load(), s.commits)
	}
	if len(asked) != 3 || !strings.Contains(asked[0], "put .env") || !strings.Contains(asked[1], "keep .env a") || !strings.Contains(asked[2], "keep b") {
		t.Errorf("asked %q", asked)
	}
	s = newSheet(t, tool.KitOptions{Ask: client(&said)})
	res, asked = s.rounds(many, `{"approval":"no"}`)
	if res.Err == nil || len(asked) != 1 || s.disk() != "" || s.writes.Load() != 48 {
		t.Errorf("a no: %s, asked %q, %d writes", res.Text(), asked, s.writes.Load())
	}
}

// What a script changed that nobody comes back for is dropped: too old, pushed out by others, or at the end of the
// server; and what is told until then is that it is not on disk.
func TestADraftThatNobodyAnswersForIsDropped(t *testing.T) {
	var said atomic.Value
	s := newSheet(t, tool.KitOptions{Ask: client(&said)})
	var needs []*tool.Need
	for i := range 18 {
		res := s.call(map[string]any{"script": fmt.Sprintf("put(path='a%d')", i)}, nil)
		if res.Need == nil || !strings.Contains(res.Need.SoFar, "(drafted, not on disk)") {
			t.Fatalf("%s %+v", res.Text(), res.Need)
		}
		needs = append(needs, res.Need)
	}
	for i, f := range s.drafts {
		if f.dropped != (i < 2) {
			t.Errorf("draft %d: dropped %v", i, f.dropped)
		}
	}
	again := &tool.Resume{State: needs[0].State, Answers: json.RawMessage(`{"approval":"yes"}`)}
	if res := s.call(map[string]any{"script": "put(path='a0')"}, again); res.Err == nil || !strings.Contains(res.Text(), "(drafted, not on disk)") {
		t.Errorf("got %s", res.Text())
	}
	if err := s.scripts.Close(); err != nil {
		t.Fatal(err)
	}
	for i, f := range s.drafts {
		if !f.dropped {
			t.Errorf("draft %d is kept", i)
		}
	}
	if s.disk() != "" {
		t.Errorf("on disk %q", s.disk())
	}
	if res := s.call(map[string]any{"script": "put(path='late')"}, nil); res.Err == nil || !s.drafts[len(s.drafts)-1].dropped {
		t.Errorf("after the end: %s", res.Text())
	}
}

// Where no draft can be had, calls are asked about and made one by one, as ever.
func TestWithoutADraftCallsAreMadeWhenTheyAreMade(t *testing.T) {
	d := &desk{}
	d.say = d.yes
	s := newSheet(t, tool.KitOptions{Ask: d.ask})
	s.unfit = true
	if res := s.run("put(path='a')\nput(path='b')"); res.Err != nil || d.titles() != "2 together" || s.disk() != "a+ b+" {
		t.Errorf("got %s, asked %s, on disk %q", res.Text(), d.titles(), s.disk())
	}
	s.unfit = false
	d.asked = nil
	if res := s.run("put(path='.env')\nput(path='c')\nput(path='d')"); res.Err != nil || len(d.asked) != 2 || d.asked[0].Job.Title != "put .env" {
		t.Errorf("got %s, asked %s", res.Text(), d.titles())
	}
}

// A person who is asked in the middle has the time that they need.
func TestAnAnswerAboutADraftTakesNoTimeOfTheScript(t *testing.T) {
	slow := func(context.Context, *tool.Question) (tool.Answer, error) {
		time.Sleep(thinking)
		return tool.Answer{Yes: true}, nil
	}
	s := newSheet(t, tool.KitOptions{Ask: slow})
	res := s.call(map[string]any{"script": "put(path='a')\nlook(path='a')", "timeout": patient}, nil)
	if res.Text() != "+" || s.disk() != "a+" {
		t.Errorf("got %s", res.Text())
	}
}

// What a script would change in a draft is judged so before it runs, and the draft for that is dropped.
func TestWhatADraftHoldsIsForeseenSo(t *testing.T) {
	s := newSheet(t, tool.KitOptions{})
	args := json.RawMessage(`{"script":"get(path='a')\nput(path='a')\nput(path='.env')\nlook(path='a')"}`)
	calls, more, err := s.scripts.Foresee(t.Context(), s.kit, &tool.Call{Name: "run_script", Args: args, Session: s.session})
	if err != nil || more || len(calls) != 4 {
		t.Fatalf("%d calls, %v, %v", len(calls), more, err)
	}
	var got []string
	for _, c := range calls {
		j, err := s.kit.Understand(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		v := policy.AskFirst.Judge(j)
		got = append(got, fmt.Sprint(c.Name, " ", v.Decision, " ", v.Review))
	}
	if want := "get allow false, put allow true, put ask false, look allow false"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(s.drafts) != 1 || !s.drafts[0].dropped || s.disk() != "" || s.writes.Load() != 0 {
		t.Errorf("%d drafts, on disk %q", len(s.drafts), s.disk())
	}
}

// Where no draft can be gone on with that is said, and nothing is called.
func TestADraftIsGoneOnWithOnlyWhereThereAreAny(t *testing.T) {
	s := newSheet(t, tool.KitOptions{Policy: policy.Auto})
	res := s.call(map[string]any{"script": "put(path='a')", "draft": "abcdefgh"}, nil)
	if res.Err == nil || res.Err.Code != tool.Validation || !strings.Contains(res.Text(), "no script has one here") || s.writes.Load() > 0 {
		t.Errorf("it says %s, on disk %s", res.Text(), s.disk())
	}
}
