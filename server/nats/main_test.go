package natsbus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/builtin"
	"helve/codetool"
	"helve/engine/sandbox"
	"helve/engine/tree"
	"helve/internal/wire"
	natsworker "helve/server/nats"
	"helve/server/nats/broker"
	natspool "helve/source/nats"
	"helve/tool"
	"helve/wrap"
)

const poolName, workspaceName = "tested", "work"

// TestMain lets the sandbox launch this program, and the tests start it as a worker or as a server of NATS.
func TestMain(m *testing.M) {
	sandbox.Init()
	if options := os.Getenv("HELVE_TEST_BROKER"); options != "" {
		if err := actAsBroker(options); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if url := os.Getenv("HELVE_TEST_WORKER"); url != "" {
		if err := actAsWorker(url, os.Getenv("HELVE_TEST_RECORD")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

type allowAll struct{}

func (allowAll) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (allowAll) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

// startBroker starts a server of NATS, which listens on a port of its own.
func startBroker(t testing.TB) *broker.Broker {
	t.Helper()
	b, err := broker.Start(broker.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// workerKit is the kit of a worker: with its gate, under rules that ask about everything.
func workerKit(t testing.TB, p tool.Policy, tools ...tool.Tool) *tool.Kit {
	t.Helper()
	var reg tool.Registry
	if err := reg.Add(tools...); err != nil {
		t.Fatal(err)
	}
	return gatedKit(&reg, p)
}

func gatedKit(reg *tool.Registry, p tool.Policy) *tool.Kit {
	gate := natsworker.Gate{}
	runners := append([]func(tool.Runner) tool.Runner{gate.Wrap}, wrap.Standard(wrap.Options{})...)
	return reg.Kit(tool.KitOptions{Policy: p, Ask: gate.Ask, Wrap: runners})
}

func offer(t testing.TB, url string, kit *tool.Kit, slots int) *natsworker.Worker {
	t.Helper()
	o := natsworker.Options{Pool: poolName, Workspace: workspaceName, Slots: slots, Session: func() *tool.Session { return &tool.Session{} }}
	w, err := natsworker.Offer(connect(t, url), kit, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		w.Drain(ctx)
	})
	return w
}

func join(t testing.TB, url, dir string) *natspool.Pool {
	t.Helper()
	p, err := natspool.Join(connect(t, url), natspool.Options{Pool: poolName, Workspace: workspaceName, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// gatewayKit is a kit of relocated tools.
func gatewayKit(t testing.TB, p *natspool.Pool, o tool.KitOptions, tools ...tool.Tool) *tool.Kit {
	t.Helper()
	var reg tool.Registry
	if err := reg.Add(p.Relocate(tools...)...); err != nil {
		t.Fatal(err)
	}
	o.Wrap = wrap.Standard(wrap.Options{})
	return reg.Kit(o)
}

// A place is a folder with our own tools.
type place struct {
	dir   string
	tools []tool.Tool
}

// open opens the built-in tools and those that know code in a folder.
func open(t testing.TB, dir string) *place {
	t.Helper()
	trees := &tree.Set{}
	environ := []string{"HOME=" + filepath.Join(t.TempDir(), "home"), "PATH=" + os.Getenv("PATH")}
	ws, err := builtin.Open(builtin.Options{
		Dirs:         []string{dir},
		Environ:      environ,
		State:        t.TempDir(),
		Trees:        trees,
		AllowPrivate: []string{"127.0.0.1"},
		History:      builtin.History{On: true},
		Sandbox:      builtin.Sandbox{Level: sandbox.WorkspaceWrite},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	code, err := codetool.Open(codetool.Options{Dir: ws.Dir(), Trees: trees, Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { code.Close() })
	tools := append(builtin.All(ws), codetool.All(code)...)
	return &place{ws.Dir(), append(tools, builtin.Past(ws)...)}
}

func call(t testing.TB, k *tool.Kit, s *tool.Session, name, args string) *tool.Result {
	t.Helper()
	res, err := k.Call(t.Context(), &tool.Call{Name: name, Args: json.RawMessage(args), Session: s})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// wait waits until something is so.
func wait(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// found are the workers that answer. One that has much to do answers late: they are asked until there are so many.
func found(t testing.TB, nc *nats.Conn, n int) (all []wire.Member) {
	t.Helper()
	wait(t, fmt.Sprintf("%d workers answer", n), func() bool {
		var err error
		all, err = natspool.Find(t.Context(), nc, 200*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		return len(all) == n
	})
	return all
}

// A worked tool says what it did into a file, one line each time that it runs.
type workIn struct {
	N    string `json:"n"`
	Take int    `json:"take,omitempty"` // milliseconds
}

func (in workIn) String() string { return "work " + in.N }

// workTools are one tool that changes something, and one that does not.
func workTools(record string) []tool.Tool {
	var mu sync.Mutex
	work := func(ctx context.Context, _ *tool.Call, in workIn) (*tool.Result, error) {
		mu.Lock()
		f, err := os.OpenFile(record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = fmt.Fprintln(f, in.N)
			f.Close()
		}
		mu.Unlock()
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(time.Duration(in.Take) * time.Millisecond):
			return tool.Textf("did %s", in.N), nil
		case <-ctx.Done():
			return tool.Textf("stopped %s", in.N), nil
		}
	}
	return []tool.Tool{
		tool.New(tool.Spec{Name: "work", Kind: tool.Exec, Doc: tool.Doc{Short: "Works."}}, work),
		tool.New(tool.Spec{Name: "look", Kind: tool.Read, Doc: tool.Doc{Short: "Looks."}}, work),
	}
}

// bareSubject is where an idle worker answers what it gets: what a request costs without anything of ours.
const bareSubject = "bare"

// actAsWorker is this program as a worker, until it is killed or asked to drain.
func actAsWorker(url, record string) error {
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		return err
	}
	defer nc.Close()
	var reg tool.Registry
	tools, slots := workTools(record), 16
	if os.Getenv("HELVE_TEST_IDLE") != "" {
		tools = idleTools()
		if _, err := nc.Subscribe(bareSubject, func(m *nats.Msg) { m.Respond(m.Data) }); err != nil {
			return err
		}
	}
	if word := os.Getenv("HELVE_TEST_SLOTS"); word != "" {
		slots, _ = strconv.Atoi(word) // 0, and so the default, if it is no number
	}
	if err := reg.Add(tools...); err != nil {
		return err
	}
	w, err := natsworker.Offer(nc, gatedKit(&reg, allowAll{}), natsworker.Options{
		Pool: poolName, Workspace: workspaceName, Slots: slots, Session: func() *tool.Session { return &tool.Session{} },
	})
	if err != nil {
		return err
	}
	fmt.Println(w.Instance())
	ctx, stop := termed()
	defer stop()
	<-ctx.Done()
	return w.Drain(context.Background())
}

// brokerOptions are those of a server, as far as they travel to a process of its own.
type brokerOptions struct {
	Addr, Name, Cluster string
	Routes              []string
}

// actAsBroker is this program as a server of NATS, until it is killed or whoever started it is gone. It prints where it
// listens, for clients and for the other servers of its cluster.
func actAsBroker(options string) error {
	var o brokerOptions
	if err := json.Unmarshal([]byte(options), &o); err != nil {
		return err
	}
	b, err := broker.Start(broker.Options{Addr: o.Addr, Name: o.Name, Cluster: o.Cluster, Routes: o.Routes})
	if err != nil {
		return err
	}
	defer b.Close()
	cluster := ""
	if o.Cluster != "" {
		cluster = b.ClusterAddr()
	}
	fmt.Println(b.Addr(), cluster)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
