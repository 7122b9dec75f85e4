package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// client speaks the Language Server Protocol with a server that it has started: one request at a time.
type client struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	last int
	temp string // its temporary files, which it does not all take away when it is ended
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// startServer starts a server for a folder and greets it.
func startServer(ctx context.Context, root string, command []string) (*client, error) {
	temp, err := os.MkdirTemp("", "score-server-*")
	if err != nil {
		return nil, err
	}
	c := &client{cmd: exec.CommandContext(ctx, command[0], command[1:]...), temp: temp}
	c.cmd.Dir = root
	c.cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	c.cmd.WaitDelay = time.Second
	if err := c.start(); err != nil {
		os.RemoveAll(temp)
		return nil, err
	}
	uri := (&url.URL{Scheme: "file", Path: root}).String()
	var ignored any
	err = c.call("initialize", map[string]any{
		"processId": nil, "rootUri": uri,
		"workspaceFolders": []any{map[string]any{"uri": uri, "name": "project"}},
		"capabilities": map[string]any{
			"textDocument": map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}},
			"workspace":    map[string]any{"workspaceFolders": true, "configuration": true},
		},
	}, &ignored)
	if err != nil {
		c.close()
		return nil, err
	}
	c.notify("initialized", map[string]any{})
	return c, nil
}

// start starts the program with pipes to it.
func (c *client) start() error {
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.out = bufio.NewReader(out)
	return c.cmd.Start()
}

// close ends the server.
func (c *client) close() {
	c.in.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
	_ = os.RemoveAll(c.temp)
}

func (c *client) send(m map[string]any) error {
	m["jsonrpc"] = "2.0"
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

// notify sends what has no answer. That a server is gone shows at the next call.
func (c *client) notify(method string, params any) {
	_ = c.send(map[string]any{"method": method, "params": params})
}

// call asks and waits. What the server asks meanwhile is answered with nothing.
func (c *client) call(method string, params, into any) error {
	c.last++
	if err := c.send(map[string]any{"id": c.last, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		m, err := c.read()
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		if m.Method != "" {
			if m.ID != nil {
				if err := c.send(map[string]any{"id": m.ID, "result": nothing(m)}); err != nil {
					return err
				}
			}
			continue
		}
		if string(m.ID) != strconv.Itoa(c.last) {
			continue
		}
		if m.Error != nil {
			return errors.New(method + ": " + m.Error.Message)
		}
		return decode(m.Result, into)
	}
}

// nothing is the empty answer to what a server asks: of its configuration, one for each item.
func nothing(m *message) any {
	if m.Method != "workspace/configuration" {
		return nil
	}
	var asked struct {
		Items []any `json:"items"`
	}
	_ = json.Unmarshal(m.Params, &asked)
	return make([]any, len(asked.Items))
}

// read reads one message.
func (c *client) read() (*message, error) {
	size := 0
	for {
		line, err := c.out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if text, ok := strings.CutPrefix(line, "Content-Length:"); ok {
			if size, err = strconv.Atoi(strings.TrimSpace(text)); err != nil {
				return nil, err
			}
		}
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return nil, err
	}
	m := &message{}
	return m, json.Unmarshal(data, m)
}
