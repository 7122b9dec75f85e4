package natsbus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"helve/engine/schema"
	"helve/internal/wire"
	natspool "helve/source/nats"
	"helve/tool"
	"helve/tooltest"
)

// joinOwn joins a pool whose workers' own tools are offered, too.
func joinOwn(t *testing.T, url string, trust bool) *natspool.Pool {
	t.Helper()
	p, err := natspool.Join(connect(t, url), natspool.Options{Pool: poolName, Workspace: workspaceName, OwnTools: true, Trust: trust})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// ownNamed are the pool's own tools by the names that workers have for them.
func ownNamed(t testing.TB, p *natspool.Pool) map[string]*tool.Spec {
	t.Helper()
	tools, err := p.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*tool.Spec{}
	for _, tl := range tools {
		out[tl.Spec().Origin.Name] = tl.Spec()
	}
	return out
}

// says is a tool that says a text; about is its description.
func says(name, about, text string) tool.Tool {
	return tool.New(tool.Spec{Name: name, Kind: tool.Read, Doc: tool.Doc{Short: about}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("%s", text), nil })
}

// served is a tool of an MCP server at the worker, with the definition that the server sent.
func served(t testing.TB) tool.Tool {
	t.Helper()
	in, err := schema.Parse(json.RawMessage(`{ "type": "object", "properties": { "who": { "type": "string", "description": "a < b" } } }`))
	if err != nil {
		t.Fatal(err)
	}
	tl, err := tool.Raw(tool.Spec{
		Name:   "greet",
		Origin: tool.Origin{Kind: tool.MCP, Server: "hello", Name: "greet"},
		Doc:    tool.Doc{Short: "Greets."},
		Kind:   tool.Exec,
		Input:  in,
		Output: in,
		Wire:   json.RawMessage(`{ "name":"greet", "description":"Greets <you> & me.", "inputSchema": {"type":"object"} }`),
	}, func(_ context.Context, _ *tool.Call, args json.RawMessage) (*tool.Result, error) {
		return tool.Textf("greeted %s", args), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func TestToolsThatOnlyWorkersHaveAreListedAndCalled(t *testing.T) {
	b := startBroker(t)
	shared := workTools("")[1]
	offer(t, b.URL(), workerKit(t, allowAll{}, says("deploy", "Deploys.", "deployed"), served(t), shared), 2)
	p := joinOwn(t, b.URL(), false)
	wait(t, "three tools are known: nobody said yet that one of them is ours", func() bool {
		told, err := p.Tools(t.Context())
		return err == nil && len(told) == 3
	})
	var reg tool.Registry
	defer reg.Close()
	if err := reg.Add(p.Relocate(shared)...); err != nil {
		t.Fatal(err)
	}
	if err := reg.Attach(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: allowAll{}})
	var names []string
	for _, s := range kit.View().Specs() {
		names = append(names, kit.View().Name(s)+" "+s.Origin.String())
	}
	want := []string{
		"look go:look",
		"pool__tested__deploy remote:tested/deploy",
		"pool__tested__hello__greet remote:tested/hello__greet",
	}
	if !slices.Equal(names, want) {
		t.Fatalf("%q, want %q", names, want)
	}
	for name, c := range map[string][2]string{
		"pool__tested__deploy":       {`{}`, "deployed"},
		"pool__tested/deploy":        {`{}`, "deployed"},
		"pool__tested__hello__greet": {`{"who":"x"}`, `greeted {"who":"x"}`},
	} {
		if res := call(t, kit, nil, name, c[0]); res.Err != nil || res.Text() != c[1] {
			t.Errorf("%s: %v, %q, want %q", name, res.Err, res.Text(), c[1])
		}
	}
	greet := ownNamed(t, p)["hello__greet"]
	if want := string(served(t).Spec().Wire); string(greet.Wire) != want {
		t.Errorf("its definition is %s, want %s", greet.Wire, want)
	}
	if res := call(t, kit, nil, "pool__tested__hello__greet", `{"who":[]}`); res.Err == nil || res.Err.Code != tool.Validation {
		t.Errorf("the gateway does not check arguments: %v", res.Err)
	}
}

func TestAPoolIsASource(t *testing.T) {
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, says("deploy", "Deploys.", "deployed"), served(t)), 2)
	nc := connect(t, b.URL())
	p, err := natspool.Join(nc, natspool.Options{Pool: poolName, Workspace: workspaceName, OwnTools: true})
	if err != nil {
		t.Fatal(err)
	}
	tooltest.CheckSource(t, p)
}

func TestWhatAWorkerSaysOfItsToolsCountsOnlyWhereItIsTrusted(t *testing.T) {
	b := startBroker(t)
	hidden := tool.New(tool.Spec{Name: "look", Kind: tool.Read, Doc: tool.Doc{Short: "Looks.\u202e \x1b[31m", Long: "<b>All</b>"}, Tags: []string{"builtin"}},
		func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
			r := tool.Textf("red \x1b[31m")
			r.Display = tool.Summary("shown \x1b[31m")
			return r, nil
		})
	offer(t, b.URL(), workerKit(t, allowAll{}, hidden), 2)
	for _, trust := range []bool{false, true} {
		p := joinOwn(t, b.URL(), trust)
		s := ownNamed(t, p)["look"]
		if s == nil {
			t.Fatal("it is not listed")
		}
		if s.ReadOnly != trust || (s.Kind == tool.Read) != trust {
			t.Errorf("trusted: %v; read-only: %v, kind %s", trust, s.ReadOnly, s.Kind)
		}
		if full := s.Doc.Full(); strings.ContainsAny(full, "\u202e\x1b") || len(s.Tags) > 0 {
			t.Errorf("%q, %q", full, s.Tags)
		}
		var reg tool.Registry
		defer reg.Close()
		if err := reg.Attach(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		var judged []tool.Effect
		kit := reg.Kit(tool.KitOptions{Policy: judging(func(j *tool.Job) { judged = j.Judged() })})
		res := call(t, kit, nil, "look", `{}`)
		if strings.Contains(res.Text()+res.Show(), "\x1b") {
			t.Errorf("%q, %q", res.Text(), res.Show())
		}
		if unknown := len(judged) == 1 && judged[0] == (tool.Effect{Kind: tool.Exec, Target: tool.AnyTarget}); unknown == trust {
			t.Errorf("trusted: %v; judged by %v", trust, judged)
		}
	}
}

// judging is a policy that allows everything, and tells.
type judging func(*tool.Job)

func (judging) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (f judging) Judge(j *tool.Job) tool.Verdict {
	f(j)
	return tool.Verdict{Decision: tool.Allow}
}

func TestToolsComeAndGoWithTheWorkersThatHaveThem(t *testing.T) {
	b := startBroker(t)
	var there tool.Registry
	if err := there.Add(says("first", "First.", "1")); err != nil {
		t.Fatal(err)
	}
	offer(t, b.URL(), gatedKit(&there, allowAll{}), 2)
	p := joinOwn(t, b.URL(), false)
	var here tool.Registry
	defer here.Close()
	if err := here.Attach(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	has := func(names ...string) func() bool {
		return func() bool {
			v := here.View()
			return v.Len() == len(names) && !slices.ContainsFunc(names, func(n string) bool { return !v.Has(n) })
		}
	}
	wait(t, "the first", has("first"))
	if err := there.Set("later", []tool.Tool{says("second", "Second.", "2")}); err != nil {
		t.Fatal(err)
	}
	wait(t, "the second comes", has("first", "second"))
	if err := there.Set("later", nil); err != nil {
		t.Fatal(err)
	}
	wait(t, "the second goes", has("first"))
	third := offer(t, b.URL(), workerKit(t, allowAll{}, says("third", "Third.", "3")), 2)
	wait(t, "the third comes", has("first", "third"))
	if res := call(t, here.Kit(tool.KitOptions{Policy: allowAll{}}), nil, "third", `{}`); res.Text() != "3" {
		t.Errorf("it was not placed at the worker that has it: %v", res.Err)
	}
	if err := third.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	wait(t, "the third goes", has("first"))
}

func TestOfTwoDefinitionsTheOneThatMostWorkersHaveIsUsed(t *testing.T) {
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, says("deploy", "Deploys somewhere else.", "old")), 2)
	for range 2 {
		offer(t, b.URL(), workerKit(t, allowAll{}, says("deploy", "Deploys.", "new")), 2)
	}
	p := joinOwn(t, b.URL(), false)
	wait(t, "three workers", func() bool { return len(p.Members()) == 3 })
	wait(t, "the definition of the most", func() bool {
		s := ownNamed(t, p)["deploy"]
		return s != nil && s.Doc.Short == "Deploys."
	})
	var reg tool.Registry
	defer reg.Close()
	if err := reg.Attach(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: allowAll{}})
	for range 20 {
		if res := call(t, kit, nil, "deploy", `{}`); res.Text() != "new" {
			t.Fatalf("%v %q", res.Err, res.Text())
		}
	}
	nc := connect(t, b.URL())
	all := found(t, nc, 3)
	var differs map[string][]string
	wait(t, "one of them differs", func() bool { // who does not answer is left out
		var err error
		differs, err = natspool.Differing(t.Context(), nc, all)
		if err != nil {
			t.Fatal(err)
		}
		return len(differs) == 1
	})
	for _, origins := range differs {
		if !slices.Equal(origins, []string{"go:deploy"}) {
			t.Errorf("%q", origins)
		}
	}
}

