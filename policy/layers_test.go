package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

func TestADenyIsStickyAcrossLayers(t *testing.T) {
	r := rules(t, asking, layer("flags", "allow edit:**"), layer("project", "ask edit:b"), layer("user", "deny edit:a"))
	wantJudged(t, r, job(edit, "a"), tool.Deny)
	wantJudged(t, r, job(edit, "b"), tool.Allow)
}

func TestSwitchesAndRulesMeetByLayer(t *testing.T) {
	for _, c := range []struct {
		layers []policy.Layer
		want   tool.Decision
	}{
		{[]policy.Layer{layer("user", "edit = allow")}, tool.Allow},
		{[]policy.Layer{layer("user", "edit = allow", "ask edit:a")}, tool.Ask},
		{[]policy.Layer{layer("project", "edit = ask"), layer("user", "allow edit:a")}, tool.Ask},
		{[]policy.Layer{layer("project", "edit = true"), layer("user", "allow edit:a")}, tool.Allow},
		{[]policy.Layer{layer("project", "allow edit:a"), layer("user", "edit = deny")}, tool.Allow},
		{[]policy.Layer{layer("project", "edit = deny"), layer("user", "allow edit:a")}, tool.Deny},
		{[]policy.Layer{layer("project", "edit = allow"), layer("user", "deny edit:a")}, tool.Deny},
		{[]policy.Layer{layer("project!", "edit = deny"), layer("user", "allow edit:a")}, tool.Deny},
		{[]policy.Layer{layer("project!", "edit = allow"), layer("user", "edit = ask")}, tool.Ask},
		{[]policy.Layer{layer("project!", "allow edit:a")}, tool.Ask},
		{[]policy.Layer{layer("project!", "ask edit:a"), layer("user", "allow edit:a")}, tool.Ask},
	} {
		if v := rules(t, asking, c.layers...).Judge(job(edit, "a")); v.Decision != c.want {
			t.Errorf("%+v: %+v, want %v", c.layers, v, c.want)
		}
	}
}

func TestDenyListsTheToolAndRefusesTheCall(t *testing.T) {
	r := rules(t, asking, layer("user", "bash = deny"))
	if v := r.Lists(bash); v.Decision != tool.Allow {
		t.Errorf("listing: %+v", v)
	}
	if v := r.Judge(job(bash, "ls")); v.Decision != tool.Deny || v.File != "user.json" || v.Line != 1 {
		t.Errorf("call: %+v", v)
	}
}

// R3.8, ⚑2: protected beats switches and disabled_tools, and nothing else.
func TestProtectedToolsCannotBeSwitchedOff(t *testing.T) {
	reindex := spec("reindex", tool.Read)
	impostor := mcp("evil", "reindex")
	for lines, want := range map[string]tool.Decision{"disable reindex": tool.Allow, "reindex = false": tool.Allow, "only read": tool.Deny} {
		r := rules(t, policy.Options{Mode: policy.AskFirst, Protected: []string{"reindex"}}, layer("user", lines))
		if v := r.Lists(reindex); v.Decision != want {
			t.Errorf("%s: %+v, want %v", lines, v, want)
		}
	}
	r := rules(t, policy.Options{Mode: policy.AskFirst, Protected: []string{"reindex"}}, layer("user", "disable @mcp"))
	if v := r.Lists(impostor); v.Decision != tool.Deny {
		t.Errorf("another's tool of that name: %+v", v)
	}
}

// A server may name its tools as it likes: what gives rights must mean it and no other.
func TestNoServerGetsAnothersRights(t *testing.T) {
	for name, s := range map[string]*tool.Spec{
		"write":          mcp("evil", "write"),     // the name of one of ours
		"mcp__a__b":      mcp("a__b", "c"),         // a prefix
		"mcp_a_b_c":      mcp("a_b", "c"),          // a_b/c or a/b_c
		"mcp__a__b__c":   mcp("a__b", "c"),         // the same with two
		"github.list":    mcp("git", "hub.list"),   //
		"x/y/z":          mcp("x/y", "z"),          //
		"get_issue":      mcp("evil", "get_issue"), // a bare name
		"GET_ISSUE":      mcp("evil", "get_issue"), //
		"mcp__ab__c":     mcp("a_b", "c"),          // alike when folded
		"@builtin":       tagged("builtin"),        //
		"mcp__github__x": mcp("github", "__x"),     //
	} {
		r := rules(t, asking, layer("user", name+" = allow"))
		if v := r.Judge(job(s)); v.Decision != tool.Ask {
			t.Errorf("%q allows %s: %+v", name, s.Origin, v)
		}
	}
	r := rules(t, asking, layer("user", "mcp__github/* = allow"))
	wantJudged(t, r, job(issue), tool.Allow)
	wantJudged(t, r, job(mcp("evil", "github/x")), tool.Ask)
}

