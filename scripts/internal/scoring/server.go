package scoring

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

// Server is a program that is talked to through its pipes.
type Server struct {
	in   io.WriteCloser
	out  *bufio.Reader
	cmd  *exec.Cmd
	temp string // its temporary files, which it does not all take away when it is ended
}

// Start starts a program in a folder.
func Start(ctx context.Context, dir string, command ...string) (*Server, error) {
	temp, err := os.MkdirTemp("", "score-server-*")
	if err != nil {
		return nil, err
	}
	s := &Server{cmd: exec.CommandContext(ctx, command[0], command[1:]...), temp: temp}
	s.cmd.Dir = dir
	s.cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	s.cmd.WaitDelay = time.Second
	if err := s.start(); err != nil {
		os.RemoveAll(temp)
		return nil, err
	}
	return s, nil
}

func (s *Server) start() error {
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	return s.cmd.Start()
}

// Close ends the program.
func (s *Server) Close() {
	s.in.Close()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.temp)
}

// Write writes to the program's input.
func (s *Server) Write(b []byte) (int, error) { return s.in.Write(b) }

// Read reads one message, behind its Content-Length.
func (s *Server) Read() ([]byte, error) {
	size := 0
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimSpace(line)
		if line == "" && size > 0 {
			break
		}
		if text, ok := strings.CutPrefix(line, "Content-Length:"); ok {
			if size, err = strconv.Atoi(strings.TrimSpace(text)); err != nil {
				return nil, err
			}
		}
	}
	b := make([]byte, size)
	_, err := io.ReadFull(s.out, b)
	return b, err
}

// Client speaks the Language Server Protocol with a server: one request at a time.
type Client struct {
	*Server
	last int
}

// Greet starts a language server for a folder and tells it what a client can do.
func Greet(ctx context.Context, root string, capabilities map[string]any, command ...string) (*Client, error) {
	s, err := Start(ctx, root, command...)
	if err != nil {
		return nil, err
	}
	c := &Client{Server: s}
	uri := (&url.URL{Scheme: "file", Path: root}).String()
	_, err = c.Call("initialize", map[string]any{
		"processId":        nil,
		"rootUri":          uri,
		"workspaceFolders": []any{map[string]any{"uri": uri, "name": "project"}},
		"capabilities":     capabilities,
	})
	if err != nil {
		c.Close()
		return nil, err
	}
	c.Notify("initialized", map[string]any{})
	return c, nil
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

func (c *Client) send(m map[string]any) error {
	m["jsonrpc"] = "2.0"
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

// Notify sends what has no answer. That a server is gone shows at the next call.
func (c *Client) Notify(method string, params any) {
	_ = c.send(map[string]any{"method": method, "params": params})
}

// Call asks and waits. What the server asks meanwhile is answered with nothing.
func (c *Client) Call(method string, params any) (json.RawMessage, error) {
	c.last++
	if err := c.send(map[string]any{"id": c.last, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		m, err := c.receive()
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", method, err)
		case m.Method != "" && m.ID != nil:
			if err := c.send(map[string]any{"id": m.ID, "result": nothing(m)}); err != nil {
				return nil, err
			}
		case m.Method != "" || string(m.ID) != strconv.Itoa(c.last):
		case m.Error != nil:
			return nil, errors.New(method + ": " + m.Error.Message)
		default:
			return m.Result, nil
		}
	}
}

func (c *Client) receive() (*message, error) {
	data, err := c.Read()
	if err != nil {
		return nil, err
	}
	m := &message{}
	return m, json.Unmarshal(data, m)
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
