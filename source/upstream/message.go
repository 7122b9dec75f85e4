package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// A message is one of JSON-RPC: a request has ID and Method, a notification Method only, a response ID only.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Err    *RPCError
}

// maxWords is how much of a server's error message is repeated, in bytes: what is longer is no message.
const maxWords = 8 << 10

// An RPCError is what a server answered in place of a result.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *RPCError) Error() string {
	msg, _ := rawjson.Visible(e.Message)
	if len(msg) > maxWords {
		msg = strings.ToValidUTF8(msg[:maxWords], "") + "…"
	}
	return fmt.Sprintf("%s (%d)", msg, e.Code)
}

// RPC is what the server said, for those who pass it on.
func (e *RPCError) RPC() (code int, message string, data json.RawMessage) {
	return e.Code, e.Message, e.Data
}

// Codes that are used here.
const (
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeUnsupported    = -32022 // the protocol's version
)

var errNoise = errors.New("not a message of the protocol")

// decode reads one message. Keys count in their exact spelling, and once.
func decode(line []byte) (*message, error) {
	if !utf8.Valid(line) {
		line = []byte(strings.ToValidUTF8(string(line), "\ufffd"))
	}
	in, err := rpc.Split(line)
	if err != nil || in.Version != "2.0" || in.Method == "" && in.ID == nil {
		return nil, errNoise
	}
	m := &message{ID: in.ID, Method: in.Method, Params: in.Params, Result: in.Result}
	if in.Err != nil {
		m.Err = decodeError(in.Err)
	}
	return m, nil
}

func decodeError(b json.RawMessage) *RPCError {
	e := &RPCError{}
	if string(b) == "null" {
		return nil
	}
	if json.Unmarshal(b, e) != nil {
		e.Code, e.Message = codeInternal, "the server's error cannot be read"
	}
	return e
}

// encode writes a message on one line, its raw parts as they are.
func (m *message) encode() []byte {
	b := make([]byte, 0, len(m.Params)+len(m.Result)+len(m.Method)+64)
	switch {
	case m.Method != "":
		return rpc.AppendCall(b, m.ID, m.Method, m.Params)
	case m.Err != nil:
		e, _ := json.Marshal(m.Err)
		return rpc.AppendError(b, m.ID, e)
	}
	return rpc.AppendResult(b, m.ID, m.Result)
}
