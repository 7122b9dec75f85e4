package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"helve/agent"
	"helve/engine/schema"
	"helve/internal/redirect"
)

// maxEvent bounds one event: arguments of the longest kind, with every byte escaped, and what stands around them.
const maxEvent = 6*schema.MaxArguments + 64<<10

// ErrEnd is what a reader of events returns when the answer is whole: nothing behind it is read.
var ErrEnd = errors.New("the answer is whole")

// A Server is where the requests to one model go.
type Server struct {
	URL    string
	Header http.Header  // the key, and what the caller adds
	Client *http.Client // nil: one that follows no redirect to another server, which would get key and conversation
}

// ServerAt is the server at a URL. Headers of more count in place of those of own that have their names.
func ServerAt(url string, own, more http.Header, client *http.Client) Server {
	for name, values := range more {
		own[http.CanonicalHeaderKey(name)] = values
	}
	return Server{URL: url, Header: own, Client: client}
}

// Declarations are the tools of a turn as the dialect declares them; nil: there are none.
func Declarations(r *agent.Request) []json.RawMessage {
	if r.Tools == nil {
		return nil
	}
	var out []json.RawMessage
	for _, d := range r.Tools.Declarations {
		out = append(out, d.JSON)
	}
	return out
}

// Stream sends a request as JSON, and gives the data of each server-sent event to take, which may keep nothing of it.
// It ends with the stream, or with the first error of take; ErrEnd is none. A request that the server refused is a
// *agent.ServerError, one that may be sent again a *agent.Transient.
func (s Server) Stream(ctx context.Context, request any, take func(data []byte) error) error {
	resp, err := s.post(ctx, request)
	if err == nil {
		defer resp.Body.Close()
		err = events(resp.Body, take)
	}
	switch {
	case err == nil, errors.Is(err, ErrEnd):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if _, is := errors.AsType[*agent.ServerError](err); is || errors.Is(err, ErrTooLong) {
		return err // asked again, it would write as much
	}
	return unanswered(err)
}

// post sends a request. The response is one that brings an answer.
func (s Server) post(ctx context.Context, request any) (*http.Response, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "helve")
	for name, values := range s.Header {
		req.Header[name] = values
	}
	client := s.Client
	if client == nil {
		client = &http.Client{CheckRedirect: redirect.Within}
	}
	resp, err := client.Do(req)
	if errors.Is(err, redirect.ErrElsewhere) { // with the answer that leads elsewhere (http.Client.CheckRedirect)
		return nil, &agent.ServerError{Status: resp.StatusCode, Message: errors.Unwrap(err).Error(), Err: err}
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // the status says what there is to say
		return nil, refusal(resp, text, errors.New(resp.Status))
	}
	return resp, nil
}

// events reads server-sent events. Of their fields data alone counts; an event that its last line ends without an
// empty one behind it counts as well, since some servers end so.
func events(from io.Reader, take func(data []byte) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxEvent)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if err := event(&data, take); err != nil {
				return err
			}
			continue
		}
		text, is := bytes.CutPrefix(line, []byte("data:"))
		if !is {
			continue
		}
		if len(data) > 0 {
			data = append(data, '\n')
		}
		data = append(data, bytes.TrimPrefix(text, []byte(" "))...)
		if len(data) > maxEvent {
			return ErrTooLong
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return ErrTooLong
	}
	return errors.Join(lines.Err(), event(&data, take))
}

// event hands on what was gathered.
func event(data *[]byte, take func(data []byte) error) error {
	if len(*data) == 0 {
		return nil
	}
	defer func() { *data = (*data)[:0] }()
	return take(*data)
}

// Decode reads the data of an event as far as its members have the types that are expected: servers differ in members
// that nobody needs. An event that is an error is one.
func Decode(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if _, is := errors.AsType[*json.UnmarshalTypeError](err); err != nil && !is {
		return fmt.Errorf("an event is no JSON: %w", err)
	}
	var failed struct{ Error json.RawMessage }
	_ = json.Unmarshal(data, &failed) // of another type it is none
	if len(failed.Error) > 0 && string(failed.Error) != "null" {
		return fmt.Errorf("the server ends its answer: %s", words(data))
	}
	return nil
}
