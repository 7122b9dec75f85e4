package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"helve/cmd/internal/callwords"
	"helve/cmd/internal/replicatest"
	"helve/server"
	"helve/server/nats/broker"
)

const pairToken = "a token of both servers"

// A pair is two servers of a workspace that share by a bus, and the client of both: calls come to them in turn. There
// are others where the command line or the configuration is another one, since servers hear of that some time after;
// what was shared stays.
type pair struct {
	*httptest.Server
	work string // the script's folder

	mu      sync.Mutex
	broker  *broker.Broker
	key     string // what the servers were started for
	each    []*replicatest.Replica
	to      *http.Transport // to both
	turn    int
	carried [2]int // calls, and answers to questions, by server
}

func newPair(work string) *pair {
	p := &pair{work: work}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	return p
}

// close ends the servers. It is an error that no calls came, or not in turn.
func (p *pair) close() error {
	p.Server.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.end()
	if p.broker != nil {
		err = errors.Join(err, p.broker.Close())
	}
	if one, other := p.carried[0], p.carried[1]; one+other == 0 || one-other > 1 || other-one > 1 {
		err = errors.Join(err, fmt.Errorf("the calls did not alternate: %v", p.carried))
	}
	return err
}

// end ends the servers, as whoever runs them does.
func (p *pair) end() error {
	var errs []error
	for _, r := range p.each {
		errs = append(errs, r.End())
	}
	p.each, p.key = nil, ""
	if p.to != nil {
		p.to.CloseIdleConnections() // another server may get the port
	}
	return errors.Join(errs...)
}

// serve makes a call for a command line.
func (p *pair) serve(w http.ResponseWriter, q *http.Request) {
	var a order
	var out struct {
		Outcome json.RawMessage
		Error   string
	}
	err := json.NewDecoder(q.Body).Decode(&a)
	if err == nil {
		err = p.ready(a)
	}
	if err == nil {
		out.Outcome, err = p.call(q.Context(), a)
	}
	if err != nil {
		out.Error = err.Error()
	}
	_ = json.NewEncoder(w).Encode(out) // who has gone hears nothing
}

// ready starts the servers, unless those that run do.
func (p *pair) ready(a order) error {
	flags, config, err := a.serverFlags()
	if err != nil {
		return err
	}
	environ := slices.DeleteFunc(a.Environ, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{alternatingVariable, "_", "PWD", "OLDPWD", "SHLVL"}, name) // a shell sets them
	})
	key := fmt.Sprint(flags, a.Dir, environ, p.configured(a.Dir, config))
	p.mu.Lock()
	defer p.mu.Unlock()
	if key == p.key {
		return nil
	}
	if err := p.end(); err != nil {
		return err
	}
	if p.broker == nil {
		p.broker, err = broker.Start(broker.Options{Addr: "127.0.0.1:0", Keep: p.work + ".broker"})
		if err != nil {
			return err
		}
	}
	program, err := exec.LookPath(replicaName)
	if err != nil {
		return err
	}
	environ = append(environ, "HELVE_TOKEN="+pairToken, busVariable+"="+p.broker.URL())
	flags = append(flags, "--shared", "bus", "--approval", "elicit")
	for range 2 {
		r, err := replicatest.Serve(program, a.Dir, environ, flags)
		if err != nil {
			return err
		}
		p.each = append(p.each, r)
	}
	p.to, p.key = &http.Transport{}, key
	return nil
}

// serverFlags are those of a command line that say how tools work, and the user's configuration if one names it.
func (a order) serverFlags() (out []string, config string, err error) {
	below := func(path string) string {
		if path == "" || filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(a.Cwd, path)
	}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, set := range []*pflag.FlagSet{f, own} {
		set.SetInterspersed(false)                   // behind the tool's name words are the tool's
		set.ParseErrorsAllowlist.UnknownFlags = true // such as -C
	}
	own.String("session", "", "")
	for _, name := range []string{"yes", "json", "whole"} {
		own.Bool(name, false, "")
	}
	f.StringVar(&config, "config", "", "")
	for _, name := range []string{"mode", "tools", "disabled-tools", "profile"} {
		f.String(name, "", "")
	}
	for _, name := range []string{"trust", "allow-home", "strict", "no-history"} {
		f.Bool(name, false, "")
	}
	more := f.StringArray("add-dir", nil, "")
	own.AddFlagSet(f)
	if err = f.Parse(a.Words); err == nil && f.NArg() > 0 { // call
		err = own.Parse(f.Args()[1:])
	}
	if err != nil {
		return nil, "", err
	}
	if words := own.Args(); len(words) > 0 {
		behind, _, err := callwords.Read(words[0], words[1:])
		if err != nil {
			return nil, "", err
		}
		if behind.Own.Mode != "" {
			f.Set("mode", behind.Own.Mode)
		}
	}
	f.VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "add-dir" && f.Name != "config" {
			out = append(out, "--"+f.Name+"="+f.Value.String())
		}
	})
	for _, dir := range *more {
		out = append(out, "--add-dir="+below(dir))
	}
	if config = below(config); config != "" {
		out = append(out, "--config="+config)
	}
	return out, config, err
}

