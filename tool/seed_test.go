package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// R4.1: kinds, the layers of a description, error types.
func TestKindsAndErrorsHaveTheSeedsWords(t *testing.T) {
	for word, want := range map[string]tool.Kind{"readonly": tool.Read, "read": tool.Read, "write": tool.Write, "execute": tool.Exec, "exec": tool.Exec, "net": tool.Net} {
		if got, err := tool.ParseKind(word); got != want || err != nil {
			t.Errorf("ParseKind(%q) = %v, %v", word, got, err)
		}
	}
	if k, err := tool.ParseKind("fun"); err == nil || k != tool.Exec {
		t.Errorf("ParseKind(fun) = %v, %v: a kind that nobody knows is the most dangerous one", k, err)
	}
	for _, c := range []tool.Code{tool.Validation, tool.Execution, tool.Permission, tool.TimedOut, tool.Unknown} {
		if !strings.HasSuffix(string(c), "_error") {
			t.Errorf("error type %q", c)
		}
	}
}

// R4.2: what a tool gets: session, cancellation, working directory, call id.
func TestAToolSeesItsCall(t *testing.T) {
	var got tool.Call
	k := k2(t, tool.KitOptions{}, tool.New(tool.Spec{Name: "look", Kind: tool.Read}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		got = *c
		return tool.Textf(""), nil
	}))
	s := &tool.Session{ID: "s"}
	if _, err := k.Call(t.Context(), &tool.Call{ID: "7", Name: "LOOK", Session: s, Dir: "/d", Meta: json.RawMessage(`{"m":1}`)}); err != nil {
		t.Fatal(err)
	}
	if got.ID != "7" || got.Name != "look" || got.Session != s || got.Dir != "/d" || string(got.Meta) != `{"m":1}` || got.Progress == nil {
		t.Errorf("%+v", got)
	}
}

// R4.3: the defaults of a spec.
// R2.1: what a tool says of itself.
func TestASpecHasTheSeedsDefaults(t *testing.T) {
	s := echo("echo").Spec()
	if s.DisplayName() != "echo" || s.Version != "1.0.0" || !s.ReadOnly || s.Serial || s.Strict || s.Origin != (tool.Origin{Kind: tool.Go, Name: "echo"}) {
		t.Errorf("%+v", s)
	}
	if w := with(tool.Spec{Name: "w", Kind: tool.Write}, done).Spec(); w.ReadOnly {
		t.Error("a tool that writes is read-only")
	}
}

type checkedIn struct {
	Path  string `json:"path"`
	Times int    `json:"times,omitempty" jsonschema:"minimum=1,maximum=3,default=2"`
	Flag  bool   `json:"flag,omitempty"`
}

func (in *checkedIn) Validate() error {
	if in.Path == "bad" {
		return errors.New("path: is bad")
	}
	return nil
}

var _ tool.Validator = (*checkedIn)(nil)

// R4.4: one definition gives type, validation and schema without $ref; the words of failures.
func TestOneDefinitionGivesTypeValidationAndSchema(t *testing.T) {
	checked := tool.New(tool.Spec{Name: "check", Kind: tool.Read}, func(_ context.Context, _ *tool.Call, in checkedIn) (*tool.Result, error) {
		if in.Path == "missing" {
			return nil, os.ErrNotExist
		}
		return tool.NewResult(tool.Text(strings.Repeat("x", in.Times))), nil
	})
	if s := string(checked.Spec().Input.JSON()); strings.Contains(s, "$ref") || !strings.Contains(s, `"type":"object"`) {
		t.Errorf("schema: %s", s)
	}
	k := k2(t, tool.KitOptions{}, checked)
	for args, want := range map[string]string{
		`{"path":"a"}`:       "xx",
		`{"path":"missing"}`: "Tool execution failed: file does not exist",
		`{"path":"bad"}`:     "Parameter validation failed: path: is bad",
		`{"path":{"x":1},"times":9,"flag":"perhaps"}`: `Parameter validation failed: flag: want boolean, got string "perhaps"; path: want string, got object; times: want at most 3, got 9`,
	} {
		if got := call(t, k, "check", args).Text(); got != want {
			t.Errorf("%s: the model reads\n%q, want\n%q", args, got, want)
		}
	}
}

