package wrap

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"helve/tool"
)

// maxTape bounds one line of a cassette: a result with pictures, encoded.
const maxTape = 64 << 20

// A taped call is one line of a cassette.
type taped struct {
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Text   string          `json:"text,omitempty"` // the arguments, where they are no JSON
	Result *tool.Result    `json:"result"`
}

// Tape writes every call with its result to w, a line of JSON each: a cassette, which Play plays. Calls that the host stopped are
// not on it. A line that cannot be written is the host's error, beside the result: the call has run.
func Tape(w io.Writer) func(tool.Caller) tool.Caller {
	var mu sync.Mutex
	return func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			res, err := next(ctx, c)
			if err != nil || res == nil {
				return res, err
			}
			line := taped{Name: c.Name, Args: c.Args, Result: res}
			if !json.Valid(c.Args) {
				line.Args, line.Text = nil, string(c.Args)
			}
			b, err := json.Marshal(line)
			if err != nil {
				return res, fmt.Errorf("cassette: %s: %w", c.Name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if _, err := w.Write(append(b, '\n')); err != nil {
				return res, fmt.Errorf("cassette: %w", err)
			}
			return res, nil
		}
	}
}

// A Cassette holds recorded calls. It is safe for concurrent use.
type Cassette struct {
	mu    sync.Mutex
	calls map[string][]*tool.Result
}

// ReadCassette reads what Tape wrote.
func ReadCassette(r io.Reader) (*Cassette, error) {
	out := &Cassette{calls: map[string][]*tool.Result{}}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxTape)
	for n := 1; sc.Scan(); n++ {
		var t taped
		if err := json.Unmarshal(sc.Bytes(), &t); err != nil || t.Result == nil {
			return nil, fmt.Errorf("cassette: line %d: not a recorded call: %w", n, err)
		}
		if t.Text != "" {
			t.Args = json.RawMessage(t.Text)
		}
		k := tapeKey(t.Name, t.Args)
		out.calls[k] = append(out.calls[k], t.Result)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	return out, nil
}

// Left is how many recorded calls were not made again.
func (c *Cassette) Left() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, r := range c.calls {
		n += len(r)
	}
	return n
}

// Play answers calls from the cassette: nothing is run, judged or asked. The same call made again gets the next recorded result. A call
// that is not on the cassette, or was made as often as it is there, fails, and the model reads so.
func (c *Cassette) Play(tool.Caller) tool.Caller {
	return func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := tapeKey(call.Name, call.Args)
		c.mu.Lock()
		defer c.mu.Unlock()
		if len(c.calls[k]) == 0 {
			return tool.Fail(tool.Errorf(tool.Execution, "Error: %s: this call is not on the cassette.", call.Name)), nil
		}
		res := c.calls[k][0]
		c.calls[k] = c.calls[k][1:]
		return res, nil
	}
}

// tapeKey is the same for two spellings of the same call: order of keys and white space do not count.
func tapeKey(name string, args json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err == nil && !d.More() {
		if b, err := json.Marshal(v); err == nil {
			args = b
		}
	}
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return name + "\x00" + string(args)
}
