package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
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

	// OutcomeUnknown is of a call that began on another machine, from which nothing more is heard:
	// what it was to do may have been done, in whole, in part or not at all. Nobody repeats it
	// unseen.
	OutcomeUnknown Code = "outcome_unknown"
	// Busy is of a call that did not begin, since too many others wait.
	Busy Code = "busy"
)

// An Error is a failure that the model reads and adapts to.
type Error struct {
	Code    Code
	Tool    string // public name, "" if it is not known
	Hint    string // the next step, in words a model or a person can act on
	Details any    // encodes to JSON; nil: none
	Err     error  // what is wrong, without the tool's name; never nil in a made Error

	verbatim bool    // Err is the whole message
	verdict  Verdict // of a refusal, also of a tool that was not found; Fail hands it on to the result
	spec     *Spec   // of the tool that was meant, as far as it is known; likewise
}

// Errorf makes an Error of the words that say what is wrong, in lower case and without a full stop.
// What is read of it has the one form of all failures: "Error: write: declined.", with the public
// name of the tool that was called.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// ErrorOf is Errorf for those around a call: the tool's public name is known to them, and no Kit
// adds it.
func ErrorOf(code Code, name, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.Tool = name
	return e
}

// Verbatim makes an Error whose message stands as it is: for sentences that programs match, and for
// what another program says of its failure.
func Verbatim(code Code, format string, args ...any) *Error {
	e := Errorf(code, format, args...)
	e.verbatim = true
	return e
}

// WithHint sets the next step and returns the error for chaining.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error is the message: what a person, a model and a program read, without the hint.
func (e *Error) Error() string {
	switch {
	case e.Err == nil:
		return string(e.Code)
	case e.verbatim:
		return e.Err.Error()
	}
	return sentence(e.Tool, e.Err.Error())
}

// reason is what is wrong, in one line, for a verdict.
func (e *Error) reason() string {
	words := strings.TrimPrefix(e.Err.Error(), errorMark)
	if e.Hint != "" {
		words += ": " + e.Hint
	}
	return strings.ReplaceAll(words, "\n", ": ")
}

// errorMark is what the message of every failure begins with, but for the sentences that programs
// match.
const errorMark = "Error: "

// sentence is the form of a failure. Words that bring a part of the form, as those of an error in an
// error, do not have it twice.
func sentence(name, words string) string {
	words = strings.TrimPrefix(words, errorMark)
	if name != "" {
		words = name + ": " + strings.TrimPrefix(words, name+": ")
	}
	last, _ := utf8.DecodeLastRuneInString(words)
	if !strings.ContainsRune(".!?:…", last) {
		words += "."
	}
	return errorMark + words
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
	words := strings.TrimPrefix(in.Message, errorMark)
	if in.Tool != "" {
		words = strings.TrimPrefix(words, in.Tool+": ")
	}
	words = strings.TrimSuffix(words, ".")
	*e = Error{Code: in.Type, Tool: in.Tool, Hint: in.Hint, Err: errors.New(words)}
	if e.Error() != in.Message {
		e.Err, e.verbatim = errors.New(in.Message), true
	}
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
	return Verbatim(Execution, "Tool execution failed: %w", err)
}

// of is the error as one about the tool of that name.
func (e *Error) of(name string) *Error {
	own := *e
	own.Tool = name
	return &own
}

// fail is a result that says why; the parts repeat it for the model.
func fail(e *Error) *Result {
	return &Result{
		Err:     e,
		Parts:   []Part{Text(e.Text())},
		Display: Summary(e.Error()),
		Verdict: e.verdict,
		Spec:    e.spec,
	}
}

// Fail is the result of a call that failed with err. Of a refusal that Kit.Understand or
// View.Lookup returned it has the Verdict.
func Fail(err error) *Result { return fail(asError(err)) }
