// Package chat is what the adapters of models share.
package chat

import (
	"encoding/json"
	"errors"
)

// ErrTooLong says that a model writes without end.
var ErrTooLong = errors.New("the answer is longer than any arguments may be")

// Options are a provider's own options, O: the key and the URL where they are not empty, then the others, which win.
func Options[O any](key string, withKey func(string) O, url string, withURL func(string) O, others []O) []O {
	var out []O
	if key != "" {
		out = append(out, withKey(key))
	}
	if url != "" {
		out = append(out, withURL(url))
	}
	return append(out, others...)
}

// Sound are arguments that a server can read again: some refuse a conversation with broken JSON in it, and all want an object.
func Sound(args string) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &members) == nil && members != nil {
		return json.RawMessage(args)
	}
	b, err := json.Marshal(map[string]string{"unreadable": args})
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}
