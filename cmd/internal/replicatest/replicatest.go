// Package replicatest starts two servers for scripts, behind a balancer that gives them requests in turn, and is the
// official client for Go that talks to them.
package replicatest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const token = "a token of both replicas"

// A Script is a *testscript.TestScript, as far as it is needed.
type Script interface {
	Getenv(key string) string
	Setenv(key, value string)
	Check(err error)
	Defer(f func())
}

// Start is the command of scripts
//
//	replicas PROGRAM FLAGS…
//
// It starts two servers of the workspace ws, each with a home of its own, as if on a machine of its own, and sets URL
// and TOKEN to where clients find them.
func Start[S Script](ts S, _ bool, args []string) {
	work := ts.Getenv("WORK")
	var each []*url.URL
	for _, name := range []string{"one", "other"} {
		environ := []string{
			"HOME=" + filepath.Join(work+".home", name),
			"HELVE_TOKEN=" + token,
			"PATH=" + ts.Getenv("PATH"),
		}
		r, err := Serve(args[0], filepath.Join(work, "ws"), environ, args[1:])
		ts.Check(err)
		ts.Defer(func() { ts.Check(r.Kill()) })
		each = append(each, r.At)
	}
	b := newBalancer(each)
	ts.Defer(b.Close)
	ts.Setenv("URL", b.URL+"/mcp")
	ts.Setenv("TOKEN", token)
}

// A Replica is a helve serve --http that listens.
type Replica struct {
	At  *url.URL // without the path
	cmd *exec.Cmd
}

// Serve starts a program as a server of a workspace, with these flags besides. It is started in the workspace.
func Serve(program, dir string, environ, flags []string) (*Replica, error) {
	cmd := exec.Command(program, append([]string{"serve", "--http", "127.0.0.1:0", "-C", dir}, flags...)...)
	cmd.Env = environ
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	var said []string
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		said = append(said, lines.Text())
		if at, ok := strings.CutPrefix(lines.Text(), "helve: listening on "); ok {
			go io.Copy(io.Discard, stderr) // ends with the process
			to, err := url.Parse(strings.TrimSuffix(at, "/mcp"))
			return &Replica{At: to, cmd: cmd}, err
		}
	}
	return nil, errors.Join(fmt.Errorf("it does not listen: %q", said), cmd.Wait())
}

// Kill ends it at once, and waits for that.
func (r *Replica) Kill() error {
	return errors.Join(r.cmd.Process.Kill(), func() error { _ = r.cmd.Wait(); return nil }())
}

// End asks it to end, as whoever runs it does, and waits for that: 20 seconds, then it is killed.
func (r *Replica) End() error {
	if r.cmd.Process.Signal(os.Interrupt) != nil { // there are none on Windows, or it has ended
		return r.Kill()
	}
	slow := time.AfterFunc(20*time.Second, func() { _ = r.cmd.Process.Kill() })
	defer slow.Stop()
	_ = r.cmd.Wait() // it was interrupted
	return nil
}

// A balancer gives requests to its servers in turn. A client with a session stays where it began it.
type balancer struct {
	*httptest.Server
	each []*url.URL

	mu       sync.Mutex
	turn     int
	sessions map[string]*url.URL
}

const sessionHeader = "Mcp-Session-Id"

func newBalancer(each []*url.URL) *balancer {
	b := &balancer{each: each, sessions: map[string]*url.URL{}}
	b.Server = httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite:       func(q *httputil.ProxyRequest) { q.SetURL(b.choose(q.In.Header.Get(sessionHeader))) },
		ModifyResponse: func(a *http.Response) error {
			if id := a.Header.Get(sessionHeader); id != "" {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.sessions[id] = &url.URL{Scheme: a.Request.URL.Scheme, Host: a.Request.URL.Host}
			}
			return nil
		},
	})
	return b
}

func (b *balancer) choose(session string) *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := b.sessions[session]; at != nil {
		return at
	}
	b.turn++
	return b.each[b.turn%len(b.each)]
}

// Talk is the program mcp of scripts, the official client for Go:
//
//	mcp VERSION CONVERSATION DECISION FILE
//
// It speaks that version of the protocol, names its conversation unless that is -, makes the calls of a file, each a
// line of TOOL and its arguments, and prints what the model would read. Whoever is asked answers with the decision;
// where HOLD names a file, they make HOLD.asked and answer when the file is there.
func Talk() {
	if err := talking(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func talking(args []string) error {
	if len(args) != 4 {
		return errors.New("usage: mcp VERSION CONVERSATION DECISION FILE")
	}
	version, conversation, decision := args[0], args[1], args[2]
	script, err := os.ReadFile(args[3])
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	answer := func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		fmt.Println("asked:", strings.SplitN(q.Params.Message, "\n", 2)[0])
		if err := held(os.Getenv("HOLD")); err != nil {
			return nil, err
		}
		time.Sleep(100 * time.Millisecond) // an answer at once is no person's
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": decision}}, nil
	}
	self := &mcp.Implementation{Name: "official", Version: "1"}
	c := mcp.NewClient(self, &mcp.ClientOptions{ElicitationHandler: answer})
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   os.Getenv("URL"),
		HTTPClient: &http.Client{Transport: withToken{}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		return err
	}
	defer s.Close()
	spill := "" // what was kept last, for $SPILL
	for line := range strings.Lines(strings.TrimSpace(string(script))) {
		name, arguments, _ := strings.Cut(strings.TrimSpace(line), " ")
		arguments = strings.ReplaceAll(arguments, "$SPILL", spill)
		p := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)}
		if conversation != "-" {
			p.Meta = mcp.Meta{"helve/conversation": conversation}
		}
		res, err := s.CallTool(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, part := range res.Content {
			if text, ok := part.(*mcp.TextContent); ok {
				fmt.Printf("%s: %s\n", name, text.Text)
				if id := spillID.FindString(text.Text); id != "" {
					spill = id
				}
			}
		}
	}
	return nil
}

// held waits until a file is there.
func held(file string) error {
	if file == "" {
		return nil
	}
	if err := os.WriteFile(file+".asked", nil, 0o600); err != nil {
		return err
	}
	for end := time.Now().Add(40 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
	}
	return fmt.Errorf("nobody made %s", file)
}

var spillID = regexp.MustCompile(`spill:[0-9a-f]+`)

// withToken shows the token of the environment.
type withToken struct{}

func (withToken) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	q.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	return http.DefaultTransport.RoundTrip(q)
}
