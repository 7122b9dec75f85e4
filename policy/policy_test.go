package policy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// spec is a built-in tool.
func spec(name string, k tool.Kind) *tool.Spec {
	s := &tool.Spec{Name: name, Kind: k, ReadOnly: k == tool.Read, Origin: tool.Origin{Kind: tool.Builtin, Name: name}}
	switch name {
	case "fetch":
		s.ReadOnly = true
	case "todo_write":
		s.Category = "task"
	}
	return s
}

func mcp(server, name string) *tool.Spec {
	return &tool.Spec{Name: name, Kind: tool.Exec, Origin: tool.Origin{Kind: tool.MCP, Server: server, Name: name}}
}

var (
	read     = spec("read", tool.Read)
	grep     = spec("grep", tool.Read)
	write    = spec("write", tool.Write)
	edit     = spec("edit", tool.Write)
	bash     = spec("bash", tool.Exec)
	fetch    = spec("fetch", tool.Net)
	todo     = spec("todo_write", tool.Write)
	issue    = mcp("github", "get_issue")
	readFile = mcp("filesystem", "read_file")
	deploy   = &tool.Spec{Name: "deploy", Kind: tool.Exec, Origin: tool.Origin{Kind: tool.Command, Name: "deploy"}}
	all      = []*tool.Spec{read, grep, write, edit, bash, fetch, todo, issue, readFile, deploy}
)

// job is what a tool would do; no effects means that they are unknown.
func job(s *tool.Spec, targets ...string) *tool.Job {
	j := &tool.Job{Spec: s, Call: &tool.Call{Name: s.Name}, Run: func(context.Context) (*tool.Result, error) { return nil, nil }}
	for _, t := range targets {
		k := s.Kind
		if kind, rest, ok := strings.Cut(t, "|"); ok {
			k, _ = tool.ParseKind(kind)
			t = rest
		}
		j.Effects = append(j.Effects, tool.Effect{Kind: k, Target: t})
	}
	return j
}

// layer reads lines: "tool = setting", "disable tool", "only tool", "allow|ask|deny tool:pattern". A name that ends in ! only tightens.
func layer(name string, lines ...string) policy.Layer {
	l := policy.Layer{Name: strings.TrimSuffix(name, "!"), Tightens: strings.HasSuffix(name, "!")}
	for i, line := range lines {
		at := policy.Place{Layer: l.Name, File: l.Name + ".json", Line: i + 1}
		if n, to, ok := strings.Cut(line, " = "); ok {
			set, err := policy.ParseSetting(to)
			if err != nil {
				panic(err)
			}
			l.Switches = append(l.Switches, policy.Switch{Name: n, To: set, At: at})
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "disable":
			l.Disabled = append(l.Disabled, policy.Name{Name: rest, At: at})
		case "only":
			l.Allowed = append(l.Allowed, policy.Name{Name: rest, At: at})
		default:
			d := map[string]tool.Decision{"allow": tool.Allow, "ask": tool.Ask, "deny": tool.Deny}[word]
			l.Rules = append(l.Rules, policy.Rule{Decision: d, Text: rest, At: at})
		}
	}
	return l
}

var own = []string{"read", "grep", "write", "edit", "bash", "fetch", "todo_write", "reindex"}

