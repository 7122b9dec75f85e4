package natsbus_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"helve/internal/rpc"
	"helve/internal/wire"
	natsworker "helve/server/nats"
	"helve/tool"
)

// reads is a tool that does what a function does.
func reads(name string, f func(context.Context, *tool.Call) (*tool.Result, error)) tool.Tool {
	return tool.New(tool.Spec{Name: name, Kind: tool.Read, Doc: tool.Doc{Short: "Does it."}},
		func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) { return f(ctx, c) })
}

// asked is one tool at a worker, and the gateway's kit of it.
func asked(t *testing.T, f func(context.Context, *tool.Call) (*tool.Result, error)) *tool.Kit {
	t.Helper()
	b := startBroker(t)
	tl := reads("ask", f)
	offer(t, b.URL(), workerKit(t, allowAll{}, tl), 2)
	return gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tl)
}

// A listener is a client that notes what it is told and asked.
type listener struct {
	mu    sync.Mutex
	heard []string
}

func (l *listener) note(method string, params json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = append(l.heard, method+" "+string(params))
}

func (l *listener) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.heard)
}

func TestAToolAtAWorkerAsksTheClient(t *testing.T) {
	const can = `{"elicitation":{},"sampling":{}}`
	kit := asked(t, func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		if string(c.Session.Capabilities) != can {
			return nil, fmt.Errorf("the client can be asked for %s", c.Session.Capabilities)
		}
		var answers [2]json.RawMessage
		var errs [2]error
		var both sync.WaitGroup
		for i, method := range []string{"elicitation/create", "sampling/createMessage"} {
			both.Go(func() { answers[i], errs[i] = c.Session.Back(ctx, method, json.RawMessage(`{"message":"Which?"}`)) })
		}
		both.Wait()
		return tool.Textf("%s", answers), errors.Join(errs[:]...)
	})
	var l listener
	s := &tool.Session{Capabilities: json.RawMessage(can)}
	defer s.Close()
	s.Back = func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		l.note(method, params)
		return json.RawMessage(fmt.Sprintf(`{"to":%q}`, method)), nil
	}
	res := call(t, kit, s, "ask", `{}`)
	if want := `[{"to":"elicitation/create"} {"to":"sampling/createMessage"}]`; res.Err != nil || res.Text() != want {
		t.Errorf("%v, %q, want %q", res.Err, res.Text(), want)
	}
	if heard := l.all(); len(heard) != 2 {
		t.Errorf("the client was asked %q", heard)
	}
}

func TestWhatTheClientRefusesIsAnErrorOfTheProtocolAtTheWorker(t *testing.T) {
	kit := asked(t, func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		_, err := c.Session.Back(ctx, "roots/list", nil)
		e, ok := errors.AsType[*rpc.Error](err)
		if !ok {
			return nil, fmt.Errorf("it is %w", err)
		}
		return tool.Textf("%d %s %s", e.Code, e.Message, e.Data), nil
	})
	s := &tool.Session{Capabilities: json.RawMessage(`{}`)}
	defer s.Close()
	s.Back = func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
		return nil, &rpc.Error{Code: -32601, Message: "not here", Data: json.RawMessage(`{"x":1}`)}
	}
	if res := call(t, kit, s, "ask", `{}`); res.Text() != `-32601 not here {"x":1}` {
		t.Errorf("%v, %q", res.Err, res.Text())
	}
}

func TestAConversationWithoutAClientHasNobodyToAskAtTheWorker(t *testing.T) {
	kit := asked(t, func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		return tool.Textf("%v %v", c.Session.Back == nil, c.Task == nil), nil
	})
	s := &tool.Session{}
	defer s.Close()
	if res := call(t, kit, s, "ask", `{}`); res.Text() != "true true" {
		t.Errorf("%v, %q", res.Err, res.Text())
	}
}

func TestWhatAWorkersToolSaysReachesTheClientInOrderBeforeTheResult(t *testing.T) {
	const lines = 30
	kit := asked(t, func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		for i := range lines {
			c.Session.Back(ctx, rpc.NoticeMessage, json.RawMessage(fmt.Sprintf(`{"data":%d}`, i)))
		}
		c.Session.Back(ctx, rpc.NoticeTools, nil) // no word of a worker's
		return tool.Textf("said"), nil
	})
	var l listener
	s := &tool.Session{Capabilities: json.RawMessage(`{}`)}
	defer s.Close()
	s.Back = func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		l.note(method, params)
		return nil, nil
	}
	if res := call(t, kit, s, "ask", `{}`); res.Err != nil {
		t.Fatal(res.Err)
	}
	heard := l.all()
	if len(heard) != lines {
		t.Fatalf("%d messages came before the result, want %d: %q", len(heard), lines, heard)
	}
	for i, h := range heard {
		if want := fmt.Sprintf(`notifications/message {"data":%d}`, i); h != want {
			t.Errorf("message %d is %q, want %q", i, h, want)
		}
	}
}

