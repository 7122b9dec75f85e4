package natsbus_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	natsworker "helve/server/nats"
	"helve/server/nats/broker"
	"helve/tool"
)

// A worker's kit has a gate in it: what no gateway judged does not run.
func Example() {
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

	spec := tool.Spec{Name: "greet", Kind: tool.Read, Doc: tool.Doc{Short: "Greets."}}
	greet := tool.New(spec, func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return tool.Textf("hello"), nil })
	var reg tool.Registry
	if err := reg.Add(greet); err != nil {
		log.Fatal(err)
	}
	gate := natsworker.Gate{}
	kit := reg.Kit(tool.KitOptions{Ask: gate.Ask, Wrap: []func(tool.Runner) tool.Runner{gate.Wrap}})
	session := func() *tool.Session { return &tool.Session{} }
	w, err := natsworker.Offer(nc, kit, natsworker.Options{Pool: "greetings", Workspace: "none", Session: session})
	if err != nil {
		log.Fatal(err)
	}
	res, err := kit.Call(context.Background(), &tool.Call{Name: "greet"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	fmt.Println(w.Drain(context.Background()))
	// Output:
	// Error: greet: a worker runs only what a gateway judged.
	// <nil>
}
