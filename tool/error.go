package tool

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Code says what kind of failure an Error is. The words are those of the command line's JSON.
type Code string

const (
	Validation  Code = "validation_error" // the arguments are wrong: the model can mend them
	UnknownTool Code = "unknown_tool"     // no such tool, or switched off
	Permission  Code = "permission_error" // refused by policy, mode or person
	TimedOut    Code = "timeout_error"
	Execution   Code = "execution_error" // the tool failed at its work
	Cancelled   Code = "cancelled"
	Unknown     Code = "unknown_error" // a bug: a panic, a result that cannot be
)

// An Error is a failure that the model reads and adapts to.
type Error struct {
	Code    Code
	Tool    string // public name, "" if it is not known
	Hint    string // the next step, in words a model or a person can act on
	Details any    // encodes to JSON; nil: none
	Err     error  // the message; never nil in a made Error

	verdict Verdict // of a refusal, also of a tool that was not found; Fail hands it on to the result
}

// Errorf makes an Error. Its text is what the model reads, as it stands.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// ErrorOf makes an Error about the tool of that public name, in the one form that they have: "Error:
// write: declined." format says what is wrong, in lower case and without a full stop.
func ErrorOf(code Code, name, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	//lint:ignore ST1005 a model reads it, as a sentence
	whole := fmt.Errorf("Error: %s: %w.", name, err)
	return &Error{Code: code, Tool: name, Err: whole}
}

// WithHint sets the next step and returns the error for chaining.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

func (e *Error) Error() string {
	if e.Err == nil {
		return string(e.Code)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Text is what the model reads: the message, and the hint on the next line.
func (e *Error) Text() string {
	if e.Hint == "" {
		return e.Error()
	}
	return e.Error() + "\n" + e.Hint
}

// Is makes errors.Is(err, &Error{Code: c}) ask for the code alone.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Err == nil && t.Code == e.Code
}

type errorJSON struct {
	Type    Code            `json:"type"`
	Message string          `json:"message"`
	Hint    string          `json:"hint,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
	Tool    string          `json:"tool,omitempty"`
}

// MarshalJSON writes {"type","message","hint","details","tool"}; details that cannot be encoded are
// left out.
func (e *Error) MarshalJSON() ([]byte, error) {
	out := errorJSON{Type: e.Code, Message: e.Error(), Hint: e.Hint, Tool: e.Tool}
	if e.Details != nil {
		out.Details, _ = json.Marshal(e.Details)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote; Details stay JSON.
func (e *Error) UnmarshalJSON(b []byte) error {
	var in errorJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return err
	}
	*e = Error{Code: in.Type, Tool: in.Tool, Hint: in.Hint, Err: errors.New(in.Message)}
	if in.Details != nil {
		e.Details = in.Details
	}
	return nil
}

// asError turns what a tool returned into what the model reads. A plain error is the tool's own
// failure.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Execution, Err: fmt.Errorf("Tool execution failed: %w", err)}
}

// fail is a result that says why; the parts repeat it for the model.
func fail(e *Error) *Result {
	return &Result{Err: e, Parts: []Part{Text(e.Text())}, Display: Summary(e.Error()), Verdict: e.verdict}
}

// Fail is the result of a call that failed with err. Of a refusal that Kit.Understand or
// View.Lookup returned it has the Verdict.
func Fail(err error) *Result { return fail(asError(err)) }
