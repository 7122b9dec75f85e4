package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/cmd/internal/command"
	"helve/internal/testing/loopback"
	"helve/internal/workspace"
	"helve/server/nats/broker"
	"helve/tool"
)

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(scriptWait); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", scriptWait, what)
		}
	}
}

// A server that was started with another token refuses for a while, and is tried until it knows us again.
func TestAConnectionIsTriedUntilTheServerKnowsUsAgain(t *testing.T) {
	start := func(addr, token string) *broker.Broker {
		t.Helper()
		var b *broker.Broker
		waitFor(t, "a server listens", func() bool {
			var err error
			b, err = broker.Start(broker.Options{Addr: addr, Token: token})
			return err == nil
		})
		t.Cleanup(func() { b.Close() })
		return b
	}
	first := start(loopback.Addr(), "ours")
	var refused atomic.Int32
	nc, err := connect(command.BusOptions{Embed: first.Addr(), Token: "ours", Say: func(string, ...any) { refused.Add(1) }}, "test")
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	addr := first.Addr()
	first.Close()
	other := start(addr, "another")
	waitFor(t, "it is refused, and tries again", func() bool { return refused.Load() >= 3 })
	other.Close()
	start(addr, "ours")
	waitFor(t, "it is let in again", nc.IsConnected)
}

// A worker whose connection the server ends for good ends, with an error: a service is started again.
func TestAWorkerEndsWithItsConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go refuse(l)
	o := workspace.Options{Dirs: []string{t.TempDir()}, Environ: []string{"HOME=" + t.TempDir()}}
	w := command.BusWorker{
		Pool:      "p",
		Workspace: "w",
		Slots:     1,
		Drain:     time.Second,
		Open: func(ask tool.Asker, wrap func(tool.Runner) tool.Runner, _ func() ([]byte, error)) (*workspace.Assembly, error) {
			o.Ask, o.Wrap = ask, append(o.Wrap, wrap)
			return workspace.Open(context.Background(), o)
		},
	}
	err = bus{}.Work(t.Context(), command.BusOptions{URL: "nats://" + l.Addr().String(), Say: t.Logf}, w)
	if err == nil || !strings.Contains(err.Error(), "the connection was ended: nats: you are not wanted") {
		t.Errorf("%v", err)
	}
}

// refuse is a server that lets a worker in, and sends it away when it first tells of itself.
func refuse(l net.Listener) {
	c, err := l.Accept()
	if err != nil {
		return // the test is over
	}
	defer c.Close()
	fmt.Fprint(c, `INFO {"server_id":"x","version":"2.11.0","proto":1,"max_payload":1048576,"headers":true}`+"\r\n")
	inbox := "" // by which number it hears answers
	for lines := bufio.NewScanner(c); lines.Scan(); {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 0:
		case words[0] == "PING":
			fmt.Fprint(c, "PONG\r\n")
		case words[0] == "SUB" && strings.HasPrefix(words[1], "_INBOX"):
			inbox = words[2]
		case words[0] == "PUB" && len(words) == 4: // a question, which nobody answers
			fmt.Fprintf(c, "HMSG %s %s 16 16\r\nNATS/1.0 503\r\n\r\n\r\n", words[2], inbox)
		case words[0] == "PUB":
			fmt.Fprint(c, "-ERR 'you are not wanted'\r\n")
		}
	}
}
