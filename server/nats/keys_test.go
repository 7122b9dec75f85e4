package natsbus_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"helve/internal/wire"
	natsworker "helve/server/nats"
	natspool "helve/source/nats"
	"helve/source/nats/shared"
	"helve/tool"
)

// A keyed is a server with the configuration that docs/scaleout.md shows, which knows these programs.
type keyed struct {
	t      *testing.T
	url    string
	roots  *x509.CertPool
	record string

	mu      sync.Mutex
	refused []string // what the server told of what may not be done
}

func user(t *testing.T) nkeys.KeyPair {
	t.Helper()
	k, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func public(t *testing.T, k nkeys.KeyPair) string {
	t.Helper()
	p, err := k.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// startKeyed starts a server with the documented configuration. Of the documented users there may be several.
func startKeyed(t *testing.T, gateways, workers []nkeys.KeyPair, exclusive ...nkeys.KeyPair) *keyed {
	t.Helper()
	conf := documented(t, "# nats.conf")
	users := map[string][]nkeys.KeyPair{"UAGATEWAY…": gateways, "UAWORKER…": workers, "UAEXCLUSIVE…": exclusive}
	head, rest, ok := strings.Cut(conf, "users = [")
	list, tail, ok2 := strings.Cut(rest, "\n] }")
	if !ok || !ok2 {
		t.Fatalf("the documented configuration has no users:\n%s", conf)
	}
	var all strings.Builder
	for _, entry := range strings.SplitAfter(list, "} }\n") {
		for name, keys := range users {
			if !strings.Contains(entry+"\n", name) {
				continue
			}
			for _, k := range keys {
				all.WriteString(strings.ReplaceAll(entry, name, public(t, k)) + "\n")
			}
		}
	}
	return startConfigured(t, head+"users = ["+all.String()+"\n] }"+tail)
}

// documented is a block of docs/scaleout.md, by its first line.
func documented(t *testing.T, first string) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/scaleout.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(b), first+"\n")
	if !ok {
		t.Fatalf("docs/scaleout.md has no %q", first)
	}
	block, _, _ := strings.Cut(rest, "```")
	return block
}

// startConfigured starts a server with a configuration, on a port and in folders of the test.
func startConfigured(t *testing.T, conf string) *keyed {
	t.Helper()
	dir := t.TempDir()
	cert, roots := certificate(t)
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert.Certificate[0]},
		"key.pem":  {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slashed := filepath.ToSlash(dir)
	conf = strings.NewReplacer("port: 4222", `listen: "127.0.0.1:-1"`, "/etc/nats", slashed, "/var/lib/nats", slashed).Replace(conf)
	file := filepath.Join(dir, "nats.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, conf)
	}
	o.NoLog, o.NoSigs = true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not listen")
	}
	return &keyed{t: t, url: "tls://" + s.Addr().String(), roots: roots, record: filepath.Join(dir, "record")}
}

// dial connects as a program does that has a key.
func (s *keyed) dial(k nkeys.KeyPair) *nats.Conn {
	s.t.Helper()
	nc, err := s.try(k)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	return nc
}

func (s *keyed) try(k nkeys.KeyPair) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Secure(&tls.Config{RootCAs: s.roots}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.refused = append(s.refused, err.Error())
		}),
	}
	if k != nil {
		p := public(s.t, k)
		options = append(options, nats.Nkey(p, k.Sign), nats.CustomInboxPrefix("_INBOX."+p))
	}
	return nats.Connect(s.url, options...)
}

// violations are what the server refused since they were asked for last.
func (s *keyed) violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.refused
	s.refused = nil
	return out
}

func (s *keyed) offer(k nkeys.KeyPair, o natsworker.Options) *natsworker.Worker {
	s.t.Helper()
	o.Pool, o.Workspace, o.Key = poolName, workspaceName, public(s.t, k)
	o.Session = func() *tool.Session { return &tool.Session{} }
	w, err := natsworker.Offer(s.dial(k), workerKit(s.t, allowAll{}, workTools(s.record)...), o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { w.Drain(context.Background()) })
	return w
}

func (s *keyed) join(k nkeys.KeyPair) *tool.Kit {
	s.t.Helper()
	p, err := natspool.Join(s.dial(k), natspool.Options{Pool: poolName, Workspace: workspaceName})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { p.Close() })
	return gatewayKit(s.t, p, tool.KitOptions{Policy: allowAll{}}, workTools(s.record)...)
}

