package workspace_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"helve/parts/code"
	"helve/parts/web"
	"helve/tool"
	"helve/tool/telemetry"

	. "helve/internal/workspace"
)

// A greeter is a stranger's part: a tool, a key, a middleware, and something to close.
type greeter struct {
	word   string
	calls  int
	closed bool
}

func (*greeter) Keys() []string { return []string{"greeting"} }

func (g *greeter) Open(_ context.Context, s *Site) error {
	if v := s.Value("greeting"); v != nil {
		if err := json.Unmarshal(v, &g.word); err != nil {
			return err
		}
	}
	spec := tool.Spec{Name: "greet", Kind: tool.Read, Touches: tool.Nothing, Doc: tool.Doc{Short: "Greets."}}
	s.Add(tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		return tool.NewResult(tool.Text(g.word)), nil
	}))
	s.Around(func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			g.calls++
			return next(ctx, c)
		}
	})
	s.Close(func() error {
		g.closed = true
		return nil
	})
	return nil
}

// What a part brings is there as if it were helve's own: its tools under the rules, its key of the configuration, its
// middleware around every call, its end with the workspace's.
func TestAPartBringsToolsKeysAndStages(t *testing.T) {
	g := &greeter{word: "hello"}
	p := newPlace(t).put(userConfig, `{"greeting": "good day"}`)
	w := p.open(func(o *Options) { o.Parts = []Part{g} })
	if got := ask(t, w, "greet", `{}`).Text(); got != "good day" {
		t.Errorf("%q", got)
	}
	ask(t, w, "ls", `{}`)
	if g.calls != 2 {
		t.Errorf("%d calls passed its middleware", g.calls)
	}
	if err := w.Close(); err != nil || !g.closed {
		t.Errorf("closed: %v, %v", g.closed, err)
	}
	if _, err := Open(t.Context(), func() Options {
		o := p.options()
		o.Parts = nil
		return o
	}()); err == nil || !strings.Contains(err.Error(), `unknown key "greeting"`) {
		t.Errorf("without the part: %v", err)
	}
}

// A rule of a key's owner: an untrusted project does not set a stranger's key, a person does.
func TestAProjectThatIsNotTrustedSetsNoKeyOfAPart(t *testing.T) {
	g := &greeter{word: "hello"}
	w := newPlace(t).put(".helve/config.json", `{"greeting": "good day"}`).open(func(o *Options) { o.Parts = []Part{g} })
	if got := ask(t, w, "greet", `{}`).Text(); got != "hello" {
		t.Errorf("%q", got)
	}
}

// What a configuration asks for, and this program does not have, is an error with the import that is missing. A server
// goes on and says so.
func TestAKeyOfAPartThatIsNotLinkedNamesTheImport(t *testing.T) {
	for key, c := range map[string]struct{ text, want string }{
		"mcp_servers": {`{"mcp_servers": {"x": {"command": "x"}}}`, `config.json:1: mcp_servers: this program does not have it: import "helve/parts/mcp"`},
		"discovery":   {`{"discovery": {"command": "x"}}`, `import "helve/parts/discovery"`},
		"code":        {`{"code": {"exact": "auto"}}`, `import "helve/parts/code"`},
		"fetch":       {`{"fetch": {"allow_private": ["localhost"]}}`, `import "helve/parts/web"`},
		"script":      {`{"script": true}`, `import "helve/parts/script"`},
		"bus":         {`{"bus": {}}`, `the program helve does`},
	} {
		p := newPlace(t).put(userConfig, c.text)
		o := p.options()
		o.Parts = nil
		if _, err := Open(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", key, err, c.want)
		}
		w := p.open(func(o *Options) { o.Parts, o.Tolerant = nil, true })
		if w.Unreadable() != nil || !strings.Contains(p.said.String(), c.want) {
			t.Errorf("%s: a tolerant workspace: %v; said %q", key, w.Unreadable(), p.said)
		}
	}
}

// The servers that a project names for other programs are none of a program's business that has no such part.
func TestServersThatAreNamedToOthersAreNoError(t *testing.T) {
	newPlace(t).put(".mcp.json", `{"mcpServers": {"x": {"command": "x"}}}`).open(func(o *Options) {
		o.Parts, o.Trust = nil, true
	})
}

// Of two parts with a key in common the later is there, so that a program sets options of one among many.
func TestTheLaterOfTwoPartsWithOneKeyCounts(t *testing.T) {
	first, second := &greeter{word: "first"}, &greeter{word: "second"}
	w := newPlace(t).open(func(o *Options) { o.Parts = []Part{first, code.Part(), web.Part(web.Options{}), second} })
	if got := ask(t, w, "greet", `{}`).Text(); got != "second" {
		t.Errorf("%q", got)
	}
}

// Without parts there are files, searches, bash and lists, and nothing more.
func TestWithoutPartsThereAreFilesSearchesAndCommands(t *testing.T) {
	w := newPlace(t).open(func(o *Options) { o.Parts = nil })
	var got []string
	for _, s := range w.Registry().Specs() {
		got = append(got, s.Name)
	}
	const want = "bash bash_kill bash_output edit glob grep ls multi_edit read todo_read todo_write write"
	slices := strings.Fields(want)
	for _, name := range slices {
		if !strings.Contains(" "+strings.Join(got, " ")+" ", " "+name+" ") {
			t.Errorf("%s is missing", name)
		}
	}
	if len(got) != len(slices) {
		t.Errorf("there are %q, want %q", got, slices)
	}
}

// A teller brings telemetry, and a looker asks for it while it is opened.
type (
	teller struct{ greeter }
	looker struct {
		greeter
		seen telemetry.Provider
	}
	nowhere struct{ telemetry.Provider }
)

func (*teller) Telemetry() telemetry.Provider { return nowhere{} }
func (*teller) Keys() []string                { return nil }

func (l *looker) Open(_ context.Context, s *Site) error {
	l.seen = Within(s).Telemetry()
	return nil
}

// Parts see the telemetry of a part wherever it stands among them.
func TestAPartsTelemetryIsThereForPartsBeforeIt(t *testing.T) {
	l := &looker{}
	newPlace(t).open(func(o *Options) { o.Parts = []Part{l, &teller{}} })
	if l.seen != (nowhere{}) {
		t.Errorf("%v", l.seen)
	}
}

// What only the command line can say is checked as what a file says.
func TestOptionsOfTheCommandLineAreChecked(t *testing.T) {
	for want, set := range map[string]func(*Options){
		"did you mean codex?": func(o *Options) { o.Clients.Name = "codexx" },
		"--tools":             func(o *Options) { o.Layers.Tools = json.RawMessage("{") },
	} {
		o := newPlace(t).options()
		o.Resident = true // the most that can be left behind
		set(&o)
		w, err := Open(t.Context(), o)
		if err == nil {
			w.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
