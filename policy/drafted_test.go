package policy_test

import (
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// drafted is a job in a draft.
func drafted(j *tool.Job) *tool.Job {
	own := *j
	own.Drafted = true
	return &own
}

// What a draft holds is asked about before it is kept where the mode would ask about each change of a file, and all else
// where it stands.
func TestADraftPutsOffTheQuestionsThatItsDifferenceAnswers(t *testing.T) {
	const denied, asked, runs, kept = "deny", "ask", "allow", "kept"
	held, open := tool.CommandLine{Held: true}, tool.CommandLine{Gap: "nothing holds it back"}
	for _, c := range []struct {
		j                       *tool.Job
		plan, ask, review, auto string
	}{
		{job(write, "write|a.go"), denied, kept, kept, runs},
		{job(edit, "a.go"), denied, kept, kept, runs},
		{job(write, "write|.vscode/tasks.json"), denied, kept, kept, asked},
		{job(write, "write|.git/config"), denied, denied, denied, denied},
		{job(write, "write|.helve/config.json"), denied, denied, denied, denied},
		{job(write, "write|.env"), denied, asked, asked, asked},
		{job(write, "write|*"), denied, asked, asked, asked},
		{job(write, "write|/etc/x"), denied, denied, denied, denied},
		{job(read, "read|.env"), asked, asked, asked, asked},
		{job(read, "read|a.go"), runs, runs, runs, runs},
		{rowJob("make x", held), denied, kept, kept, runs},
		{rowJob("make x", held, "write|a.go"), denied, kept, kept, runs},
		{rowJob("make x", held, "write|.vscode/tasks.json"), denied, kept, kept, runs},
		{rowJob("make x", held, "write|*"), denied, kept, kept, runs},
		{rowJob("make x", held, "write|.env"), denied, asked, asked, asked},
		{rowJob("make x", held, "read|.env"), denied, asked, asked, asked},
		{rowJob("make x", held, "write|/etc/x"), denied, asked, asked, asked},
		{rowJob("make x", held, "net|go.dev"), denied, asked, asked, asked},
		{rowJob("make x", tool.CommandLine{Held: true, Mentions: []string{".env"}}), denied, asked, asked, asked},
		{rowJob("make x", open), denied, asked, asked, asked},
		{rowJob("make x", open, "write|a.go"), denied, asked, asked, asked},
		{rowJob("make x", tool.CommandLine{}), denied, asked, asked, runs}, // nobody says that it is held
		{job(bash, "exec|make"), denied, asked, asked, runs},
		{job(bash), denied, asked, asked, runs},
		{job(fetch, "net|go.dev"), asked, asked, asked, asked},
	} {
		for mode, want := range map[policy.Mode]string{
			policy.Plan: c.plan, policy.AskFirst: c.ask, policy.Review: c.review, policy.Auto: c.auto,
		} {
			r := rules(t, policy.Options{Mode: mode, Own: own})
			j := drafted(c.j)
			x := r.ExplainCall(j)
			v := x.Verdict
			got := v.Decision.String()
			if v.Review {
				got = kept
			}
			if got != want || v != r.Judge(j) {
				t.Errorf("mode %s: %s %v: %+v, want %s", mode, c.j.Spec.Name, c.j.Effects, v, want)
			}
			if v.Review && (!strings.HasPrefix(v.Rule, "mode:") || !strings.Contains(said(x), "= asks before it is kept")) {
				t.Errorf("mode %s: %s %v: %+v, why says\n%s", mode, c.j.Spec.Name, c.j.Effects, v, said(x))
			}
			if plain := r.Judge(c.j); v.Deferred != (v.Review && plain.Decision == tool.Ask) {
				t.Errorf("mode %s: %s %v: put off: %v, without a draft %+v", mode, c.j.Spec.Name, c.j.Effects, v.Deferred, plain)
			}
			yes := strings.Contains(said(x), "asks before it is kept: ") && strings.Contains(said(x), "`--yes`")
			if v.Review && yes != v.Deferred {
				t.Errorf("mode %s: %s %v: who may answer:\n%s", mode, c.j.Spec.Name, c.j.Effects, said(x))
			}
		}
	}
}

// A draft puts off no question that somebody wrote down, takes back no right that somebody gave, and opens nothing that
// is denied.
func TestRulesSpeakOfACallInADraftAsOfAnyOther(t *testing.T) {
	line := tool.CommandLine{Held: true, Whole: true}
	for _, c := range []struct {
		rule string
		j    *tool.Job
	}{
		{"ask edit", job(edit, "a.go")},
		{"ask write:a.go", job(write, "write|a.go")},
		{"deny write:a.go", job(write, "write|a.go")},
		{"allow write:a.go", job(write, "write|a.go")},
		{"ask bash:make *", rowJob("make x", line)},
		{"allow bash:make *", rowJob("make x", line)},
		{"allow bash:make *", rowJob("make x", line, "write|a.go")},
		{"allow bash:make *", rowJob("make x", tool.CommandLine{Whole: true, Gap: "nothing holds it back"}, "write|a.go")},
		{"ask write:secret/**", rowJob("make x", line, "write|secret/a")},
		{"deny write:secret/**", rowJob("make x", line, "write|*")},
	} {
		for _, mode := range []policy.Mode{policy.AskFirst, policy.Review} {
			r := rules(t, policy.Options{Mode: mode, Own: own}, layer("user", c.rule))
			v, plain := r.Judge(drafted(c.j)), r.Judge(c.j)
			if v.Decision != plain.Decision || v.Review {
				t.Errorf("mode %s: %s: %s %v: in a draft %+v, without one %+v", mode, c.rule, c.j.Spec.Name, c.j.Effects, v, plain)
			}
		}
	}
}
