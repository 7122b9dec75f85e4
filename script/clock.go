package script

import (
	"sync"
	"time"
)

// A clock is the time of a script. It stands still while a person is asked.
type clock struct {
	total time.Duration
	gone  chan struct{} // closed when the script is over

	mu    sync.Mutex
	left  time.Duration
	since time.Time // that it runs; zero: it stands still
	asks  int       // questions that are open
	timer *time.Timer
	rang  chan struct{}
	once  sync.Once
}

func newClock(d time.Duration) *clock {
	c := &clock{total: d, left: d, gone: make(chan struct{}), rang: make(chan struct{})}
	c.since = time.Now()
	c.timer = time.AfterFunc(d, c.ring)
	return c
}

// ring ends the time, unless it stands still now.
func (c *clock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asks == 0 && time.Since(c.since) >= c.left {
		c.once.Do(func() { close(c.rang) })
	}
}

// over is closed when the time is over.
func (c *clock) over() <-chan struct{} { return c.rang }

// waiting is told when a call begins and ends to wait for a person.
func (c *clock) waiting(begins bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if begins {
		c.asks++
		if c.asks == 1 {
			c.timer.Stop()
			c.left -= time.Since(c.since)
		}
		return
	}
	c.asks--
	if c.asks == 0 {
		c.since = time.Now()
		c.timer.Reset(max(c.left, 0))
	}
}

// stop ends it: the script is over.
func (c *clock) stop() {
	c.timer.Stop()
	close(c.gone)
}
