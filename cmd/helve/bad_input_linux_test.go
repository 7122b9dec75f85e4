package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"
)

// tries runs helve as the user of a base, and wants a status and a word on standard error; "" wants none.
func (d *base) tries(status int, word string, args ...string) string {
	d.t.Helper()
	ctx, stop := context.WithTimeout(d.t.Context(), busPatience)
	defer stop()
	c := d.command(d.helve(), args...)
	said := &strings.Builder{}
	c.Stderr = said
	timer := context.AfterFunc(ctx, func() { c.Process.Kill() })
	out, err := c.Output()
	timer()
	if c.ProcessState == nil || c.ProcessState.ExitCode() != status || !strings.Contains(said.String(), word) || strings.Contains(said.String(), "goroutine ") {
		d.t.Errorf("helve %s: %v, want status %d and %q\n%s%s", strings.Join(args, " "), err, status, word, out, said)
	}
	return string(out)
}

// anybody is a user who is not the superuser, whom files can be closed to.
const anybody = 65534

// A configuration that is no file, or cannot be read, is named with what is wrong with it, at once, by every command; a
// server of MCP goes on with what only reads.
func TestAConfigurationThatCannotBeReadIsToldOf(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file to somebody else")
	}
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"socket":     {func(p string) error { return syscall.Mknod(p, syscall.S_IFSOCK|0o644, 0) }, "is a socket"},
		"pipe":       {func(p string) error { return syscall.Mkfifo(p, 0o644) }, "is a pipe"},
		"folder":     {func(p string) error { return os.Mkdir(p, 0o755) }, "is a directory"},
		"100 MB":     {func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o644), os.Truncate(p, 100<<20)) }, "bytes, at most"},
		"unreadable": {func(p string) error { return os.WriteFile(p, []byte("{}"), 0) }, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newBase(t, anybody)
			file := filepath.Join(d.home, ".config", "helve", "config.json")
			err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), c.make(file))
			for at := file; at != d.home; at = filepath.Dir(at) {
				err = errors.Join(err, os.Lchown(at, anybody, anybody))
			}
			err = errors.Join(err, os.WriteFile(filepath.Join(d.work, "a.txt"), []byte("alpha\n"), 0o644))
			if err != nil {
				t.Fatal(err)
			}
			d.tries(2, c.want, "list")
			d.tries(2, c.want, "call", "read", "file_path=a.txt")
			s, said := d.served(t)
			if res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "read", Arguments: map[string]any{"file_path": "a.txt"}}); err != nil || res.IsError {
				t.Errorf("a server does not read: %v %v", res, err)
			}
			res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "write", Arguments: map[string]any{"file_path": "b.txt", "contents": "b"}})
			if err == nil && !res.IsError {
				t.Error("a server writes without the rules that it could not read")
			}
			s.Close()
			if !strings.Contains(said.String(), c.want) {
				t.Errorf("the server says %s", said)
			}
		})
	}
}

// served is a server of MCP with a client, which is the end of it.
func (d *base) served(t *testing.T, args ...string) (*mcp.ClientSession, *strings.Builder) {
	t.Helper()
	c := d.command(d.helve(), append([]string{"serve", "--approval", "client"}, args...)...)
	said := &strings.Builder{}
	c.Stderr = said
	s, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Fatal(err, said)
	}
	t.Cleanup(func() { s.Close() })
	return s, said
}

