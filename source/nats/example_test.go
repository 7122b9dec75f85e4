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

func add() tool.Tool {
	type in struct {
		A int `json:"a"`
		B int `json:"b"`
	}
	spec := tool.Spec{Name: "add", Kind: tool.Read, Doc: tool.Doc{Short: "Adds two numbers."}}
	return tool.New(spec, func(_ context.Context, _ *tool.Call, i in) (*tool.Result, error) {
		return tool.Textf("%d", i.A+i.B), nil
	})
}

// A worker and a gateway, here in one program.
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

	pool, err := natspool.Join(nc, natspool.Options{Pool: "sums", Workspace: "none"})
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	var here tool.Registry
	if err := here.Add(pool.Relocate(add())...); err != nil {
		log.Fatal(err)
	}
	c := &tool.Call{Name: "add", Args: []byte(`{"a":2,"b":3}`)}
	res, err := here.Kit(tool.KitOptions{}).Call(context.Background(), c)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Text())
	// Output: 5
}