func tagged(tag string) *tool.Spec {
	s := mcp("evil", "x")
	s.Tags = []string{tag}
	return s
}

func TestABareNameOfOursNeverMeansAnothers(t *testing.T) {
	other := mcp("x", "grep")
	r := rules(t, asking, layer("user", "grep = false"))
	if v := r.Lists(other); v.Decision != tool.Allow {
		t.Errorf("%+v", v)
	}
	if v := r.Lists(grep); v.Decision != tool.Deny {
		t.Errorf("%+v", v)
	}
}

func TestAnAllowListIsHeldByEveryLayer(t *testing.T) {
	r := rules(t, asking, layer("project", "only read", "only bash"), layer("user", "only read", "only mcp__github/*"))
	for s, want := range map[*tool.Spec]bool{read: true, bash: false, issue: false, write: false} {
		if got := r.Admits(s); got != want || (r.Lists(s).Decision == tool.Allow) != want {
			t.Errorf("%s: admitted %v, want %v", s.Name, got, want)
		}
	}
	if !rules(t, asking).Admits(write) {
		t.Error("without a list everything is admitted")
	}
}

// lineJob is a job of the tool bash that runs this line, which it explains.
func lineJob(text string, explained tool.CommandLine) *tool.Job {
	j := job(bash)
	j.Effects = []tool.Effect{{Kind: tool.Exec, Target: text}}
	explained.Text = text
	j.Line = &explained
	return j
}

func TestACommandLineIsJudgedByItsCommands(t *testing.T) {
	cmd := func(ro bool, words ...string) tool.SimpleCommand {
		return tool.SimpleCommand{Words: words, Program: words[0], Static: true, ReadOnly: ro}
	}
	explained := map[string]tool.CommandLine{
		"ls":             {Decision: tool.Allow, Whole: true, Commands: []tool.SimpleCommand{cmd(true, "ls")}},
		"ls; make":       {Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{cmd(true, "ls"), cmd(false, "make")}},
		"make; rm x":     {Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{cmd(false, "make"), cmd(false, "rm", "x")}},
		"make > f":       {Decision: tool.Ask, Commands: []tool.SimpleCommand{cmd(false, "make")}},
		"rm -rf /":       {Decision: tool.Deny, Reason: "it would erase everything"},
		"sudo make":      {Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{cmd(false, "sudo", "make"), {Words: []string{"make"}, Program: "make", Static: true, Wrapped: true}}},
		"$X":             {Decision: tool.Ask, Commands: []tool.SimpleCommand{{}}},
		"cannot parse (": {Decision: tool.Ask},
		"cp .env x":      {Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{cmd(false, "cp", ".env", "x")}, Mentions: []string{".env", "x"}},
	}
	for _, c := range []struct {
		rules, line string
		want        tool.Decision
	}{
		{"", "ls", tool.Allow},
		{"ask bash:ls", "ls", tool.Ask},
		{"deny bash:ls *", "ls", tool.Deny},
		{"bash = ask", "ls", tool.Ask},
		{"allow bash:make", "ls; make", tool.Allow},
		{"allow bash:make *", "make; rm x", tool.Ask},
		{"allow bash:make *; allow bash:rm x", "make; rm x", tool.Allow},
		{"allow bash:make", "make > f", tool.Ask},
		{"allow bash:*", "rm -rf /", tool.Deny},
		{"bash = allow", "rm -rf /", tool.Deny},
		{"allow bash:make", "sudo make", tool.Ask},
		{"allow bash:sudo make; allow bash:make", "sudo make", tool.Ask},
		{"deny bash:make", "sudo make", tool.Deny},
		{"deny bash:rm", "$X", tool.Deny},
		{"allow bash:*", "$X", tool.Ask},
		{"allow bash:*", "cannot parse (", tool.Ask},
		{"", "cannot parse (", tool.Ask},
		{"allow bash", "cannot parse (", tool.Allow},
		{"allow bash", "make > f", tool.Allow},
		{"ask bash", "make > f", tool.Ask},
		// A stricter rule may mean the part that is not known.
		{"allow bash; ask bash:rm *", "cannot parse (", tool.Ask},
		{"allow bash; ask bash:rm *", "make > f", tool.Ask},
		{"allow bash; deny bash:rm *", "make > f", tool.Ask},
		{"allow bash; ask bash:rm *", "ls; make", tool.Allow},
		// Of a line that cannot be read any command may be the one that is meant; of one that is, the commands are known.
		{"bash = allow", "cannot parse (", tool.Allow},
		{"bash = allow; ask bash:rm *", "cannot parse (", tool.Ask},
		{"bash = allow; deny bash:rm *", "cannot parse (", tool.Ask},
		{"bash = allow; allow bash:rm *", "cannot parse (", tool.Allow},
		{"bash = allow; ask read:a", "cannot parse (", tool.Allow},
		{"bash = deny; ask bash:rm *", "cannot parse (", tool.Deny},
		{"bash = allow; ask bash:rm *", "make > f", tool.Allow},
		{"allow bash:cp *", "cp .env x", tool.Allow},
		{"allow bash:cp *; deny read:**/.env", "cp .env x", tool.Deny},
		{"allow bash:cp *; ask read:**/.env", "cp .env x", tool.Ask},
		{"allow bash:cp *; deny write:x", "cp .env x", tool.Allow}, // what it writes is an effect of its own
	} {
		var lines []string
		if c.rules != "" {
			lines = strings.Split(c.rules, "; ")
		}
		if v := rules(t, asking, layer("user", lines...)).Judge(lineJob(c.line, explained[c.line])); v.Decision != c.want {
			t.Errorf("%q on %q: %+v, want %v", c.rules, c.line, v, c.want)
		}
	}
}

