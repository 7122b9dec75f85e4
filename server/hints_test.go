package server

import (
	"strings"
	"testing"

	rawjson "helve/internal/json"
	"helve/tool"
)

// Claude Code is asked to load the tools of every task, and finds the others by their words; the tools of others stay byte for byte, and
// for any other client all do.
func TestHintsAreForTheClientThatReadsThem(t *testing.T) {
	claude, ok := MatchProfile(Profiles(), "claude-code")
	if !ok {
		t.Fatal("no profile")
	}
	for _, c := range []struct {
		spec *tool.Spec
		want string
	}{
		{builtIn("read", "file"), `{"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":262144}`},
		{builtIn("bash", "shell"), `{"anthropic/alwaysLoad":true}`},
		{builtIn("todo_read", "todo", "task"), `{"anthropic/searchHint":"todo task"}`},
		{builtIn("plain"), ``},
		{&tool.Spec{Name: "read", Origin: tool.Origin{Kind: tool.MCP, Server: "fs", Name: "read"}, Wire: []byte(`{"name":"read","_meta":{"x":1}}`)}, `{"x":1}`},
	} {
		d := Definition(c.spec, "read")
		if got := string(rawjson.Get(hinted(c.spec, d, &claude), "_meta")); got != c.want {
			t.Errorf("%s: %s, want %s", c.spec.Origin, got, c.want)
		}
		if got := hinted(c.spec, d, &ClientProfile{}); string(got) != string(d) {
			t.Errorf("%s: a client of which nothing is known reads %s", c.spec.Origin, got)
		}
	}
	for _, p := range Profiles() {
		if p.Name != "claude-code" && p.Loads != nil {
			t.Errorf("%s has hints that nobody has seen it read", p.Name)
		}
	}
}

func builtIn(name string, tags ...string) *tool.Spec {
	return &tool.Spec{Name: name, Tags: tags, Origin: tool.Origin{Kind: tool.Builtin, Name: name}, Doc: tool.Doc{Short: "Does."}}
}

// The question of an approval has a head for the client that shows one, and nothing hidden in it.
func TestAnApprovalHasAHeadForTheClientThatShowsIt(t *testing.T) {
	s := &tool.Session{}
	tool.Of(s, func() *ClientProfile { return &ClientProfile{Loads: everyTask()} })
	q := &tool.Question{Job: &tool.Job{Title: "Write a\u202etxt", Call: &tool.Call{Name: "write", Session: s}}}
	got := string(asking(q))
	if !strings.Contains(got, `"anthropic/permissionDisplay":{`) || !strings.Contains(got, `"title":"Write a\\u202etxt"`) {
		t.Error(got)
	}
	q.Job.Call.Session = &tool.Session{}
	if got := string(asking(q)); strings.Contains(got, "_meta") {
		t.Error(got)
	}
}
