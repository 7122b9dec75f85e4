package wrap

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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

// Tape writes every call with its result to w, a line of JSON each: a cassette, which Play plays. Calls that the host
// stopped are not on it. A line that cannot be written is the host's error, beside the result: the call has run.
func Tape(w io.Writer) func(tool.Caller) tool.Caller {
	var mu sync.Mutex
	return func(next tool.Caller) tool.Caller {
		return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
			res, err := next(ctx, c)
			if err != nil || res == nil {
				return res, err
			}
			line, err := tapeLine(c, res)
			if err != nil {
				return res, fmt.Errorf("cassette: %s: %w", c.Name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			_, err = w.Write(line)
			if err != nil {
				return res, fmt.Errorf("cassette: %w", err)
			}
			return res, nil
		}
	}
}

// tapeLine is one line of a cassette. Arguments that are no JSON are calls too, and are answered as they were.
func tapeLine(c *tool.Call, res *tool.Result) ([]byte, error) {
	line := taped{Name: c.Name, Args: c.Args, Result: res}
	if !json.Valid(c.Args) {
		line.Args = nil
		line.Text = string(c.Args)
	}
	b, err := json.Marshal(line)
	return append(b, '\n'), err
}

// A Cassette holds recorded calls and plays each once, in the order of their recording. It is safe for concurrent use.
type Cassette struct {
	mu    sync.Mutex
	calls map[string][]*tool.Result
}

// ReadCassette reads what Tape wrote. The error names the line that is no recorded call; a line is 64 MiB at most.
func ReadCassette(r io.Reader) (*Cassette, error) {
	out := &Cassette{calls: map[string][]*tool.Result{}}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxTape)
	for n := 1; sc.Scan(); n++ {
		t, err := parseTaped(sc.Bytes())
		if err != nil {
			return nil, fmt.Errorf("cassette: line %d: not a recorded call: %w", n, err)
		}
		k := tapeKey(t.Name, t.Args)
		out.calls[k] = append(out.calls[k], t.Result)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("cassette: %w", err)
	}
	return out, nil
}

func parseTaped(line []byte) (*taped, error) {
	t := &taped{}
	if err := json.Unmarshal(line, t); err != nil {
		return nil, err
	}
	if t.Result == nil {
		return nil, errors.New("it has no result")
	}
	if t.Text != "" {
		t.Args = json.RawMessage(t.Text)
	}
	return t, nil
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

// Play answers calls from the cassette: nothing is run, judged or asked. The same call made again gets the next
// recorded result. A call that is not on the cassette, or was made as often as it is there, fails, and the model reads
// so.
func (c *Cassette) Play(tool.Caller) tool.Caller {
	return func(ctx context.Context, call *tool.Call) (*tool.Result, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := tapeKey(call.Name, call.Args)
		c.mu.Lock()
		defer c.mu.Unlock()
		recorded := c.calls[k]
		if len(recorded) == 0 {
			missing := tool.ErrorOf(tool.Execution, call.Name, "this call is not on the cassette")
			return tool.Fail(missing), nil
		}
		c.calls[k] = recorded[1:]
		return recorded[0], nil
	}
}

// tapeKey is the same for two spellings of the same call: order of keys and white space do not count.
func tapeKey(name string, args json.RawMessage) string {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	return name + "\x00" + string(canonical(args))
}

// canonical is JSON with its keys in order; what is no JSON stays as it is. Numbers keep their digits.
func canonical(args json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(args))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return args
	}
	b, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return b
}
