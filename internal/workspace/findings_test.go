package workspace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "helve/internal/workspace"
)

// What somebody wrote and what means nothing is found, with its line and the nearest name.
func TestWhatMeansNothingIsFound(t *testing.T) {
	for _, c := range []struct{ config, want string }{
		{`{"tools": {"wirte": false}}`, `1 tools: there is no tool "wirte": did you mean "write"?`},
		{`{"disabled_tools": ["bahs"]}`, `1 disabled_tools: there is no tool "bahs": did you mean "bash"?`},
		{`{"allowed_tools": ["read", "raed"]}`, `1 allowed_tools: there is no tool "raed": did you mean "read"?`},
		{`{"rules": [{"deny": "net:**"}]}`, `1 rules: there is no tool "net": did you mean "@net"?`},
		{`{"rules": [{"deny": "@wrte"}]}`, `1 rules: no tool is in the group "@wrte": did you mean "@write"?`},
		{"{\"hooks\": [{\"on\": \"before\", \"command\": \"true\"},\n{\"on\": \"before\", \"match\": \"bahs\", \"command\": \"true\"}]}",
			`2 hooks: there is no tool "bahs": did you mean "bash"?`},
		{`{"hooks": [{"on": "before", "match": "b?sh*", "command": "true"}]}`, ``},
		{`{"tool_options": {"bahs": {"timeout": 5}}}`, `1 tool_options: there is no built-in tool "bahs": did you mean "bash"?`},
		{`{"tool_options": {"bash.timeout": 5}}`,
			`1 tool_options: there is no built-in tool "bash.timeout": write an object for bash, {"timeout": …}`},
		{"{\"clients\": {\n\"reviewer\": {\n\"tools\": {\"raed\": false}}}}", `3 tools: there is no tool "raed": did you mean "read"?`},
		{`{"clients": {"reviewer": {"tools": {"read": false}}}}`, ``},
		{`{"mcp_servers": {"a": {"url": "a.test"}}}`, `1 mcp_servers.a: mcp server a: url "a.test": want http:// or https://`},
		{`{"discovery": {"command": "list 'tools"}}`, `1 discovery: `},
		{`{"discovery": {"command": "list-tools"}}`, `1 discovery: its tools are listed and cannot be called: set discovery.call`},
		{`{"discovery": {"call": "call-tool"}}`, `1 discovery: nothing is discovered without discovery.command`},
		{`{"discovery": {"ttl": "1m"}}`, `1 discovery: nothing is discovered without discovery.command`},
		{`{"tools": {"": false}}`, `1 tools: a name is empty, which means no tool`},
		{`{"disabled_tools": ["bash",` + "\n" + `" "]}`, `2 disabled_tools: a name is empty`},
		{`{"allowed_tools": [""]}`, `1 allowed_tools: a name is empty`},
		{`{"tools": {"mcp__gthub__*": "deny"}, "mcp_servers": {"github": {"command": "true"}}}`,
			`1 tools: no tool matches "mcp__gthub__*": did you mean "mcp__github__*"?`},
		{`{"rules": [{"deny": "gthub/push"}], "mcp_servers": {"github": {"command": "true"}}}`,
			`1 rules: there is no tool "gthub/push": did you mean "github/push"?`},
		{`{"disabled_tools": ["mcp__gthub"], "mcp_servers": {"github": {"command": "true"}}}`,
			`1 disabled_tools: there is no tool "mcp__gthub": did you mean "mcp__github"?`},
		{`{"rules": [{"deny": "todo_write:foo"}]}`, `1 rules: deny todo_write:foo matches nothing that it names: its calls have neither path`},
		{`{"rules": [{"deny": "todo_write:todos"}, {"deny": "todo_write"}]}`, ``},
		{`{"rules": [{"deny": "fetch:10.0.0.0/8"}]}`, `1 rules: deny fetch:10.0.0.0/8 matches nothing that it names: hosts are compared by their name`},
		{`{"rules": [{"allow": "fetch:https://go.dev/doc"}]}`, `1 rules: allow fetch:https://go.dev/doc means more than it says: a rule knows a host and its port`},
		{`{"rules": [{"deny": "bash:*curl*"}]}`, `1 rules: deny bash:*curl* matches nothing that it names: no wildcard stands for a program`},
		{`{"rules": [{"deny": "bash:curl * | sh"}]}`, `1 rules: deny bash:curl * | sh matches nothing that it names: the commands of a line are judged one by one`},
		{`{"rules": [{"deny": "bash:git push *"}, {"allow": "bash:*"}]}`, ``},
		{`{"rules": [{"allow": "bash:rm -rf /"}]}`, `1 rules: allow bash:rm -rf / never counts: such a command is always refused: rm of /`},
		{`{"rules": [{"ask": "bash:rm -rf ~"}]}`, `1 rules: ask bash:rm -rf ~ never counts: such a command is always refused: rm of `},
		{`{"rules": [{"allow": "@exec:shutdown *"}]}`, `1 rules: allow @exec:shutdown * never counts: such a command is always refused`},
		{`{"rules": [{"deny": "bash:rm -rf /"}, {"allow": "bash:rm -rf /*"}, {"allow": "bash:rm *"}, {"allow": "bash"}]}`, ``},
		{`{"rules": [{"allow": "edit:.helve/**"}]}`, `1 rules: allow edit:.helve/** never counts: .helve/x is never written by a tool: it decides`},
		{`{"rules": [{"allow": "@write:**/.git/hooks/*"}]}`, `1 rules: allow @write:**/.git/hooks/* never counts: `},
		{`{"rules": [{"allow": "write:.mcp.json"}]}`, `1 rules: allow write:.mcp.json never counts: `},
		{`{"rules": [{"deny": "edit:.helve/**"}, {"ask": "write:.mcp.json"}, {"allow": "read:.helve/**"}, {"allow": "edit:.git/**"}]}`, ``},
		{`{"rules": [{"ask": "edit:src//x"}]}`, `1 rules: ask edit:src//x matches nothing that it names: paths are compared in their shortest form`},
		{`{"clients": {"ci": {` + "\n" + `"profile": "codebase-indx"}}}`,
			"2 clients.ci: profile \"codebase-indx\": there is no such set of tools\nhint: did you mean codebase-index?"},
		{`{"clients": {"ci": {"profile": "codebase-index"}}}`, ``},
		{`{"client_profiles": {"claud-code": {"approval": "client"}}}`,
			`1 client_profiles.claud-code: no client "claud-code" is known: did you mean "claude-code"?`},
		{`{"client_profiles": {"claud-code": {"info": ["claud-code"]}, "codex": {}, "our-own-thing": {}}}`, ``},
		{`{"fetch": {"allow_private": ["localhost:8080", "http://10.0.0.7:80"]}}`,
			`1 fetch.allow_private: "http://10.0.0.7:80" is an address with a scheme: write the host alone, 10.0.0.7:80`},
		{`{"model": "gpt-5"}`,
			`1 model: want a model as PROVIDER/NAME, got "gpt-5": did you mean "openai/gpt-5"?`},
		{`{"model": "claude/sonnet"}`,
			`1 model: provider "claude" is not known: did you mean "anthropic/sonnet"? helve models anthropic`},
		{`{"model": "opnai/gpt-5"}`, `1 model: provider "opnai" is not known: did you mean "openai/gpt-5"?`},
		{`{"model": "nowhere/x"}`,
			`1 model: provider "nowhere" is not known: openai, openai-responses, anthropic, gemini, ollama, or one of providers`},
		{`{"model": "fast"}`, `1 model: want a model as PROVIDER/NAME, got "fast": as openai/…`},
		{`{"model": "fast", "models": {"aliases": {"fast": "openai/gpt-5"}}}`, ``},
		{`{"model": "openai/"}`, `1 model: want a model as PROVIDER/NAME, got "openai/"`},
		{`{"model": "anthropic/claude-sonnet-4-5"}`, ``},
		{`{"model": "ollama/hf.co/some/model:8b"}`, ``},
		{`{"model": "mine/x", "providers": {"mine": {"kind": "openai", "base_url": "http://127.0.0.1:1"}}}`, ``},
		{"{\"models\": {\n\"aliases\": {\n\"fast\": \"sonnet\"}}}",
			`3 models.aliases.fast: want a model as PROVIDER/NAME, got "sonnet": did you mean`},
		{`{"models": {"fallback": ["ollama/qwen3", "qwen3"]}}`,
			`1 models.fallback: want a model as PROVIDER/NAME, got "qwen3": did you mean`},
		{`{"mcp_servers": {"a": {"command": "true"}}, "rules": [{"deny": "mcp__a/x:**"}]}`, ``}, // may be there when a is
	} {
		p := newPlace(t).put(userConfig, c.config)
		found := p.open().Findings()
		var texts []string
		for _, f := range found {
			texts = append(texts, fmt.Sprintf("%d %s: %s", f.Line, f.Key, f.Message))
		}
		switch {
		case c.want == "" && len(texts) > 0:
			t.Errorf("%s: found %q, want nothing", c.config, texts)
		case c.want != "" && (len(texts) != 1 || !strings.HasPrefix(texts[0], c.want)):
			t.Errorf("%s: found %q, want %q", c.config, texts, c.want)
		}
	}
}