// With the documented rights everything works that has to, and the server refuses nothing of it.
func TestTheDocumentedRightsOfKeysAreEnough(t *testing.T) {
	gateway, second, worker := user(t), user(t), user(t)
	s := startKeyed(t, []nkeys.KeyPair{gateway, second}, []nkeys.KeyPair{worker})
	w := s.offer(worker, natsworker.Options{})
	kit := s.join(gateway)
	for _, name := range []string{"work", "look"} {
		for n := range 3 {
			if res := call(t, kit, &tool.Session{ID: "one"}, name, fmt.Sprintf(`{"n":"%s%d"}`, name, n)); res.Err != nil {
				t.Errorf("%s: %v", name, res.Err)
			}
		}
	}
	nc := s.dial(second)
	if all := found(t, nc, 1); all[0].Instance != w.Instance() {
		t.Errorf("found: %v", all)
	}

	// What replicas share.
	one, err := shared.Open(t.Context(), nc, nil)
	if err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 1<<20)
	c := one.Conversation("c1")
	if _, err := c.Put("spill-1", strings.NewReader(large)); err != nil {
		t.Error(err)
	}
	if b, err := c.Get("spill-1"); err != nil || b.Size() != int64(len(large)) {
		t.Errorf("a large blob: %v", err)
	} else {
		b.Close()
	}
	if err := one.Update("grants", func([]byte) ([]byte, error) { return []byte("x"), nil }); err != nil {
		t.Error(err)
	}
	if err := shared.PutPolicy(t.Context(), nc, []byte(`{}`)); err != nil {
		t.Error(err)
	}
	r := shared.Join(s.dial(gateway))
	defer r.Close()
	if err := r.Serve(func(context.Context, []byte, func([]byte)) []byte { return []byte("yes") }); err != nil {
		t.Fatal(err)
	}
	other := shared.Join(nc)
	defer other.Close()
	if got, err := other.Forward(t.Context(), r.Name(), nil, func([]byte) {}); err != nil || string(got) != "yes" {
		t.Errorf("by way of another replica: %q, %v", got, err)
	}

	if err := natspool.Drain(t.Context(), nc, w.Instance(), nil); err != nil {
		t.Error(err)
	}
	if bad := s.violations(); len(bad) > 0 {
		t.Errorf("the server refused %q", bad)
	}
}

// Who has no key, or one that the server does not know, gets no connection.
func TestNobodyComesInWithoutAKeyThatTheServerKnows(t *testing.T) {
	gateway, worker := user(t), user(t)
	s := startKeyed(t, []nkeys.KeyPair{gateway}, []nkeys.KeyPair{worker})
	for name, k := range map[string]nkeys.KeyPair{"no key": nil, "an unknown one": user(t)} {
		if nc, err := s.try(k); err == nil {
			nc.Close()
			t.Errorf("%s: it comes in", name)
		}
	}
}

// A worker's key cannot command other workers, hear what they are told, or read what gateways are answered.
func TestAWorkersKeyReachesNoOtherWorker(t *testing.T) {
	gateway, good, bad := user(t), user(t), user(t)
	s := startKeyed(t, []nkeys.KeyPair{gateway}, []nkeys.KeyPair{good, bad})
	w := s.offer(good, natsworker.Options{})
	kit := s.join(gateway)
	call(t, kit, nil, "work", `{"n":"before"}`)
	nc := s.dial(bad)
	s.violations()
	for _, subject := range []string{
		wire.Worker(w.Instance(), ">"), wire.Worker("*", ">"), wire.Worker("*.*", ">"), wire.Worker(">", "")[:len("helve.v1.w.>")],
		"helve.v1.>", wire.Gateway("*", ">"), wire.Replica("*", ">"), "_INBOX.>", "_INBOX." + public(t, gateway) + ".>", ">",
		"$KV.helve_shared.>",
	} {
		sub, err := nc.SubscribeSync(subject)
		if err != nil {
			t.Fatalf("%s: %v", subject, err)
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		wait(t, "a violation by listening to "+subject, func() bool { return len(s.violations()) > 0 })
		call(t, kit, nil, "work", `{"n":"heard"}`)
		if n, _, _ := sub.Pending(); n > 0 {
			t.Errorf("it hears %d messages at %s", n, subject)
		}
	}
	for _, subject := range []string{
		wire.Worker(w.Instance(), wire.VerbDrain), wire.Worker(w.Instance(), wire.VerbRun), wire.Who,
		wire.Replica("one", wire.VerbRun), "$JS.API.INFO", "$KV.helve_shared.grants=json",
	} {
		if err := nc.PublishRequest(subject, nc.NewInbox(), []byte("{}")); err != nil {
			t.Fatal(err)
		}
		wait(t, "a violation by speaking to "+subject, func() bool { return len(s.violations()) > 0 })
	}
	select {
	case <-w.AskedToDrain():
		t.Error("another worker has it end")
	default:
	}
}

// Two tenants are two accounts: the same subjects are others.
func TestTenantsOfOneServerDoNotReachEachOther(t *testing.T) {
	mine, myWorker, theirs, theirWorker := user(t), user(t), user(t), user(t)
	account := func(name string, keys ...nkeys.KeyPair) string {
		var users []string
		for _, k := range keys {
			users = append(users, "{ nkey: "+public(t, k)+" }")
		}
		return name + ": { users: [" + strings.Join(users, ", ") + "] }\n"
	}
	s := startConfigured(t, `port: 4222
tls { cert_file: "/etc/nats/cert.pem", key_file: "/etc/nats/key.pem" }
accounts: {
`+account("ONE", mine, myWorker)+account("OTHER", theirs, theirWorker)+`}
`)
	w := s.offer(myWorker, natsworker.Options{})
	found(t, s.dial(mine), 1) // its own
	nc := s.dial(theirs)
	if found, err := natspool.Find(t.Context(), nc, time.Second); err != nil || len(found) != 0 {
		t.Errorf("another tenant finds %v, %v", found, err)
	}
	if err := natspool.Drain(t.Context(), nc, w.Instance(), nil); err == nil {
		t.Error("another tenant has it end")
	}
	if res := call(t, s.join(mine), nil, "work", `{"n":"1"}`); res.Err != nil {
		t.Error(res.Err)
	}
}
