package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"helve/internal/testing/leaktest"
	"helve/server"
	"helve/tool"
)

func TestTheOfficialClientListsAndCalls(t *testing.T) {
	before := goleak.IgnoreCurrent()
	defer func() {
		if err := leaktest.Find(before); err != nil {
			t.Error(err)
		}
	}()
	srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{Version: "1"})
	defer srv.Close()
	s := connect(t, srv, nil)
	l, err := s.ListTools(t.Context(), nil)
	if err != nil || len(l.Tools) != 1 || l.Tools[0].Name != "echo" || !l.Tools[0].Annotations.ReadOnlyHint {
		t.Fatalf("%+v, %v", l, err)
	}
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "a\"\\\n\t\x01é\u2028"}})
	if err != nil || res.IsError || text(res) != "echo: a\"\\\n\t\x01é\u2028" {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": 7}})
	if err != nil {
		t.Errorf("%+v, %v", res, err)
	}
	s.Close()
	srv.Close()
}

// Over MCP what is unknown and what is switched off are results that a model reads, in the words that every other way has.
func TestUnknownAndDisabledToolsAreSaidInTheSameWordsEverywhere(t *testing.T) {
	reg := registry(t, say("echo", tool.Read), say("secret", tool.Read))
	srv := server.New(opener(reg, tool.KitOptions{Policy: without("secret")}), server.Options{Expose: server.ExposeDeferred})
	defer srv.Close()
	s := connect(t, srv, nil)
	call := func(name string, args map[string]any) string {
		t.Helper()
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !res.IsError && name != "search_tools" {
			t.Errorf("%s %v: not an error: %s", name, args, text(res))
		}
		return text(res)
	}
	const want = "Error: tool 'secret' is disabled."
	for name, args := range map[string]map[string]any{
		"secret":        {"text": "x"},
		"Secret":        {"text": "x"},
		"describe_tool": {"name": "secret"},
		"call_tool":     {"name": "secret", "arguments": map[string]any{"text": "x"}},
	} {
		if got, _, _ := strings.Cut(call(name, args), "\n"); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := call("search_tools", map[string]any{"query": "says secret"}); strings.Contains(got, "secret:") {
		t.Errorf("search finds it: %s", got)
	}
	if got := call("call_tool", map[string]any{"name": "nothing"}); !strings.HasPrefix(got, "Error: Tool 'nothing' not found.") {
		t.Errorf("unknown: %q", got)
	}
}

// without is a policy that switches one tool off and allows the rest.
type without string

func (w without) Lists(s *tool.Spec) tool.Verdict {
	if s.Name == string(w) {
		return tool.Verdict{Off: true, Reason: "switched off"}
	}
	return tool.Verdict{Decision: tool.Allow}
}

func (w without) Judge(j *tool.Job) tool.Verdict { return w.Lists(j.Spec) }

func TestADeferredListIsSmallAndReachesEveryTool(t *testing.T) {
	var many []tool.Tool
	for i := range 60 {
		many = append(many, say(fmt.Sprintf("thing_%d", i), tool.Read))
	}
	many = append(many, tool.New(tool.Spec{Name: "weather", Kind: tool.Read, Doc: tool.Doc{Short: "Tells the forecast for a city."}}, func(context.Context, *tool.Call, sayIn) (*tool.Result, error) {
		return tool.Textf("sunny"), nil
	}))
	srv := server.New(opener(registry(t, many...), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	s := connect(t, srv, nil)
	l, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, x := range l.Tools {
		names = append(names, x.Name)
	}
	if d := cmp.Diff([]string{"search_tools", "describe_tool", "call_tool"}, names); d != "" {
		t.Fatal(d)
	}
	res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "search_tools", Arguments: map[string]any{"query": "will it rain, what is the forecast"}})
	found, _ := json.Marshal(res.StructuredContent)
	if err != nil || !strings.HasPrefix(string(found), `{"tools":[{"description":"Tells the forecast for a city.","name":"weather","score":`) || !strings.HasPrefix(text(res), "weather: ") {
		t.Errorf("%s, %v", found, err)
	}
	for _, args := range []string{`{"name":"weather","arguments":{"text":"x"}}`, `{"name":"weather","arguments":"{\"text\":\"x\"}"}`, `{"name":"weather","text":"x"}`} {
		res, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "call_tool", Arguments: json.RawMessage(args)})
		if err != nil || text(res) != "sunny" {
			t.Errorf("%s: %s, %v", args, text(res), err)
		}
	}
	for name, args := range map[string]string{"call_tool": `{"name":"weather","arguments":{"town":"x"}}`, "weather": `{"town":"x"}`} { // a wrong guess brings the schema
		res, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
		if err != nil || !res.IsError || !strings.Contains(text(res), "The parameters of weather: {") {
			t.Errorf("%s: %s, %v", args, text(res), err)
		}
	}
	if res, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "weather", Arguments: map[string]any{"text": "x"}}); err != nil || text(res) != "sunny" {
		t.Errorf("by name: %s, %v", text(res), err)
	}
}

