package natsbus_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	natsworker "helve/server/nats"
	"helve/server/nats/broker"
	natspool "helve/source/nats"
	"helve/tool"
)

// anything is the policy of a program whose every caller may do all that it offers.
type anything struct{}

func (anything) Lists(*tool.Spec) tool.Verdict { return tool.Verdict{Decision: tool.Allow} }
func (anything) Judge(*tool.Job) tool.Verdict  { return tool.Verdict{Decision: tool.Allow} }

// A gateway lists a tool that only the workers have.
func ExamplePool_Tools() {
	bus, err := broker.Start(broker.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		log.Fatal(err)
	}
	defer bus.Close()
	nc, err := nats.Connect(bus.URL())
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()

	var there tool.Registry
	gate := natsworker.Gate{}
	if err := there.Add(add()); err != nil {
		log.Fatal(err)
	}
	kit := there.Kit(tool.KitOptions{Ask: gate.Ask, Wrap: []func(tool.Runner) tool.Runner{gate.Wrap}})
	session := func() *tool.Session { return &tool.Session{} }
	worker, err := natsworker.Offer(nc, kit, natsworker.Options{Pool: "sums", Workspace: "none", Session: session})
	if err != nil {
		log.Fatal(err)
	}
	defer worker.Drain(context.Background())

	pool, err := natspool.Join(nc, natspool.Options{Pool: "sums", Workspace: "none", OwnTools: true})
	if err != nil {
		log.Fatal(err)
	}
	var here tool.Registry
	defer here.Close() // and the pool with it
	if err := here.Attach(context.Background(), pool); err != nil {
		log.Fatal(err)
	}
	open := here.Kit(tool.KitOptions{Policy: anything{}})
	for _, s := range open.View().Specs() {
		fmt.Println(open.View().Name(s), "from", s.Origin.Source())
	}
	c := &tool.Call{Name: "pool__sums__add", Args: []byte(`{"a":2,"b":3}`)}
	res, err := open.Call(context.Background(), c)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	// Output:
	// pool__sums__add from pool:sums
	// 5
}
