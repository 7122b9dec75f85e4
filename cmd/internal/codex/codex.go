// Package codex asks the app server of Codex which hooks it trusts, and has it trust ours.
package codex

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"helve/internal/spawn"
)

const (
	// mostTime bounds what Codex takes to say which hooks it trusts: it starts in half a second.
	mostTime = 20 * time.Second
	// maxLine bounds one of its messages, in bytes.
	maxLine = 16 << 20
)

// With has an app server of Codex for f.
func With(ctx context.Context, dir string, env []string, f func(*Server) error) error {
	ctx, stop := context.WithTimeout(ctx, mostTime)
	defer stop()
	p, err := spawn.Start(spawn.Spec{Argv: []string{"codex", "app-server"}, Dir: dir, Env: env})
	if err != nil {
		return err
	}
	defer p.End(time.Second)
	end := context.AfterFunc(ctx, func() { p.End(0) })
	defer end()
	c := &Server{in: p.Stdin, out: bufio.NewReaderSize(io.LimitReader(p.Stdout, 8*maxLine), 64<<10)}
	if err := c.begin(); err != nil {
		return err
	}
	return f(c)
}

// ErrUntrusted is about hooks that Codex does not run.
var ErrUntrusted = errors.New("these hooks are skipped by Codex")

// A Server is Codex's app server, as far as it is asked about hooks.
type Server struct {
	in   io.Writer
	out  *bufio.Reader
	last int
}

// A hook is one that Codex found.
type hook struct {
	Key     string `json:"key"`
	Hash    string `json:"currentHash"`
	Command string `json:"command"`
	Trust   string `json:"trustStatus"`
}

// Trust has Codex trust our hooks as they are, as its own screen does.
func (c *Server) Trust(dir string) error {
	hooks, err := c.hooks(dir)
	if err != nil {
		return err
	}
	if err := c.note(hooks); err != nil {
		return err
	}
	return c.Trusted(dir)
}

// Trusted is an error that says which hook Codex does not trust.
func (c *Server) Trusted(dir string) error {
	hooks, err := c.hooks(dir)
	if err != nil {
		return err
	}
	if len(hooks) == 0 {
		return fmt.Errorf("%w: it does not find them", ErrUntrusted)
	}
	for _, h := range hooks {
		if h.Trust != "trusted" && h.Trust != "managed" {
			return fmt.Errorf("%w: it calls %s %q", ErrUntrusted, h.Key, h.Trust)
		}
	}
	return nil
}

// begin tells Codex who asks.
func (c *Server) begin() error {
	info := map[string]any{
		"clientInfo":   map[string]string{"name": "helve", "title": "helve", "version": "1"},
		"capabilities": map[string]bool{"experimentalApi": true},
	}
	if err := c.call("initialize", info, nil); err != nil {
		return err
	}
	return c.send(map[string]any{"jsonrpc": "2.0", "method": "initialized"})
}

// note has Codex note that these hooks are trusted as they are.
func (c *Server) note(hooks []hook) error {
	state := map[string]any{}
	for _, h := range hooks {
		state[h.Key] = map[string]string{"trusted_hash": h.Hash}
	}
	if len(state) == 0 {
		return errors.New("it does not find them")
	}
	edit := map[string]any{"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
	return c.call("config/batchWrite", map[string]any{"edits": []any{edit}, "reloadUserConfig": true}, nil)
}

// hooks are ours among those that Codex found.
func (c *Server) hooks(dir string) ([]hook, error) {
	var listed struct {
		Data []struct {
			Hooks []hook `json:"hooks"`
		} `json:"data"`
	}
	if err := c.call("hooks/list", map[string]any{"cwds": []string{dir}}, &listed); err != nil {
		return nil, err
	}
	var out []hook
	for _, d := range listed.Data {
		for _, h := range d.Hooks {
			if strings.Contains(h.Command, " hook codex ") {
				out = append(out, h)
			}
		}
	}
	return out, nil
}

func (c *Server) send(message any) error {
	b, err := json.Marshal(message)
	if err == nil {
		_, err = c.in.Write(append(b, '\n'))
	}
	return err
}

// call asks, and waits for the answer; what Codex says besides is passed over.
func (c *Server) call(method string, params, result any) error {
	c.last++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("codex app-server: %s: %w", method, err)
		}
		var answer struct {
			ID     *int            `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &answer) != nil || answer.ID == nil || *answer.ID != c.last {
			continue
		}
		if answer.Error != nil {
			return fmt.Errorf("codex app-server: %s: %s", method, answer.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(answer.Result, result)
	}
}
