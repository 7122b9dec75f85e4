// Package bench is what measurements of MCP servers share: a server as a child process, what it takes of the machine, and
// a server that costs next to nothing.
package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

const (
	// patience is how long an answer may take. A server that hangs is ended then: a measurement must not wait for ever.
	patience = 60 * time.Second
	// leaving is how long a server may take to end once its client has left.
	leaving = 10 * time.Second
	// lineBuffer holds what a reader asks the system for at once.
	lineBuffer = 1 << 20
)

// A Child is a running MCP server on its standard input and output. One goroutine may use it at a time.
type Child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// Start runs a command and shakes hands with it as the session protocol does: every server that is compared knows that
// one. Whoever gets a child ends it.
func Start(cmd *exec.Cmd) (*Child, error) {
	c := &Child{cmd: cmd}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewReaderSize(out, lineBuffer)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	const hello = `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`
	if _, err := c.Request("initialize", hello); err != nil {
		c.End()
		return nil, err
	}
	io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return c, nil
}

// Pid is the process of the server itself.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Request sends a request and returns the line that answers it; params is JSON. An answer that is an error is one.
func (c *Child) Request(method, params string) ([]byte, error) {
	c.id++
	late := time.AfterFunc(patience, func() { c.cmd.Process.Kill() })
	defer late.Stop()
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.id, method, params)
	want := fmt.Sprint(c.id)
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("%s: the server is gone: %w", method, err)
		}
		var m struct{ ID, Error json.RawMessage }
		if json.Unmarshal(line, &m) != nil || string(m.ID) != want {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return line, nil
	}
}

// Flood makes calls of tools/call with so many of them under way at any time, until all are answered.
func (c *Child) Flood(params string, calls, flight int) error {
	late := time.AfterFunc(patience, func() { c.cmd.Process.Kill() })
	defer late.Stop()
	slots := make(chan struct{}, flight)
	gone := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for range calls {
			select {
			case slots <- struct{}{}:
			case <-gone:
				return
			}
			c.id++
			fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", c.id, params)
		}
	})
	defer wg.Wait()
	defer close(gone)
	for range calls {
		if err := c.skip(); err != nil {
			return err
		}
		<-slots
	}
	return nil
}

// skip reads one line. Looking into it would be a part of what is measured; notifications are not expected while calls
// are made.
func (c *Child) skip() error {
	for {
		line, err := c.out.ReadSlice('\n')
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil:
			return err
		case bytes.Contains(line, []byte(`"error":{`)):
			return fmt.Errorf("tools/call: %s", line)
		default:
			return nil
		}
	}
}

// End closes the server's input, as a client does that leaves, and returns how it ended, with what it took. One that
// stays is ended.
func (c *Child) End() *os.ProcessState {
	c.in.Close()
	late := time.AfterFunc(leaving, func() { c.cmd.Process.Kill() })
	defer late.Stop()
	c.cmd.Wait() // how it ended is in its state
	return c.cmd.ProcessState
}
