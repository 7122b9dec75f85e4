package workspace_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"

	. "helve/internal/workspace"
)

// hello is a tool of a program's own that only greets.
func hello(touches tool.Touches) tool.Tool {
	spec := tool.Spec{Name: "greet", Kind: tool.Read, Touches: touches, Doc: tool.Doc{Short: "Greets."}}
	return tool.New(spec, func(_ context.Context, _ *tool.Call, in struct {
		Name string `json:"name" jsonschema:"whom to greet"`
	}) (*tool.Result, error) {
		return tool.Textf("Hello, %s", in.Name), nil
	})
}

// A person's rule on some files does not make a harmless tool of the program one that is asked about, and a tool that
// leaves open what it reads is named before it is refused.
func TestAnOwnToolRunsBesideAPersonsRules(t *testing.T) {
	p := newPlace(t).put("~/.config/helve/config.json", `{"rules": [{"deny": "read:secrets/**"}]}`)
	w := p.open(func(o *Options) { o.Tools = []tool.Tool{hello(tool.Nothing)} })
	if r := ask(t, w, "greet", `{"name":"Ada"}`); r.Text() != "Hello, Ada" {
		t.Errorf("a tool that touches nothing: %q", r.Text())
	}
	if said := p.said.String(); strings.Contains(said, "greet") {
		t.Errorf("it is told of: %s", said)
	}

	careful := newPlace(t).put("~/.config/helve/config.json", `{"rules": [{"deny": "read:secrets/**"}]}`)
	w = careful.open(func(o *Options) { o.Tools = []tool.Tool{hello(tool.Unsaid)} })
	if said := careful.said.String(); strings.Count(said, "Touches: tool.Nothing") != 1 {
		t.Errorf("a tool that does not say is told of so: %q", said)
	}
	if r := ask(t, w, "greet", `{"name":"Ada"}`); r.Err == nil || r.Err.Code != tool.Permission {
		t.Errorf("it may read what the rule guards: %q", r.Text())
	}
}

