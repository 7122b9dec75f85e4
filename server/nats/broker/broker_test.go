package broker_test

import (
	"errors"
	"syscall"
	"testing"

	"helve/server/nats/broker"
)

// A second gateway asks who has the address of the first. It is told at once that somebody has: the server by itself
// would try for ten seconds, and say that it could not.
func TestAnAddressThatIsTakenIsToldAtOnce(t *testing.T) {
	first, err := broker.Start(broker.Options{Addr: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := broker.Start(broker.Options{Addr: first.Addr(), Keep: t.TempDir()})
	if err == nil {
		second.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a second server at %s: %v, want that the address is in use", first.Addr(), err)
	}
}
