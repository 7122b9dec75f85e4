package shared_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nats-io/nats.go"

	"helve/server/nats/broker"
	"helve/source/nats/shared"
)

// What one replica keeps another finds.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	b, err := broker.Start(broker.Options{Addr: "127.0.0.1:0", Keep: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	var replicas [2]*shared.Shared
	for i := range replicas {
		nc, err := nats.Connect(b.URL())
		if err != nil {
			log.Fatal(err)
		}
		defer nc.Close()
		replicas[i], err = shared.Open(context.Background(), nc, nil)
		if err != nil {
			log.Fatal(err)
		}
	}
	add := func(old []byte) ([]byte, error) { return append(old, "approved;"...), nil }
	for _, r := range replicas {
		if err := r.Update("approvals", add); err != nil {
			log.Fatal(err)
		}
	}
	kept, err := replicas[0].Read("approvals")
	fmt.Println(string(kept), err)
	// Output: approved;approved; <nil>
}