// configured is a digest of all that configures a server of a workspace.
func (p *pair) configured(dir, config string) string {
	h := sha256.New()
	home := p.work + ".home"
	for _, name := range []string{
		filepath.Join(home, "config"),
		filepath.Join(home, "state", "helve", "trust.json"),
		filepath.Join(dir, ".helve"),
		filepath.Join(dir, ".mcp.json"),
		filepath.Join(dir, ".mcp-codebase-index.toml"),
		config,
	} {
		digest(h, name)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// digest adds a file, or all below a folder.
func digest(h hash.Hash, name string) {
	_ = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error { // what is not there adds nothing
		if err != nil || d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%q %q %v\n", path, text, err)
		return nil
	})
}

// call makes a call as a client does. All calls of a script that are of no session are one conversation. The command line
// holds them to nothing, but a client has to read a file before it changes it: this one does, and so what was read at one
// server is changed at the other.
func (p *pair) call(ctx context.Context, a order) (json.RawMessage, error) {
	s, err := p.connect(ctx, slices.Contains(a.Words, "--yes"))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	params := &mcp.CallToolParams{Name: a.Name, Meta: mcp.Meta{server.MetaConversation: a.Session}}
	if a.Session == "" {
		params.Meta[server.MetaConversation] = "no session"
		if err := readFirst(ctx, s, a, params.Meta); err != nil {
			return nil, err
		}
	}
	if a.Args != nil {
		params.Arguments = a.Args
	}
	if a.Whole {
		params.Meta[server.MetaData] = "whole"
	}
	res, err := s.CallTool(ctx, params)
	if err != nil {
		return nil, err
	}
	told, ok := res.Meta[metaOutcome].(string)
	if !ok {
		return nil, fmt.Errorf("no outcome is told: %v", res.Meta)
	}
	return json.RawMessage(told), nil
}

// readFirst reads what a call changes.
func readFirst(ctx context.Context, s *mcp.ClientSession, a order, meta mcp.Meta) error {
	var in struct {
		File string `json:"file_path"`
	}
	if !slices.Contains([]string{"edit", "multi_edit", "write"}, a.Name) || json.Unmarshal(a.Args, &in) != nil || in.File == "" {
		return nil
	}
	_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "read", Arguments: map[string]any{"file_path": in.File}, Meta: meta})
	return err
}

// connect makes a client. Nobody is there to ask: --yes is the answer, but to what shows only when a command has run, about
// which nothing lasting can be said.
func (p *pair) connect(ctx context.Context, yes bool) (*mcp.ClientSession, error) {
	answer := func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		offered, err := json.Marshal(q.Params.RequestedSchema)
		if err != nil || !yes || !strings.Contains(string(offered), `"always"`) {
			return &mcp.ElicitResult{Action: "cancel"}, err
		}
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"decision": "once"}}, nil
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, &mcp.ClientOptions{ElicitationHandler: answer})
	return c.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   "http://the-pair/mcp",
		HTTPClient: &http.Client{Transport: p},
	}, &mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"})
}

// RoundTrip takes each request of a call to the other server than the one before.
func (p *pair) RoundTrip(q *http.Request) (*http.Response, error) {
	q = q.Clone(q.Context())
	q.Header.Set("Authorization", "Bearer "+pairToken)
	at, to := p.choose(q.Header.Get("Mcp-Method") == "tools/call")
	q.URL.Scheme, q.URL.Host, q.Host = at.Scheme, at.Host, at.Host
	return to.RoundTrip(q)
}

func (p *pair) choose(calls bool) (*url.URL, *http.Transport) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if calls {
		p.turn = 1 - p.turn
		p.carried[p.turn]++
	}
	return p.each[p.turn].At, p.to
}