func TestAChangeIsAnnouncedOnlyIfTheListHasOtherBytes(t *testing.T) {
	reg := registry(t, say("echo", tool.Read))
	srv := server.New(opener(reg, tool.KitOptions{}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	first := string(w.hear()["result"])
	if err := reg.Set("same", nil); err != nil { // a new snapshot, the same tools
		t.Fatal(err)
	}
	w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if m := w.hear(); string(m["id"]) != "2" || string(m["result"]) != first {
		t.Errorf("after nothing changed: %s %s", m["id"], m["method"])
	}
	if err := reg.Add(say("more", tool.Read)); err != nil {
		t.Fatal(err)
	}
	if m := w.hear(); string(m["method"]) != `"notifications/tools/list_changed"` {
		t.Errorf("%s", m)
	}
}

func TestAStaticListStaysAndItsToolsGoOnToAnswer(t *testing.T) {
	reg := registry(t, say("echo", tool.Read))
	srv := server.New(opener(reg, tool.KitOptions{}), server.Options{Static: true})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	first := string(w.hear()["result"])
	if err := reg.Add(say("more", tool.Read)); err != nil {
		t.Fatal(err)
	}
	w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if m := w.hear(); string(m["result"]) != first {
		t.Errorf("the list changed: %s", m["result"])
	}
	w.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"more","arguments":{"text":"x"}}}`)
	if m := w.hear(); !strings.Contains(string(m["result"]), "more: x") {
		t.Errorf("call by name: %s", m)
	}
}

func TestACallIsCancelledWhenTheClientSaysSoOrIsGone(t *testing.T) {
	var ended atomic.Int32
	started := make(chan struct{}, 2)
	hang := tool.New(tool.Spec{Name: "hang", Kind: tool.Read}, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended.Add(1)
		return nil, ctx.Err()
	})
	srv := server.New(opener(registry(t, hang, say("echo", tool.Read)), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}}`)
	<-started
	w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`)
	if m := w.hear(); string(m["id"]) != "2" {
		t.Errorf("a cancelled call is answered: %s", m)
	}
	w.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hang"}}`)
	<-started
	w.end()
	if n := ended.Load(); n != 2 {
		t.Errorf("%d of 2 calls ended", n)
	}
}

// Whoever reads what the client says serves the first call itself, and the next ones are not to wait for it.
func TestCallsThatTakeLongRunBesideEachOther(t *testing.T) {
	started := make(chan struct{}, 3)
	hang := tool.New(tool.Spec{Name: "hang", Kind: tool.Read}, func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
		started <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	srv := server.New(opener(registry(t, hang), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{}`)
	for id := range 3 {
		w.say(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"hang"}}`, id)
		<-started
	}
	w.say(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if m := w.hear(); string(m["id"]) != `"p"` {
		t.Errorf("want the answer to the ping, got %s", m)
	}
}

func TestProgressComesWithTheClientsToken(t *testing.T) {
	steps := tool.New(tool.Spec{Name: "steps", Kind: tool.Read}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		c.Progress(tool.Progress{Done: 1, Total: 2, Message: "half"})
		c.Progress(tool.Progress{Done: 2, Total: 2})
		return tool.Textf("done"), nil
	})
	srv := server.New(opener(registry(t, steps), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"p"}}}`)
	m := w.hear()
	if d := cmp.Diff(`{"progressToken":"p","progress":1,"total":2,"message":"half"}`, string(m["params"])); d != "" {
		t.Error(d)
	}
	for m["id"] == nil { // what nobody reads keeps the server from closing
		m = w.hear()
	}
}

func TestForeignDefinitionsAndBlocksPassByteForByte(t *testing.T) {
	wire := json.RawMessage(`{"execution":{"taskSupport":"optional"},"name":"t","inputSchema":{"type":"object","z":1,"a":{"y":2,"b":3}},"_meta":{"k":1.0}}`)
	block := `{"type":"image","x":1.50,"data":"AA==","mimeType":"image/png"}`
	up, err := tool.Raw(tool.Spec{Name: "t", Origin: tool.Origin{Kind: tool.MCP, Server: "s", Name: "t"}, Kind: tool.Read, Wire: wire},
		func(context.Context, *tool.Call, json.RawMessage) (*tool.Result, error) {
			return &tool.Result{Parts: []tool.Part{tool.Foreign(block)}, Data: json.RawMessage(`{"b":1.0,"a":2}`), Extra: json.RawMessage(`{"trace":"x"}`)}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	srv := server.New(opener(registry(t, up), tool.KitOptions{Policy: without("")}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	w.initialize(`{}`)
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	want := strings.Replace(string(wire), `"name":"t"`, `"name":"mcp__s__t"`, 1)
	if m := w.hear(); string(m["result"]) != `{"tools":[`+want+`]}` {
		t.Errorf("%s\nwant %s", m["result"], want)
	}
	w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp__s__t"}}`)
	if m := w.hear(); string(m["result"]) != `{"content":[`+block+`],"structuredContent":{"b":1.0,"a":2},"_meta":{"trace":"x"}}` {
		t.Errorf("%s", m["result"])
	}
}

