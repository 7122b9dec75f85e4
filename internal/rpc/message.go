package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	rawjson "helve/internal/json"
)

const (
	// maxID bounds an id, in bytes: they are numbers, or UUIDs at most.
	maxID = 256
	// maxMethod bounds the name of a method, in bytes.
	maxMethod = 128

	jsonNull = "null"
)

// A Message is a request with ID and Method, a notification with Method only,
// or a response with ID and either Result or Err. The raw parts are valid JSON
// and alias what was read. Params are an object, or nil.
type Message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Err    *Error

	// Frame is the whole message, if somebody encoded it already. It is the
	// sender's again when the message is out.
	Frame []byte
}

// Request tells a message that wants an answer.
func (m *Message) Request() bool { return m.Method != "" && m.ID != nil }

// Notification tells a message that wants none.
func (m *Message) Notification() bool { return m.Method != "" && m.ID == nil }

// envelope is a message as it was read. Keys count in their exact spelling and
// once: readers that bind "Method" as well see another message than whoever
// inspected this one.
type envelope struct {
	version string
	id      json.RawMessage
	method  string
	params  json.RawMessage
	result  json.RawMessage
	err     json.RawMessage
}

func (v *envelope) message() *Message {
	return &Message{
		ID:     v.id,
		Method: v.method,
		Params: v.params,
		Result: v.result,
		Err:    readError(v.err),
	}
}

func split(line []byte) (envelope, error) {
	keys := []string{"jsonrpc", "id", "method", "params", "result", "error"}
	var v [6]json.RawMessage
	if err := rawjson.Pick(line, keys, v[:]); err != nil {
		return envelope{}, err
	}
	return envelope{
		version: word(v[0]),
		id:      v[1],
		method:  word(v[2]),
		params:  v[3],
		result:  v[4],
		err:     v[5],
	}, nil
}

// word is a string, "" for anything else. The two that nearly every message has
// cost no memory.
func word(v json.RawMessage) string {
	switch string(v) {
	case "":
		return ""
	case `"2.0"`:
		return "2.0"
	case `"tools/call"`:
		return MethodCall
	}
	s, _ := rawjson.String(v)
	return s
}

// Parse reads a message of somebody who must keep the rules. With an error the
// message has the id that the refusal should bear, or is nil where none is
// known.
func Parse(line []byte) (*Message, *Error) {
	if !utf8.Valid(line) {
		return nil, Errorf(CodeParse, "the message is not valid UTF-8")
	}
	v, err := split(line)
	if err != nil {
		return nil, unreadable(line, err)
	}
	bad := v.check()
	return v.message(), bad
}

// ParseLoosely reads a message of somebody whose mistakes are mended or passed
// over: a server of many that should work. It is nil for what is no message.
func ParseLoosely(line []byte) *Message {
	if !utf8.Valid(line) {
		line = []byte(strings.ToValidUTF8(string(line), "\ufffd"))
	}
	v, err := split(line)
	if err != nil {
		if flat, cut := rawjson.Flat(line); cut { // whoever waits for it is answered, and reads what there is
			v, err = split(flat)
		}
	}
	if err != nil || v.version != "2.0" || v.method == "" && v.id == nil {
		return nil
	}
	return v.message()
}

func unreadable(line []byte, err error) *Error {
	switch {
	case errors.Is(err, rawjson.ErrTwice):
		return Errorf(CodeInvalidRequest, "invalid request: %v", err)
	case rawjson.Valid(line) && FirstByte(line) == '[':
		return Errorf(CodeInvalidRequest, "invalid request: batches are not accepted")
	case rawjson.Valid(line):
		return Errorf(CodeInvalidRequest, "invalid request: want an object")
	}
	return Errorf(CodeParse, "parse error: the message is not valid JSON")
}

// FirstByte is the first byte of a JSON value: it tells its kind. 0 for none.
func FirstByte(b []byte) byte {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

// check tells what is wrong with a message. A broken id becomes null, as the
// refusal must have one.
func (v *envelope) check() *Error {
	response := v.result != nil || v.err != nil
	switch {
	case v.id != nil && !ValidID(v.id):
		v.id = json.RawMessage(jsonNull)
		return Errorf(CodeInvalidRequest, `invalid request: "id" must be a string or an integer`)
	case v.version != "2.0":
		return Errorf(CodeInvalidRequest, `invalid request: "jsonrpc" must be "2.0"`)
	case v.method == "" && (v.id == nil || !response):
		return Errorf(CodeInvalidRequest, `invalid request: "method" is missing`)
	case v.method != "" && response:
		return Errorf(CodeInvalidRequest, "invalid request: it is a request and a response at once")
	case len(v.method) > maxMethod:
		return Errorf(CodeInvalidRequest, "invalid request: the method's name has %d bytes", len(v.method))
	case string(v.params) == jsonNull:
		v.params = nil
	case v.params != nil && FirstByte(v.params) != '{':
		return Errorf(CodeInvalidParams, `invalid params: "params" must be an object`)
	}
	return nil
}

// ValidID takes strings and whole numbers of at most 256 bytes. Progress tokens
// have the same form.
func ValidID(id json.RawMessage) bool {
	if len(id) == 0 || len(id) > maxID {
		return false
	}
	if id[0] == '"' {
		_, ok := rawjson.String(id)
		return ok
	}
	if plainDigits(id) {
		return true
	}
	if id[0] != '-' && (id[0] < '0' || id[0] > '9') { // json.Unmarshal takes null for 0
		return false
	}
	var f float64
	return json.Unmarshal(id, &f) == nil && f == math.Trunc(f)
}

func plainDigits(id json.RawMessage) bool {
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// Append appends the message as it goes out, on one line and without its end.
func (m *Message) Append(b []byte) []byte {
	switch {
	case m.Frame != nil:
		return append(b, m.Frame...)
	case m.Method != "":
		return m.appendCall(b)
	case m.Err != nil:
		return m.appendError(b)
	}
	return append(appendLine(AppendHead(b, m.ID), m.Result), '}')
}

// Encode is the message as it goes out.
func (m *Message) Encode() []byte {
	if m.Frame != nil {
		return m.Frame
	}
	const around = 64 // bytes of the envelope
	size := len(m.ID) + len(m.Method) + len(m.Params) + len(m.Result) + around
	return m.Append(make([]byte, 0, size))
}

func (m *Message) appendCall(b []byte) []byte {
	b = append(b, `{"jsonrpc":"2.0"`...)
	if m.ID != nil {
		b = append(b, `,"id":`...)
		b = append(b, m.ID...)
	}
	b = append(b, `,"method":`...)
	b = rawjson.AppendString(b, m.Method)
	if m.Params != nil {
		b = append(b, `,"params":`...)
		b = appendLine(b, m.Params)
	}
	return append(b, '}')
}

func (m *Message) appendError(b []byte) []byte {
	id := m.ID
	if id == nil {
		id = json.RawMessage(jsonNull)
	}
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	b = append(b, `,"error":`...)
	return append(appendLine(b, m.Err.encoded()), '}')
}

// AppendHead appends a response up to its result. What follows is the result,
// without line ends, and a closing brace: a large result need not be copied.
func AppendHead(b []byte, id json.RawMessage) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = append(b, id...)
	return append(b, `,"result":`...)
}

// appendLine appends valid JSON without line ends, which would end the message;
// inside strings they cannot be.
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
	if bytes.IndexByte(v, '\n') < 0 && bytes.IndexByte(v, '\r') < 0 {
		return // nearly always, and quick to see
	}
	for i, c := range v {
		if c == '\n' || c == '\r' {
			v[i] = ' '
		}
	}
}
