// Package rpc reads and writes the envelope of JSON-RPC 2.0, a message a line, and looks no deeper: what is inside stays as it came.
package rpc

import (
	"bytes"
	"encoding/json"

	rawjson "helve/internal/json"
)

// A Message is a request with ID and Method, a notification with Method only, or a response with ID only. The raw parts are valid JSON
// and alias what was read.
type Message struct {
	Version string // what "jsonrpc" says
	ID      json.RawMessage
	Method  string
	Params  json.RawMessage
	Result  json.RawMessage
	Err     json.RawMessage
}

// Request tells a message that wants an answer.
func (m *Message) Request() bool { return m.Method != "" && m.ID != nil }

// Notification tells a message that wants none.
func (m *Message) Notification() bool { return m.Method != "" && m.ID == nil }

// Split reads one message. Keys count in their exact spelling and once: readers that bind "Method" as well see another message than
// whoever inspected this one. What the members are worth is the caller's to judge. The error is one of rawjson.
func Split(line []byte) (Message, error) {
	var v [6]json.RawMessage
	if err := rawjson.Pick(line, []string{"jsonrpc", "id", "method", "params", "result", "error"}, v[:]); err != nil {
		return Message{}, err
	}
	m := Message{ID: v[1], Params: v[3], Result: v[4], Err: v[5]}
	m.Version = word(v[0])
	m.Method = word(v[2])
	return m, nil
}

// word is a string, "" for anything else. The two that nearly every message has cost no memory.
func word(v json.RawMessage) string {
	switch string(v) {
	case "":
		return ""
	case `"2.0"`:
		return "2.0"
	case `"tools/call"`:
		return "tools/call"
	}
	s, _ := rawjson.String(v)
	return s
}

// AppendCall appends a request, or without an id a notification. The messages have no line end.
func AppendCall(b []byte, id json.RawMessage, method string, params json.RawMessage) []byte {
	b = append(b, `{"jsonrpc":"2.0"`...)
	if id != nil {
		b = append(append(b, `,"id":`...), id...)
	}
	b = rawjson.AppendString(append(b, `,"method":`...), method)
	if params != nil {
		b = appendLine(append(b, `,"params":`...), params)
	}
	return append(b, '}')
}

// AppendResult appends a response.
func AppendResult(b []byte, id, result json.RawMessage) []byte {
	return append(appendLine(AppendHead(b, id), result), '}')
}

// AppendHead appends a response up to its result; what follows is the result, without line ends, and a closing brace.
func AppendHead(b []byte, id json.RawMessage) []byte {
	return append(append(append(b, `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...)
}

// AppendError appends a response that is an error. A nil id is null.
func AppendError(b []byte, id, err json.RawMessage) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	return append(appendLine(append(b, `,"error":`...), err), '}')
}

// appendLine appends valid JSON without line ends, which would end the message; inside strings they cannot stand.
func appendLine(b []byte, v json.RawMessage) []byte {
	if len(v) == 0 {
		return append(b, '{', '}')
	}
	at := len(b)
	b = append(b, v...)
	OneLine(b[at:])
	return b
}

// OneLine makes spaces of the line ends in valid JSON.
func OneLine(v []byte) {
	if bytes.IndexByte(v, '\n') < 0 && bytes.IndexByte(v, '\r') < 0 { // nearly always, and quick to see
		return
	}
	for i, c := range v {
		if c == '\n' || c == '\r' {
			v[i] = ' '
		}
	}
}