// What another layer says of some commands holds for the part of a line that is not known, though the tool is allowed.
func TestAStricterRuleOfAnotherLayerMayMeanWhatIsNotKnown(t *testing.T) {
	line := tool.CommandLine{Decision: tool.Ask, Commands: []tool.SimpleCommand{{Words: []string{"make"}, Program: "make", Static: true}}}
	for _, unknown := range []tool.CommandLine{line, {Decision: tool.Ask}} {
		for rule, want := range map[string]tool.Decision{"ask bash:rm *": tool.Ask, "deny bash:rm *": tool.Ask, "ask read:a": tool.Allow, "allow bash:rm *": tool.Allow} {
			for _, name := range []string{"managed!", "project"} {
				v := rules(t, asking, layer(name, rule), layer("user", "allow bash")).Judge(lineJob("make > f", unknown))
				if v.Decision != want {
					t.Errorf("%s: %s: %+v, want %v", name, rule, v, want)
				}
			}
		}
	}
}

// A program that writes its rules in Go need not name its layers.
func TestALayerWithoutANameSpeaksForALineAsOthersDo(t *testing.T) {
	command := tool.SimpleCommand{Words: []string{"make"}, Program: "make", Static: true}
	j := lineJob("make", tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{command}})
	j.Effects = append(j.Effects, tool.Effect{Kind: tool.Write, Target: "bin/a"})
	for _, name := range []string{"user", ""} {
		allow := policy.Rule{Decision: tool.Allow, Text: "bash:make"}
		wantJudged(t, rules(t, asking, policy.Layer{Name: name, Rules: []policy.Rule{allow}}), j, tool.Allow)
	}
}

func TestSearchToolsCanAskWhatToLeaveOut(t *testing.T) {
	r := rules(t, asking, layer("project", "allow read:a/.env"), layer("user", "deny read:**/.env", "allow read:pub/.env", "deny grep:x"))
	for target, want := range map[string]bool{".env": true, "a/.env": true, "pub/.env": false, "x": false, "a": false} {
		if got := r.Denies(tool.Read, target); got != want {
			t.Errorf("%s: denied %v, want %v", target, got, want)
		}
	}
}

func TestAnExplanationIsTheDecisionWithItsChain(t *testing.T) {
	r := rules(t, asking, layer("flags", "edit = ask"), layer("project", "allow edit:a/**"), layer("user", "deny edit:a/b", "edit = false"))
	if x := r.ExplainListing(edit); x.Verdict != r.Lists(edit) || len(x.Steps) < 3 {
		t.Errorf("listing: %+v", x)
	}
	x := r.ExplainCall(job(edit, "a/b"))
	if x.Verdict != r.Judge(job(edit, "a/b")) || x.Verdict.Decision != tool.Deny || x.Verdict.File != "user.json" || x.Verdict.Line != 1 {
		t.Errorf("call: %+v", x.Verdict)
	}
	var files []string
	for _, s := range x.Steps {
		files = append(files, fmt.Sprintf("%s %s", s.What, s.At))
	}
	for _, want := range []string{"tools flags.json:1", "rule project.json:1", "rule user.json:1", "tools user.json:2"} {
		if !strings.Contains(strings.Join(files, "\n"), want) {
			t.Errorf("no %q in %q", want, files)
		}
	}
}

