package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	rawjson "helve/internal/json"
)

// Codes of JSON-RPC and of the protocol.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeBusy           = -32000
	CodeNotFound       = -32002 // of a resource, in the session protocol
	CodeHeaderMismatch = -32020
	CodeCapability     = -32021 // the client lacks what the request needs
	CodeVersion        = -32022 // the protocol's version is not spoken
)

// An Error is an error of the protocol: the request was not one, or cannot be
// served. What a tool failed at is a result, not an Error.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// maxWords is how much of the other side's message is repeated, in bytes: what
// is longer is no message.
const maxWords = 8 << 10

// Error is the message, without characters that a terminal hides, and the code.
func (e *Error) Error() string {
	msg, _ := rawjson.Visible(e.Message)
	if len(msg) > maxWords {
		msg = strings.ToValidUTF8(msg[:maxWords], "") + "…"
	}
	return fmt.Sprintf("%s (%d)", msg, e.Code)
}

// RPC is what was answered, for those who pass it on.
func (e *Error) RPC() (code int, message string, data json.RawMessage) {
	return e.Code, e.Message, e.Data
}

// Errorf makes an Error without data.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Coded is an error that has a code of the protocol, whoever made it.
type Coded interface {
	error
	RPC() (code int, message string, data json.RawMessage)
}

// AsError is err as the protocol's error: with its own code if it has one, else
// as an internal error.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if c, ok := errors.AsType[Coded](err); ok {
		e := &Error{}
		e.Code, e.Message, e.Data = c.RPC()
		return e
	}
	return &Error{Code: CodeInternal, Message: err.Error()}
}

// readError reads the error of a response; null is none.
func readError(raw json.RawMessage) *Error {
	if raw == nil || string(raw) == jsonNull {
		return nil
	}
	e := &Error{}
	if json.Unmarshal(raw, e) != nil {
		e.Code, e.Message = CodeInternal, "the error of the other side cannot be read"
	}
	return e
}

// encoded is the error as it goes out.
func (e *Error) encoded() json.RawMessage {
	b, err := json.Marshal(e)
	if err != nil { // its data is no JSON
		b, _ = json.Marshal(&Error{Code: e.Code, Message: e.Message}) // a number and a string
	}
	return b
}
