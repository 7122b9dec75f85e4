package policy_test

import (
	"slices"
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

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
		{job(read, "svc/.env"), tool.Ask, tool.Ask, tool.Ask},
		{job(read, "//other/tls/server.key"), tool.Ask, tool.Ask, tool.Ask},
		{job(grep, ".env"), tool.Ask, tool.Ask, tool.Ask},
		{job(read, ".env.example"), tool.Allow, tool.Allow, tool.Allow},
		{job(write, ".env"), tool.Deny, tool.Ask, tool.Ask},
		{job(bash, "make", "read|.env"), tool.Deny, tool.Ask, tool.Ask},
		{job(write, ".vscode/tasks.json"), tool.Deny, tool.Ask, tool.Ask},
		{job(write, ".husky/pre-commit"), tool.Deny, tool.Ask, tool.Ask},
		{job(write, "sub/.cargo/config.toml"), tool.Deny, tool.Ask, tool.Ask},
		{job(write, "sub/HEAD"), tool.Deny, tool.Ask, tool.Ask},
		{job(write, ".ZED/tasks.json"), tool.Deny, tool.Ask, tool.Ask},
		{job(write, "x.code-workspace"), tool.Deny, tool.Ask, tool.Ask},
		{job(write, ".zedfile"), tool.Deny, tool.Ask, tool.Allow},
		{job(write, ".helve/config.json"), tool.Deny, tool.Deny, tool.Deny},
		{job(write, "sub/.HELVE/x"), tool.Deny, tool.Deny, tool.Deny},
		{job(write, ".git/hooks/pre-commit"), tool.Deny, tool.Deny, tool.Deny},
		{job(bash, "make all"), tool.Deny, tool.Ask, tool.Allow},
		{job(bash), tool.Deny, tool.Ask, tool.Allow},
		{job(bash, "make", "net|*"), tool.Deny, tool.Ask, tool.Ask},
		{job(bash, "make", "write|*"), tool.Deny, tool.Ask, tool.Ask}, // no sandbox holds it
		{job(fetch, "go.dev"), tool.Ask, tool.Ask, tool.Ask},
		{job(todo, "state|todos"), tool.Deny, tool.Allow, tool.Allow},
		{job(todo), tool.Deny, tool.Ask, tool.Ask}, // what it would do is not known
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
	for s, want := range map[*tool.Spec]tool.Decision{read: tool.Allow, fetch: tool.Allow, write: tool.Deny, bash: tool.Allow, hinted: tool.Allow, issue: tool.Deny, deploy: tool.Deny} {
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
// R0.6: tools of every origin are switched alike.
func TestASwitchMeansAToolInEverySpelling(t *testing.T) {
	for name, want := range map[string][]*tool.Spec{
		"write": {write}, "Write": {write},
		"mcp__filesystem/read_file": {readFile}, "mcp__filesystem__read_file": {readFile}, "filesystem__read_file": {readFile},
		"filesystem/read_file": {readFile}, "filesystem.read_file": {readFile}, "mcp_filesystem_read_file": {readFile}, "read_file": {readFile},
		"mcp__filesystem": {readFile}, "mcp__*/*": {issue, readFile}, "mcp__github/*": {issue}, "mcp__git*": {issue},
		"@mcp": {issue, readFile}, "@write": {write, edit, todo}, "@net": {fetch}, "@command": {deploy},
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

// R0.2: only false disables, and a higher true enables again.
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
		{"allow write", job(write), tool.Allow},
		{"allow write", job(write, "a/b"), tool.Allow},
		{"allow write", job(write, "/etc/passwd"), tool.Deny},
		{"allow write:*", job(write), tool.Ask},
		{"allow write; ask write:src/**", job(write), tool.Ask},
		{"ask write:src/**; allow write", job(write), tool.Allow},
		{"allow bash", job(bash, "rm -r build; for f in *; do echo $f; done"), tool.Allow},
		{"allow bash; ask bash:git push *", job(bash, "for f in *; do echo $f; done"), tool.Ask},
		{"allow bash; deny bash:rm *", job(bash, "for f in *; do echo $f; done"), tool.Deny},
		{"allow bash:*", job(bash, "echo $(rm x)"), tool.Ask},
		{"allow @exec", job(deploy), tool.Ask}, // another's: a rule never, a switch can
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
		{"deny fetch:go.dev:443", job(fetch, "go.dev"), tool.Deny}, // as https names no port of its own
		{"deny fetch:go.dev:80", job(fetch, "go.dev"), tool.Deny},
		{"deny fetch:*.go.dev:443", job(fetch, "pkg.go.dev"), tool.Deny},
		{"deny fetch:go.dev:443", job(fetch, "go.dev:8443"), tool.Ask},
		{"deny fetch:go.dev:8443", job(fetch, "go.dev"), tool.Ask},
		{"deny fetch:go.dev:*", job(fetch, "go.dev"), tool.Deny},
		{"allow fetch:go.dev:*", job(fetch, "go.dev:8443"), tool.Allow},
		{"allow fetch:go.dev:443", job(fetch, "go.dev"), tool.Ask}, // it may be http's
		{"deny fetch:2001:4860:0::8888", job(fetch, "[2001:4860::8888]"), tool.Deny},
		{"deny fetch:[2001:4860::8888]:443", job(fetch, "[2001:4860::8888]"), tool.Deny},
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

// Targets in the workspace are named from its root: a rule with the whole path means them all the same.
func TestARuleMayNameTheWorkspaceByItsWholePath(t *testing.T) {
	o := policy.Options{
		Mode:  policy.AskFirst,
		Home:  "/home/me",
		Roots: []string{"/home/me/work", "/srv/other"},
	}
	for _, c := range []struct {
		rule, target string
		want         tool.Decision
	}{
		{"deny read:/home/me/work/keys/**", "keys/a", tool.Deny},
		{"deny read:/home/me/work/a.txt", "a.txt", tool.Deny},
		{"deny read:~/work/a.txt", "a.txt", tool.Deny},
		{"deny read:/home/me/work", "a.txt", tool.Deny},
		{"deny read:/home/me/work/", "a.txt", tool.Deny},
		{"deny read:/srv/other/b", "//other/b", tool.Deny},
		{"deny read:/home/me/workshop/a.txt", "a.txt", tool.Allow},
		{"deny read:/home/me/WORK/a.txt", "a.txt", tool.Allow}, // another folder, where names do not fold
		{"deny read:/etc/shadow", "/etc/shadow", tool.Deny},
	} {
		wantJudged(t, rules(t, o, layer("user", c.rule)), job(read, c.target), c.want)
	}
	o.Folds = true
	wantJudged(t, rules(t, o, layer("user", "deny read:/home/me/WORK/a.txt")), job(read, "a.txt"), tool.Deny)
	wantJudged(t, rules(t, o, layer("user", "deny read:/home/he/work/a.txt")), job(read, "a.txt"), tool.Allow)
}

// The words of a pattern are read as bash reads them: quotes and backslashes keep a space in a word.
func TestAPatternHasWordsWithSpaces(t *testing.T) {
	two := tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{
		{Words: []string{"rm", "a b"}, Program: "rm", Static: true},
	}}
	for pattern, want := range map[string]tool.Decision{
		`rm a\ b`:   tool.Deny,
		`rm 'a b'`:  tool.Deny,
		`rm "a\ b"`: tool.Deny,
		`rm a b`:    tool.Ask,
		`rm 'a\ b'`: tool.Ask, // the backslash is itself there
	} {
		wantJudged(t, rules(t, asking, layer("user", "deny bash:"+pattern)), lineJob("rm 'a b'", two), want)
	}
	last := tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{
		{Words: []string{"rm", `a\`}, Program: "rm", Static: true},
	}}
	wantJudged(t, rules(t, asking, layer("user", `deny bash:rm a\`)), lineJob(`rm a\\`, last), tool.Deny)
	wantJudged(t, rules(t, asking, layer("user", `deny bash:rm \b`)), lineJob(`rm a\\`, last), tool.Ask)
}

func TestARuleThatCannotMatchAsMeantIsAnErrorWithItsPlace(t *testing.T) {
	for _, text := range []string{"deny read:../x", "deny read:a/../b", "allow edit:[", "deny :x", "allow bash:echo 'x", "allow read:~/x"} {
		_, err := policy.New(asking, layer("user", text))
		if err == nil || !strings.Contains(err.Error(), "user.json:1") {
			t.Errorf("%s: %v, want an error with its place", text, err)
		}
	}
}

// R2.4: what stands in a set. Tools of servers always do, and what others call a todo tool is no pair of ours.
func TestAPresetOffersOurToolsByWhatTheyDo(t *testing.T) {
	todoRead := spec("todo_read", tool.Read)
	others := &tool.Spec{Name: "todo_write", Kind: tool.Write, Category: "task", Origin: tool.Origin{Kind: tool.Go, Name: "todo_write"}}
	at := policy.Place{Layer: "user", File: "c.json", Line: 3}
	for _, c := range []struct {
		preset policy.Preset
		want   []*tool.Spec
	}{
		{policy.Preset{}, []*tool.Spec{read, grep, fetch, issue, readFile}},
		{policy.Preset{Write: true}, []*tool.Spec{read, grep, write, edit, bash, fetch, issue, readFile, deploy, others}},
		{policy.Preset{Todo: true}, []*tool.Spec{read, grep, fetch, todo, todoRead, issue, readFile}},
		{policy.Preset{Write: true, Todo: true}, append(slices.Clone(all), todoRead, others)},
	} {
		c.preset.WriteAt, c.preset.TodoAt = at, at
		// a higher layer's switch gives nothing back
		r := rules(t, asking, layer("flags", "* = true", "write = allow", "todo_write = true"), c.preset.Layer())
		for _, s := range append(slices.Clone(all), todoRead, others) {
			v := r.Lists(s)
			if offered := v.Decision != tool.Deny; offered != slices.Contains(c.want, s) {
				t.Errorf("%+v: %s is offered %v", c.preset, s.Origin, offered)
			}
			if v.Decision == tool.Deny && (!v.Off || v.Rule != "write" && v.Rule != "todo" || v.Layer != "user" || v.File != "c.json" || v.Line != 3) {
				t.Errorf("%s: %+v does not say where that is written", s.Origin, v)
			}
			if x := r.ExplainListing(s); x.Verdict != v || v.Decision == tool.Deny && !x.Steps[len(x.Steps)-1].Decides {
				t.Errorf("%s: explained as %+v, decided %+v", s.Origin, x, v)
			}
		}
	}
	if v := rules(t, asking, policy.Preset{}.Layer()).Lists(write); v.Layer != "default" || v.Reason == "" {
		t.Errorf("a preset of no place: %+v", v)
	}
}

// A switch or a rule on a whole tool holds for calls that have no effect at all, too.
func TestWhatIsSaidOfAToolHoldsForCallsWithoutEffects(t *testing.T) {
	idle := job(todo)
	idle.Effects = []tool.Effect{}
	for line, want := range map[string]tool.Decision{
		"": tool.Allow, "todo_write = deny": tool.Deny, "todo_write = ask": tool.Ask, "deny todo_write": tool.Deny, "ask @write": tool.Ask,
		"deny write": tool.Allow, "deny read:**": tool.Allow,
	} {
		var layers []policy.Layer
		if line != "" {
			layers = append(layers, layer("user", line))
		}
		wantJudged(t, rules(t, asking, layers...), idle, want)
		wantJudged(t, rules(t, asking, layers...), job(todo, "state|todos"), want)
	}
}

// A rule that was seen and does not count is named where somebody looks for the reason, and why shows it as a step.
func TestARefusalNamesTheRuleThatDoesNotCount(t *testing.T) {
	for _, c := range []struct {
		layer string
		rule  string
		j     *tool.Job
		want  string
	}{
		{"user", "allow deploy", job(deploy), "the rule allow deploy (user.json:1) does not count here: what the call will do is not known"},
		{"user", "allow mcp__github/get_issue", job(issue), "what the call will do is not known"},
		{"user", "allow write:src/**", job(write), "what the call will do is not known"},
		{"user", "allow read:**", job(read, "/etc/hosts"), "/etc/hosts is outside the workspace, which a pattern must name"},
		{"project!", "allow write:src/**", job(write, "src/a"), "its layer may only take rights away"},
		{"user", "allow write:lib/**", job(write, "src/a"), ""},
		{"user", "allow write:src/*.go", job(write, "src/a.txt"), ""},
		{"user", "ask write:**", job(write), ""},
	} {
		r := rules(t, asking, layer(c.layer, c.rule))
		v := r.Judge(c.j)
		if v.Decision == tool.Allow || !strings.Contains(v.Why(), c.want) || c.want == "" && strings.Contains(v.Why(), "does not count") {
			t.Errorf("%s: %s %v: %s, want %q", c.rule, c.j.Spec.Name, c.j.Effects, v.Why(), c.want)
		}
		noted := slices.ContainsFunc(r.ExplainCall(c.j).Steps, func(s policy.Step) bool { return strings.Contains(s.Says, "does not count") })
		if noted != (c.want != "" && c.layer == "user") {
			t.Errorf("%s: %s %v: a step says so: %v", c.rule, c.j.Spec.Name, c.j.Effects, noted)
		}
	}
}
