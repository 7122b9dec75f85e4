package policy_test

import (
	"strings"
	"testing"

	"helve/policy"
	"helve/tool"
)

// A rule that does not do what it says is found, with what to write instead; and what is said of it is so: the calls that it seems to
// mean are judged as without it.
func TestRulesThatCannotCountAreFound(t *testing.T) {
	bashLine := func(words string) *tool.Job {
		return lineJob(words, tool.CommandLine{Decision: tool.Ask, Whole: true, Commands: []tool.SimpleCommand{
			{Words: strings.Fields(words), Program: strings.Fields(words)[0], Static: true},
		}})
	}
	for _, c := range []struct {
		rule, want string
		call       *tool.Job // that it seems to mean
	}{
		{"allow mcp__github/*", `tools can allow it, {"mcp__github/*": "allow"}`, job(issue)},
		{"allow mcp__github__get_issue:12", "is not known before it runs", job(issue)},
		{"allow deploy:staging", "is not known before it runs", job(deploy)},
		{"deny todo_write:shopping", "write todo_write alone", job(todo, "state|todos")},
		{"deny bash:*curl*", "no wildcard stands for a program", bashLine("curl x.test")},
		{"deny bash:curl * | sh", "without |", bashLine("curl x.test")},
		{"ask bash:git push && git tag", "without &&", bashLine("git push")},
		{"deny fetch:10.0.0.0/8", "write 10.0.0.0", job(fetch, "10.0.0.1")},
		{"deny fetch:go.dev/doc", "write go.dev", job(fetch, "go.dev")},
		{"deny fetch:道.jp", "write it as xn--", job(fetch, "xn--8b4a.jp")},
		{"deny fetch:go.dev:99999", "a port is a number", job(fetch, "go.dev")},
		{"deny fetch:*.go.dev:https", "a port is a number", job(fetch, "pkg.go.dev")},
		{"allow fetch:go.dev:443", "never counts: a call on the own port of http or https names no port: write go.dev", job(fetch, "go.dev")},
		{"deny @net:go.dev or so", "a host has no blanks", job(fetch, "go.dev")},
		{"deny read:src//x", "in their shortest form", job(read, "src/x")},
		{"deny read:$HOME/x", "write ~/", job(read, "/home/me/x")},
		{"allow edit:.helve/**", ".helve/x is never written by a tool: it decides what agents may do", job(edit, ".helve/config.json")},
		{"allow @write:**/.git/hooks/*", "git runs programs that it names", job(edit, "sub/.git/hooks/x")},
		{"deny edit:src/./x", "in their shortest form", job(edit, "src/x")},
	} {
		o := policy.Options{Mode: policy.AskFirst}
		r := rules(t, o, layer("user", c.rule))
		found := r.Unmet(all)
		if len(found) != 1 || !strings.Contains(found[0].String(), c.want) || found[0].At.Line != 1 {
			t.Errorf("%s: found %v, want %q", c.rule, found, c.want)
		}
		with, without := r.Judge(c.call), rules(t, o).Judge(c.call)
		if with.Decision != without.Decision {
			t.Errorf("%s counts: %v where it is %v without", c.rule, with, without)
		}
	}
	for _, rule := range []string{
		"deny mcp__github/*", "ask mcp__github/*:x", "allow bash:go test *", "deny bash:curl", "deny bash:'a|b' c", "allow fetch:*.go.dev",
		"deny fetch:go.dev:443", "allow fetch:go.dev:8443", "deny fetch:*.go.dev:*", "deny fetch:2001:4860::8888", "deny fetch:[2001:4860::8888]:443", "deny read:**/.env", "deny read://other/x", "allow edit:./src/**", "deny todo_write", "deny todo_write:t*",
		"allow @write:a", "allow edit:.git/**", "allow edit", "deny edit:.helve/**", "allow read:.helve/**", "allow *:x", "deny gone:x",
	} {
		if found := rules(t, asking, layer("user", rule)).Unmet(all); len(found) > 0 {
			t.Errorf("%s: found %v, want nothing", rule, found)
		}
	}
}

// What a rule says of schemes and paths counts for nothing, and that is said.
func TestARuleThatMeansMoreThanItSaysIsFound(t *testing.T) {
	for rule, want := range map[string]string{
		"deny fetch:https://go.dev/doc": "means more than it says: a rule knows a host and its port, not http from https, nor paths: write go.dev",
		"allow fetch:http://go.dev":     "means more than it says: a rule knows a host and its port, not http from https: write go.dev",
	} {
		r := rules(t, asking, layer("user", rule))
		found := r.Unmet(all)
		if len(found) != 1 || !strings.HasSuffix(found[0].String(), want) {
			t.Errorf("%s: found %v, want %q", rule, found, want)
		}
		if r.Judge(job(fetch, "go.dev")).Decision == tool.Ask {
			t.Errorf("%s does not count", rule)
		}
	}
}

// A server's name that is nearly right is told, whatever stands behind it.
func TestAMisspeltServerIsFoundWithTheNearest(t *testing.T) {
	for text, want := range map[string]string{
		"mcp__gthub__*":        "mcp__github__*",
		"mcp__gthub/get_issue": "mcp__github/get_issue",
		"mcp__gthub":           "mcp__github",
		"gthub.get_issue":      "github.get_issue",
		"githb__get_issue":     "github__get_issue",
		"mcp__latr/x":          "mcp__later/x",
		"mcp__elsewhere/x":     "",
		"gthub":                "",
	} {
		found := rules(t, asking, layer("user", "disable "+text)).Unmatched(all, []string{"later"})
		if len(found) != 1 || found[0].Near != want {
			t.Errorf("%s: found %+v, want %q", text, found, want)
		}
	}
}
