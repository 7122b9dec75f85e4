package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"helve/internal/rawjson"
)

// A message is one of JSON-RPC: a request has ID and Method, a notification Method only, a response ID only.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Err    *RPCError
}

// An RPCError is what a server answered in place of a result.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *RPCError) Error() string {
	msg, _ := rawjson.Visible(e.Message)
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
	codeRejected       = -32005 // the SDK's own: the transport took no message
)

var errNoise = errors.New("not a message of the protocol")

// decode reads one message. Keys count in their exact spelling, and once.
func decode(line []byte) (*message, error) {
	if !utf8.Valid(line) {
		line = []byte(strings.ToValidUTF8(string(line), "\ufffd"))
	}
	members, err := rawjson.Object(line)
	if err != nil {
		return nil, errNoise
	}
	m := &message{}
	version := ""
	for _, f := range members {
		switch f.Key {
		case "jsonrpc":
			version, _ = rawjson.String(f.Value)
		case "id":
			m.ID = f.Value
		case "method":
			m.Method, _ = rawjson.String(f.Value)
		case "params":
			m.Params = f.Value
		case "result":
			m.Result = f.Value
		case "error":
			m.Err = decodeError(f.Value)
		}
	}
	if version != "2.0" || m.Method == "" && m.ID == nil {
		return nil, errNoise
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
	b = append(b, `{"jsonrpc":"2.0"`...)
	if m.ID != nil {
		b = append(append(b, `,"id":`...), m.ID...)
	}
	switch {
	case m.Method != "":
		b = rawjson.AppendString(append(b, `,"method":`...), m.Method)
		if m.Params != nil {
			b = append(append(b, `,"params":`...), oneLine(m.Params)...)
		}
	case m.Err != nil:
		e, _ := json.Marshal(m.Err)
		b = append(append(b, `,"error":`...), e...)
	default:
		b = append(append(b, `,"result":`...), oneLine(m.Result)...)
	}
	return append(b, '}')
}

// oneLine is valid JSON without line ends, which would end the message; inside strings they cannot stand.
func oneLine(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage("{}")
	}
	var out []byte
	for i, c := range b {
		if c == '\n' || c == '\r' {
			if out == nil {
				out = append([]byte(nil), b...)
			}
			out[i] = ' '
		}
	}
	if out == nil {
		return b
	}
	return out
}
