package policy_test

import (
	"context"
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
			if err := k.UnmarshalText([]byte(kind)); err != nil {
				panic(err)
			}
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
