package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/internal/testing/loopback"
)

// manyConversations are so many that closing them one after the other takes longer than a server has to end, even where
// each is given up after the shortest of the times that one waits for its worker.
const manyConversations = 16

// The server of the bus is killed, or stands still, while a gateway has conversations whose work a worker did: the
// gateway and the worker end by themselves when they are asked to. A program whose time is over before it has closed
// everything says what it left open, and has another status.
func TestWhoeverIsOnABusThatIsGoneEndsInOrder(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		t.Run(name, func(t *testing.T) {
			b := newBusOfThree(t)
			clients := b.conversations(manyConversations)
			if err := b.bus.cmd.Process.Signal(gone); err != nil {
				t.Fatal(err)
			}
			b.gateway.endsInOrder(t)
			b.worker.endsInOrder(t)
			for _, c := range clients {
				c.Close() // nobody is there to say goodbye to
			}
		})
	}
}

// A busOfThree is a workspace with a gateway that has the bus, one that joins it, and a worker.
type busOfThree struct {
	*base
	bus, gateway, worker *program
}

func newBusOfThree(t *testing.T) *busOfThree {
	t.Helper()
	b := &busOfThree{base: newBase(t, 0)}
	l, err := net.Listen("tcp", loopback.Addr())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	config := filepath.Join(b.home, ".config", "helve", "config.json")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"bus":{"embed":%q}}`, l.Addr())
	for name, text := range map[string]string{config: text, filepath.Join(b.work, "a.txt"): "hello\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.bus = b.program("bus: listening on", "serve", "--bus", "--http", "127.0.0.1:0", "--no-auth")
	b.gateway = b.program("helve: listening on", "serve", "--bus", "--http", "127.0.0.1:0", "--no-auth")
	b.worker = b.program("worker", "worker")
	return b
}

// conversations are of clients of the gateway, each of which has had the worker read a file.
func (b *busOfThree) conversations(n int) []*mcp.ClientSession {
	b.t.Helper()
	at := regexp.MustCompile(`http://\S+/mcp`).FindString(b.gateway.said.String())
	sessions := &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"} // without sessions all would be one conversation
	var out []*mcp.ClientSession
	for range n {
		transport := &mcp.StreamableClientTransport{Endpoint: at, MaxRetries: -1}
		s, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(b.t.Context(), transport, sessions)
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, s)
		res, err := s.CallTool(b.t.Context(), &mcp.CallToolParams{Name: "read", Arguments: json.RawMessage(`{"file_path":"a.txt"}`)})
		if err != nil || res.IsError {
			b.t.Fatalf("the worker does not read: %v %v\n%s", err, res, b.worker.said)
		}
	}
	return out
}

// A program is a helve that goes on until it is asked to end.
type program struct {
	name string
	cmd  *exec.Cmd
	said *heard
	over chan error // it has ended
}

// program starts one, and waits until it has said something.
func (b *busOfThree) program(word string, args ...string) *program {
	b.t.Helper()
	p := &program{args[0], b.command(b.helve(), args...), &heard{}, make(chan error, 1)}
	p.cmd.Stderr = p.said
	if err := p.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	go func() { p.over <- p.cmd.Wait() }()
	b.t.Cleanup(func() { p.cmd.Process.Kill() })
	for end := time.Now().Add(busPatience); !strings.Contains(p.said.String(), word); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("%s does not say %q: %s", p.name, word, p.said)
		}
	}
	return p
}

// endsInOrder asks the program to end. It has closed everything by itself where it does not say that its time was over.
func (p *program) endsInOrder(t *testing.T) {
	t.Helper()
	before := len(p.said.String())
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.over:
		said := p.said.String()[before:]
		for _, late := range []string{"not closed in order", "still running", "interrupted"} {
			if strings.Contains(said, late) {
				t.Errorf("the %s ended by the end of its time: %s", p.name, said)
			}
		}
		if err != nil {
			t.Errorf("the %s ended with %v: %s", p.name, err, said)
		}
	case <-time.After(busPatience):
		t.Fatalf("the %s does not end: %s", p.name, p.said)
	}
}

// heard is what a program has said until now.
type heard struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b.String()
}