func TestTheClientsLevelOfMessagesIsTheWorkersToo(t *testing.T) {
	kit := asked(t, func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		none := func() *rpc.Wishes { return nil }
		wishes := tool.Of(c.Session, none)
		if wishes == nil {
			return tool.Textf("none"), nil
		}
		return tool.Textf("%s %v", wishes.Level(), wishes.Chosen()), nil
	})
	back := func(context.Context, string, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	s, wishes := &tool.Session{Back: back}, &rpc.Wishes{}
	defer s.Close()
	tool.Of(s, func() *rpc.Wishes { return wishes })
	if res := call(t, kit, s, "ask", `{}`); res.Text() != "info false" {
		t.Errorf("%v, %q: the client has asked for nothing", res.Err, res.Text())
	}
	for _, level := range []string{"info", "debug", "error"} {
		wishes.SetLevel(level)
		if res := call(t, kit, s, "ask", `{}`); res.Text() != level+" true" {
			t.Errorf("%v, %q, want %q", res.Err, res.Text(), level)
		}
	}
	stateless := &tool.Session{Back: back}
	defer stateless.Close()
	if res := call(t, kit, stateless, "ask", `{}`); res.Text() != "none" {
		t.Errorf("%v, %q", res.Err, res.Text())
	}
}

func TestACallAtAWorkerGoesOnAsATask(t *testing.T) {
	kit := asked(t, func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		c.Task()
		c.Task()
		return tool.Textf("done"), nil
	})
	tasks := 0
	c := &tool.Call{Name: "ask", Args: json.RawMessage(`{}`), Task: func() { tasks++ }}
	res, err := kit.Call(t.Context(), c)
	if err != nil || res.Text() != "done" || tasks != 1 {
		t.Errorf("%v, %v, told %d times", err, res, tasks)
	}
}

// A client may answer before it is asked: the answers come without the state of a round.
func TestAnswersThatCameUnaskedReachTheToolAtTheWorker(t *testing.T) {
	kit := asked(t, func(_ context.Context, c *tool.Call) (*tool.Result, error) {
		if c.Resume == nil {
			return tool.Textf("nothing"), nil
		}
		return tool.Textf("%s", c.Resume.Answers), nil
	})
	c := &tool.Call{Name: "ask", Args: json.RawMessage(`{}`), Resume: tool.Unasked(json.RawMessage(`{"name":"x"}`))}
	res, err := kit.Call(t.Context(), c)
	if err != nil || res.Text() != `{"name":"x"}` {
		t.Errorf("%v, %v", err, res)
	}
}

// A coded error is one of the protocol.
type codedError struct{}

func (codedError) Error() string { return "the tool's own words" }
func (codedError) RPC() (int, string, json.RawMessage) {
	return -32021, "wants sampling", json.RawMessage(`{"requiredCapabilities":{}}`)
}

func TestAnErrorOfTheProtocolIsOneAtTheGateway(t *testing.T) {
	kit := asked(t, func(context.Context, *tool.Call) (*tool.Result, error) { return nil, codedError{} })
	res := call(t, kit, nil, "ask", `{}`)
	e, ok := errors.AsType[rpc.Coded](res.Err)
	if !ok {
		t.Fatalf("%v is no error of the protocol", res.Err)
	}
	code, message, data := e.RPC()
	if code != -32021 || message != "wants sampling" || string(data) != `{"requiredCapabilities":{}}` {
		t.Errorf("%d, %q, %s", code, message, data)
	}
	if !strings.Contains(res.Text(), "the tool's own words") {
		t.Errorf("the model reads %q", res.Text())
	}
}