// The program is the person's: its rules loosen what would be asked about, and what a layer denies stays denied.
func TestAProgramHasRulesOfItsOwn(t *testing.T) {
	p := newPlace(t).
		put("~/.config/helve/config.json", `{"rules": [{"ask": "write:**"}, {"deny": "write:secret.txt"}]}`)
	_, file, line, _ := runtime.Caller(0)
	mine := policy.Allow("write:*.txt")
	w := p.open(func(o *Options) {
		o.Rules = []policy.Rule{mine, policy.Deny("write:never.txt"), policy.Allow("write:secret.txt")}
	})
	for name, want := range map[string]tool.Decision{
		"a.txt":      tool.Allow,
		"b.md":       tool.Ask,
		"never.txt":  tool.Deny,
		"secret.txt": tool.Deny,
	} {
		args := fmt.Sprintf(`{"file_path":%q,"contents":"x"}`, name)
		why, err := w.Why(t.Context(), &tool.Call{Name: "write", Args: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		if why.Call.Verdict != want {
			t.Errorf("%s: %v by %q of %s, want %v", name, why.Call.Verdict, why.Call.Rule, why.Call.Layer, want)
		}
		if name == "a.txt" && (why.Call.Layer != "program" || why.Call.File != file || why.Call.Line != line+1) {
			t.Errorf("the rule stands at %s %s:%d, want %s:%d", why.Call.Layer, why.Call.File, why.Call.Line, file, line+1)
		}
	}
	p.put("~/.config/helve/config.json", `{"rules": [{"deny": "write:a.txt"}]}`)
	if err := w.Reload(); err != nil {
		t.Fatal(err)
	}
	if r := ask(t, w, "write", `{"file_path":"a.txt","contents":"x"}`); r.Err == nil || r.Verdict.Layer != "user" {
		t.Errorf("after a rule of the person: %q", r.Text())
	}
}

// A program's own configuration is JSON or TOML as in a file: above the person's and the project's, below its rules and
// the flags. What any layer denies stays denied.
func TestAProgramHasAConfigurationOfItsOwn(t *testing.T) {
	const user = `{"mode": "plan", "clients": {"ci": {"mode": "plan", "rules": [{"ask": "write:*.txt"}]}},
		"rules": [{"ask": "write:**"}, {"deny": "write:secret.txt"}], "tools": {"ls": false}}`
	for form, text := range map[string]string{
		"JSON": `// of the program
			{"mode": "ask", "profile": "ci", "tools": {"ls": true},
			"rules": [{"allow": "write:*.txt"},
			{"allow": "write:*.md"}]}`,
		"TOML": "mode = 'ask'\nprofile = 'ci'\ntools.ls = true\n" +
			"rules = [{allow = 'write:*.txt'},\n {allow = 'write:*.md'}]\n",
	} {
		t.Run(form, func(t *testing.T) {
			w := newPlace(t).put("~/.config/helve/config.json", user).open(func(o *Options) {
				o.Config = []byte(text)
				o.Rules = []policy.Rule{policy.Ask("write:asked.md")}
			})
			for name, want := range map[string]struct {
				by   tool.Decision
				file string
			}{
				"a.txt":      {tool.Allow, "Options.Config"},
				"b.md":       {tool.Allow, "Options.Config"},
				"asked.md":   {tool.Ask, "program_test.go"},
				"c.go":       {tool.Ask, "config.json"},
				"secret.txt": {tool.Deny, "config.json"},
			} {
				v := verdict(t, w, name)
				if v.Verdict != want.by || filepath.Base(v.File) != want.file {
					t.Errorf("%s: %v by %s of %s:%d, want %v of %s", name, v.Verdict, v.Rule, v.File, v.Line, want.by, want.file)
				}
			}
			line := strings.Count(text[:strings.Index(text, "write:*.md")], "\n") + 1
			if v := verdict(t, w, "b.md"); v.Line != line || v.Layer != "program" {
				t.Errorf("the rule stands in line %d of %s, want %d of program", v.Line, v.Layer, line)
			}
			if _, ok := w.Kit().View().Get("ls"); !ok {
				t.Error("ls, which the person switched off and the program on, is not offered")
			}
		})
	}
}

// A flag is above the program's configuration, and a mistake in it names its line.
func TestAProgramsConfigurationStandsBelowFlags(t *testing.T) {
	p := newPlace(t)
	w := p.open(func(o *Options) { o.Config, o.Mode = []byte(`{"mode": "auto"}`), "plan" })
	if r := ask(t, w, "write", `{"file_path":"a.txt","contents":"x"}`); r.Err == nil {
		t.Errorf("in mode plan: %q", r.Text())
	}
	for text, want := range map[string]string{
		"{\n\"mode\": \"free\"}":     "Options.Config:2",
		"mode = 'ask'\nmoed = 1":     "Options.Config:2",
		"[rules":                     "Options.Config:1",
		"{\"rules\": [\n{\"d\":1}]}": "Options.Config:2",
	} {
		o := p.options()
		o.Config, o.Tolerant = []byte(text), true
		w, err := Open(t.Context(), o)
		if err == nil {
			w.Close()
			t.Errorf("%s was taken", text)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q does not name %s", text, err, want)
		}
	}
}

// The mode that a flag or the program says is that of another program's tools, too; else client_hooks says it.
func TestAGivenModeIsThatOfForeignTools(t *testing.T) {
	const hooks = `{"mode": "auto", "client_hooks": {"mode": "ask"}}`
	for _, c := range []struct {
		flag, program string
		want          policy.Mode
	}{
		{"", "", policy.AskFirst},
		{"plan", "", policy.Plan},
		{"", `{"mode": "plan"}`, policy.Plan},
		{"", `{"mode": "plan", "client_hooks": {"mode": "review"}}`, policy.Review},
		{"plan", `{"mode": "auto"}`, policy.Plan},
		{"plan", `{"client_hooks": {"mode": "auto"}}`, policy.Plan},
	} {
		w := newPlace(t).put("~/.config/helve/config.json", hooks).open(func(o *Options) {
			o.Foreign, o.Mode, o.Config = true, c.flag, []byte(c.program)
		})
		if got := w.OpenedMode(); got != c.want {
			t.Errorf("flag %q, program %q: %v, want %v", c.flag, c.program, got, c.want)
		}
	}
}

// verdict is what the workspace says of writing a file.
func verdict(t *testing.T, w *Assembly, name string) Reason {
	t.Helper()
	args := fmt.Sprintf(`{"file_path":%q,"contents":"x"}`, name)
	why, err := w.Why(t.Context(), &tool.Call{Name: "write", Args: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return why.Call
}

// A rule of a program that does nothing is told of with the line that made it.
func TestARuleOfAProgramThatMeansNothingIsNamed(t *testing.T) {
	p := newPlace(t)
	_, _, line, _ := runtime.Caller(0)
	p.open(func(o *Options) { o.Rules = []policy.Rule{policy.Deny("raed:x/**")} })
	if said, at := p.said.String(), fmt.Sprintf("program_test.go:%d: ", line+1); !strings.Contains(said, at) || !strings.Contains(said, "raed") {
		t.Errorf("%q does not name %s and raed", said, at)
	}
	o := p.options()
	o.Rules = []policy.Rule{policy.Deny(":")}
	if w, err := Open(t.Context(), o); err == nil {
		w.Close()
		t.Error("a rule without a tool was taken")
	} else if !strings.Contains(err.Error(), "program_test.go:") {
		t.Errorf("%q does not name the line", err)
	}
}
