// Package wire is what helve and the child that runs a script say to each other: JSON, each message with its length
// before it, over two pipes.
package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"helve/engine/stub"
)

// MaxMessage bounds one message in bytes. The data of a call is at most 4 MiB, the result of a script no more than
// MaxResult; the rest is names and words.
const MaxMessage = 16 << 20

// MaxResult bounds the result of a script, and MaxArguments those of one call in it, in bytes of JSON.
const (
	MaxResult    = 8 << 20
	MaxArguments = 1 << 20
)

// A Start tells a child what to run. It is the first message, and the only one of its kind: a child runs one script.
type Start struct {
	Source    string          `json:"source"`
	Inputs    json.RawMessage `json:"inputs,omitempty"` // null or absent: there are none
	Functions []Function      `json:"functions"`
	Steps     uint64          `json:"steps"`         // of the interpreter; more end the script
	Printed   int             `json:"printed"`       // bytes that print keeps
	Parallel  int             `json:"parallel"`      // calls of one parallel that run at once
	Dry       bool            `json:"dry,omitempty"` // say first which calls are certain, and wait for a Go
}

// A Function is a tool as the script calls it.
type Function struct {
	Group  string   `json:"group,omitempty"` // the server's name; "": it stands alone
	Name   string   `json:"name"`
	Tool   string   `json:"tool"`             // its public name
	Params []string `json:"params,omitempty"` // in the order of the stub
	Nulls  []string `json:"nulls,omitempty"`  // those of them for which None is a value and not what is left out

	// Data is the shape of its data, with the fields that may be left out; nil: it gives a text, or nothing is known.
	Data *stub.Shape `json:"data,omitempty"`
}

// A Down is a message to the child: one of these.
type Down struct {
	Start *Start `json:"start,omitempty"`
	Reply *Reply `json:"reply,omitempty"`
	Go    bool   `json:"go,omitempty"` // the script begins
}

// A Reply answers a Call: with data, with a text, or with a failure.
type Reply struct {
	ID   int             `json:"id"`
	Data json.RawMessage `json:"data,omitempty"`
	Text string          `json:"text,omitempty"`
	Err  *Failure        `json:"err,omitempty"`
}

// An Up is a message of the child: one of these.
type Up struct {
	Ready bool   `json:"ready,omitempty"` // it is confined and waits for its Start
	Ahead *Ahead `json:"ahead,omitempty"` // it waits for a Go
	Call  *Call  `json:"call,omitempty"`
	Done  *Done  `json:"done,omitempty"`
}

// An Ahead says what a script calls as far as it comes without looking at what a call brings.
type Ahead struct {
	Calls []Call `json:"calls,omitempty"`
	More  bool   `json:"more,omitempty"` // the script goes on from there
}

// A Call is one that the script makes. Branch and Index are its key: the same in every run of the same script with the
// same replies.
type Call struct {
	ID     int             `json:"id"`
	Branch string          `json:"branch"`
	Index  int             `json:"index"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
}

// Key names the call in its script.
func (c *Call) Key() string { return fmt.Sprintf("%s:%d", c.Branch, c.Index) }

// A Done is the end of a script.
type Done struct {
	Result  json.RawMessage `json:"result,omitempty"` // absent: it has none
	Printed string          `json:"printed,omitempty"`
	Dropped int64           `json:"dropped,omitempty"` // bytes that were printed beyond what is kept
	Err     *Failure        `json:"err,omitempty"`
}

// A Failure is an error of a tool, or the script's own.
type Failure struct {
	Code    string `json:"code,omitempty"` // the tool's; "" of the script's own
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Where   string `json:"where,omitempty"` // in the script
}

const head = 4 // bytes of a length

// Write writes a message.
func Write(w io.Writer, v any) error {
	buf := bytes.NewBuffer(make([]byte, head))
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false) // arguments are shown to people and models as they are here
	if err := enc.Encode(v); err != nil {
		return err
	}
	message := buf.Bytes()
	size := len(message) - head
	if size > MaxMessage {
		return fmt.Errorf("a message of %d bytes: at most %d are sent", size, MaxMessage)
	}
	binary.BigEndian.PutUint32(message, uint32(size))
	_, err := w.Write(message)
	return err
}

// Read reads a message into v. io.EOF: the other side has closed its end, between two messages.
func Read(r io.Reader, v any) error {
	var length [head]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > MaxMessage {
		return fmt.Errorf("a message of %d bytes: at most %d are taken", n, MaxMessage)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}