// A conversation stays with its worker, and reaches tools that another one has.
func TestAConversationReachesToolsOfSeveralWorkers(t *testing.T) {
	keeps := func(name string) tool.Tool {
		return reads(name, func(_ context.Context, c *tool.Call) (*tool.Result, error) {
			n := tool.Of(c.Session, func() *int { return new(int) })
			*n++
			return tool.Textf("%s %d", name, *n), nil
		})
	}
	b := startBroker(t)
	for _, name := range []string{"first", "second"} {
		offer(t, b.URL(), workerKit(t, allowAll{}, keeps(name)), 2)
	}
	p := joinOwn(t, b.URL(), false)
	wait(t, "both tools", func() bool { return len(ownNamed(t, p)) == 2 })
	var reg tool.Registry
	defer reg.Close()
	if err := reg.Attach(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: allowAll{}})
	s := &tool.Session{}
	defer s.Close()
	for n := 1; n <= 3; n++ {
		for _, name := range []string{"first", "second"} {
			if res := call(t, kit, s, name, `{}`); res.Err != nil || res.Text() != fmt.Sprintf("%s %d", name, n) {
				t.Fatalf("%v %q, want call %d", res.Err, res.Text(), n)
			}
		}
	}
}

func TestAnOwnToolAsksInThePoolsName(t *testing.T) {
	b := startBroker(t)
	ask := reads("ask", func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		_, bad := c.Session.Back(ctx, "elicitation/create", json.RawMessage(`{"message":"Go?","url":"ftp://x"}`))
		a, err := c.Session.Back(ctx, "elicitation/create", json.RawMessage(`{"message":"Your password, please"}`))
		return tool.Textf("%s, %v", a, bad != nil), err
	})
	need := reads("need", func(context.Context, *tool.Call) (*tool.Result, error) {
		return &tool.Result{Need: &tool.Need{Requests: json.RawMessage(`{"a":{"method":"elicitation/create","params":{"message":"Which?"}}}`)}}, nil
	})
	offer(t, b.URL(), workerKit(t, allowAll{}, ask, need), 2)
	var reg tool.Registry
	defer reg.Close()
	if err := reg.Attach(t.Context(), joinOwn(t, b.URL(), false)); err != nil {
		t.Fatal(err)
	}
	kit := reg.Kit(tool.KitOptions{Policy: allowAll{}})
	var l listener
	s := &tool.Session{Capabilities: json.RawMessage(`{"elicitation":{}}`)}
	defer s.Close()
	s.Back = func(_ context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
		l.note(method, params)
		return json.RawMessage(`{"action":"decline"}`), nil
	}
	if res := call(t, kit, s, "ask", `{}`); res.Text() != `{"action":"decline"}, true` {
		t.Errorf("%v %q", res.Err, res.Text())
	}
	const named = `A worker of the pool tested asks:\n`
	if heard := l.all(); len(heard) != 1 || !strings.Contains(heard[0], named+"Your password, please") {
		t.Errorf("%q", heard)
	}
	if res := call(t, kit, s, "need", `{}`); res.Need == nil || !strings.Contains(string(res.Need.Requests), named+"Which?") {
		t.Errorf("%+v", res)
	}
}