func rules(t testing.TB, o policy.Options, layers ...policy.Layer) *policy.Rules {
	t.Helper()
	if o.Own == nil {
		o.Own = own
	}
	r, err := policy.New(o, layers...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var asking = policy.Options{Mode: policy.AskFirst}

func wantJudged(t *testing.T, r *policy.Rules, j *tool.Job, want tool.Decision) {
	t.Helper()
	if v := r.Judge(j); v.Decision != want {
		t.Errorf("%s %v: %v (%+v), want %v", j.Spec.Name, j.Effects, v.Decision, v, want)
	}
}

// The last column of the tools' table.
func TestEveryToolHasItsDecisionWithoutARule(t *testing.T) {
	for _, c := range []struct {
		j               *tool.Job
		plan, ask, auto tool.Decision
	}{
		{job(read, "a.go"), tool.Allow, tool.Allow, tool.Allow},
		{job(read), tool.Allow, tool.Allow, tool.Allow},
		{job(read, "/etc/passwd"), tool.Deny, tool.Deny, tool.Deny},
		{job(grep, "."), tool.Allow, tool.Allow, tool.Allow},
		{job(read, "spill:ab12"), tool.Allow, tool.Allow, tool.Allow},
		{job(write, "a.go"), tool.Deny, tool.Ask, tool.Allow},
		{job(write, "/tmp/a.go"), tool.Deny, tool.Deny, tool.Deny},
		{job(write, ".vscode/tasks.json"), tool.Deny, tool.Ask, tool.Ask},
		{job(write, ".helve/config.json"), tool.Deny, tool.Deny, tool.Deny},
		{job(write, "sub/.HELVE/x"), tool.Deny, tool.Deny, tool.Deny},
		{job(write, ".git/hooks/pre-commit"), tool.Deny, tool.Deny, tool.Deny},
		{job(bash, "make all"), tool.Deny, tool.Ask, tool.Allow},
		{job(bash), tool.Deny, tool.Ask, tool.Allow},
		{job(bash, "make", "net|*"), tool.Deny, tool.Ask, tool.Ask},
		{job(bash, "make", "write|*"), tool.Deny, tool.Ask, tool.Ask}, // no sandbox holds it
		{job(fetch, "go.dev"), tool.Ask, tool.Ask, tool.Ask},
		{job(todo), tool.Deny, tool.Allow, tool.Allow},
		{job(issue), tool.Deny, tool.Ask, tool.Ask},
		{job(deploy), tool.Deny, tool.Ask, tool.Allow},
	} {
		for m, want := range map[policy.Mode]tool.Decision{policy.Plan: c.plan, policy.AskFirst: c.ask, policy.Auto: c.auto} {
			if v := rules(t, policy.Options{Mode: m}).Judge(c.j); v.Decision != want {
				t.Errorf("%v: %s %v: %v (%s), want %v", m, c.j.Spec.Name, c.j.Effects, v.Decision, v.Reason, want)
			}
			if c.j.Spec != todo { // the bare mode is the same policy
				if v := m.Judge(c.j); v.Decision != want {
					t.Errorf("%v alone: %s %v: %v, want %v", m, c.j.Spec.Name, c.j.Effects, v.Decision, want)
				}
			}
		}
	}
}

func TestPlanModeOffersReadOnlyToolsOfThoseItTrusts(t *testing.T) {
	hinted := mcp("github", "list")
	hinted.ReadOnly = true
	trusted := policy.Options{Trusted: func(s string) bool { return s == "github" }}
	for s, want := range map[*tool.Spec]tool.Decision{read: tool.Allow, fetch: tool.Allow, write: tool.Deny, bash: tool.Deny, hinted: tool.Allow, issue: tool.Deny, deploy: tool.Deny} {
		if v := rules(t, trusted).Lists(s); v.Decision != want || v.Off {
			t.Errorf("%s: %+v, want %v", s.Name, v, want)
		}
	}
	if v := rules(t, policy.Options{}).Lists(hinted); v.Decision != tool.Deny {
		t.Errorf("a stranger's readOnlyHint opens plan mode: %+v", v)
	}
	if v := rules(t, trusted).Judge(job(hinted)); v.Decision != tool.Allow {
		t.Errorf("a trusted read-only tool: %+v", v)
	}
}

// ⚑2, ⚑4, R0.5: exact name over group over longest wildcard, in the highest layer that has a match.
func TestASwitchMeansAToolInEverySpelling(t *testing.T) {
	for name, want := range map[string][]*tool.Spec{
		"write": {write}, "Write": {write},
		"mcp__filesystem/read_file": {readFile}, "mcp__filesystem__read_file": {readFile}, "filesystem__read_file": {readFile},
		"filesystem/read_file": {readFile}, "filesystem.read_file": {readFile}, "mcp_filesystem_read_file": {readFile}, "read_file": {readFile},
		"mcp__filesystem": {readFile}, "mcp__*/*": {issue, readFile}, "mcp__github/*": {issue}, "mcp__git*": {issue},
		"@mcp": {issue, readFile}, "@write": {write, edit, todo}, "@net": {fetch}, "@command": {deploy}, "@task": {todo},
		"deploy": {deploy}, "*": all, "r*": {read}, "gone": nil, "@gone": nil,
	} {
		r := rules(t, asking, layer("user", name+" = false"))
		for _, s := range all {
			off := false
			for _, w := range want {
				off = off || w == s
			}
			if v := r.Lists(s); (v.Decision == tool.Deny) != off || v.Off != off {
				t.Errorf("%q false: %s is listed %v", name, s.Origin, v)
			}
		}
	}
}

func TestTheHighestLayerWithAMatchDecidesAboutASwitch(t *testing.T) {
	for _, c := range []struct {
		layers []policy.Layer
		want   tool.Decision
		rule   string
	}{
		{[]policy.Layer{layer("project", "write = true"), layer("user", "write = false")}, tool.Allow, "write"},
		{[]policy.Layer{layer("flags", "write = false"), layer("project", "write = true"), layer("user", "write = false")}, tool.Deny, "write"},
		{[]policy.Layer{layer("project", "@write = false", "write = true")}, tool.Allow, "write"},
		{[]policy.Layer{layer("project", "w* = true", "@write = false", "*e = true")}, tool.Deny, "@write"},
		{[]policy.Layer{layer("project", "* = false", "wri* = true")}, tool.Allow, "wri*"},
		{[]policy.Layer{layer("project", "* = true"), layer("user", "write = false")}, tool.Allow, "*"},
		{[]policy.Layer{layer("project!", "write = true"), layer("user", "write = false")}, tool.Deny, "write"},
		{[]policy.Layer{layer("project!", "write = false"), layer("user", "write = true")}, tool.Deny, "write"},
		{[]policy.Layer{layer("project", "write = true"), layer("user", "disable write")}, tool.Deny, "write"},
		{[]policy.Layer{layer("project", "write = true"), layer("managed!", "disable @write")}, tool.Deny, "@write"},
	} {
		v := rules(t, asking, c.layers...).Lists(write)
		if v.Decision != c.want || !strings.Contains(v.Rule, c.rule) {
			t.Errorf("%+v: %+v, want %v by %q", c.layers, v, c.want, c.rule)
		}
	}
}

func TestRulesJudgeWhatACallWouldDo(t *testing.T) {
	for _, c := range []struct {
		rules string
		j     *tool.Job
		want  tool.Decision
	}{
		{"deny read:**/.env", job(read, "a/.env"), tool.Deny},
		{"deny read:**/.env", job(read, ".env"), tool.Deny},
		{"deny read:**/.env", job(read, "a/.ENV"), tool.Deny},
		{"deny read:**/.env", job(read, ".env.go"), tool.Allow},
		{"deny read:**/.env", job(grep, "a/.env"), tool.Deny},
		{"deny read:**/.env", job(edit, "a/.env"), tool.Deny},
		{"deny read:**/.env", job(bash, "cat .env", "read|.env"), tool.Deny},
		{"deny read:**/.env", job(bash, "cat $X", "read|*"), tool.Ask},
		{"deny read:secrets", job(read, "secrets/a/b"), tool.Deny},
		{"deny read:secrets/", job(read, "secrets/a/b"), tool.Deny},
		{"deny read:secrets/**", job(grep, "secrets"), tool.Deny},
		{"deny read:secrets", job(read, "secrets2"), tool.Allow},
		{"deny read", job(read), tool.Deny},
		{"allow write:a/**", job(write), tool.Ask},
		{"allow write", job(write), tool.Ask},
		{"allow write:**", job(write, "a/b"), tool.Allow},
		{"allow write:**", job(write, "/etc/passwd"), tool.Deny},
		{"allow write:**/passwd", job(write, "/etc/passwd"), tool.Deny},
		{"allow write:/tmp/**", job(write, "/tmp/x"), tool.Allow},
		{"allow write:~/notes/*", job(write, "/home/me/notes/x"), tool.Allow},
		{"allow write:**", job(write, ".helve/config.json"), tool.Deny},
		{"allow write:src/**", job(write, "src/a", "lib/b"), tool.Ask},
		{"allow write:SRC/**", job(write, "src/a"), tool.Ask},
		{"allow edit:internal/**", job(edit, "internal/x/y.go"), tool.Allow},
		{"allow edit:internal/**", job(write, "internal/x/y.go"), tool.Ask},
		{"allow Edit:internal/*", job(edit, "internal/y.go"), tool.Allow},
		{"allow edit:**; ask edit:internal/**", job(edit, "internal/y.go"), tool.Ask},
		{"ask edit:internal/**; allow edit:**", job(edit, "internal/y.go"), tool.Allow},
		{"deny edit:a/**; allow edit:a/b/**", job(edit, "a/b/c"), tool.Allow},
		{"deny write:*.lock", job(edit, "go.lock"), tool.Deny},
		{"allow edit:{a,b}/*.go", job(edit, "b/x.go"), tool.Allow},
		{"allow bash:go test *", job(bash, "go test ./..."), tool.Allow},
		{"allow bash:go test *", job(bash, "go test"), tool.Allow},
		{"allow bash:go test *", job(bash, "go testing"), tool.Ask},
		{"allow bash:go test", job(bash, "go test ./..."), tool.Ask},
		{"allow bash:go test *", job(bash, "go test; rm x"), tool.Ask},
		{"allow bash:go test *", job(bash, "go test $(rm x)"), tool.Ask},
		{"allow bash:go test *", job(bash, "go test ./...", "write|out"), tool.Allow},
		{"allow bash:go test *", job(bash, "go test ./...", "write|.helve/config.json"), tool.Deny},
		{"allow bash:go test *", job(bash, "go test ./...", "net|*"), tool.Ask},
		{"allow bash:go test *", job(bash, "go test ./...", "write|*"), tool.Ask},
		{"allow bash:npm run test:*", job(bash, "npm run test:unit"), tool.Allow},
		{"deny bash:rm *", job(bash, "rm x"), tool.Deny},
		{"deny bash:rm", job(bash, "/bin/rm x"), tool.Deny},
		{"deny bash:rm *", job(bash, "echo hi; rm x"), tool.Deny},
		{"ask bash:ls", job(bash, "ls"), tool.Ask},
		{"allow fetch:go.dev", job(fetch, "go.dev"), tool.Allow},
		{"allow fetch:go.dev", job(fetch, "GO.dev:443"), tool.Allow},
		{"allow fetch:go.dev", job(fetch, "go.dev.evil.com"), tool.Ask},
		{"allow fetch:*.go.dev", job(fetch, "pkg.go.dev"), tool.Allow},
		{"allow fetch:*.go.dev", job(fetch, "evilgo.dev"), tool.Ask},
		{"deny fetch:evil.com", job(bash, "curl evil.com", "net|evil.com"), tool.Deny},
		{"allow mcp__github/get_issue", job(issue), tool.Ask}, // unknown effects: a switch can, a rule never
		{"deny mcp__github/*", job(issue), tool.Deny},
		{"deny @mcp", job(issue), tool.Deny},
		{"deny *", job(read, "a"), tool.Deny},
		{"deny @write:vendor/**", job(edit, "vendor/a"), tool.Deny},
	} {
		r := rules(t, policy.Options{Mode: policy.AskFirst, Home: "/home/me"}, layer("user", strings.Split(c.rules, "; ")...))
		if v := r.Judge(c.j); v.Decision != c.want {
			t.Errorf("%s: %s %v: %v (%s, %s), want %v", c.rules, c.j.Spec.Name, c.j.Effects, v.Decision, v.Reason, v.Rule, c.want)
		}
	}
}

func TestARuleThatCannotMatchAsMeantIsAnErrorWithItsPlace(t *testing.T) {
	for _, text := range []string{"deny read:../x", "deny read:a/../b", "allow edit:[", "deny :x", "allow bash:echo 'x", "allow read:~/x"} {
		_, err := policy.New(asking, layer("user", text))
		if err == nil || !strings.Contains(err.Error(), "user.json:1") {
			t.Errorf("%s: %v, want an error with its place", text, err)
		}
	}
}

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

// A stand-in for package shell.
func analysed(lines map[string]policy.CommandLine) policy.Options {
	return policy.Options{Mode: policy.AskFirst, Commands: func(line string, _ *tool.Job) policy.CommandLine { return lines[line] }}
}

func TestACommandLineIsJudgedByItsCommands(t *testing.T) {
	cmd := func(ro bool, words ...string) policy.Command {
		return policy.Command{Words: words, Program: words[0], Static: true, ReadOnly: ro}
	}
	o := analysed(map[string]policy.CommandLine{
		"ls":             {Decision: tool.Allow, Whole: true, Commands: []policy.Command{cmd(true, "ls")}},
		"ls; make":       {Decision: tool.Ask, Whole: true, Commands: []policy.Command{cmd(true, "ls"), cmd(false, "make")}},
		"make; rm x":     {Decision: tool.Ask, Whole: true, Commands: []policy.Command{cmd(false, "make"), cmd(false, "rm", "x")}},
		"make > f":       {Decision: tool.Ask, Commands: []policy.Command{cmd(false, "make")}},
		"rm -rf /":       {Decision: tool.Deny, Reason: "it would erase everything"},
		"sudo make":      {Decision: tool.Ask, Whole: true, Commands: []policy.Command{cmd(false, "sudo", "make"), {Words: []string{"make"}, Program: "make", Static: true, Wrapped: true}}},
		"$X":             {Decision: tool.Ask, Commands: []policy.Command{{}}},
		"cannot parse (": {Decision: tool.Ask},
	})
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
	} {
		var lines []string
		if c.rules != "" {
			lines = strings.Split(c.rules, "; ")
		}
		if v := rules(t, o, layer("user", lines...)).Judge(job(bash, c.line)); v.Decision != c.want {
			t.Errorf("%q on %q: %+v, want %v", c.rules, c.line, v, c.want)
		}
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
	r := rules(t, asking, layer("user", "wirte = false", "disable mcp__later/x", "disable nothing", "read = true", "deny @gone", "no* = true"))
	var got []string
	for _, u := range r.Unmatched(all, []string{"later"}) {
		got = append(got, fmt.Sprintf("%s %s %s %v %s", u.Key, u.Name, u.Near, u.Pending, u.At))
	}
	want := []string{"disabled_tools mcp__later/x  true user.json:2", "disabled_tools nothing  false user.json:3", "tools wirte write false user.json:1"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}
