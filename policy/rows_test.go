package policy_test

import (
	"slices"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// rowJob is a call of bash whose line was understood, with further effects.
func rowJob(line string, l tool.CommandLine, more ...string) *tool.Job {
	j := job(bash, append([]string{"exec|" + line}, more...)...)
	l.Text, l.Decision = line, tool.Ask
	l.Commands = []tool.SimpleCommand{{Words: strings.Fields(line), Program: strings.Fields(line)[0], Static: true}}
	j.Line = &l
	return j
}

// deeds are calls that do one thing of the table each, and others that are let run beside it.
func deeds() map[policy.Act]*tool.Job {
	held, open := tool.CommandLine{Held: true}, tool.CommandLine{Gap: "nothing holds it back"}
	return map[policy.Act]*tool.Job{
		policy.Looks:         job(read, "read|a.go"),
		policy.ReadsSecret:   job(read, "read|.env"),
		policy.Remembers:     job(todo, "state|todos"),
		policy.Changes:       job(write, "write|a.go"),
		policy.ChangesSecret: job(write, "write|.env"),
		policy.Steers:        job(write, "write|.vscode/tasks.json"),
		policy.RunsHeld:      rowJob("make x", held),
		policy.RunsOpen:      rowJob("make x", open),
		policy.Reaches:       job(fetch, "net|go.dev"),
		policy.RunsReaching:  rowJob("curl go.dev", held, "net|go.dev"),
		policy.GoesOut:       rowJob("sort /etc/x", held, "read|/etc/x"),
		policy.ChangesOut:    rowJob("touch /etc/x", held, "write|/etc/x"),
	}
}

// said is what an explanation says of the modes and of who may answer.
func said(x policy.Explanation) string {
	var out []string
	for _, s := range x.Steps {
		if s.What == "mode" || s.What == "answers" {
			out = append(out, s.What+": "+s.Text+" = "+s.Says)
		}
	}
	return strings.Join(out, "\n")
}

// A row of the table decides about the calls that it is about, in its mode, and about no other word: verdicts, what why
// tells, who may answer, the summaries from which people choose a mode, and the tables of the docs follow a row that
// is changed.
func TestAChangedRowChangesAllThatIsSaidOfIt(t *testing.T) {
	var free policy.Table // everything runs
	want := map[policy.Becoming]tool.Decision{
		policy.Runs: tool.Allow, policy.AsksBeforeKept: tool.Allow, policy.AsksIfChanged: tool.Ask, policy.AsksBefore: tool.Ask,
		policy.Refused: tool.Deny,
	}
	tried := 0
	for act, j := range deeds() {
		for _, mode := range policy.Modes() {
			seen := map[string]policy.Becoming{}
			for b, decision := range want {
				table := free
				for m := range table[act] {
					table[act][m] = b
				}
				r := rules(t, policy.Options{Mode: mode, Own: own}.By(&table))
				x := r.ExplainCall(j)
				if x.Verdict.Decision != decision || r.Judge(j) != x.Verdict {
					t.Errorf("mode %s: %s: %s: %+v, want %v", mode, act, b, x.Verdict, decision)
				}
				if x.Verdict.Review != (b == policy.AsksBeforeKept && act == policy.RunsHeld) {
					t.Errorf("mode %s: %s: %s: %+v", mode, act, b, x.Verdict)
				}
				text := said(x)
				if decision != tool.Deny && !strings.Contains(text, mode.String()+": "+act.String()+" = "+b.String()) {
					t.Errorf("mode %s: %s: %s: why says %q", mode, act, b, text)
				}
				if asks := len(b.Answers()) > 0; asks != strings.Contains(text, "answers: ") && decision != tool.Deny {
					t.Errorf("mode %s: %s: %s: why says of who may answer: %q", mode, act, b, text)
				}
				listed := act != policy.Changes // what refuses that offers no tool for it
				if decision == tool.Deny && listed && !strings.Contains(x.Verdict.Reason, mode.String()+" mode refuses "+act.String()) {
					t.Errorf("mode %s: %s: refused: %q", mode, act, x.Verdict.Reason)
				}
				if other, same := seen[text+x.Verdict.Reason]; same {
					t.Errorf("mode %s: %s: why says the same of %s and %s", mode, act, b, other)
				}
				seen[text+x.Verdict.Reason] = b
				tried++
			}
		}
	}
	if tried != 12*4*len(want) {
		t.Errorf("%d rows were tried", tried)
	}
}

// A command that writes where only bash will know runs as one that says nothing of what it writes: what is held back is
// all that it can write. Where nothing holds it back somebody is asked, and where it says a place outside, too.
func TestAComputedPathIsHeldBackAsAnyOther(t *testing.T) {
	for _, c := range []struct {
		held  bool
		write string
		want  map[policy.Mode]tool.Decision
	}{
		{true, tool.AnyTarget, map[policy.Mode]tool.Decision{policy.AskFirst: tool.Ask, policy.Review: tool.Allow, policy.Auto: tool.Allow}},
		{false, tool.AnyTarget, map[policy.Mode]tool.Decision{policy.AskFirst: tool.Ask, policy.Review: tool.Ask, policy.Auto: tool.Ask}},
		{true, "/etc/x", map[policy.Mode]tool.Decision{policy.AskFirst: tool.Ask, policy.Review: tool.Ask, policy.Auto: tool.Ask}},
	} {
		line := tool.CommandLine{Held: c.held}
		if !c.held {
			line.Gap = "nothing holds it back"
		}
		for mode, want := range c.want {
			v := rules(t, policy.Options{Mode: mode, Own: own}).Judge(rowJob("cp a $f", line, "write|"+c.write))
			if v.Decision != want || v.Review != (mode == policy.Review && want == tool.Allow) {
				t.Errorf("mode %s, held %v, writes %s: %+v", mode, c.held, c.write, v)
			}
		}
		denies := rules(t, policy.Options{Mode: policy.Auto, Own: own}, layer("project", "deny write:secret/**"))
		wantJudged(t, denies, rowJob("cp a $f", line, "write|"+c.write), tool.Ask) // it may be what the rule is about
	}
}

// Where a command runs, why tells what becomes of what it leaves; each row stands in the docs, and those that a person
// chooses a mode by in its summary.
func TestWhatACommandLeavesIsToldOfTheTable(t *testing.T) {
	built := policy.Built()
	for _, act := range policy.Acts() {
		for _, mode := range policy.Modes() {
			table := built
			i := slices.Index(policy.Modes(), mode)
			table[act][i] = (table[act][i] + 1) % (policy.Refused + 1)
			if table.Markdown() == built.Markdown() {
				t.Errorf("mode %s: %s: the docs say the same", mode, act)
			}
			chosen := slices.Contains([]policy.Act{policy.Changes, policy.RunsHeld, policy.LeavesSteer, policy.Reaches}, act)
			if same := table.Summary(mode) == mode.Summary(); same == chosen {
				t.Errorf("mode %s: %s: the summary says %q", mode, act, table.Summary(mode))
			}
		}
	}
	j := rowJob("make x", tool.CommandLine{Held: true})
	left := map[policy.Becoming]tool.Leaving{
		policy.Runs: tool.LeftMade, policy.Waits: tool.LeftAsked, policy.AsksBeforeKept: tool.LeftAsked,
		policy.AsksIfChanged: tool.LeftAsked, policy.AsksBefore: tool.LeftAsked, policy.Refused: tool.LeftRefused,
	}
	for _, act := range []policy.Act{policy.LeavesSteer, policy.LeavesNew} {
		for b := policy.Runs; b <= policy.Refused; b++ {
			table := built
			table[act][policy.Auto] = b
			r := rules(t, policy.Options{Mode: policy.Auto, Own: own}.By(&table))
			text := said(r.ExplainCall(j))
			if got := r.Judge(j).Leaves; act == policy.LeavesSteer && got.Steer != left[b] || act == policy.LeavesNew && got.New != left[b] {
				t.Errorf("%s: %s: what it leaves: %+v", act, b, got)
			}
			if !strings.Contains(text, "auto: "+act.String()+" = "+b.String()) {
				t.Errorf("%s: %s: %s", act, b, text)
			}
		}
	}
}

// What a new name is after somebody said yes to the command itself, in any mode, is what the table says of the mode that
// asks about each.
func TestAYesToACommandCountsForItsNewNames(t *testing.T) {
	j := rowJob("make x", tool.CommandLine{Held: true})
	j.Line.Decision = tool.Ask
	for _, mode := range []policy.Mode{policy.AskFirst, policy.Review, policy.Auto} {
		for b, want := range map[policy.Becoming]tool.Leaving{policy.Runs: tool.LeftMade, policy.Waits: tool.LeftAsked} {
			table := policy.Built()
			table[policy.LeavesNew] = [4]policy.Becoming{policy.Refused, b, policy.Refused, policy.Refused}
			o := policy.Options{Mode: mode, Own: own}.By(&table)
			allow := policy.Layer{Name: "user", Rules: []policy.Rule{{Decision: tool.Allow, Text: "bash"}}}
			if v := rules(t, o, allow).Judge(j); v.Leaves.New != want || v.Leaves.Steer != tool.LeftAsked {
				t.Errorf("mode %s, %s: %+v", mode, b, v)
			}
		}
	}
}
