package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
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

// A message is one of JSON-RPC. Its params are an object or nil.
type message = rpc.Message

// decode reads one message. The id comes with the error where it is known.
func decode(line []byte) (*message, *Error) {
	if !utf8.Valid(line) {
		return nil, errorf(codeParse, "the message is not valid UTF-8")
	}
	m, err := rpc.Split(line)
	if err != nil {
		return nil, unreadable(line, err)
	}
	return &m, check(&m)
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

func check(m *message) *Error {
	switch {
	case m.ID != nil && !validID(m.ID):
		m.ID = json.RawMessage(jsonNull)
		return errorf(codeInvalidRequest, `invalid request: "id" must be a string or an integer`)
	case m.Version != "2.0":
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

// validID takes strings and whole numbers.
func validID(id json.RawMessage) bool {
	if len(id) > maxID {
		return false
	}
	if id[0] == '"' {
		_, ok := rawjson.String(id)
		return ok
	}
	if plainDigits(id) {
		return true
	}
	var f float64
	return json.Unmarshal(id, &f) == nil && string(id) != jsonNull && id[0] != 't' && id[0] != 'f' && f == math.Trunc(f)
}

func plainDigits(id json.RawMessage) bool {
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// The messages that go out, each on one line and without its end.

func encodeResult(id, result json.RawMessage) []byte {
	return rpc.AppendResult(make([]byte, 0, len(id)+len(result)+40), id, result)
}

func encodeError(id json.RawMessage, e *Error) []byte {
	body, err := json.Marshal(e)
	if err != nil { // data of an upstream that is no JSON
		body, _ = json.Marshal(&Error{Code: e.Code, Message: e.Message})
	}
	return rpc.AppendError(nil, id, body)
}

// encodeCall is a request, or without an id a notification.
func encodeCall(id json.RawMessage, method string, params json.RawMessage) []byte {
	return rpc.AppendCall(make([]byte, 0, len(params)+len(method)+64), id, method, params)
}
