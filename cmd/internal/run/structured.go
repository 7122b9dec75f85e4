package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"helve/agent"
	"helve/cmd/internal/command"
	"helve/engine/schema"
	"helve/internal/state"
)

// maxSchema bounds a schema of --json-schema, in bytes, as that of a tool is bounded.
const maxSchema = 256 << 10

// errUnstructured says that the answer is not what --json-schema wants, twice.
var errUnstructured = errors.New("the answer does not fit --json-schema")

// A form is what --json-schema wants the answer to be. nil: it may be any.
type form struct{ schema *schema.Schema }

// formOf reads a schema: its text, or a file that has it.
func formOf(s command.Streams, given string) (*form, error) {
	if given == "" {
		return nil, nil
	}
	text := []byte(given)
	if !strings.HasPrefix(strings.TrimSpace(given), "{") {
		var err error
		text, err = readGiven(s, "--json-schema", given, maxSchema)
		if err != nil {
			return nil, err
		}
	}
	parsed, err := schema.Parse(json.RawMessage(text))
	if err != nil {
		return nil, command.Usage("run: --json-schema: %v", err)
	}
	if kind := parsed.Map()["type"]; kind != "object" {
		return nil, command.Usage("run: --json-schema: want the schema of an object: \"type\": \"object\"")
	}
	return &form{parsed}, nil
}

// readGiven reads a file that a flag names.
func readGiven(s command.Streams, flag, name string, limit int64) ([]byte, error) {
	path := s.Path(name)
	if _, err := os.Stat(path); err != nil {
		return nil, command.Usage("run: %s: %s", flag, command.Cause(err))
	}
	text, err := state.Read(path, limit)
	if err != nil {
		return nil, command.Usage("run: %s: %s", flag, command.Cause(err))
	}
	return text, nil
}

// words are what the model is told of it.
func (f *form) words() string {
	if f == nil {
		return ""
	}
	return "When you are done, answer with one JSON value and nothing else. It must fit this JSON Schema:\n" +
		string(f.schema.JSON())
}

// take is the JSON of an answer, which may stand in a fence or between other words.
func (f *form) take(text string) (json.RawMessage, error) {
	raw, ok := jsonIn(text)
	if !ok {
		return nil, errors.New("there is no JSON value in it")
	}
	if !bytes.HasPrefix(raw, []byte("{")) {
		return nil, errors.New("want an object")
	}
	if _, err := f.schema.Check(raw); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "Parameter validation failed: "))
	}
	return raw, nil
}

// jsonIn finds the JSON value of an answer: the whole of it, or the longest that begins where a bracket stands.
func jsonIn(text string) (json.RawMessage, bool) {
	text = strings.TrimSpace(text)
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), true
	}
	// More brackets than these are no answer with a few words around it, and each costs a reading of the rest.
	const mostTried = 100
	at := 0
	for range mostTried {
		next := strings.IndexAny(text[at:], "{[")
		if next < 0 {
			return nil, false
		}
		at += next
		var raw json.RawMessage
		if json.NewDecoder(strings.NewReader(text[at:])).Decode(&raw) == nil {
			return raw, true
		}
		at++
	}
	return nil, false
}

// answer has the agent answer a prompt, once more where the answer has not the form that is wanted.
func (f *form) answer(ctx context.Context, a *agent.Agent, prompt agent.User) ending {
	out, err := a.Show(ctx, prompt)
	e := ending{Outcome: out, err: err}
	if f == nil || err != nil || out.Stop != agent.Done {
		return e
	}
	e.structured, err = f.take(out.Text)
	if err == nil {
		return e
	}
	again := fmt.Sprintf("Your answer does not fit the JSON Schema: %v\n"+
		"Answer again, with one JSON value that fits it and nothing else.", err)
	more, err := a.Run(ctx, again)
	more.Turns += out.Turns
	more.Usage.Add(out.Usage)
	e = ending{Outcome: more, err: err}
	if err != nil || more.Stop != agent.Done {
		return e
	}
	e.structured, err = f.take(more.Text)
	if err != nil {
		e.err = fmt.Errorf("%w: %w", errUnstructured, err)
	}
	return e
}