func TestWhatAServerOfTheWorkerSaysReachesTheClientsThatHaveCalls(t *testing.T) {
	b := startBroker(t)
	var w *natsworker.Worker
	speak := reads("speak", func(context.Context, *tool.Call) (*tool.Result, error) {
		w.Notify("server", nil, rpc.NoticeMessage, json.RawMessage(`{"data":"said"}`))
		w.Notify("server", nil, rpc.NoticePrompts, nil)
		return tool.Textf("spoke"), nil
	})
	w = offer(t, b.URL(), workerKit(t, allowAll{}, speak), 2)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, speak)
	var heard, idle listener
	sessionOf := func(l *listener) *tool.Session {
		s := &tool.Session{}
		s.Back = func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
			l.note(method, params)
			return nil, nil
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	sessionOf(&idle)
	if res := call(t, kit, sessionOf(&heard), "speak", `{}`); res.Err != nil {
		t.Fatal(res.Err)
	}
	if all := heard.all(); !slices.Equal(all, []string{`notifications/message {"data":"said"}`}) || len(idle.all()) > 0 {
		t.Errorf("%q; who had no call heard %q", all, idle.all())
	}
}

// A question that is open when its call is cancelled ends, here and at the worker.
func TestACancelledCallTakesItsQuestionsBack(t *testing.T) {
	over := make(chan error, 1)
	kit := asked(t, func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		_, err := c.Session.Back(ctx, "elicitation/create", json.RawMessage(`{}`))
		over <- err
		return nil, err
	})
	ctx, cancel := context.WithCancel(t.Context())
	s := &tool.Session{}
	defer s.Close()
	taken := make(chan struct{})
	s.Back = func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
		cancel()
		<-ctx.Done()
		close(taken)
		return nil, ctx.Err()
	}
	if _, err := kit.Call(ctx, &tool.Call{Name: "ask", Args: json.RawMessage(`{}`), Session: s}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	select {
	case err := <-over:
		if err == nil {
			t.Error("the worker's tool has an answer")
		}
	case <-time.After(time.Minute):
		t.Error("the worker's tool waits for ever")
	}
	<-taken
}

// A worker that asks and says what it likes neither stops the gateway nor speaks for it.
func TestQuestionsOfAHostileWorkerAreBounded(t *testing.T) {
	good, err := tool.Pack(tool.Textf("fine"))
	if err != nil {
		t.Fatal(err)
	}
	frame := func(k wire.Kind, body string) []byte { return wire.Frame(k, []byte(body)) }
	ask := func(n int, method, params string) []byte {
		return wire.Frame(wire.FrameQuestion, wire.Encode(wire.Question{N: n, Ask: &wire.Ask{Method: method, Params: json.RawMessage(params)}}))
	}
	b := startBroker(t)
	l := &liar{frames: func(wire.Run) [][]byte {
		out := [][]byte{
			frame(wire.FrameQuestion, `{"n":1}`),
			frame(wire.FrameQuestion, `{"n":-1,"ask":{"method":"roots/list"}}`),
			frame(wire.FrameQuestion, `{"n":2,"ask":{"method":"roots/list"},"late":{}}`),
			frame(wire.FrameQuestion, `{"n":3,"ask":{"method":"bad method"}}`),
			frame(wire.FrameQuestion, `{"n":4,"ask":{"method":"roots/list","params":[]}}`),
			frame(wire.FrameQuestion, `{"n":5,"late":{"shown":5}}`),
			frame(wire.FrameNotice, `{"method":"notifications/tools/list_changed"}`),
			frame(wire.FrameNotice, `{"method":"notifications/cancelled","params":{"requestId":1}}`),
			frame(wire.FrameNotice, `{"method":"roots/list"}`),
			frame(wire.FrameNotice, `[`),
			frame(wire.FrameTask, "x"),
			ask(6, "elicitation/create", `{"url":"file:///etc/passwd"}`),
			ask(7, "roots/list", `{}`), ask(7, "roots/list", `{}`),
		}
		for n := range 100 {
			out = append(out, ask(100+n, "sampling/createMessage", `{}`))
		}
		return append(out, pieces(good)...)
	}}
	lies(t, b.URL(), l)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, workTools("")...)
	var heard listener
	s := &tool.Session{}
	defer s.Close()
	s.Back = func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		heard.note(method, nil)
		<-ctx.Done() // nobody answers while the call runs
		return nil, ctx.Err()
	}
	if res := call(t, kit, s, "work", `{"n":"1"}`); res.Err != nil || res.Text() != "fine" {
		t.Errorf("%v %q", res.Err, res.Text())
	}
	all := heard.all()
	count := map[string]int{}
	for _, h := range all {
		count[strings.TrimSpace(h)]++
	}
	if count["roots/list"] > 1 || count["sampling/createMessage"] > 32 || len(count) > 2 {
		t.Errorf("the client was asked %v", count)
	}
}
