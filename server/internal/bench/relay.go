package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
)

// relay passes lines on as they are: what any gateway costs at the least, two
// more processes' hops.
func relay(in io.Reader, out io.Writer, command []string) error {
	return between(in, out, command, func(w io.Writer, r io.Reader) error {
		_, err := io.Copy(struct{ io.Writer }{w}, struct{ io.Reader }{r})
		return err
	})
}

// parsingRelay reads each message, and writes it anew: what a gateway costs that
// understands what it passes on and decides nothing.
func parsingRelay(in io.Reader, out io.Writer, command []string) error {
	return between(in, out, command, passMessages)
}

// between starts the command, and passes what comes in to it and what it says
// out, each in a goroutine of its own.
func between(in io.Reader, out io.Writer, command []string, pass func(io.Writer, io.Reader) error) error {
	c := exec.Command(command[0], command[1:]...)
	c.Stderr = os.Stderr
	to, err := c.StdinPipe()
	if err != nil {
		return err
	}
	from, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- pass(out, from) }()
	pass(to, in) // its end is that of the client
	to.Close()
	if err := <-done; err != nil {
		return err
	}
	return c.Wait()
}

// A message is one of JSON-RPC, as Go programs read it.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// passMessages reads messages and writes them, as many at once as came at once.
func passMessages(out io.Writer, in io.Reader) error {
	r, w := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return nil // whoever wrote is gone
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		anew, err := json.Marshal(m)
		if err != nil {
			return err
		}
		w.Write(append(anew, '\n'))
		if r.Buffered() > 0 {
			continue
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}
