package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"helve/cmd/internal/command"
)

// A headless is an MCP client without a person: it declares elicitation and answers every question in the same way.
type headless struct {
	t      *testing.T
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr *lockedBuffer
	answer string // the result of elicitation/create
	asked  []string
	heard  []string // the methods of what the server told unasked
	code   chan int
	next   int
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// headless starts helve serve for a client of this name.
func (v victim) headless(t *testing.T, name, answer string, args ...string) *headless {
	t.Helper()
	env, _, _ := v.streams()
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	c := &headless{t: t, in: in, out: bufio.NewScanner(out), stderr: &lockedBuffer{}, answer: answer, code: make(chan int, 1)}
	c.out.Buffer(nil, 16<<20)
	env.Stdin, env.Stdout, env.Stderr = stdin, stdout, c.stderr
	go func() {
		c.code <- Main(context.Background(), append([]string{"serve"}, args...), env.Environment)
		stdout.Close()
	}()
	t.Cleanup(func() {
		in.Close()
		go io.Copy(io.Discard, out)
		<-c.code
	})
	c.request("initialize", fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":%q,"version":"1"}}`, name))
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// request is the answer to a request; questions of the server are answered on the way.
func (c *headless) request(method, params string) json.RawMessage {
	c.t.Helper()
	c.next++
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.next, method, params)
	for c.out.Scan() {
		var m struct {
			ID, Result, Error json.RawMessage
			Method            string
			Params            struct{ Message string }
		}
		if err := json.Unmarshal(c.out.Bytes(), &m); err != nil {
			c.t.Fatalf("%s: %v", c.out.Bytes(), err)
		}
		switch {
		case m.Method == "elicitation/create":
			c.asked = append(c.asked, m.Params.Message)
			fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, c.answer)
		case m.Method != "":
			c.heard = append(c.heard, m.Method)
		case string(m.ID) == fmt.Sprint(c.next):
			return append(m.Result, m.Error...)
		}
	}
	c.t.Fatalf("%s: no answer: %v; stderr: %s", method, c.out.Err(), c.stderr)
	return nil
}

// call is the text of a tool's result.
func (c *headless) call(name, args string) string {
	c.t.Helper()
	res := c.request("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args))
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal(res, &r); err != nil || len(r.Content) == 0 {
		c.t.Fatalf("%s: %s", name, res)
	}
	return r.Content[0].Text
}

const (
	editX  = `{"file_path":"a.txt","old_string":"old","new_string":"new"}`
	fetchX = `{"url":"https://example.invalid/"}`
)

// A client that asks by itself is not asked again about what mode auto would allow, though its name is all that is known of it. What goes
// beyond needs an answer, and an answer in the person's place is none; the person is told so once.
func TestAClientThatAsksByItselfIsTakenAtItsWordWithinTheWorkspace(t *testing.T) {
	for name, c := range map[string]struct {
		client, config string
		args           []string
		edits          bool
	}{
		"by its name":               {client: "claude-code", edits: true},
		"by a name of many":         {client: "gemini-cli-mcp-client-helve", edits: true},
		"by --client":               {client: "somebody", args: []string{"--client", "codex"}, edits: true},
		"unknown":                   {client: "somebody"},
		"the configuration objects": {client: "claude-code", config: `{"client_profiles":{"claude-code":{"approval":"elicit"}}}`},
		"the flag objects":          {client: "claude-code", args: []string{"--approval", "elicit"}},
		"a rule objects":            {client: "claude-code", config: `{"rules":[{"ask":"edit:**"}]}`},
		"one of the user's own":     {client: "mine", config: `{"client_profiles":{"mine":{"approval":"client"}}}`, edits: true},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t).put("a.txt", "old\n")
			if c.config != "" {
				v.put(userConfig, c.config)
			}
			k := v.headless(t, c.client, `{"action":"cancel"}`, c.args...)
			k.call("read", `{"file_path":"a.txt"}`)
			said := k.call("edit", editX)
			b, _ := os.ReadFile(filepath.Join(v.repo, "a.txt"))
			if edited := string(b) == "new\n"; edited != c.edits {
				t.Errorf("edited: %v, want %v: %s", edited, c.edits, said)
			}
			if !c.edits && (!strings.HasPrefix(said, "Error: edit: needs approval, and nobody was asked.") || !strings.Contains(said, "--approval client")) {
				t.Errorf("%q", said)
			}
			if c.client == "mine" { // the configuration trusts it with everything
				return
			}
			for range 2 {
				if said := k.call("fetch", fetchX); !strings.HasPrefix(said, "Error: fetch: needs approval, and nobody was asked.") {
					t.Errorf("%q", said)
				}
			}
			if n := strings.Count(k.stderr.String(), "without asking anybody"); n != 1 {
				t.Errorf("told %d times: %s", n, k.stderr)
			}
		})
	}
}

// A denial holds for whoever asks by itself.
func TestAProfileLoosensNoDenial(t *testing.T) {
	v := newVictim(t).put("a.txt", "old\n").put(userConfig, `{"rules":[{"deny":"edit:**"}]}`)
	k := v.headless(t, "claude-code", `{"action":"cancel"}`)
	k.call("read", `{"file_path":"a.txt"}`)
	if said := k.call("edit", editX); !strings.Contains(said, "refused by policy") || len(k.asked) > 0 {
		t.Errorf("%q, asked %q", said, k.asked)
	}
}

func TestUnknownClientsAreNamedNearTheKnown(t *testing.T) {
	v := newVictim(t)
	code, _, errs := v.run("serve", "--client", "claude-cod")
	if code != command.ExitUsage || !strings.Contains(errs, "did you mean claude-code?") {
		t.Errorf("status %d: %s", code, errs)
	}
	code, out, errs := v.run("doctor", "--client", "codex")
	if code != 0 || !strings.Contains(out, "Codex (codex)") || !strings.Contains(out, "codex-mcp-client") {
		t.Errorf("status %d: %s%s", code, out, errs)
	}
	if code, _, errs = v.run("doctor", "--client", "nobody"); code != command.ExitUsage || !strings.Contains(errs, "there is no such client") {
		t.Errorf("status %d: %s", code, errs)
	}
}
