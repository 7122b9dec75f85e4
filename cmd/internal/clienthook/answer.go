package clienthook

import (
	"bytes"
	"encoding/json"
)

// A Decision is what the client is told.
type Decision int

// The decisions. Silence leaves the call to the client.
const (
	Silence Decision = iota
	Deny
	Ask
	Rewrite
)

// An Answer is what a hook says of a call.
type Answer struct {
	Decision Decision
	Reason   string          // of a Deny and an Ask
	Input    json.RawMessage // of a Rewrite, and of an Ask whose yes runs it: the whole input
	// Allow has the client not ask again about what is rewritten.
	Allow bool
}

// A Reply is an answer in a client's form.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
}

// Write is the answer in the client's form.
func (c *Client) Write(a Answer, e *Event) Reply {
	if e == nil {
		e = &Event{}
	}
	return c.write(a, e)
}

// object is JSON for a client.
func object(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("{}\n") // nothing that is written here can fail
	}
	return b.Bytes()
}

// with is an input with other command lines in the place of its own; every other field stays as it is.
func (c *Client) with(e *Event, lines []string) (json.RawMessage, error) {
	s := c.tools[e.Tool]
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(e.Input, &fields); err != nil {
		return nil, err
	}
	for _, f := range s.fields {
		if len(fields[f]) == 0 {
			continue
		}
		var value any = lines[0]
		if fields[f][0] == '[' {
			value = lines
		}
		raw := bytes.TrimSpace(object(value))
		fields[f] = raw
		break
	}
	return bytes.TrimSpace(object(fields)), nil
}
