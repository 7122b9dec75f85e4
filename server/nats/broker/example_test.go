package broker_test

import (
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	"helve/server/nats/broker"
)

// Only who knows the token comes in.
func Example() {
	b, err := broker.Start(broker.Options{Addr: "127.0.0.1:0", Token: "a word of your own"})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	if _, err := nats.Connect(b.URL()); err != nil {
		fmt.Println("without it: refused")
	}
	nc, err := nats.Connect(b.URL(), nats.Token("a word of your own"))
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	fmt.Println("with it:", nc.Status())
	// Output:
	// without it: refused
	// with it: CONNECTED
}
