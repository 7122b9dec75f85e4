package policy_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"helve/policy"
	"helve/tool"
)

var (
	someNames    = []string{"read", "grep", "write", "edit", "bash", "fetch", "deploy", "get_issue", "mcp__github/*", "mcp__github__get_issue", "@write", "@read", "@mcp", "@exec", "@net", "*", "r*", "e*", "mcp__filesystem"}
	somePatterns = []string{"", ":*", ":**", ":a", ":a/**", ":**/b", ":a/*", ":*.go", ":/etc/**", ":go test *", ":rm", ":go.dev", ":*.dev", ":A/B"}
	someTargets  = []string{"a", "a/b", "b", "x.go", "a/x.go", "/etc/passwd", "go.dev", "go test ./...", "rm x", "go test; rm x", "*", ".helve/x", "//two/a/b", "", "todos"}
	someKinds    = []tool.Kind{tool.Read, tool.Write, tool.Net, tool.Exec, tool.State}
)

func drawRule(t *rapid.T, decisions ...tool.Decision) policy.Rule {
	return policy.Rule{
		Decision: rapid.SampledFrom(decisions).Draw(t, "decision"),
		Text:     rapid.SampledFrom(someNames).Draw(t, "tool") + rapid.SampledFrom(somePatterns).Draw(t, "pattern"),
	}
}

func drawLayer(t *rapid.T) policy.Layer {
	l := policy.Layer{Tightens: rapid.IntRange(0, 3).Draw(t, "tightens") == 0}
	for range rapid.IntRange(0, 4).Draw(t, "switches") {
		l.Switches = append(l.Switches, policy.Switch{Name: rapid.SampledFrom(someNames).Draw(t, "switch"), To: policy.Setting(rapid.IntRange(0, 4).Draw(t, "to"))})
	}
	for range rapid.IntRange(-4, 1).Draw(t, "disabled") {
		l.Disabled = append(l.Disabled, policy.Name{Name: rapid.SampledFrom(someNames).Draw(t, "name")})
	}
	for range rapid.IntRange(-6, 2).Draw(t, "allowed") {
		l.Allowed = append(l.Allowed, policy.Name{Name: rapid.SampledFrom(someNames).Draw(t, "name")})
	}
	for range rapid.IntRange(0, 5).Draw(t, "rules") {
		l.Rules = append(l.Rules, drawRule(t, tool.Allow, tool.Ask, tool.Deny))
	}
	return l
}

func drawLayers(t *rapid.T) []policy.Layer {
	return rapid.SliceOfN(rapid.Custom(drawLayer), 0, 4).Draw(t, "layers")
}

func drawJob(t *rapid.T) *tool.Job {
	j := job(rapid.SampledFrom(all).Draw(t, "tool"))
	for range rapid.IntRange(0, 3).Draw(t, "effects") {
		j.Effects = append(j.Effects, tool.Effect{Kind: rapid.SampledFrom(someKinds).Draw(t, "kind"), Target: rapid.SampledFrom(someTargets).Draw(t, "target")})
	}
	return j
}

func drawOptions(t *rapid.T) policy.Options {
	trusted := rapid.Bool().Draw(t, "trusted")
	return policy.Options{Mode: policy.Mode(rapid.IntRange(0, 2).Draw(t, "mode")), Own: own, Protected: []string{"grep"}, Trusted: func(string) bool { return trusted }}
}

func compiled(t *rapid.T, o policy.Options, layers []policy.Layer) *policy.Rules {
	r, err := policy.New(o, layers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatIsDeniedForListingIsDeniedForEveryCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, j := compiled(t, drawOptions(t), drawLayers(t)), drawJob(t)
		if r.Lists(j.Spec).Decision == tool.Deny && r.Judge(j).Decision != tool.Deny {
			t.Fatalf("%s is not listed and judged %+v", j.Spec.Origin, r.Judge(j))
		}
	})
}

// less reports that b allows nothing that a does not.
func less(t *rapid.T, a, b *policy.Rules, j *tool.Job) {
	if b.Lists(j.Spec).Decision > a.Lists(j.Spec).Decision {
		t.Fatalf("listing of %s: %+v became %+v", j.Spec.Origin, a.Lists(j.Spec), b.Lists(j.Spec))
	}
	if b.Judge(j).Decision > a.Judge(j).Decision {
		t.Fatalf("%s %v: %+v became %+v", j.Spec.Origin, j.Effects, a.Judge(j), b.Judge(j))
	}
	for _, e := range j.Judged() {
		if a.Denies(e.Kind, e.Target) && !b.Denies(e.Kind, e.Target) {
			t.Fatalf("%v: was denied and is not", e)
		}
	}
}

func TestAddingADenyNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, layers, j := drawOptions(t), drawLayers(t), drawJob(t)
		if len(layers) == 0 {
			layers = []policy.Layer{{}}
		}
		more := slices.Clone(layers)
		i := rapid.IntRange(0, len(layers)-1).Draw(t, "layer")
		if rapid.Bool().Draw(t, "floor") {
			more[i].Disabled = append(slices.Clone(more[i].Disabled), policy.Name{Name: rapid.SampledFrom(someNames).Draw(t, "name")})
		} else {
			at := rapid.IntRange(0, len(more[i].Rules)).Draw(t, "at")
			more[i].Rules = slices.Insert(slices.Clone(more[i].Rules), at, drawRule(t, tool.Deny))
		}
		less(t, compiled(t, o, layers), compiled(t, o, more), j)
	})
}

func TestALayerThatTightensNeverAllowsMoreThanNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, layers, j := drawOptions(t), drawLayers(t), drawJob(t)
		extra := drawLayer(t)
		extra.Tightens = true
		at := rapid.IntRange(0, len(layers)).Draw(t, "at")
		less(t, compiled(t, o, layers), compiled(t, o, slices.Insert(slices.Clone(layers), at, extra)), j)
	})
}

// A pattern never allows what is not known, and what another's tool does never is.
func TestRulesNeverAllowWhatIsNotKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOptions(t)
		j := job(rapid.SampledFrom(all).Draw(t, "tool"))
		own := j.Spec.Origin.Kind == tool.Builtin || j.Spec.Origin.Kind == tool.Go
		patterned := rapid.Custom(func(t *rapid.T) policy.Rule { return drawRule(t, tool.Allow) }).Filter(func(r policy.Rule) bool {
			return !own || strings.Contains(r.Text, ":")
		})
		var with []policy.Layer
		for range rapid.IntRange(1, 3).Draw(t, "layers") {
			with = append(with, policy.Layer{Rules: rapid.SliceOfN(patterned, 1, 5).Draw(t, "rules")})
		}
		less(t, compiled(t, o, nil), compiled(t, o, with), j)
	})
}

// A rule without a pattern allows the whole of an own tool: what the word of a switch allows, also where it is not known what it will do.
func TestARuleWithoutAPatternMeansTheWholeOwnTool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, j := drawOptions(t), drawJob(t)
		if j.Spec.Origin.Kind != tool.Builtin {
			return
		}
		name := j.Spec.Name
		rule := compiled(t, o, []policy.Layer{{Rules: []policy.Rule{{Decision: tool.Allow, Text: name}}}})
		word := compiled(t, o, []policy.Layer{{Switches: []policy.Switch{{Name: name, To: policy.Allowed}}}})
		if got, want := rule.Judge(j), word.Judge(j); got.Decision != want.Decision {
			t.Fatalf("%s %v: by a rule %+v, by a switch %+v", name, j.Effects, got, want)
		}
	})
}

// What nobody knows of an own tool's memory is a change: plan refuses it, whatever a rule or a switch allows.
func TestPlanRefusesAChangeOfWhatIsNotKnown(t *testing.T) {
	j := job(read, "state|*")
	for _, l := range []policy.Layer{
		{Rules: []policy.Rule{{Decision: tool.Allow, Text: "read"}}},
		{Switches: []policy.Switch{{Name: "read", To: policy.Allowed}}},
	} {
		r, err := policy.New(policy.Options{Mode: policy.Plan, Own: own}, l)
		if err != nil {
			t.Fatal(err)
		}
		if v := r.Judge(j); v.Decision != tool.Deny || v.Rule != "mode:plan" {
			t.Errorf("%+v: %+v", l, v)
		}
	}
}

func TestAnExplanationNeverDiffersFromTheDecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, j := compiled(t, drawOptions(t), drawLayers(t)), drawJob(t)
		if got, want := r.ExplainCall(j).Verdict, r.Judge(j); got != want {
			t.Fatalf("%+v, judged %+v", got, want)
		}
		if got, want := r.ExplainListing(j.Spec).Verdict, r.Lists(j.Spec); got != want {
			t.Fatalf("%+v, listed %+v", got, want)
		}
	})
}

func TestTheStricterModeNeverAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, layers, j := drawOptions(t), drawLayers(t), drawJob(t)
		free, careful := o, o
		free.Mode, careful.Mode = policy.Auto, policy.AskFirst
		less(t, compiled(t, free, layers), compiled(t, careful, layers), j)
		looking := o
		looking.Mode = policy.Review
		less(t, compiled(t, looking, layers), compiled(t, careful, layers), j)
		planning := o
		planning.Mode = policy.Plan
		less(t, compiled(t, careful, layers), compiled(t, planning, layers), j)
	})
}
