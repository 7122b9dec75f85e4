package app

import (
	"net"
	"sync"
)

// A counted connection gives its slot back when it is closed, once.
type counted struct {
	net.Conn
	once sync.Once
	free func()
}

// Close closes the connection. Servers close one more than once.
func (c *counted) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.free)
	return err
}