// What a worker says of its tools is bounded and made visible, or left out; the rest stays.
func TestDefinitionsOfAHostileWorkerAreReadOrLeftOut(t *testing.T) {
	spec := func(name string) *tool.Spec { return says(name, "Fine.", "").Spec() }
	offered := func(s *tool.Spec) wire.Offered {
		bare := *s
		bare.Input = nil
		return wire.Offered{Origin: s.Origin.String(), Spec: wire.Encode(bare), Input: string(s.Input.JSON())}
	}
	good := spec("good")
	hidden, long, another := spec("hid\u202eden"), spec(strings.Repeat("x", 600)), offered(spec("another"))
	another.Origin = "go:claimed"
	deep := offered(spec("deep"))
	deep.Input = strings.Repeat(`{"properties":{"a":`, 5000)
	state := *spec("state")
	state.Kind = tool.State
	builtin := *spec("bash")
	builtin.Origin = tool.Origin{Kind: tool.Builtin, Name: "bash"}
	all := []wire.Offered{
		offered(hidden), offered(long), another, deep, offered(&state), offered(&builtin),
		{Origin: "go:none", Spec: []byte("null")}, {Origin: "go:five", Spec: []byte("5")}, offered(good),
	}
	defs := wire.Definitions{}
	for _, o := range all {
		defs[o.Origin] = strings.Repeat("0", 32)
	}
	for _, s := range []*tool.Spec{good, hidden, long, &state, &builtin} {
		defs[s.Origin.String()] = string(s.Digest())
	}
	for name, answer := range map[string][]byte{
		"no JSON":         wire.Frame(wire.ReplyOK, []byte("{")),
		"an empty answer": {},
		"no end":          wire.Frame(wire.ReplyOK, wire.Encode(wire.Tools{Next: 0 + 1, Tools: []wire.Offered{all[0]}})),
		"a page twice":    wire.Frame(wire.ReplyOK, wire.Encode(wire.Tools{Next: 7})),
		"all of them":     wire.Frame(wire.ReplyOK, wire.Encode(wire.Tools{Tools: all})),
	} {
		t.Run(name, func(t *testing.T) {
			b := startBroker(t)
			nc, instance := connect(t, b.URL()), wire.NewID()
			_, err := nc.Subscribe(wire.Worker(instance, ">"), func(m *nats.Msg) {
				switch wire.VerbOf(m.Subject) {
				case wire.VerbSpecs:
					m.Respond(wire.Encode(defs))
				case wire.VerbTools:
					m.Respond(answer)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			p := joinOwn(t, b.URL(), true)
			told := wire.Encode(wire.Member{Instance: instance, Pool: poolName, Workspace: workspaceName, Slots: 1, Set: defs.Set()})
			want := 0
			if name == "all of them" {
				want = 1
			}
			wait(t, fmt.Sprintf("%d tools", want), func() bool {
				nc.Publish(wire.Here(poolName), told)
				return len(p.Members()) == 1 && len(ownNamed(t, p)) == want
			})
			if want == 1 && ownNamed(t, p)["good"] == nil {
				t.Error("the good one is missing")
			}
		})
	}
}

// A worker that has thousands of tools tells of them in several messages.
func TestManyToolsOfAWorkerArrive(t *testing.T) {
	const many = 600
	b := startBroker(t)
	var tools []tool.Tool
	for i := range many {
		tools = append(tools, says(fmt.Sprintf("tool_%03d", i), strings.Repeat("Describes. ", 100), ""))
	}
	large := says("large", "Large.", "")
	large.Spec().Doc.Long = strings.Repeat("x", 2*wire.MostDefinition)
	tools = append(tools, large)
	offer(t, b.URL(), workerKit(t, allowAll{}, tools...), 2)
	p := joinOwn(t, b.URL(), false)
	wait(t, "all tools but the one that is too large", func() bool { return len(ownNamed(t, p)) == many })
}

// A tool that its worker has no more is not run as another.
func TestAToolThatWentIsRefusedInWords(t *testing.T) {
	b := startBroker(t)
	var there tool.Registry
	if err := there.Set("x", []tool.Tool{says("first", "First.", "1")}); err != nil {
		t.Fatal(err)
	}
	w := offer(t, b.URL(), gatedKit(&there, allowAll{}), 2)
	nc := connect(t, b.URL())
	req := wire.Request{Call: []byte(`{"name":"first"}`), Origin: "go:second", Definition: "x"}
	msg, err := nc.RequestWithContext(t.Context(), wire.Worker(w.Instance(), wire.VerbPrepare), wire.EncodeRequest(req, nil))
	if err != nil || !strings.Contains(string(msg.Data), "has this tool no more") {
		t.Errorf("%v %s", err, msg.Data)
	}
}
