package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"helve/internal/rpc"
	"helve/server"
	"helve/tool"
)

// A skilled upstream has one skill and every address that is asked for; lists tells whether it can list folders.
type skilled struct {
	name, skill string
	lists       bool
}

func (s skilled) Name() string { return s.name }

func (s skilled) entry() json.RawMessage {
	file := func(p string) string {
		return fmt.Sprintf(`{"uri":"skill://%s/%s","digest":"sha256:00","size":%d}`, s.skill, p, len(p))
	}
	return json.RawMessage(fmt.Sprintf(`{"uri":"skill://%s/SKILL.md","frontmatter":{"name":%q,"description":"by %s"},"resources":[%s,%s,%s]}`,
		s.skill, s.skill, s.name, file("SKILL.md"), file("a/one.md"), file("a/b/two.py")))
}

func (s skilled) List(_ context.Context, _ *tool.Session, method, _ string) ([]json.RawMessage, error) {
	if method != "skills/list" {
		return nil, &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "method not found"}
	}
	return []json.RawMessage{s.entry()}, nil
}

func (s skilled) Request(_ context.Context, _ *tool.Session, method string, params json.RawMessage) (json.RawMessage, error) {
	var in struct{ URI string }
	json.Unmarshal(params, &in)
	own := strings.HasPrefix(in.URI, "skill://"+s.skill)
	switch {
	case method == "skills/get" && own:
		return json.RawMessage(`{"skill":` + string(s.entry()) + `}`), nil
	case method == "resources/read": // whoever asks the wrong one reads its file
		return json.RawMessage(`{"contents":[{"uri":"` + in.URI + `","text":"by ` + s.name + `"}]}`), nil
	case method == "resources/directory/read" && s.lists:
		return json.RawMessage(`{"resources":[],"by":"` + s.name + `"}`), nil
	case method == "skills/get":
		return nil, &rpc.Error{Code: rpc.CodeInvalidParams, Message: "no such skill"}
	}
	return nil, &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "method not found"}
}

// The skills of all servers are one list; each is read from its own server, and folders are listed for servers that cannot.
func TestTheSkillsOfAllServersAreOneList(t *testing.T) {
	ups := func() []server.Upstream {
		return []server.Upstream{skilled{"a", "greet", false}, skilled{"b", "pdf", true}, skilled{"c", "greet", true}}
	}
	srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{Upstreams: ups})
	t.Cleanup(func() { srv.Close() })
	c := &taskClient{wire: dial(t, srv), capabilities: `{}`}
	for _, x := range []struct{ method, params, want string }{
		{"server/discover", ``, `"io.modelcontextprotocol/skills":{"directoryRead":true}`},
		{"skills/list", ``, `"skills":[` + string(skilled{"a", "greet", false}.entry()) + `,` + string(skilled{"b", "pdf", true}.entry()) + `]`},
		{"skills/list", ``, `"ttlMs"`},
		{"skills/list", `"cursor":"x"`, `-32602`},
		{"skills/get", `"uri":"skill://pdf/SKILL.md"`, `"description":"by b"`},
		{"skills/get", `"uri":"skill://pdf/SKILL.md"`, `"cacheScope"`},
		{"skills/get", `"uri":"skill://none/SKILL.md"`, `-32602`},
		{"skills/get", ``, `-32602`},
		{"resources/read", `"uri":"skill://pdf/a/one.md"`, `"text":"by b"`},
		{"resources/read", `"uri":"skill://greet/a/one.md"`, `"text":"by a"`},
		{"resources/directory/read", `"uri":"skill://pdf/a"`, `"by":"b"`},
		{"resources/directory/read", `"uri":"skill://greet"`,
			`"resources":[{"uri":"skill://greet/SKILL.md","name":"SKILL.md","mimeType":"text/markdown","size":8},{"uri":"skill://greet/a","name":"a","mimeType":"inode/directory"}]`},
		{"resources/directory/read", `"uri":"skill://greet/a/"`,
			`"resources":[{"uri":"skill://greet/a/b","name":"b","mimeType":"inode/directory"},{"uri":"skill://greet/a/one.md","name":"one.md","mimeType":"text/markdown","size":8}]`},
		{"resources/directory/read", `"uri":"skill://greet/SKILL.md"`, `-32602`},
		{"resources/directory/read", `"uri":"skill://greet","cursor":"x"`, `-32602`},
		{"resources/directory/read", `"uri":"test://nowhere"`, `"by":"b"`},
		{"resources/directory/read", ``, `-32602`},
	} {
		c.id++
		params := x.params
		if params != "" {
			params += ","
		}
		c.say(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, c.id, x.method, params, stateless(c.capabilities))
		if m := c.hear(); !strings.Contains(string(m["result"])+string(m["error"]), x.want) {
			t.Errorf("%s %s:\n%s%s, want\n%s", x.method, x.params, m["result"], m["error"], x.want)
		}
	}
	w := dial(t, srv)
	w.initialize(`{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"skills/get","params":{"uri":"skill://none/SKILL.md"}}`)
	if m := w.hear(); !strings.Contains(string(m["error"]), "-32602") {
		t.Errorf("an unknown skill, in the session protocol: %s%s", m["result"], m["error"])
	}
}
