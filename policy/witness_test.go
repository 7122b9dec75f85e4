package policy_test

import (
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// A verdict names the place that decided: what is as strict elsewhere is no reason to name another one.
func TestAVerdictNamesTheFirstPlaceThatIsAsStrict(t *testing.T) {
	for _, lines := range [][2]string{{"write = ask", "write = ask"}, {"ask write:*", "write = ask"}} {
		v := rules(t, asking, layer("managed!", lines[1]), layer("user", lines[0])).Judge(job(write, "a"))
		if v.Decision != tool.Ask || v.Layer != "user" {
			t.Errorf("%q: %+v, want it to be the user's", lines, v)
		}
		if v := rules(t, asking, layer("managed!", "write = deny"), layer("user", lines[0])).Judge(job(write, "a")); v.Decision != tool.Deny || v.Layer != "managed" {
			t.Errorf("%q: %+v, want it to be managed", lines, v)
		}
	}
}

// Mode auto asks about writing what another program obeys, and says which; elsewhere the reason is the mode's.
func TestTheReasonOfAQuestionSaysWhoObeysTheFile(t *testing.T) {
	const person = "a person has to approve that"
	for _, c := range []struct {
		mode   policy.Mode
		target string
		want   string
	}{
		{policy.Auto, ".vscode/tasks.json", person},
		{policy.Auto, ".git/config", "git obeys it"},
		{policy.Auto, "b.git/HEAD", "git takes a folder with it"},
		{policy.AskFirst, ".vscode/tasks.json", "needs approval"},
		{policy.AskFirst, "a", "needs approval"},
	} {
		v := rules(t, policy.Options{Mode: c.mode}).Judge(job(write, c.target))
		if v.Decision == tool.Allow || v.Decision == tool.Ask && !strings.Contains(v.Reason, c.want) {
			t.Errorf("%v %s: %+v, want %q", c.mode, c.target, v, c.want)
		}
		if c.mode == policy.AskFirst && strings.Contains(v.Reason, person) {
			t.Errorf("%v %s: %+v: everything is asked about", c.mode, c.target, v)
		}
	}
	if v := rules(t, policy.Options{Mode: policy.Auto}).Judge(job(write, "a")); v.Decision != tool.Allow {
		t.Errorf("%+v", v)
	}
}

// What mode ask lets run, since it looks where it can do nothing else, the freer modes let run too, and for that reason.
func TestAFreerModeAsksAboutNothingThatTheCarefulOneAllows(t *testing.T) {
	j := lineJob("cat notes | less", tool.CommandLine{Decision: tool.Ask, Whole: true, Tried: true, Gap: "less wants a terminal"})
	for _, mode := range []policy.Mode{policy.AskFirst, policy.Review, policy.Auto} {
		r := rules(t, policy.Options{Mode: mode})
		v := r.Judge(j)
		if v.Decision != tool.Allow || !v.Confined {
			t.Errorf("%v: %+v", mode, v)
		}
		x := r.ExplainCall(j)
		if x.Verdict != v {
			t.Errorf("%v: explained as %+v", mode, x.Verdict)
		}
		for _, s := range x.Steps {
			if strings.Contains(s.Text, "less wants a terminal") {
				t.Errorf("%v: a step of the judgement that does not count: %+v", mode, s)
			}
		}
	}
}

// Of two entries that say the same the first is named: the second changes nothing.
func TestOfTwoEqualEntriesTheFirstIsNamed(t *testing.T) {
	for _, entries := range [][]string{
		{"disable write", "disable write"},
		{"disable @write", "disable @write"},
		{"disable wri*", "disable wri*"},
		{"write = false", "write = false"},
	} {
		if v := rules(t, asking, layer("user", entries...)).Lists(write); v.Decision != tool.Deny || v.Line != 1 {
			t.Errorf("%q: %+v, want line 1", entries, v)
		}
	}
}

// A right that is given to a program's name is not one for another file of that name; what is forbidden holds for the
// word that is written and for the program that it starts.
func TestARuleOnACommandMeansTheProgramThatIsWritten(t *testing.T) {
	command := func(program string, words ...string) *tool.Job {
		c := tool.SimpleCommand{Words: words, Program: program, Static: true}
		return lineJob(strings.Join(words, " "), tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{c}})
	}
	for _, c := range []struct {
		rule string
		j    *tool.Job
		want tool.Decision
	}{
		{"allow bash:make *", command("make", "make", "all"), tool.Allow},
		{"allow bash:make *", command("make", "./make", "all"), tool.Ask},
		{"allow bash:make *", command("make", "/tmp/make", "all"), tool.Ask},
		{"allow bash:./make *", command("make", "make", "all"), tool.Ask},
		{"deny bash:make *", command("make", "/tmp/make", "all"), tool.Deny},
		{"deny bash:egrep *", command("grep", "egrep", "x"), tool.Deny},
		{"deny bash:grep *", command("grep", "egrep", "x"), tool.Deny},
		{"deny bash:sed *", command("grep", "egrep", "x"), tool.Ask},
	} {
		wantJudged(t, rules(t, asking, layer("user", c.rule)), c.j, c.want)
	}
}

// A repository as a whole is written by no tool, in no mode, but by a rule that names it: one that allows a tool, or all
// commands of a kind, has not thought of it.
func TestARepositoryAsAWholeIsWrittenByARuleThatNamesIt(t *testing.T) {
	line := func(text string) *tool.Job {
		words := strings.Fields(text)
		one := tool.SimpleCommand{Words: words, Program: words[0], Static: true}
		j := lineJob(text, tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{one}})
		j.Effects = append(j.Effects, tool.Effect{Kind: tool.Write, Target: ".git"})
		return j
	}
	for _, c := range []struct {
		name string
		job  *tool.Job
		rule string
		want tool.Decision
	}{
		{"a line", line("rm -rf .git"), "", tool.Deny},
		{"a line, bash allowed", line("rm -rf .git"), "allow bash", tool.Deny},
		{"a line, bash switched on", line("rm -rf .git"), "bash = allow", tool.Deny},
		{"a line of a wide rule", line("rm -rf .git"), "allow bash:rm *", tool.Deny},
		{"a line of its own rule", line("rm -rf .git"), "allow bash:rm -rf .git", tool.Allow},
		{"another line", line("mv .git x"), "allow bash:rm -rf .git", tool.Deny},
		{"a file", job(write, ".git"), "", tool.Deny},
		{"a file, below", job(write, "sub/.GIT"), "", tool.Deny},
		{"a file, outside", job(write, "/srv/x/.git"), "", tool.Deny},
		{"a file of a wide rule", job(write, ".git"), "allow write:*", tool.Deny},
		{"a file of its own rule", job(write, ".git"), "allow write:.git", tool.Allow},
		{"all in it", job(write, ".git/*"), "", tool.Deny},
		{"one in it", job(write, ".git/index.lock"), "", tool.Ask},
		{"another name", job(write, ".gitignore"), "", tool.Allow},
	} {
		t.Run(c.name, func(t *testing.T) {
			var layers []policy.Layer
			if c.rule != "" {
				layers = append(layers, layer("user", c.rule))
			}
			v := rules(t, policy.Options{Mode: policy.Auto}, layers...).Judge(c.job)
			if v.Decision != c.want {
				t.Errorf("%+v, want %v", v, c.want)
			}
		})
	}
}
