package clienthook

import (
	"slices"
	"strings"
	"testing"
)

func TestFilesOfAPatchAreKnown(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-x\n+y\n*** Add File: sub/c.txt\n+z\n*** Delete File: d.txt\n*** End Patch"
	want := []string{"a.txt", "b.txt", "sub/c.txt", "d.txt"}
	e := &Event{Tool: "apply_patch", Input: object(map[string]string{"command": patch})}
	a, err := codex().Act(e)
	if err != nil || a.Kind != Edit || !slices.Equal(a.Paths, want) {
		t.Errorf("%+v (%v), want %q", a, err, want)
	}
	e = &Event{Tool: "Bash", Input: object(map[string]string{"command": "cd x; apply_patch <<'E'\n" + patch + "\nE"})}
	a, err = codex().Act(e)
	if err != nil || a.Kind != Shell || !a.Patch || !slices.Equal(a.Paths, want) {
		t.Errorf("%+v (%v), want %q", a, err, want)
	}
	for _, text := range []string{"*** Begin Patch\n*** End Patch", "no patch"} {
		e := &Event{Tool: "apply_patch", Input: object(map[string]string{"command": text})}
		if a, err := codex().Act(e); err == nil {
			t.Errorf("%q became %+v", text, a)
		}
	}
}

func TestARewriteKeepsEveryOtherField(t *testing.T) {
	c := claude()
	e := &Event{Tool: "Bash", Input: []byte(`{"command":"ls <a>","description":"d","timeout":7,"new":{"x":[1]}}`)}
	got, err := c.with(e, []string{"helve exec -c 'ls <a>'"})
	want := `{"command":"helve exec -c 'ls <a>'","description":"d","new":{"x":[1]},"timeout":7}`
	if err != nil || string(got) != want {
		t.Errorf("%s (%v), want %s", got, err, want)
	}
	e = &Event{Tool: "run_commands", Input: []byte(`{"commands":["a","b"]}`)}
	if got, err := cline().with(e, []string{"c", "d"}); err != nil || string(got) != `{"commands":["c","d"]}` {
		t.Errorf("%s (%v)", got, err)
	}
}

// A field too many makes Codex pass over a refusal, and Claude Code's question is a refusal there.
func TestEachClientIsAnsweredInItsOwnForm(t *testing.T) {
	e := &Event{Tool: "x"}
	for _, c := range Clients() {
		if r := c.Write(Answer{}, e); c.Name != "cline" && len(r.Stdout) > 0 {
			t.Errorf("%s: silence is %s", c.Name, r.Stdout)
		}
		r := c.Write(Answer{Decision: Ask, Reason: "why"}, e)
		asks := strings.Contains(string(r.Stdout), `"ask"`)
		if asks != (c.AsksTerminal || c.AsksHeadless) {
			t.Errorf("%s: a question is %s", c.Name, r.Stdout)
		}
		r = c.Write(Answer{Decision: Ask, Reason: "why", Input: []byte(`{"new":1}`)}, e)
		if got := strings.Contains(string(r.Stdout), `{"new":1}`); got != c.AsksRewritten {
			t.Errorf("%s: a question about another command is %s", c.Name, r.Stdout)
		}
		if r := c.Write(Answer{Decision: Deny, Reason: "why"}, e); !strings.Contains(string(r.Stdout), "why") {
			t.Errorf("%s: a refusal is %s", c.Name, r.Stdout)
		}
		r = c.Write(Answer{Decision: Rewrite, Input: []byte(`{"new":1}`)}, e)
		if got := strings.Contains(string(r.Stdout), `{"new":1}`); got != c.Rewrites {
			t.Errorf("%s: a rewrite is %s", c.Name, r.Stdout)
		}
	}
}
