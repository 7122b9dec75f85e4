package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"helve/engine/dialect"
)

// A Model answers a conversation. Its methods are safe for concurrent use.
type Model interface {
	// Name is provider/model, for logs.
	Name() string
	// Dialect is how the model is told about tools.
	Dialect() dialect.Dialect
	// Answer asks for the next message. It calls delta, from one goroutine, with each piece of text as it comes. A
	// reply is whole or an error: one that broke off is a *Transient.
	Answer(ctx context.Context, r *Request, delta func(Delta)) (*Reply, error)
}

// A Request is one turn.
type Request struct {
	System    string
	Messages  []Message
	Tools     *dialect.Set // in the model's dialect; nil: none
	MaxTokens int          // of the answer; 0: the model's own
}

// A Delta is a piece of an answer on its way.
type Delta struct {
	Text     string // for the reader
	Thinking string // what the model says to itself
}

// A Reply is a whole answer.
type Reply struct {
	Assistant
	Stop  Stop
	Usage Usage
}

// Stop is why a model, or the loop, ended.
type Stop string

const (
	Done     Stop = "done"     // nothing more to say
	Calls    Stop = "calls"    // the calls want answers; of a reply only
	Length   Stop = "length"   // the answer was cut off: its last call may be half a call
	Refused  Stop = "refused"  // by the model or its provider's filter
	Turns    Stop = "turns"    // Limits.Turns
	Tokens   Stop = "tokens"   // Limits.Tokens
	Time     Stop = "time"     // Limits.Time
	Repeated Stop = "repeated" // the same failing call, three times
	Failed   Stop = "failed"   // an error ended the run
)

// Usage counts tokens.
type Usage struct {
	Input  int64 `json:"input"`            // those read from a cache included
	Cached int64 `json:"cached,omitempty"` // of Input, read from a cache
	Output int64 `json:"output"`

	Written int64 `json:"written,omitempty"` // of Input, put into a cache
}

// Add adds what else was used.
func (u *Usage) Add(v Usage) {
	u.Input += v.Input
	u.Cached += v.Cached
	u.Output += v.Output
	u.Written += v.Written
}

// A Message is a part of a conversation: User, Assistant or Results.
type Message interface{ message() }

// User is what the person said, and showed.
type User struct {
	Text   string          `json:"text"`
	Images []dialect.Media `json:"images,omitempty"` // PNG, JPEG, GIF or WebP
}

// Assistant is what the model said.
type Assistant struct {
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`

	// Native is the message as the provider sent it, with what only it understands (signatures of thoughts). It goes
	// back untouched to models of the same Provider; others get Text and Calls.
	Native   json.RawMessage `json:"native,omitempty"`
	Provider string          `json:"provider,omitempty"`
}

// A Call is what the model wants to be called, as it wrote it.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"` // as declared
	Args string `json:"args"` // JSON, if the model wrote JSON
}

// Results are the answers to the calls of the message before, in their order.
type Results struct {
	Answers []dialect.Answer
}

func (User) message()      {}
func (Assistant) message() {}
func (Results) message()   {}

// A Transient is an error that may not come again: too many requests, an overloaded server, a stream that broke off.
type Transient struct {
	Err   error
	After time.Duration // how long the server wants to be left alone; 0: it does not say
}

func (e *Transient) Error() string { return e.Err.Error() }
func (e *Transient) Unwrap() error { return e.Err }

// A ServerError says that the model's server refused a request.
type ServerError struct {
	Status  int    // of HTTP
	Message string // the server's own words, of no more than a few lines; "" where it gave none
	Err     error  // the error of the library that asked
}

// Error is the status and the server's words: they say what is wrong.
func (e *ServerError) Error() string {
	text := fmt.Sprintf("the server says %d", e.Status)
	if name := http.StatusText(e.Status); name != "" {
		text += " " + name
	}
	if e.Message == "" {
		return text
	}
	return text + ": " + e.Message
}

// Unwrap is the library's error.
func (e *ServerError) Unwrap() error { return e.Err }

// ErrUnreachable says that nobody answers where the model should be: nothing listens there, or the name or the
// certificate is wrong. It is no *Transient: asking again would change nothing.
var ErrUnreachable = errors.New("the server cannot be reached")

// ErrBroken says that an answer ended before it was whole.
var ErrBroken = errors.New("the stream ended before the answer was whole")

// Broken is the error of an answer that ended too early; cause may be nil.
func Broken(cause error) error {
	if cause == nil {
		return &Transient{Err: ErrBroken}
	}
	return &Transient{Err: fmt.Errorf("%w: %w", ErrBroken, cause)}
}
