package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A Question is one of a running job: to whoever approves calls (Late), or to the client (Ask).
type Question struct {
	N    int   `json:"n"` // counts the questions of a run, from 1
	Late *Late `json:"late,omitempty"`
	Ask  *Ask  `json:"ask,omitempty"`
}

// An Ask is a request to the client in the protocol's own words, or a notification, which wants no answer.
type Ask struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// An AnswerTo is the answer to a question: a tool.Answer, or what the client answered.
type AnswerTo struct {
	Run     string          `json:"run"`
	N       int             `json:"n"`
	Answer  json.RawMessage `json:"answer,omitempty"`
	Refused *Refusal        `json:"refused,omitempty"` // the client, or who speaks for it, answered with an error
	Failed  bool            `json:"failed,omitempty"`  // nobody could be asked: the host stops
	Asked   string          `json:"asked,omitempty"`   // the Sum of the Question as the gateway got it; "": it signs nothing
}

// A Refusal is an error of the protocol.
type Refusal struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

const (
	// methodLength is how long the name of a method may be, in bytes; the longest has 39.
	methodLength = 128
	// mostParams is how much a question to the client may bring, in bytes. A conversation for the client's model is the
	// largest that there is.
	mostParams = 1 << 20
)

// ParseQuestion reads a question and refuses one that cannot be.
func ParseQuestion(b []byte) (*Question, error) {
	var q Question
	if err := decode(b, &q); err != nil {
		return nil, err
	}
	switch {
	case q.N < 1:
		return nil, fmt.Errorf("question %d", q.N)
	case (q.Late == nil) == (q.Ask == nil):
		return nil, errors.New("a question to nobody, or to two")
	case q.Ask != nil:
		return &q, q.Ask.valid()
	}
	return &q, nil
}

// ParseNotice reads what a job tells the client.
func ParseNotice(b []byte) (*Ask, error) {
	var a Ask
	if err := decode(b, &a); err != nil {
		return nil, err
	}
	return &a, a.valid()
}

// valid tells whether it can be a request: a method's name, and an object.
func (a *Ask) valid() error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/_.-"
	switch {
	case a.Method == "" || len(a.Method) > methodLength || strings.Trim(a.Method, letters) != "":
		return fmt.Errorf("a question of the method %.80q", a.Method)
	case len(a.Params) > mostParams:
		return fmt.Errorf("%s: %d bytes, want at most %d", a.Method, len(a.Params), mostParams)
	case len(a.Params) > 0 && a.Params[0] != '{' && string(a.Params) != "null":
		return fmt.Errorf("%s: its parameters are no object", a.Method)
	}
	return nil
}
