package tool_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"helve/tool"
)

// A prepared tool has its job made by a function.
type prepared struct {
	spec *tool.Spec
	make func(*tool.Job)
}

func (p prepared) Spec() *tool.Spec { return p.spec }

func (p prepared) Prepare(_ context.Context, c *tool.Call) (*tool.Job, error) {
	j := &tool.Job{Spec: p.spec, Call: c, Effects: []tool.Effect{{Kind: tool.Exec, Target: "x"}}}
	p.make(j)
	return j, nil
}

// What is allowed only where it is confined, or looked at first, is so before it runs, with a yes as without one; a job
// that cannot be does not run.
func TestAJobRunsConfinedAndLookedAtWhereTheVerdictSaysSo(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict tool.Verdict
		able    bool
		want    string // what happens, in order
	}{
		{"allowed", tool.Verdict{Decision: tool.Allow}, true, "run"},
		{"confined", tool.Verdict{Decision: tool.Allow, Confined: true}, true, "confine run"},
		{"looked at", tool.Verdict{Decision: tool.Allow, Review: true}, true, "review run"},
		{"both", tool.Verdict{Decision: tool.Allow, Confined: true, Review: true}, true, "confine review run"},
		{"confined, which it cannot be", tool.Verdict{Decision: tool.Allow, Confined: true}, false, ""},
		{"looked at, which it cannot be", tool.Verdict{Decision: tool.Allow, Review: true}, false, ""},
	} {
		var did []string
		note := func(s string) func() { return func() { did = append(did, s) } }
		spec := &tool.Spec{Name: "x", Kind: tool.Exec, Origin: tool.Origin{Kind: tool.Go, Name: "x"}}
		k := k2(t, tool.KitOptions{Policy: rules{judge: func(*tool.Job) tool.Verdict { return c.verdict }}}, prepared{spec, func(j *tool.Job) {
			j.Run = func(context.Context) (*tool.Result, error) { note("run")(); return tool.Textf("done"), nil }
			if c.able {
				j.Confine, j.Review = note("confine"), note("review")
			}
		}})
		res := call(t, k, "x", `{}`)
		if got := strings.Join(did, " "); got != c.want || (res.Err == nil) != (c.want != "") {
			t.Errorf("%s: %q, want %q: %v", c.name, got, c.want, res.Err)
		}
		if c.want == "" {
			wantCode(t, res, tool.Permission)
		}
	}
}

// A tool of ours that only reads goes on without a parameter that it does not know, and says so. What others say of
// theirs is their word alone.
func TestOnlyOurReadingToolsGoOnWithoutUnknownParameters(t *testing.T) {
	for _, c := range []struct {
		kind   tool.OriginKind
		does   tool.Kind
		goesOn bool
	}{
		{tool.Builtin, tool.Read, true}, {tool.Go, tool.Read, true}, {tool.Builtin, tool.Write, false}, {tool.Go, tool.Exec, false},
		{tool.Command, tool.Read, false}, {tool.MCP, tool.Read, false}, {tool.Remote, tool.Read, false},
	} {
		s := tool.Spec{Name: "echo", Kind: c.does, Origin: tool.Origin{Kind: c.kind, Server: "s", Name: "echo"}}
		tl := tool.New(s, func(_ context.Context, _ *tool.Call, in echoIn) (*tool.Result, error) {
			return tool.Textf("%s", in.Text), nil
		})
		got, err := tl.Spec().Mend([]byte(`{"text":"a","strange":1}`))
		if goes := err == nil && len(got.Ignored) == 1 && string(got.Args) == `{"text":"a"}`; goes != c.goesOn {
			t.Errorf("%s, %v: %s %q %v, want that it goes on: %v", c.kind, c.does, got.Args, got.Ignored, err, c.goesOn)
		}
	}
}

// Bytes are packed as they are: no third more for letters that stand for them.
func TestWhatIsPackedIsHardlyLarger(t *testing.T) {
	raw := bytes.Repeat([]byte{0, 255, 7, 200}, 1<<16)
	for _, p := range []tool.Part{
		tool.Image{MIME: "image/png", Data: raw}, tool.Audio{MIME: "audio/wav", Data: raw}, tool.Resource{URI: "a:b", Blob: raw},
		tool.Text(strings.Repeat("\u2028<\n", len(raw)/5)),
	} {
		b, err := tool.Pack(tool.NewResult(p))
		if err != nil || len(b) > len(raw)+1000 {
			t.Errorf("%T: %d bytes of %d, %v", p, len(b), len(raw), err)
		}
	}
}
