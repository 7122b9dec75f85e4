package loopback_test

import (
	"net"
	"testing"

	"helve/internal/testing/loopback"
)

func TestAProgramListensAgainWhereItDid(t *testing.T) {
	addr := loopback.Addr()
	for range 3 {
		l, err := loopback.Again(func() (net.Listener, error) { return net.Listen("tcp", addr) })
		if err != nil {
			t.Fatal(err)
		}
		addr = l.Addr().String()
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		l.Close()
	}
}
