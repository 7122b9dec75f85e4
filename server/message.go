package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"helve/internal/rawjson"
)

// Codes of JSON-RPC and of the protocol.
const (
	codeParse           = -32700
	codeInvalidRequest  = -32600
	codeMethodNotFound  = -32601
	codeInvalidParams   = -32602
	codeInternal        = -32603
	codeBusy            = -32000
	codeNotFound        = -32002 // of a resource, until 2025-11-25
	codeHeaderMismatch  = -32020
	codeCapability      = -32021 // the client lacks what the request needs
	codeVersion         = -32022
	codeElicitURL       = -32042 // the client must open an address first
	maxID               = 256    // bytes; ids of clients are numbers, or UUIDs at most
	maxMethod           = 128
	maxProgressToken    = 256
	maxRequestState     = 64 << 10 // what comes back of a sealed state
	maxSubscribed       = 1000     // resources that one client may follow
	maxInputResponses   = 64       // answers in one retry
	jsonNull            = "null"
	notificationsPrefix = "notifications/"
)

// An Error is an error of the protocol: the request was not one, or cannot be served. Failures of tools are results.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

func errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// A coded error is one of the protocol that came from elsewhere: of an upstream.
type coded interface {
	error
	RPC() (code int, message string, data json.RawMessage)
}

// asRPC is err as the protocol's error.
func asRPC(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if c, ok := errors.AsType[coded](err); ok {
		e := &Error{}
		e.Code, e.Message, e.Data = c.RPC()
		return e
	}
	return &Error{Code: codeInternal, Message: err.Error()}
}

// A message is one of JSON-RPC: a request has ID and Method, a notification Method only, a response ID only. The raw parts are valid
// JSON and alias what was read.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage // an object or nil
	Result json.RawMessage
	Err    json.RawMessage
}

func (m *message) request() bool      { return m.Method != "" && m.ID != nil }
func (m *message) notification() bool { return m.Method != "" && m.ID == nil }

// decode reads one message. Keys count in their exact spelling and once: readers that bind "Method" as well see another message than
// whoever inspected this one. The id comes with the error where it is known.
func decode(line []byte) (*message, *Error) {
	if !utf8.Valid(line) {
		return nil, errorf(codeParse, "the message is not valid UTF-8")
	}
	members, err := rawjson.Object(line)
	if err != nil {
		return nil, unreadable(line, err)
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
			m.Err = f.Value
		}
	}
	return m, m.check(version)
}

func unreadable(line []byte, err error) *Error {
	switch {
	case errors.Is(err, rawjson.ErrTwice):
		return errorf(codeInvalidRequest, "invalid request: %v", err)
	case rawjson.Valid(line) && len(line) > 0 && firstByte(line) == '[':
		return errorf(codeInvalidRequest, "invalid request: batches are not accepted")
	case rawjson.Valid(line):
		return errorf(codeInvalidRequest, "invalid request: want an object")
	}
	return errorf(codeParse, "parse error: the message is not valid JSON")
}

func firstByte(b []byte) byte {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
	return 0
}

func (m *message) check(version string) *Error {
	switch {
	case m.ID != nil && !validID(m.ID):
		m.ID = json.RawMessage(jsonNull)
		return errorf(codeInvalidRequest, `invalid request: "id" must be a string or an integer`)
	case version != "2.0":
		return errorf(codeInvalidRequest, `invalid request: "jsonrpc" must be "2.0"`)
	case m.Method == "" && (m.ID == nil || m.Result == nil && m.Err == nil):
		return errorf(codeInvalidRequest, `invalid request: "method" is missing`)
	case m.Method != "" && (m.Result != nil || m.Err != nil):
		return errorf(codeInvalidRequest, "invalid request: it is a request and a response at once")
	case len(m.Method) > maxMethod:
		return errorf(codeInvalidRequest, "invalid request: the method's name has %d bytes", len(m.Method))
	case string(m.Params) == jsonNull:
		m.Params = nil
	case m.Params != nil && firstByte(m.Params) != '{':
		return errorf(codeInvalidParams, `invalid params: "params" must be an object`)
	}
	return nil
}

func validID(id json.RawMessage) bool {
	if len(id) > maxID {
		return false
	}
	if id[0] == '"' {
		_, ok := rawjson.String(id)
		return ok
	}
	var f float64
	return json.Unmarshal(id, &f) == nil && string(id) != jsonNull && id[0] != 't' && id[0] != 'f' && f == math.Trunc(f)
}

// The messages that go out, each on one line and without its end.

func encodeResult(id, result json.RawMessage) []byte {
	b := make([]byte, 0, len(id)+len(result)+40)
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = appendLine(append(b, `,"result":`...), result)
	return append(b, '}')
}

func encodeError(id json.RawMessage, e *Error) []byte {
	if id == nil {
		id = json.RawMessage(jsonNull)
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	body, err := json.Marshal(e)
	if err != nil { // data of an upstream that is no JSON
		body, _ = json.Marshal(&Error{Code: e.Code, Message: e.Message})
	}
	return append(append(append(b, `,"error":`...), body...), '}')
}

// encodeCall is a request, or without an id a notification.
func encodeCall(id json.RawMessage, method string, params json.RawMessage) []byte {
	b := make([]byte, 0, len(params)+len(method)+64)
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

// appendLine appends valid JSON without line ends, which would end the message; inside strings they cannot stand.
func appendLine(b []byte, v json.RawMessage) []byte {
	if len(v) == 0 {
		return append(b, '{', '}')
	}
	at := len(b)
	b = append(b, v...)
	if bytes.IndexByte(v, '\n') < 0 && bytes.IndexByte(v, '\r') < 0 { // nearly always, and quick to see
		return b
	}
	for i, c := range b[at:] {
		if c == '\n' || c == '\r' {
			b[at+i] = ' '
		}
	}
	return b
}
