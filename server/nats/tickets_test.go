package natsbus_test

import (
	"context"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"helve/internal/wire"
	natsworker "helve/server/nats"
	natspool "helve/source/nats"
	"helve/tool"
)

func signer(t *testing.T) *natspool.Signer {
	t.Helper()
	seed, err := user(t).Seed()
	if err != nil {
		t.Fatal(err)
	}
	s, err := natspool.NewSigner(seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ticketed are workers that take only what a gateway signed.
func ticketed(t *testing.T, url string, kit *tool.Kit, o natsworker.Options) *natsworker.Worker {
	t.Helper()
	o.Pool, o.Workspace, o.Slots = poolName, workspaceName, 2
	o.Session = func() *tool.Session { return &tool.Session{} }
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

func joinSigned(t *testing.T, url string, s *natspool.Signer) *natspool.Pool {
	t.Helper()
	p, err := natspool.Join(connect(t, url), natspool.Options{Pool: poolName, Workspace: workspaceName, Signer: s})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// lines are how often something was done.
func lines(t *testing.T, record string) int {
	t.Helper()
	b, err := os.ReadFile(record)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Count(string(b), "\n")
}

// All that built-in tools do passes where calls are signed: what is judged, shown, asked about and run again.
func TestSignedCallsOfBuiltInToolsRun(t *testing.T) {
	b, key := startBroker(t), signer(t)
	there := open(t, t.TempDir())
	w := ticketed(t, b.URL(), workerKit(t, asks{}, there.tools...), natsworker.Options{Gateways: []string{key.Public()}})
	var shown int
	ask := func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		if q.Preview != nil {
			shown++
		}
		return tool.Answer{Yes: true}, nil
	}
	kit := gatewayKit(t, joinSigned(t, b.URL(), key), tool.KitOptions{Policy: asks{}, Ask: ask}, there.tools...)
	s := &tool.Session{ID: "one", Principal: "me"}
	for _, c := range []struct{ name, args string }{
		{"write", `{"file_path":"a.txt","contents":"one\n"}`},
		{"edit", `{"file_path":"a.txt","old_string":"one","new_string":"two"}`},
		{"read", `{"file_path":"a.txt"}`},
		{"bash", `{"command":"cat a.txt > b.txt; echo done"}`},
		{"grep", `{"pattern":"two"}`},
		{"todo_write", `{"todos":[{"id":"1","content":"x"}]}`},
		{"undo", `{}`},
	} {
		if res := call(t, kit, s, c.name, c.args); res.Err != nil {
			t.Errorf("%s: %v", c.name, res.Err)
		}
	}
	if shown < 2 {
		t.Errorf("%d previews were shown", shown)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if all := found(t, connect(t, b.URL()), 1); all[0].Sessions != 0 {
		t.Errorf("after the conversation: %+v", all)
	}
	if err := natspool.Drain(t.Context(), connect(t, b.URL()), w.Instance(), key); err != nil {
		t.Error(err)
	}
	<-w.AskedToDrain()
}

// Whoever has all rights on the bus hears all that is said, and can say all of it again, to whom and as often as they
// like. No worker does anything for them.
func TestAForgerWithAllRightsOnTheBusHasNothingRun(t *testing.T) {
	b, key := startBroker(t), signer(t)
	record := filepath.Join(t.TempDir(), "record")
	kit := func() *tool.Kit { return workerKit(t, allowAll{}, workTools(record)...) }
	victim := ticketed(t, b.URL(), kit(), natsworker.Options{Gateways: []string{key.Public()}})
	gateway := gatewayKit(t, joinSigned(t, b.URL(), key), tool.KitOptions{Policy: allowAll{}}, workTools(record)...)

	forger := connect(t, b.URL())
	var mu sync.Mutex
	var heard []*nats.Msg
	tap, err := forger.Subscribe("helve.v1.w.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, m)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := forger.Flush(); err != nil {
		t.Fatal(err)
	}
	if res := call(t, gateway, &tool.Session{ID: "one"}, "work", `{"n":"real"}`); res.Err != nil {
		t.Fatal(res.Err)
	}
	wait(t, "the forger heard the call", func() bool {
		mu.Lock()
		defer mu.Unlock()
		verbs := ""
		for _, m := range heard {
			verbs += wire.VerbOf(m.Subject) + " "
		}
		return strings.Contains(verbs, "prepare") && strings.Contains(verbs, "run") && strings.Contains(verbs, "go")
	})
	if err := tap.Unsubscribe(); err != nil {
		t.Fatal(err)
	}
	other := ticketed(t, b.URL(), kit(), natsworker.Options{Gateways: []string{key.Public()}})

	// sent tells what the worker answers within a time; "" is nothing.
	sent := func(m *nats.Msg, within time.Duration) string {
		t.Helper()
		answer, err := forger.RequestMsg(m, within)
		if err != nil {
			return ""
		}
		return string(answer.Data)
	}
	unanswered := func(m *nats.Msg) string { t.Helper(); return sent(m, 300*time.Millisecond) }
	answered := func(m *nats.Msg) string { t.Helper(); return sent(m, 20*time.Second) }
	to := func(w *natsworker.Worker, m *nats.Msg) *nats.Msg {
		return &nats.Msg{Subject: wire.Worker(w.Instance(), wire.VerbOf(m.Subject)), Header: m.Header, Data: m.Data}
	}
	stranger := signer(t)
	strange := gatewayKit(t, joinSigned(t, b.URL(), stranger), tool.KitOptions{Policy: allowAll{}}, workTools(record)...)
	plain := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, workTools(record)...)
	wantError(t, call(t, strange, nil, "work", `{"n":"strange"}`), tool.Permission, "does not know the gateway's key")
	wantError(t, call(t, plain, nil, "work", `{"n":"plain"}`), tool.Permission, "there is no ticket")
	mu.Lock()
	all := slices.Clone(heard)
	mu.Unlock()
	for _, m := range all {
		verb := wire.VerbOf(m.Subject)
		if verb == wire.VerbPing || verb == wire.VerbSpecs {
			continue
		}
		if got := unanswered(to(victim, m)); got != "" {
			t.Errorf("%s once more: %q", verb, got)
		}
		if verb != wire.VerbRun && verb != wire.VerbPrepare {
			unanswered(to(other, m))
			continue
		}
		for name, forged := range map[string]*nats.Msg{
			"for another worker": to(other, m),
			"for other work":     {Data: []byte(strings.Replace(string(m.Data), `"n":"real"`, `"n":"evil"`, 1)), Header: m.Header},
			"without a ticket":   {Data: m.Data},
			"with rubbish":       {Data: m.Data, Header: nats.Header{wire.TicketHeader: {"rubbish"}}},
		} {
			if forged.Subject == "" {
				forged.Subject = wire.Worker(victim.Instance(), verb)
			}
			if got := answered(forged); !strings.Contains(got, `"permission_error"`) {
				t.Errorf("%s %s: %q", verb, name, got)
			}
		}
		asOther := &nats.Msg{Subject: wire.Worker(victim.Instance(), wire.VerbPreview), Data: m.Data, Header: m.Header}
		if got := answered(asOther); !strings.Contains(got, "for something else") {
			t.Errorf("%s as a preview: %q", verb, got)
		}
	}
	if err := natspool.Drain(t.Context(), forger, victim.Instance(), stranger); err == nil ||
		!strings.Contains(err.Error(), "does not know the gateway's key") {
		t.Errorf("a stranger has it end: %v", err)
	}
	if n := lines(t, record); n != 1 {
		t.Errorf("the work was done %d times, want once", n)
	}
	if res := call(t, gateway, nil, "work", `{"n":"after"}`); res.Err != nil {
		t.Error(res.Err)
	}
}

// The clocks of gateway and worker may differ a little. Where it is more, nothing runs, and the error says so.
func TestAClockThatIsWrongIsToldOf(t *testing.T) {
	for name, c := range map[string]struct {
		ahead time.Duration // of the worker's clock
		want  string        // "": it runs
	}{
		"a little": {20 * time.Second, ""},
		// How many seconds it is depends on how long the ticket was on its way.
		"hours":  {-3*time.Hour - 30*time.Second, "the ticket will be made in 3h0m"},
		"a day":  {24 * time.Hour, "the ticket was made 24h0m"},
		"a year": {-365*24*time.Hour - 30*time.Second, "the ticket will be made in 8760h0m"},
	} {
		t.Run(name, func(t *testing.T) {
			b, key := startBroker(t), signer(t)
			record := filepath.Join(t.TempDir(), "record")
			ticketed(t, b.URL(), workerKit(t, allowAll{}, workTools(record)...), natsworker.Options{
				Gateways: []string{key.Public()},
				Now:      func() time.Time { return time.Now().Add(c.ahead) },
			})
			kit := gatewayKit(t, joinSigned(t, b.URL(), key), tool.KitOptions{Policy: allowAll{}}, workTools(record)...)
			res := call(t, kit, nil, "work", `{"n":"1"}`)
			if c.want == "" && res.Err != nil || c.want != "" && lines(t, record) > 0 {
				t.Errorf("%v, %d times", res.Err, lines(t, record))
			}
			if c.want != "" {
				wantError(t, res, tool.Permission, c.want)
				wantError(t, res, tool.Permission, "by the worker's clock")
			}
		})
	}
}

// A clock that is set back, here and at the gateway, makes no ticket count again that was used.
func TestATicketThatWasUsedDoesNotCountAgainWhenClocksAreSetBack(t *testing.T) {
	b := startBroker(t)
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := nkeys.Encode(nkeys.PrefixByteUser, public)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var ahead atomic.Int64
	clock := func() time.Time { return start.Add(time.Duration(ahead.Load())) }
	w := ticketed(t, b.URL(), workerKit(t, allowAll{}), natsworker.Options{Gateways: []string{string(raw)}, Now: clock})
	nc := connect(t, b.URL())
	body := wire.Encode(wire.Session{Key: "s", Gateway: "g"})
	made := func() wire.Ticket {
		return wire.NewTicket(private, string(raw), w.Instance(), wire.VerbClose, body, clock())
	}
	says := func(ticket wire.Ticket) string {
		t.Helper()
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		m := &nats.Msg{Subject: wire.Worker(w.Instance(), wire.VerbClose), Data: body,
			Header: nats.Header{wire.TicketHeader: {ticket.String()}}}
		answer, err := nc.RequestMsgWithContext(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer.Data)
	}
	first := made()
	for range 4 { // each an hour after the one before
		ticket := made()
		if ahead.Load() == 0 {
			ticket = first
		}
		if got := says(ticket); got != "{}" {
			t.Fatalf("%v ahead: %s", time.Duration(ahead.Load()), got)
		}
		ahead.Add(int64(time.Hour))
	}
	ahead.Store(0)
	for name, ticket := range map[string]wire.Ticket{"used before": first, "new": made()} {
		if got := says(ticket); !strings.Contains(got, "clocks were set back") || !strings.Contains(got, "Restart the worker") {
			t.Errorf("a ticket %s: %s", name, got)
		}
	}
}

func TestAKeyThatIsNoneIsRefused(t *testing.T) {
	seed, err := user(t).Seed()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", "UABC", string(seed)} {
		_, err := natsworker.Offer(connect(t, startBroker(t).URL()), workerKit(t, allowAll{}), natsworker.Options{
			Pool: poolName, Workspace: workspaceName, Session: func() *tool.Session { return nil }, Gateways: []string{key},
		})
		if err == nil || !strings.Contains(err.Error(), "is no public key of NATS") || key != "" && strings.Contains(err.Error(), key) {
			t.Errorf("%.4q: %v", key, err)
		}
	}
	if _, err := natspool.NewSigner([]byte("no seed")); err == nil {
		t.Error("a seed that is none signs")
	}
}
