package natsbus_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
)

// A worker that has much to do may take a while to say that it is there: the first listing waits for it.
func TestTheFirstListingWaitsForAWorkerThatAnswersLate(t *testing.T) {
	b := startBroker(t)
	nc := connect(t, b.URL())
	deploy := says("deploy", "Deploys.", "")
	s := *deploy.Spec()
	s.Input = nil
	defs := wire.Definitions{s.Origin.String(): string(deploy.Spec().Digest())}
	own := wire.Tools{Tools: []wire.Offered{{
		Origin: s.Origin.String(), Spec: wire.Encode(s), Input: string(deploy.Spec().Input.JSON()),
	}}}
	told := wire.Member{Instance: wire.NewID(), Pool: poolName, Workspace: workspaceName, Slots: 1, Set: defs.Set()}
	for subject, answer := range map[string]func(*nats.Msg){
		wire.Who: func(m *nats.Msg) {
			time.Sleep(700 * time.Millisecond)
			m.Respond(wire.Encode(told))
		},
		wire.Worker(told.Instance, wire.VerbSpecs): func(m *nats.Msg) { m.Respond(wire.Encode(defs)) },
		wire.Worker(told.Instance, wire.VerbTools): func(m *nats.Msg) { m.Respond(wire.Frame(wire.ReplyOK, wire.Encode(own))) },
	} {
		if _, err := nc.Subscribe(subject, answer); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if ownNamed(t, joinOwn(t, b.URL(), false))["deploy"] == nil {
		t.Error("it is not listed")
	}
}
