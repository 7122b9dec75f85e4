// Command tried tries what an installed helve does beside serving tools: an agent on a model, a script, spans to a
// collector, and a gateway with a worker behind its bus. Model and collector are this program, on loopback.
//
//	go run ./scripts/tried [-root FOLDER] PROGRAM [ARGUMENT…]
//
// With -root the program sees that folder as its root, as in an image.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// most is how long one part may take, on a machine that does much else.
const most = time.Minute

// An installed helve, with a home and a workspace of its own.
type installed struct {
	program []string
	root    string // "" or what the program takes for /
	dir     string // as this program sees it
	peer    *peer
	url     string
}

func main() {
	root := flag.String("root", "", "what the program sees as its root")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := try(*root, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "tried:", err)
		os.Exit(1)
	}
	fmt.Println("run (openai, anthropic), script, spans, serve --bus with a worker: ok")
}

func try(root string, program []string) error {
	dir, err := os.MkdirTemp(filepath.Join(root, os.TempDir()), "tried")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := &peer{}
	server := httptest.NewServer(p)
	defer server.Close()
	h := &installed{program: program, root: root, dir: dir, peer: p, url: server.URL}
	if err := h.furnish(); err != nil {
		return err
	}
	for name, part := range h.parts() {
		ctx, cancel := context.WithTimeout(context.Background(), most)
		err := part(ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// parts are what is tried. They do not depend on each other.
func (h *installed) parts() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"run with OpenAI's wire format":    func(ctx context.Context) error { return h.run(ctx, "openai", "/v1") },
		"run with Anthropic's wire format": func(ctx context.Context) error { return h.run(ctx, "anthropic", "") },
		"script":                           h.script,
		"spans":                            h.spans,
		"serve --bus and worker":           h.bus,
	}
}

// furnish makes home and workspace.
func (h *installed) furnish() error {
	l, err := net.Listen("tcp", "127.0.0.1:0") // a port that is free a moment later, too
	if err != nil {
		return err
	}
	at := l.Addr().String()
	l.Close()
	for path, text := range map[string]string{
		"home/.config/helve/config.json": `{"bus":{"embed":"` + at + `"}}`,
		"work/prices.txt":                "price = 10\n",
		"home/ask.star":                  "result = [m.text for m in grep(pattern=\"price\").matches]\n",
	} {
		path = filepath.Join(h.dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// inside is a path in the folder as the program sees it.
func (h *installed) inside(path string) string {
	return strings.TrimPrefix(filepath.Join(h.dir, path), strings.TrimSuffix(h.root, "/"))
}

// command is the program in the workspace.
func (h *installed) command(ctx context.Context, args ...string) *exec.Cmd {
	args = append(append([]string{}, h.program[1:]...), args...)
	c := exec.CommandContext(ctx, h.program[0], append(args, "-C", h.inside("work"))...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	c.Env = []string{"HOME=" + h.inside("home"), "PATH=" + os.Getenv("PATH"),
		"OPENAI_API_KEY=none", "ANTHROPIC_API_KEY=none", "OTEL_BSP_SCHEDULE_DELAY=50"}
	return c
}

func (h *installed) run(ctx context.Context, provider, path string) error {
	c := h.command(ctx, "run", "What is the price?", "--model", provider+"/scripted", "--base-url", h.url+path)
	out, err := c.CombinedOutput()
	_, repeated, answered := strings.Cut(string(out), "The tool said: ")
	if err != nil || !answered || !strings.Contains(repeated, "price = 10") {
		return fmt.Errorf("%v: %s", err, out)
	}
	return nil
}

func (h *installed) script(ctx context.Context) error {
	out, err := h.command(ctx, "script", h.inside("home/ask.star")).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `["price = 10"]`) {
		return fmt.Errorf("%v: %s", err, out)
	}
	return nil
}

// spans sees what a server tells a collector of a call.
func (h *installed) spans(ctx context.Context) error {
	c := h.command(ctx, "serve")
	c.Env = append(c.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+h.url)
	if err := h.served(c, (*session).read); err != nil {
		return err
	}
	return h.peer.told("execute_tool read")
}

// bus sees a worker do the work of a gateway's tools: its own spans say so.
func (h *installed) bus(ctx context.Context) error {
	gateway := h.command(ctx, "serve", "--bus")
	return h.served(gateway, func(s *session) error {
		if err := h.nodes(ctx, "[]"); err != nil { // the bus is there
			return err
		}
		life, stop := context.WithCancel(ctx)
		worker := h.command(life, "worker", "--slots", "1")
		worker.Env = append(worker.Env, "OTEL_EXPORTER_OTLP_ENDPOINT="+h.url)
		if err := worker.Start(); err != nil {
			stop()
			return err
		}
		err := h.nodes(ctx, `"instance"`)
		if err == nil {
			err = s.read()
		}
		stop()
		_ = worker.Wait() // it was interrupted
		if err != nil {
			return err
		}
		return h.peer.told("helve-worker")
	})
}

// nodes waits until the bus lists its workers with this text among them.
func (h *installed) nodes(ctx context.Context, text string) error {
	for ctx.Err() == nil {
		out, err := h.command(ctx, "nodes", "--json").Output()
		if err == nil && strings.Contains(string(out), text) {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("helve nodes does not say %s: %w", text, ctx.Err())
}

// A session is a client's with a server on stdin and stdout.
type session struct {
	in  io.Writer
	out *bufio.Scanner
}

// served has use speak with a server, and ends it.
func (h *installed) served(c *exec.Cmd, use func(*session) error) error {
	var said strings.Builder
	c.Stderr = &said
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	s := &session{in, bufio.NewScanner(out)}
	s.out.Buffer(nil, 1<<20)
	err = use(s)
	in.Close()
	_, _ = io.Copy(io.Discard, out)
	if ended := c.Wait(); err == nil {
		err = ended
	}
	if err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	return nil
}

// read shakes hands and has the one file read.
func (s *session) read() error {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
			`"clientInfo":{"name":"tried","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call",` +
			`"params":{"name":"read","arguments":{"file_path":"prices.txt"}}}`,
	} {
		if _, err := io.WriteString(s.in, line+"\n"); err != nil {
			return err
		}
	}
	for s.out.Scan() {
		var m struct{ ID json.Number }
		if json.Unmarshal(s.out.Bytes(), &m) != nil || m.ID != "2" {
			continue
		}
		if text := s.out.Text(); !strings.Contains(text, "price = 10") {
			return fmt.Errorf("the call is answered by %s", text)
		}
		return nil
	}
	return fmt.Errorf("the call is not answered: %v", s.out.Err())
}