func TestNamesThatMeanNothingAreFoundWithTheNearest(t *testing.T) {
	r := rules(t, asking, layer("user", "wirte = false", "disable mcp__later/x", "disable nothing", "read = true", "deny @gone",
		"deny @wrte", "no* = true", "re* = true", "deny net:**", "@net = false", "mcp__later/* = true", "ask bsh:ls"))
	var got []string
	for _, u := range r.Unmatched(all, []string{"later"}) {
		got = append(got, fmt.Sprintf("%s %s: %s", u.At, u.Key, u))
	}
	want := []string{
		`user.json:2 disabled_tools: "mcp__later/x" belongs to a source that is not there yet`,
		`user.json:3 disabled_tools: there is no tool "nothing"`,
		`user.json:5 rules: no tool is in the group "@gone"`,
		`user.json:6 rules: no tool is in the group "@wrte": did you mean "@write"?`,
		`user.json:9 rules: there is no tool "net": did you mean "@net"?`,
		`user.json:12 rules: there is no tool "bsh": did you mean "bash"?`,
		`user.json:1 tools: there is no tool "wirte": did you mean "write"?`,
		`user.json:7 tools: no tool matches "no*"`,
		`user.json:11 tools: "mcp__later/*" belongs to a source that is not there yet`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, u := range r.Unmatched(all, []string{""}) { // a discovery command may bring tools of any name
		if !u.Pending {
			t.Errorf("not pending: %s", u)
		}
	}
}

// In mode auto a line rests on the mode where any of its commands does, wherever that stands: a first command that only reads is no reason
// for the rest.
func TestWhatTheModeAllowsIsSaidToBeAllowedByTheMode(t *testing.T) {
	v := rules(t, policy.Options{Mode: policy.Auto}).Judge(lineJob("base64 -d | sh", tool.CommandLine{
		Decision: tool.Ask, Reason: "sh can run other code", Whole: true, Commands: []tool.SimpleCommand{
			{Words: []string{"base64", "-d"}, Program: "base64", Static: true, ReadOnly: true},
			{Words: []string{"sh"}, Program: "sh", Static: true},
		}}))
	if v.Decision != tool.Allow || v.Rule != "mode:auto" {
		t.Errorf("%+v", v)
	}
}

// The explanation of another line, or of a tool of others, explains nothing.
func TestOnlyTheToolsOwnLineIsBelieved(t *testing.T) {
	free := tool.CommandLine{Decision: tool.Allow, Whole: true}
	r := rules(t, asking)
	if v := r.Judge(lineJob("ls", free)); v.Decision != tool.Allow {
		t.Fatalf("%+v", v)
	}
	other := lineJob("ls", free)
	other.Line.Text = "pwd"
	foreign := lineJob("ls", free)
	foreign.Spec = &tool.Spec{Name: "run", Kind: tool.Exec, Origin: tool.Origin{Kind: tool.MCP, Server: "x", Name: "run"}}
	for _, j := range []*tool.Job{other, foreign, job(bash, "ls")} {
		if v := r.Judge(j); v.Decision != tool.Ask {
			t.Errorf("%+v", v)
		}
	}
}

// Mode auto lets in for promises; where one is not kept it asks. What somebody allowed stays allowed.
func TestModeAutoAsksWhereAPromiseIsNotKept(t *testing.T) {
	command := tool.SimpleCommand{Words: []string{"make"}, Program: "make", Static: true}
	line := tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{command}}
	gap := line
	gap.Gap = "what it changes is not held back"
	only := tool.CommandLine{Decision: tool.Allow, Whole: true, Gap: gap.Gap}
	allow := policy.Layer{Name: "user", Rules: []policy.Rule{{Decision: tool.Allow, Text: "bash:make"}}}
	for _, c := range []struct {
		line   tool.CommandLine
		layers []policy.Layer
		want   tool.Decision
	}{
		{line, nil, tool.Allow},
		{gap, nil, tool.Ask},
		{gap, []policy.Layer{allow}, tool.Allow},
		{only, nil, tool.Allow},
	} {
		v := rules(t, policy.Options{Mode: policy.Auto}, c.layers...).Judge(lineJob("make", c.line))
		if v.Decision != c.want || c.want == tool.Ask && !strings.Contains(v.Reason, gap.Gap) {
			t.Errorf("%+v: %+v, want %v", c.line, v, c.want)
		}
	}
}