func TestMalformedMessagesAreAnsweredAndHurtNobody(t *testing.T) {
	srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	w := dial(t, srv)
	for in, want := range map[string]string{
		`{`:                          "-32700",
		`nonsense`:                   "-32700",
		"\"\xff\"":                   "-32700",
		strings.Repeat("[", 100_000): "-32700",
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`: "-32600",
		`1`:                        "-32600",
		`{"jsonrpc":"2.0","id":1}`: "-32600",
		`{"jsonrpc":"2.0","id":1,"Method":"ping"}`:                                                                                   "-32600",
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`:                                                                                   "-32600",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`:                                                                                "-32600",
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`:                                                                                  "-32600",
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`:                                                                                 "-32600",
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`:                                                             "-32600",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                                                             "-32600", // before initialize
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`:                                                                      "-32602",
		`{"jsonrpc":"2.0","id":1,"method":"nothing"}`:                                                                                "-32601",
		`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`:                                                                       "-32600",
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`:                                                                 "-32602",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + stateless(`{}`) + `}}`:                                                "-32601",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`: "-32602",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}`: "-32022",
	} {
		w.say("%s", in)
		m := w.hear()
		var e struct{ Code json.Number }
		if json.Unmarshal(m["error"], &e) != nil || e.Code.String() != want {
			t.Errorf("%.100s: %s, want %s", in, m["error"], want)
		}
	}
	w.say(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if m := w.hear(); string(m["result"]) != "{}" {
		t.Errorf("ping afterwards: %s", m)
	}
}

// FuzzServe feeds a server lines: whatever they are, every answer is one valid message, and the server lives.
func FuzzServe(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"echo"},"requestState":"x",` + stateless(`{}`) + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"spill:x"}}`, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + stateless(`{}`) + `}}`, `[]`, `{"id":1}`, "{\"a\":\"\xff\"}"} {
		f.Add(s)
	}
	srv := server.New(opener(registry(f, say("echo", tool.Read)), tool.KitOptions{}), server.Options{Expose: server.ExposeDeferred})
	f.Cleanup(func() { srv.Close() })
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "subscriptions/listen") {
			t.Skip("it lasts")
		}
		w := dial(t, srv)
		w.initialize(`{}`)
		w.say("%s", strings.NewReplacer("\n", " ", "\r", " ").Replace(line))
		w.say(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
		for {
			m := w.hear()
			if string(m["jsonrpc"]) != `"2.0"` || (m["result"] == nil) == (m["error"] == nil) && m["method"] == nil {
				t.Fatalf("%q: %s", line, m)
			}
			if string(m["id"]) == `"last"` {
				return
			}
		}
	})
}