// A folder for helve's own files that is somebody else's, takes nothing, is full or is a file: whoever lists and reads
// does, and what cannot be done without it says so.
func TestAStateFolderThatIsOfNoUseIsToldOf(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder to somebody else")
	}
	for name, spoil := range map[string]func(t *testing.T, state string) error{
		"of another user": func(_ *testing.T, p string) error { return os.Mkdir(p, 0o700) },
		"read-only": func(_ *testing.T, p string) error {
			return errors.Join(os.Mkdir(p, 0o500), os.Chown(p, anybody, anybody))
		},
		"full": func(t *testing.T, p string) error {
			if err := os.Mkdir(p, 0o700); err != nil {
				return err
			}
			mounted(t, "none", p, "tmpfs", 0, "size=32k,mode=700")
			filled := os.WriteFile(filepath.Join(p, "fill"), []byte(strings.Repeat("x", 64<<10)), 0o600)
			if !errors.Is(filled, unix.ENOSPC) {
				return fmt.Errorf("it is not full: %v", filled)
			}
			return os.Chown(p, anybody, anybody)
		},
		"a file": func(_ *testing.T, p string) error { return os.WriteFile(p, nil, 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newBase(t, anybody)
			state := filepath.Join(d.home, ".local", "state", "helve")
			err := errors.Join(os.WriteFile(filepath.Join(d.work, "a.txt"), []byte("alpha\n"), 0o644), os.MkdirAll(filepath.Dir(state), 0o755))
			for at := filepath.Dir(state); at != d.home; at = filepath.Dir(at) {
				err = errors.Join(err, os.Chown(at, anybody, anybody))
			}
			err = errors.Join(err, spoil(t, state))
			if err != nil {
				t.Fatal(err)
			}
			if out := d.tries(0, "", "list"); !strings.Contains(out, "read") {
				t.Errorf("list: %s", out)
			}
			if out := d.tries(0, "", "call", "read", "file_path=a.txt"); !strings.Contains(out, "alpha") {
				t.Errorf("read: %s", out)
			}
			d.words("call", "--yes", "write", "file_path=b.txt", "contents=whole")
			if b, err := os.ReadFile(filepath.Join(d.work, "b.txt")); err == nil && string(b) != "whole\n" && string(b) != "whole" {
				t.Errorf("half is written: %q", b)
			}
			for _, args := range []string{"history", "undo --yes", "approvals list", "audit", "stats", "doctor", "trust --status"} {
				d.words(strings.Fields(args)...)
			}
		})
	}
}

// words runs a command that may find that it cannot: it says so.
func (d *base) words(args ...string) {
	d.t.Helper()
	c := d.command(d.helve(), args...)
	out, err := c.CombinedOutput()
	if strings.Contains(string(out), "goroutine ") || err != nil && len(out) == 0 || c.ProcessState == nil || c.ProcessState.ExitCode() < 0 {
		d.t.Errorf("helve %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// Servers that answer in pieces, in another order, twice, never, a thousand levels deep or with 200 MB: each call has its
// answer or a word, and the next one works, beside them and with them.
func TestServersThatAnswerOddlyStopNobody(t *testing.T) {
	d := newBase(t, 0)
	odd := d.odd()
	servers := map[string]any{"well": map[string]any{"command": odd, "args": []string{"twice"}, "trust": true}}
	kinds := map[string]string{"fragments": "fine", "order": "fine", "twice": "fine", "never": "no answer within", "deep": "fine", "200 MB": "the answer has more than"}
	for kind := range kinds {
		servers[strings.ReplaceAll(kind, " ", "")] = map[string]any{"command": odd, "args": []string{kind}, "trust": true, "timeout": "3s"}
	}
	d.configure(servers)
	s, said := d.served(t, "--names", "qualified", "--expose", "all")
	call := func(server string) (string, bool) {
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "mcp__" + server + "__act", Arguments: map[string]any{}})
		if err != nil { // an answer that is too long is an error of the protocol, in words
			return err.Error(), false
		}
		return res.Content[0].(*mcp.TextContent).Text, !res.IsError
	}
	if text, ok := call("well"); !ok {
		t.Fatalf("%s: %s", text, said)
	}
	for kind, want := range kinds {
		server, second := strings.ReplaceAll(kind, " ", ""), make(chan string, 1)
		if kind == "order" { // it answers when two wait
			go func() { text, _ := call(server); second <- text }()
		}
		text, _ := call(server)
		if !strings.Contains(text, want) {
			t.Errorf("%s: the client hears %.300s, want %q", kind, text, want)
		}
		if kind == "order" {
			if text := <-second; !strings.Contains(text, want) {
				t.Errorf("%s: the other call hears %.300s", kind, text)
			}
		}
		if text, ok := call("well"); !ok || text != "fine" {
			t.Errorf("after %s the server beside: %s", kind, text)
		}
	}
}

// odd is the test binary under the name by which it is the odd server.
func (d *base) odd() string {
	d.t.Helper()
	odd := filepath.Join(d.dir, "bin", "odd")
	if err := errors.Join(os.Mkdir(filepath.Dir(odd), 0o755), os.Link(d.helve(), odd)); err != nil {
		d.t.Fatal(err)
	}
	return odd
}

func (d *base) configure(servers map[string]any) {
	d.t.Helper()
	config, err := json.Marshal(map[string]any{"mcp_servers": servers, "mode": "auto"})
	file := filepath.Join(d.home, ".config", "helve", "config.json")
	if err := errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, config, 0o644)); err != nil {
		d.t.Fatal(err)
	}
}

