//go:build unix

package natsbus_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	natsworker "helve/server/nats"
	natspool "helve/source/nats"
	"helve/tool"
)

// One server of a cluster after the other is ended and started again while calls run, that of the gateway, too.
func TestNoCallRunsTwiceWhenServersOfAClusterAreKilled(t *testing.T) {
	c := startCluster(t)
	record := filepath.Join(t.TempDir(), "record")
	tools := workTools(record)
	for i := range c.servers {
		w, err := natsworker.Offer(c.dial(i), workerKit(t, allowAll{}, tools...), natsworker.Options{
			Pool: poolName, Workspace: workspaceName, Slots: 16, Session: func() *tool.Session { return &tool.Session{} }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, stop := context.WithTimeout(context.Background(), time.Second)
			defer stop()
			w.Drain(ctx)
		})
	}
	p, err := natspool.Join(c.dial(0), natspool.Options{Pool: poolName, Workspace: workspaceName})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	tr := &trouble{t: t, record: record, results: map[string]*tool.Result{},
		kit: gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, tools...)}
	for i := range rounds(t, 6) {
		began := time.Now()
		tr.calls("work", fmt.Sprintf("round%d", i), 24, 400, func() {
			time.Sleep(time.Duration(i%4) * 50 * time.Millisecond)
			c.restart(i % 3)
		})
		c.whole()
		time.Sleep(time.Until(began.Add(time.Second)))
	}
	tr.noneTwice()
}