// A tool that prints and counts nothing, and one that says nothing at all, are heard of again and again, by a number that rises; after
// the answer there is silence. So it is in both protocols.
func TestProgressRisesForToolsThatCountNothing(t *testing.T) {
	talks := tool.New(tool.Spec{Name: "talks", Kind: tool.Read}, func(_ context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		for i := range 3 {
			c.Progress(tool.Progress{Message: fmt.Sprint("line ", i)})
		}
		return &tool.Result{Parts: []tool.Part{tool.Text("done")}}, nil
	})
	release, released := make(chan struct{}), false
	mute := tool.New(tool.Spec{Name: "mute", Kind: tool.Read}, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		<-release
		return &tool.Result{Parts: []tool.Part{tool.Text("done")}}, nil
	})
	w := over(t, registry(t, talks, mute), tool.KitOptions{}, server.Options{})
	hear := func(enough func(n int, message string) bool) {
		t.Helper()
		last, n := 0.0, 0
		for {
			m := w.hear()
			if m["id"] != nil {
				if !strings.Contains(string(m["result"]), "done") || !enough(n, "") {
					t.Fatalf("the answer came after %d notifications: %s", n, m)
				}
				return
			}
			var p struct {
				Token    string `json:"progressToken"`
				Progress float64
				Message  string
			}
			if err := json.Unmarshal(m["params"], &p); err != nil || p.Token != "p" || p.Progress <= last || p.Message == "" {
				t.Fatalf("after %v: %s", last, m["params"])
			}
			last = p.Progress
			n++
			if enough(n, p.Message) && !released {
				close(release)
				released = true
			}
		}
	}
	w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mute","_meta":{"progressToken":"p"}}}`)
	hear(func(n int, message string) bool {
		return n >= 2 && (message == "" || strings.HasPrefix(message, "running for"))
	})
	for _, meta := range []string{`"_meta":{"progressToken":"p"}`, strings.Replace(stateless(`{}`), `{"io`, `{"progressToken":"p","io`, 1)} {
		w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"talks",%s}}`, meta)
		hear(func(n int, _ string) bool { return n == 3 })
	}
}

// A client of the session protocol that has not said what it wants to hear hears of what is more than detail.
func TestLogMessagesStartAtInfo(t *testing.T) {
	logs := tool.New(tool.Spec{Name: "logs", Kind: tool.Read}, func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
		for _, level := range []string{"debug", "info", "error"} {
			c.Session.Back(ctx, "notifications/message", json.RawMessage(`{"level":"`+level+`","data":"x"}`))
		}
		return &tool.Result{Parts: []tool.Part{tool.Text("done")}}, nil
	})
	w := over(t, registry(t, logs), tool.KitOptions{}, server.Options{})
	for _, c := range []struct{ before, want string }{
		{``, "info error "},
		{`{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"debug"}}`, "debug info error "},
		{`{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"error"}}`, "error "},
	} {
		if c.before != "" {
			w.say("%s", c.before)
			w.hear()
		}
		w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"logs"}}`)
		got := ""
		for m := w.hear(); m["id"] == nil; m = w.hear() {
			var p struct{ Level string }
			json.Unmarshal(m["params"], &p)
			got += p.Level + " "
		}
		if got != c.want {
			t.Errorf("after %s: %q, want %q", c.before, got, c.want)
		}
	}
}

// counted is data whose text is shorter than itself.
type counted struct {
	Lines    []string `json:"lines"`
	Complete bool     `json:"complete"`
}

func (c counted) Text() string { return fmt.Sprintf("%d lines", len(c.Lines)) }

// A built-in tool's data costs a client's context nothing unless the client asks for it, and a program can have all of it.
func TestDataOfABuiltInToolIsSentToWhoAsksForIt(t *testing.T) {
	spec := tool.Spec{Name: "lines", Origin: tool.Origin{Kind: tool.Builtin, Name: "lines"}, Kind: tool.Read, Doc: tool.Doc{Short: "Lists lines."}, Limits: []string{"limit"}}
	type in struct {
		Limit int `json:"limit,omitempty" jsonschema:"description=Lines at most,default=1"`
	}
	lines := tool.Renders[counted](tool.New(spec, func(_ context.Context, c *tool.Call, a in) (*tool.Result, error) {
		all := []string{"a", "b", "c"}
		if a.Limit > 0 {
			return tool.Render(counted{all[:a.Limit], false}), nil
		}
		return tool.Render(counted{all, true}), nil
	}))
	srv := server.New(opener(registry(t, lines), tool.KitOptions{}), server.Options{})
	defer srv.Close()
	s := connect(t, srv, nil)
	l, err := s.ListTools(t.Context(), nil)
	if err != nil || len(l.Tools) != 1 || l.Tools[0].OutputSchema != nil {
		t.Fatalf("the list has the schema of the data: %+v, %v", l, err)
	}
	for _, c := range []struct {
		wish any
		data string
		text string
	}{
		{nil, "null", "1 lines"},
		{true, `{"complete":false,"lines":["a"]}`, "1 lines"},
		{"whole", `{"complete":true,"lines":["a","b","c"]}`, ""},
	} {
		p := &mcp.CallToolParams{Name: "lines", Arguments: map[string]any{}}
		if c.wish != nil {
			p.Meta = mcp.Meta{server.MetaData: c.wish}
		}
		res, err := s.CallTool(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(res.StructuredContent)
		if string(data) != c.data || len(res.Content) > 0 && text(res) != c.text || len(res.Content) == 0 && c.text != "" {
			t.Errorf("%v: data %s, content %v; want %s, %q", c.wish, data, res.Content, c.data, c.text)
		}
	}
	p := &mcp.CallToolParams{Name: "lines", Arguments: map[string]any{}, Meta: mcp.Meta{server.MetaData: "some"}}
	if res, err := s.CallTool(t.Context(), p); err == nil || !strings.Contains(err.Error(), "helve/data") {
		t.Errorf("a wish that is none: %+v, %v", res, err)
	}
}
