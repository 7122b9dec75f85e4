package serve

import (
	"net"
	"testing"
)

// A stop does not wait for a connection over which no request ever came.
func TestASilentConnectionKeepsNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	g := newGate(l)
	served, err := g.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	g.closeSilent()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is open")
	}
}
