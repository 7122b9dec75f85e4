package natsbus_test

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	natsworker "helve/server/nats"
	"helve/tool"
)

// A between is a bus whose owner changes what passes: the gateway is on one server, the worker on another, and all that
// they say to each other goes through change.
type between struct {
	gateway, worker string // addresses
	change          atomic.Pointer[func(*nats.Msg)]
}

func startBetween(t *testing.T) *between {
	t.Helper()
	b := &between{gateway: startBroker(t).URL(), worker: startBroker(t).URL()}
	ends := []*nats.Conn{}
	for _, url := range []string{b.gateway, b.worker} {
		nc, err := nats.Connect(url, nats.NoEcho())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		ends = append(ends, nc)
	}
	for i, from := range ends {
		to := ends[1-i]
		_, err := from.Subscribe(">", func(m *nats.Msg) {
			if i == 1 && len(m.Data) == 0 && m.Header.Get("Status") != "" {
				return // that nobody listens there: the gateway asks itself whether it hears
			}
			passed := &nats.Msg{Subject: m.Subject, Reply: m.Reply, Header: m.Header, Data: bytes.Clone(m.Data)}
			if change := b.change.Load(); change != nil {
				(*change)(passed)
			}
			to.PublishMsg(passed)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := from.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// replacing is a change of all messages.
func replacing(old, by string) func(*nats.Msg) {
	return func(m *nats.Msg) { m.Data = bytes.ReplaceAll(m.Data, []byte(old), []byte(by)) }
}

// of is a change of what workers are told with a verb.
func of(verb string, change func(*nats.Msg)) func(*nats.Msg) {
	return func(m *nats.Msg) {
		if strings.HasPrefix(m.Subject, "helve.v1.w.") && wire.VerbOf(m.Subject) == verb {
			change(m)
		}
	}
}

// answers is a change of what workers answer when they understand or show a call.
func answers(change func(*nats.Msg)) func(*nats.Msg) {
	return func(m *nats.Msg) {
		if strings.HasPrefix(m.Subject, "_INBOX.") {
			change(m)
		}
	}
}

// lookers is a policy that lets pass what only reads.
type lookers struct{ allowAll }

func (lookers) Judge(j *tool.Job) tool.Verdict {
	for _, e := range j.Judged() {
		if e.Kind != tool.Read {
			return tool.Verdict{Reason: "it does more than read"}
		}
	}
	return tool.Verdict{Decision: tool.Allow}
}

// Whoever owns the bus can have a gateway judge, and a person see, something else than what a worker said that it would
// do. Where gateways sign, that does not run.
func TestWhatTheBusMakesOfAWorkersWordsDoesNotRun(t *testing.T) {
	key := signer(t)
	there := open(t, t.TempDir())
	b := startBetween(t)
	record := filepath.Join(t.TempDir(), "record")
	late := tool.New(tool.Spec{Name: "late", Kind: tool.Exec, Doc: tool.Doc{Short: "Asks late."}},
		func(ctx context.Context, c *tool.Call, _ struct{}) (*tool.Result, error) {
			a, err := c.Ask(ctx, tool.Late{Title: "let it", Why: "it showed", Preview: tool.Summary("ruin all")})
			if err != nil {
				return nil, err
			}
			return tool.Textf("allowed %v", a.Yes), nil
		})
	tools := append(append(there.tools, workTools(record)...), late)
	ticketed(t, b.worker, workerKit(t, asks{}, tools...), natsworker.Options{Gateways: []string{key.Public()}})
	pool := joinSigned(t, b.gateway, key)
	saw := ""
	ask := func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		if q.Preview != nil {
			saw += q.Preview.String()
		}
		return tool.Answer{Yes: true}, nil
	}
	reads := gatewayKit(t, pool, tool.KitOptions{Policy: lookers{}}, tools...)
	asked := gatewayKit(t, pool, tool.KitOptions{Policy: asks{}, Ask: ask}, tools...)

	for name, c := range map[string]struct {
		change     func(*nats.Msg)
		kit        *tool.Kit
		tool, args string
		saw        string // what the person was made to see
		code       tool.Code
		words      string
	}{
		"other effects": {answers(replacing(`"effects":null`, `"effects":[]`)), reads, "work", `{"n":"effects"}`,
			"", tool.Permission, "is not what a worker told it"},
		"another preview": {answers(replacing("evil", "good")), asked, "write", `{"file_path":"a.txt","contents":"evil\n"}`,
			"good", tool.Permission, "is not what a worker told it"},
		"another question": {replacing("ruin all", "look once"), asked, "late", `{}`,
			"look once", tool.Execution, "what was answered is not what was asked"},
		"other work": {of(wire.VerbRun, replacing(`"n":"small"`, `"n":"large"`)), asked, "work", `{"n":"small"}`,
			"", tool.Permission, "for something else"},
		"another answer": {of(wire.VerbAnswer, func(m *nats.Msg) { m.Header = nil }), asked, "late", `{}`,
			"", tool.TimedOut, ""},
	} {
		t.Run(name, func(t *testing.T) {
			saw = ""
			b.change.Store(&c.change)
			defer b.change.Store(nil)
			ctx := t.Context()
			if c.code == tool.TimedOut { // the question stays without an answer
				short, stop := context.WithTimeout(ctx, time.Second)
				defer stop()
				ctx = short
			}
			res, err := c.kit.Call(ctx, &tool.Call{Name: c.tool, Args: []byte(c.args)})
			if c.code == tool.TimedOut {
				if err == nil && res.Err == nil {
					t.Errorf("%q", res.Text())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantError(t, res, c.code, c.words)
			if !strings.Contains(saw, c.saw) {
				t.Errorf("the person saw %q, want %q: nothing was forged", saw, c.saw)
			}
		})
	}
	if n := lines(t, record); n != 0 {
		t.Errorf("%d calls ran", n)
	}
	if res := call(t, asked, nil, "work", `{"n":"honest"}`); res.Err != nil || lines(t, record) != 1 {
		t.Errorf("what nobody changes: %v, %d times", res.Err, lines(t, record))
	}
}
