package server_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"helve/server"
	"helve/tool"
)

// A meeting is over when all have come.
type meeting struct {
	here  sync.WaitGroup
	mu    sync.Mutex
	alone int // who waited for the others in vain
}

// A closer is what a session holds whose closing waits for that of the others.
type closer struct{ *meeting }

// inVain is far above what the others take to come, and ends a test that fails.
const inVain = time.Minute

func (c *closer) Close() error {
	c.here.Done()
	all := make(chan struct{})
	go func() {
		c.here.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-time.After(inVain):
		c.mu.Lock()
		defer c.mu.Unlock()
		c.alone++
	}
	return nil
}

// Conversations are closed side by side: one whose tools take their time keeps no other.
func TestConversationsAreClosedSideBySide(t *testing.T) {
	const clients = 4
	m := &meeting{}
	m.here.Add(clients)
	reg := registry(t, say("echo", tool.Read))
	plain := opener(reg, tool.KitOptions{})
	srv := server.New(func(ctx context.Context, c server.Client) (*tool.Kit, *tool.Session, error) {
		k, s, err := plain(ctx, c)
		tool.Of(s, func() *closer { return &closer{m} })
		return k, s, err
	}, server.Options{})
	for range clients {
		w := dial(t, srv)
		w.initialize(`{}`)
		w.say(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`)
		w.hear()
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
	if m.alone > 0 {
		t.Errorf("%d of %d were closed one after the other", m.alone, clients)
	}
}
