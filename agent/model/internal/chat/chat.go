// Package chat is what the adapters of models share.
package chat

import (
	"encoding/json"
	"errors"
)

// ErrTooLong says that a model writes without end. It is not asked again.
var ErrTooLong = errors.New("the answer is longer than any arguments may be")

// Sound are arguments that a server can read again. Some refuse a conversation with broken JSON in it, and all want an
// object: what is neither goes back as the text of an object's one member.
func Sound(args string) json.RawMessage {
	var members map[string]json.RawMessage
	err := json.Unmarshal([]byte(args), &members)
	if err == nil && members != nil {
		return json.RawMessage(args)
	}
	b, err := json.Marshal(map[string]string{"unreadable": args})
	if err != nil {
		return json.RawMessage("{}")
	}
	return b
}

// JSON is a value that can be no other, as JSON.
func JSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a struct of texts: not one that came from outside
	}
	return b
}
