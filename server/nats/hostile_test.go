package natsbus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/testing/loopback"
	"helve/internal/wire"
	"helve/server/nats/broker"
	"helve/tool"
)

// A liar is a worker that answers what it likes.
type liar struct {
	nc       *nats.Conn
	instance string
	prepares string // what it answers to prepare; "": a job that can be
	frames   func(run wire.Run) [][]byte
}

// pieces are the frames of a packed result.
func pieces(result []byte) (out [][]byte) {
	for f := range wire.Pieces(result) {
		out = append(out, slices.Clone(f))
	}
	return out
}

// job is one that can be.
func (l *liar) job() []byte {
	return wire.Encode(wire.Job{Title: "lie", Effects: []wire.Effect{}, Digest: strings.Repeat("0", 32)})
}

// lies has a liar offer the tool work.
func lies(t *testing.T, url string, l *liar) {
	t.Helper()
	l.nc, l.instance = connect(t, url), wire.NewID()
	defs := wire.Definitions{}
	for _, tl := range workTools("") {
		defs[tl.Spec().Origin.String()] = string(tl.Spec().Digest())
	}
	_, err := l.nc.Subscribe(wire.Worker(l.instance, ">"), func(m *nats.Msg) {
		switch wire.VerbOf(m.Subject) {
		case wire.VerbSpecs:
			m.Respond(wire.Encode(defs))
		case wire.VerbPing:
			m.Respond(wire.Encode(wire.Alive{State: wire.Begun}))
		case wire.VerbPrepare:
			if l.prepares != "" {
				m.Respond([]byte(l.prepares))
				return
			}
			m.Respond(wire.Frame(wire.ReplyOK, l.job()))
		case wire.VerbRun:
			run, _ := wire.ParseRun(m.Data)
			for _, f := range l.frames(*run) {
				m.Respond(f)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	told := wire.Member{Instance: l.instance, Pool: poolName, Workspace: workspaceName, Slots: 4, Set: defs.Set()}
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		for {
			l.nc.Publish(wire.Here(poolName), wire.Encode(told))
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
}

func TestWhatAWorkerSaysIsReadOrRefusedInWords(t *testing.T) {
	last := func(body string) func(wire.Run) [][]byte {
		return func(wire.Run) [][]byte { return [][]byte{wire.Frame(wire.FrameLast, []byte(body))} }
	}
	good, err := tool.Pack(tool.Textf("fine"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		l    liar
		code tool.Code // "": it succeeds
	}{
		"a job that is no JSON":         {liar{prepares: "J{"}, tool.Execution},
		"an answer of no kind":          {liar{prepares: "?"}, tool.Execution},
		"an empty answer":               {liar{prepares: "J"}, tool.Execution},
		"a refusal without words":       {liar{prepares: "X{}"}, tool.Execution},
		"a digest that is none":         {liar{prepares: `J{"digest":"1"}`}, tool.Execution},
		"an effect of no kind":          {liar{prepares: `J{"digest":"` + strings.Repeat("0", 32) + `","effects":[{"kind":"eat","target":"x"}]}`}, tool.Execution},
		"a result that is none":         {liar{frames: last("\x00\x00\x00\x00rubbish")}, tool.OutcomeUnknown},
		"a last piece without a number": {liar{frames: last("\x00")}, tool.OutcomeUnknown},
		"frames of no kind first": {liar{frames: func(wire.Run) [][]byte {
			return append([][]byte{{}, []byte("?"), []byte("Q{"), []byte("P["), []byte("Q"), []byte("B")}, pieces(good)...)
		}}, ""},
		"its result twice": {liar{frames: func(wire.Run) [][]byte { return append(pieces(good), pieces(good)...) }}, ""},
		"progress without end": {liar{frames: func(wire.Run) [][]byte {
			var out [][]byte
			for range 3000 {
				out = append(out, wire.Frame(wire.FrameProgress, []byte(`{"message":"x"}`)))
			}
			return append(out, pieces(good)...)
		}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := startBroker(t)
			l := c.l
			lies(t, b.URL(), &l)
			kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, workTools("")...)
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			res, err := kit.Call(ctx, &tool.Call{Name: "work", Args: json.RawMessage(`{"n":"1"}`)})
			switch {
			case err != nil:
				t.Errorf("the host is stopped: %v", err)
			case c.code == "" && res.Err != nil, c.code != "" && (res.Err == nil || res.Err.Code != c.code):
				t.Errorf("%v, want %q", res.Err, c.code)
			}
		})
	}
}

func TestWhatAGatewaySaysIsReadOrRefusedInWords(t *testing.T) {
	tools := workTools(filepath.Join(t.TempDir(), "record"))
	b := startBroker(t)
	w := offer(t, b.URL(), workerKit(t, allowAll{}, tools...), 2)
	nc := connect(t, b.URL())
	deep := strings.Repeat("[", 100_000)
	for _, verb := range []string{"prepare", "preview", "run", "go", "cancel", "answer", "again", "ping", "close", "specs", "nothing"} {
		for _, body := range []string{"", "{", "null", `"x"`, deep, `{"run":"a","call":{},"session":{"key":"*","gateway":">"}}`,
			`{"run":"a","call":{"name":"work"},"session":{"gateway":"g"}}`, `{"call":5}`} {
			nc.PublishRequest(wire.Worker(w.Instance(), verb), "nowhere", []byte(body))
		}
	}
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tools...)
	if res := call(t, kit, nil, "work", `{"n":"1"}`); res.Err != nil {
		t.Error(res.Err)
	}
	wait(t, "nothing runs any more", func() bool { return w.Running() == 0 })
}

// What a bus cannot carry is told, and nothing is done.
func TestACallThatIsTooLargeForTheBusIsRefusedInWords(t *testing.T) {
	tools := workTools(filepath.Join(t.TempDir(), "record"))
	b := startBroker(t)
	offer(t, b.URL(), workerKit(t, allowAll{}, tools...), 2)
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tools...)
	res := call(t, kit, nil, "work", fmt.Sprintf(`{"n":%q}`, strings.Repeat("x", 9<<20)))
	wantError(t, res, tool.Execution, "the bus carries")
}

// A server that goes and comes back costs the calls that wait for it nothing.
func TestCallsGoOnWhenTheServerOfTheBusComesBack(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	tools := workTools(record)
	first, err := broker.Start(broker.Options{Addr: loopback.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	offer(t, first.URL(), workerKit(t, allowAll{}, tools...), 4)
	kit := gatewayKit(t, join(t, first.URL(), ""), tool.KitOptions{Policy: allowAll{}}, tools...)
	if res := call(t, kit, nil, "work", `{"n":"before"}`); res.Err != nil {
		t.Fatal(res.Err)
	}
	done := make(chan *tool.Result, 1)
	go func() {
		res, _ := kit.Call(context.Background(), &tool.Call{Name: "work", Args: json.RawMessage(`{"n":"during","take":600}`)})
		done <- res
	}()
	wait(t, "it runs", func() bool { return lines(t, record) == 2 })
	addr := first.Addr()
	first.Close()
	time.Sleep(800 * time.Millisecond) // it ended while nobody could hear of it
	second, err := loopback.Again(func() (*broker.Broker, error) { return broker.Start(broker.Options{Addr: addr}) })
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if res := <-done; res == nil || res.Err != nil || res.Text() != "did during" {
		t.Errorf("%+v", res)
	}
	if res := call(t, kit, nil, "work", `{"n":"after"}`); res.Err != nil {
		t.Error(res.Err)
	}
}