// A finding that stands in a profile and elsewhere, or in no profile at all, is told once.
func TestAFindingIsToldOnce(t *testing.T) {
	p := newPlace(t).put(userConfig, `{"tools": {"wirte": false}, "clients": {"a": {"mode": "plan"}, "b": {}}}`)
	if found := p.open().Findings(); len(found) != 1 {
		t.Errorf("%+v, want one", found)
	}
}

// Names that mean nothing are said when a workspace is opened, too: a rule or a hook with one protects nothing.
func TestMisspeltNamesAreSaidAtTheStart(t *testing.T) {
	p := newPlace(t).put(userConfig, `{"hooks": [{"on": "before", "match": "bahs", "command": "true"}], "tool_options": {"gerp": {}}}`)
	p.open()
	lines := strings.Split(strings.TrimSpace(p.said.String()), "\n")
	for _, want := range []string{`hooks: there is no tool "bahs"`, `tool_options: there is no built-in tool "gerp"`} {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, want) }) {
			t.Errorf("%q, want %s", lines, want)
		}
	}
	_, err := Open(t.Context(), func() Options { o := p.options(); o.Strict = true; return o }())
	for _, want := range []string{`hooks: there is no tool "bahs": did you mean "bash"?`, `no built-in tool "gerp": did you mean "grep"?`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("strict: %v, want %s", err, want)
		}
	}
}

func TestAProfileThatDoesNotExistIsNamedWithItsPlace(t *testing.T) {
	p := newPlace(t).put(userConfig, "{\n\"profile\": \"reviewr\", \"clients\": {\"reviewer\": {}}}")
	_, err := Open(t.Context(), p.options())
	if err == nil || !strings.Contains(err.Error(), "config.json:2: profile \"reviewr\": there is none\nhint: did you mean reviewer?") {
		t.Errorf("%v", err)
	}
	o := p.options()
	o.Profile = "revewer"
	_, err = Open(t.Context(), o)
	if err == nil || !strings.HasPrefix(err.Error(), `profile "revewer": there is none`) {
		t.Errorf("of a flag: %v", err)
	}
}
