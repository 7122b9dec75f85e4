package natsbus_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	natsworker "helve/server/nats"
	"helve/source/nats/shared"
)

// A worker that claims its workspace has the rights for that, and one that does not has none of the claims.
func TestTheDocumentedRightsOfAKeyThatClaimsAreEnough(t *testing.T) {
	gateway, worker, first, second := user(t), user(t), user(t), user(t)
	s := startKeyed(t, []nkeys.KeyPair{gateway}, []nkeys.KeyPair{worker}, first, second)
	o := shared.ClaimOptions{Pool: poolName, Workspace: workspaceName, Time: 2 * time.Second}
	claim, err := shared.Claim(t.Context(), s.dial(first), o)
	if err != nil {
		t.Fatalf("%v; the server refused %q", err, s.violations())
	}
	s.offer(first, natsworker.Options{Holds: claim.Holds})
	if res := call(t, s.join(gateway), nil, "work", `{"n":"1"}`); res.Err != nil {
		t.Error(res.Err)
	}
	waits := make(chan bool, 1)
	o.Say = func(string, ...any) { waits <- true }
	nc := s.dial(second)
	got := make(chan error, 1)
	go func() {
		next, err := shared.Claim(t.Context(), nc, o)
		if err == nil {
			err = next.Close()
		}
		got <- err
	}()
	<-waits
	if err := claim.Close(); err != nil {
		t.Error(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
	if bad := s.violations(); len(bad) > 0 {
		t.Errorf("the server refused %q", bad)
	}
	plain := s.dial(worker)
	for _, subject := range []string{"$JS.API.STREAM.INFO.KV_helve_places", "$KV.helve_places.ws.x"} {
		if err := plain.PublishRequest(subject, plain.NewInbox(), nil); err != nil {
			t.Fatal(err)
		}
		wait(t, "a violation by speaking to "+subject, func() bool { return len(s.violations()) > 0 })
	}
}

// A worker that follows the policy of the bus can read it with the rights that are shown for that, and not change it.
func TestTheDocumentedRightsToFollowThePolicyAreEnough(t *testing.T) {
	b, err := os.ReadFile("../../docs/scaleout.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rights, ok := strings.Cut(string(b), "\n```nats\npublish: [")
	rights, _, _ = strings.Cut(rights, "\n```")
	gateway, worker := user(t), user(t)
	conf := `port: 4222
max_payload: 8MB
jetstream { store_dir: "/var/lib/nats" }
tls { cert_file: "/etc/nats/cert.pem", key_file: "/etc/nats/key.pem" }
authorization { users = [ { nkey: GATEWAY }, { nkey: WORKER, permissions: { publish: [RIGHTS, subscribe: ["_INBOX.WORKER.>"] } } ] }
`
	if !ok {
		t.Fatal("the documentation shows no rights")
	}
	s := startConfigured(t, strings.NewReplacer("GATEWAY", public(t, gateway), "WORKER", public(t, worker), "RIGHTS", rights).Replace(conf))
	if err := shared.PutPolicy(t.Context(), s.dial(gateway), []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	nc := s.dial(worker)
	changed := make(chan struct{}, 1)
	p, err := shared.FollowPolicy(t.Context(), nc, shared.PolicyOptions{Changed: func() { changed <- struct{}{} }})
	if err != nil {
		t.Fatalf("%v; the server refused %q", err, s.violations())
	}
	if err := shared.PutPolicy(t.Context(), s.dial(gateway), []byte(`{"mode":"ask"}`)); err != nil {
		t.Fatal(err)
	}
	<-changed
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if bad := s.violations(); len(bad) > 0 {
		t.Errorf("the server refused %q", bad)
	}
	short, stop := context.WithTimeout(t.Context(), time.Second) // the server does not answer what it refuses
	defer stop()
	if err := shared.PutPolicy(short, nc, []byte(`{}`)); err == nil {
		t.Error("it changes the policy")
	}
}