// R4.5: the full description.
func TestTheFullDescriptionHasFourLayers(t *testing.T) {
	d := tool.Doc{Short: "Short.", Long: "Long.", Usage: []string{"a", "b"}, Important: []string{"c"}, Examples: []tool.Example{{Description: "not in here"}}}
	if got, want := d.Full(), "Short.\nLong.\n\nUsage notes:\n- a\n- b\n\nIMPORTANT:\n- c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (tool.Doc{Short: "Short."}).Full(); got != "Short." {
		t.Errorf("got %q", got)
	}
}

// R4.13: plan mode lists read-only tools only, and the call of another is refused.
func TestPlanModeGuardsTheCallToo(t *testing.T) {
	r := registry(t, echo("read"), with(tool.Spec{Name: "write", Kind: tool.Write}, done),
		tool.Plan(tool.Spec{Name: "edit", Kind: tool.Write}, func(context.Context, *tool.Call, struct{}) (*tool.Job, error) {
			return &tool.Job{Effects: []tool.Effect{{Kind: tool.Write, Target: "a.txt"}}, Run: done}, nil
		}),
		with(tool.Spec{Name: "fetch", Kind: tool.Net, ReadOnly: true}, done))
	plan := r.Kit(tool.KitOptions{Policy: policy.Plan, Ask: yes})
	if got := names(plan.View()); !slices.Equal(got, []string{"fetch", "read"}) {
		t.Errorf("plan mode lists %q", got)
	}
	wantCode(t, call(t, plan, "write", `{}`), tool.Permission)
	auto := r.Kit(tool.KitOptions{Policy: policy.Auto})
	if res := call(t, auto, "edit", `{}`); res.Err != nil {
		t.Error(res.Err)
	}
	wantCode(t, call(t, auto, "write", `{}`), tool.Permission) // what it would do is not known: auto does not speak for that
	wantCode(t, call(t, auto, "fetch", `{}`), tool.Permission) // net is asked about in every mode
}

// R4.14: the agent loop's words for arguments that are no JSON; R2.3: the text that describes a set.
func TestWhatAnAgentLoopNeedsOfAKit(t *testing.T) {
	k := k2(t, tool.KitOptions{}, echo("echo"))
	res := call(t, k, "echo", `{"text":"cut in the mid`)
	wantCode(t, res, tool.Validation)
	if first, hint, _ := strings.Cut(res.Text(), "\n"); first != "Error: Failed to parse tool arguments as JSON." || hint == "" {
		t.Errorf("the model reads %q", res.Text())
	}
	if p := k.View().Prompt(); !strings.Contains(p, "## echo\nSays it again.") || !strings.Contains(p, `"text"`) {
		t.Errorf("prompt: %s", p)
	}
}

// Arguments from outside are bounded, and the words say what is wrong.
func TestHostileArgumentsAreRefusedInWords(t *testing.T) {
	k := k2(t, tool.KitOptions{}, echo("echo"))
	for _, args := range []string{`[]`, `"x"`, `17`, `{"text":` + strings.Repeat("[", 10_000), `{"text":"a"}{"text":"b"}`, `{"text":"a","text":"b"}`, "\x00", `{"text":NaN}`} {
		res := call(t, k, "echo", args)
		wantCode(t, res, tool.Validation)
		if len(res.Text()) > 2000 {
			t.Errorf("%.40q: %d bytes of error", args, len(res.Text()))
		}
	}
	long := `{"text":"` + strings.Repeat("x", 10<<20) + `"}`
	if res := call(t, k, "echo", long); res.Err != nil || len(res.Text()) != 10<<20 {
		t.Errorf("10 MB of text: %v", res.Err)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{}`, `{"text":"x"}`, `{"text":1}`, `[`, `{"text":"x"`, "```json\n{\"text\":\"x\"}\n```", `{"Text":'x',}`} {
		f.Add([]byte(s))
	}
	r := &tool.Registry{}
	if err := r.Add(echo("echo")); err != nil {
		f.Fatal(err)
	}
	k := r.Kit(tool.KitOptions{})
	f.Fuzz(func(t *testing.T, args []byte) {
		res, err := k.Call(t.Context(), &tool.Call{Name: "echo", Args: args})
		if err != nil {
			t.Fatal(err)
		}
		if res.Err == nil {
			var in echoIn
			said := func() bool { return slices.Contains(res.Parts, tool.Part(tool.Text(in.Text))) } // beside what was repaired
			if json.Unmarshal(res.Job.Call.Args, &in) != nil || !said() {
				t.Errorf("%q ran with %q and said %q", args, res.Job.Call.Args, res.Text())
			}
		} else if res.Err.Code != tool.Validation {
			t.Errorf("%q: %v", args, res.Err)
		}
	})
}
