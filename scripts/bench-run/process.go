package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// workspace is a folder of so many files, with an AGENTS.md that was trusted.
func (b *bench) workspace(files int) (string, error) {
	dir, err := os.MkdirTemp(b.work, "w-*")
	if err != nil {
		return "", err
	}
	text := strings.Repeat("a line of some words\n", 6) + "line 7\n" + strings.Repeat("more of them\n", 30)
	for i := range files {
		name := filepath.Join(dir, fmt.Sprintf("d%d", i/50), fmt.Sprintf("f%d.txt", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	words := []byte(strings.Repeat("Be brief.\n", 100))
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), words, 0o644); err != nil {
		return "", err
	}
	trust := b.command(context.Background(), dir, "trust", "--yes")
	if out, err := trust.CombinedOutput(); err != nil {
		return "", fmt.Errorf("helve trust: %w: %s", err, out)
	}
	return dir, nil
}

// command is helve in a home of its own.
func (b *bench) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.helve, args...)
	home := filepath.Join(b.work, "home")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	return cmd
}

func (b *bench) asks(words ...string) []string {
	return append([]string{"run", "--model", "openai/m", "--base-url", b.model.http.URL}, words...)
}

// firstRequest is how long it takes from the start of a run to its first request.
func (b *bench) firstRequest(ctx context.Context, dir string) (time.Duration, error) {
	asked := b.model.next()
	cmd := b.command(ctx, dir, b.asks("-p", "Hello.")...)
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("helve run: %w: %s", err, out)
	}
	select {
	case at := <-asked:
		return at.Sub(begun), nil
	default:
		return 0, errors.New("helve run asked no model")
	}
}

// firstList is how long it takes from the start of helve serve to its list of tools.
func (b *bench) firstList(ctx context.Context, dir string) (time.Duration, error) {
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	cmd := b.command(ctx, dir, "serve")
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if _, err := io.WriteString(in, hello); err != nil {
		return 0, errors.Join(err, cmd.Wait())
	}
	took := time.Duration(0)
	lines := bufio.NewReader(out)
	for took == 0 && err == nil {
		var line string
		line, err = lines.ReadString('\n')
		if strings.Contains(line, `"id":2`) {
			took = time.Since(begun)
		}
	}
	in.Close()
	_, _ = io.Copy(io.Discard, lines) // until it ends
	return took, errors.Join(err, cmd.Wait())
}

// A conversation is a run whose prompts come as lines.
type conversation struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
}

func (b *bench) converse(ctx context.Context, dir string) (*conversation, error) {
	cmd := b.command(ctx, dir, b.asks("--yes", "--input-format", "stream-json", "--output-format", "stream-json")...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &conversation{cmd, in, bufio.NewReaderSize(out, 1<<20)}, cmd.Start()
}

// turn has a prompt answered, and is how long that took.
func (c *conversation) turn(n int) (time.Duration, error) {
	begun := time.Now()
	if _, err := fmt.Fprintf(c.in, `{"type":"prompt","text":"Do the work number %d."}`+"\n", n); err != nil {
		return 0, err
	}
	for {
		line, err := c.lines.ReadBytes('\n')
		if err != nil {
			return 0, err
		}
		var e struct {
			Type, Stop string
			Calls      struct{ Total, Failed int }
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, err
		}
		if e.Type != "done" {
			continue
		}
		if e.Stop != "done" || e.Calls.Total != 3 || e.Calls.Failed > 0 {
			return 0, fmt.Errorf("it ended otherwise: %s", line)
		}
		return time.Since(begun), nil
	}
}

// memory is what the process holds, in bytes; 0: the system does not say so.
func (c *conversation) memory() int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "VmRSS:" {
			kb, _ := strconv.ParseInt(words[1], 10, 64) // the kernel writes numbers
			return kb << 10
		}
	}
	return 0
}

func (c *conversation) end() {
	c.in.Close()
	_, _ = io.Copy(io.Discard, c.lines) // until it ends
	_ = c.cmd.Wait()                    // how it went is known by then
}
