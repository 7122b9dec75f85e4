package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"helve/internal/rpc"
	"helve/server"
	"helve/tool"
)

// a knowing upstream answers one method that only it knows.
type knowing struct{ name, method string }

func (k knowing) Name() string { return k.name }

func (knowing) List(context.Context, *tool.Session, string, string) ([]json.RawMessage, error) {
	return nil, nil
}

func (k knowing) Request(_ context.Context, _ *tool.Session, method string, params json.RawMessage) (json.RawMessage, error) {
	switch method {
	case k.method:
		return json.RawMessage(`{"from":"` + k.name + `","params":` + string(params) + `}`), nil
	case "ui/down":
		return nil, errors.New("it is down")
	case "ui/bad":
		return nil, &rpc.Error{Code: rpc.CodeInvalidParams, Message: "bad"}
	}
	return nil, &rpc.Error{Code: rpc.CodeMethodNotFound, Message: "no such method"}
}

// A request of an extension reaches the server that knows it, from a client that has extensions and from no other.
func TestRequestsOfExtensionsArePassedOn(t *testing.T) {
	ups := func() []server.Upstream { return []server.Upstream{knowing{"a", "ui/a"}, knowing{"b", "ui/b"}} }
	for _, c := range []struct{ capabilities, method, want string }{
		{`{"extensions":{"x/ui":{}}}`, "ui/b", `{"from":"b","params":{"n":1}}`},
		{`{"extensions":{"x/ui":{}}}`, "ui/c", `-32601`},
		{`{"extensions":{"x/ui":{}}}`, "ui/down", `it is down`},
		{`{"extensions":{"x/ui":{}}}`, "ui/bad", `-32602`},
		{`{"extensions":{}}`, "ui/b", `-32601`},
		{`{}`, "ui/b", `-32601`},
	} {
		srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{Upstreams: ups})
		w := dial(t, srv)
		w.initialize(c.capabilities)
		w.say(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"n":1}}`, c.method)
		if m := w.hear(); !strings.Contains(string(m["result"])+string(m["error"]), c.want) {
			t.Errorf("%s %s: %s%s, want %s", c.capabilities, c.method, m["result"], m["error"], c.want)
		}
		w.say(`{"jsonrpc":"2.0","id":2,"method":%q,"params":{"n":1,%s}}`, c.method, stateless(c.capabilities))
		want := strings.TrimSuffix(strings.TrimPrefix(c.want, "{"), "}}") // with what the protocol adds
		if m := w.hear(); !strings.Contains(string(m["result"])+string(m["error"]), want) {
			t.Errorf("stateless %s %s: %s%s, want %s", c.capabilities, c.method, m["result"], m["error"], c.want)
		}
		w.end()
		srv.Close()
	}
}

// What one protocol has of its own is no extension in the other: a server behind that knows the name is not asked.
func TestMethodsOfOneProtocolAreNoExtensionsInTheOther(t *testing.T) {
	const extended = `{"extensions":{"x/ui":{}}}`
	for _, c := range []struct {
		params  string // of requests in the protocol that has not the methods
		methods []string
	}{
		{`"n":1`, []string{rpc.MethodDiscover, rpc.MethodListen, rpc.MethodTaskGet, rpc.MethodTaskUpdate, rpc.MethodTaskCancel}},
		{stateless(extended), []string{"initialize", "ping", rpc.MethodSetLevel, rpc.MethodSubscribe, rpc.MethodUnsubscribe}},
	} {
		for _, method := range c.methods {
			ups := func() []server.Upstream { return []server.Upstream{knowing{"a", method}} }
			srv := server.New(opener(registry(t, say("echo", tool.Read)), tool.KitOptions{}), server.Options{Upstreams: ups})
			w := dial(t, srv)
			w.initialize(extended)
			w.say(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, c.params)
			if m := w.hear(); !strings.Contains(string(m["error"]), "-32601") {
				t.Errorf("%s with %s: %s%s, want that there is no such method", method, c.params, m["result"], m["error"])
			}
			w.end()
			srv.Close()
		}
	}
}