// A conversation has one process of a server, whether the server's list was known when it came or not, and whatever its
// client can be asked for: what lists is what is called.
func TestAConversationHasOneProcessOfAServer(t *testing.T) {
	asks := &mcp.ClientOptions{ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}}
	for name, options := range map[string]*mcp.ClientOptions{"roots": nil, "roots and elicitation": asks} {
		t.Run(name, func(t *testing.T) {
			d := newBase(t, 0)
			pids := filepath.Join(d.work, "pids")
			d.configure(map[string]any{"s": map[string]any{"command": d.odd(), "args": []string{"pid", pids}, "trust": true}})
			for conversation := range 2 {
				client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, options)
				//lint:ignore SA1019 clients have them for another year, and servers follow them
				client.AddRoots(&mcp.Root{URI: "file://" + d.work, Name: "shop"})
				said := &strings.Builder{}
				c := d.command(d.helve(), "serve", "--approval", "client", "--names", "qualified", "--expose", "all")
				c.Stderr = said
				s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
				if err != nil {
					t.Fatal(err, said)
				}
				answers := map[string]bool{}
				for range 3 {
					if _, err := s.ListTools(t.Context(), nil); err != nil {
						t.Fatal(err, said)
					}
					res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "mcp__s__act", Arguments: map[string]any{}})
					if err != nil || res.IsError {
						t.Fatal(res, err, said)
					}
					answers[res.Content[0].(*mcp.TextContent).Text] = true
				}
				s.Close()
				started, err := os.ReadFile(pids)
				if n := strings.Count(string(started), "\n"); err != nil || n != conversation+1 || len(answers) != 1 {
					t.Errorf("conversation %d: %d processes were started in all, %v; answered by %v", conversation, n, err, answers)
				}
			}
		})
	}
}

// A client that says half a message, or makes a call, and goes: helve ends in good time, and the half is nothing.
func TestAClientThatGoesInTheMiddleOfAMessageLeavesNothing(t *testing.T) {
	for _, last := range []string{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wri`, "\xff\xfe{", strings.Repeat("[", 5000)} {
		d := newBase(t, 0)
		c := d.command(d.helve(), "serve", "--approval", "client")
		hello, _, _ := strings.Cut(talk, `{"jsonrpc":"2.0","id":2`)
		c.Stdin = strings.NewReader(hello + last)
		timer := time.AfterFunc(busPatience, func() { c.Process.Kill() })
		out, err := c.Output()
		timer.Stop()
		if err != nil || !strings.Contains(string(out), `"serverInfo"`) {
			t.Errorf("%.30q: %v: %s", last, err, out)
		}
		d.tries(0, "", "list")
	}
}
