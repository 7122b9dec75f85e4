package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/rogpeppe/go-internal/testscript"

	"helve/cmd/internal/replicatest"
	"helve/internal/testing/loopback"
	"helve/internal/wire"
	"helve/server/nats/broker"
	natspool "helve/source/nats"
)

// busCommands are the commands of scripts about the bus.
var busCommands = map[string]func(*testscript.TestScript, bool, []string){
	"appears":  appears,
	"broker":   startBroker,
	"freeport": freePort,
	"listens":  listens,
	"workers":  awaitWorkers,
	"differ":   awaitDiffering,
	"drain":    drainAll,
	"says":     awaitText,
	"stranger": stranger,
	"replicas": replicatest.Start[*testscript.TestScript],
}

// brokerKey is where a script's lastBroker is.
type brokerKey struct{}

// A lastBroker is the server of NATS that a script started last.
type lastBroker struct {
	*broker.Broker
	options broker.Options
	workers int // that were awaited last
}

// startBroker [keep|again|anew] starts a server of NATS, one that keeps what replicas share, and has the user's
// configuration name it. The last one ends and is there again, with what it kept or without.
func startBroker(ts *testscript.TestScript, _ bool, args []string) {
	last := ts.Value(brokerKey{}).(*lastBroker)
	switch how := strings.Join(args, " "); how {
	case "", "keep":
		last.options = broker.Options{Addr: loopback.Addr()}
		if how == "keep" {
			last.options.Keep = ts.Getenv("WORK") + ".broker"
		}
	case "again", "anew":
		last.options.Addr = last.Addr()
		ts.Check(last.Close())
		if how == "anew" {
			last.options.Keep += ".anew"
		}
	default:
		ts.Fatalf("usage: broker [keep|again|anew]")
	}
	b, err := loopback.Again(func() (*broker.Broker, error) { return broker.Start(last.options) })
	ts.Check(err)
	ts.Defer(func() { b.Close() })
	last.Broker = b
	if len(args) > 0 && args[0] != "keep" {
		return // it is where it was
	}
	configure(ts, fmt.Sprintf(`{"bus": {"url": %q}}`, b.URL()))
	ts.Setenv("BUS", b.URL())
}

// appears FILE waits until a file is there.
func appears(ts *testscript.TestScript, _ bool, args []string) {
	await(ts, args[0], func() bool {
		_, err := os.Stat(ts.MkAbs(args[0]))
		return err == nil
	})
}

// freePort has the user's configuration name a port of this machine that is free.
func freePort(ts *testscript.TestScript, _ bool, _ []string) {
	l, err := net.Listen("tcp", loopback.Addr())
	ts.Check(err)
	addr := l.Addr().String()
	ts.Check(l.Close())
	configure(ts, fmt.Sprintf(`{"bus": {"embed": %q}}`, addr))
	ts.Setenv("BUS", "nats://"+addr)
}

func configure(ts *testscript.TestScript, text string) {
	dir := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "helve")
	ts.Check(os.MkdirAll(dir, 0o700))
	ts.Check(os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600))
}

// scriptWait is how long a script waits for what it started.
const scriptWait = time.Minute

// await waits until something is so.
func await(ts *testscript.TestScript, what string, is func() bool) {
	for end := time.Now().Add(scriptWait); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("not within %v: %s", scriptWait, what)
		}
	}
}

// listens waits until the bus listens.
func listens(ts *testscript.TestScript, _ bool, _ []string) {
	addr := strings.TrimPrefix(ts.Getenv("BUS"), "nats://")
	await(ts, addr+" listens", func() bool {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// onBus is a connection, with the token of this machine's bus if there is one.
func onBus(ts *testscript.TestScript) *nats.Conn {
	token, _ := os.ReadFile(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "helve", "bus-token")) // a server elsewhere has none
	nc, err := nats.Connect(ts.Getenv("BUS"), nats.Token(string(token)))
	ts.Check(err)
	return nc
}

func members(ts *testscript.TestScript) []wire.Member {
	nc := onBus(ts)
	defer nc.Close()
	found, err := natspool.Find(context.Background(), nc, 200*time.Millisecond)
	ts.Check(err)
	return found
}

// awaitWorkers N: waits until so many workers answer.
func awaitWorkers(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	await(ts, args[0]+" workers", func() bool { return len(members(ts)) == n })
	ts.Value(brokerKey{}).(*lastBroker).workers = n
}

// awaitDiffering ORIGIN: waits until a worker has another definition of a tool than most of its pool.
func awaitDiffering(ts *testscript.TestScript, _ bool, args []string) {
	nc := onBus(ts)
	defer nc.Close()
	await(ts, args[0]+" differs", func() bool {
		differs, err := natspool.Differing(context.Background(), nc, members(ts))
		ts.Check(err)
		for _, origins := range differs {
			if slices.Contains(origins, args[0]) {
				return true
			}
		}
		return false
	})
}

// drainAll has every worker end, by the command: as many as were awaited last.
func drainAll(ts *testscript.TestScript, _ bool, _ []string) {
	want := ts.Value(brokerKey{}).(*lastBroker).workers
	var all []wire.Member
	await(ts, fmt.Sprintf("%d workers answer", want), func() bool {
		all = members(ts)
		return len(all) == want
	})
	for _, m := range all {
		ts.Check(ts.Exec("helve", "nodes", "drain", m.Instance[:8]))
	}
}

// awaitText FILE PATTERN: waits until a program has written so into a file.
func awaitText(ts *testscript.TestScript, _ bool, args []string) {
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	await(ts, args[0]+" says "+args[1], func() bool {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && pattern.Match(b)
	})
}

// stranger: who does not know the token gets no connection.
func stranger(ts *testscript.TestScript, _ bool, _ []string) {
	for _, options := range [][]nats.Option{nil, {nats.Token("0123456789abcdef")}} {
		nc, err := nats.Connect(ts.Getenv("BUS"), options...)
		if err == nil {
			nc.Close()
			ts.Fatalf("a stranger is let in")
		}
	}
}
