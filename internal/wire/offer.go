package wire

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A ToolsFrom asks for the definitions of a worker's own tools, in their order, from one on.
type ToolsFrom struct {
	From int `json:"from"`
}

// Tools are some definitions of a worker's own tools. Next is the number of the first that does not stand here; 0:
// these were the last.
type Tools struct {
	Tools []Offered `json:"tools"`
	Next  int       `json:"next,omitempty"`
}

// An Offered tool is one that the worker has and the gateway has not.
type Offered struct {
	Origin string `json:"origin"`
	// Spec is a tool.Spec but for what follows: those must arrive byte for byte, since digests are made of them.
	Spec   json.RawMessage `json:"spec"`
	Input  string          `json:"input,omitempty"`
	Output string          `json:"output,omitempty"`
	Wire   string          `json:"wire,omitempty"`
}

const (
	// MostDefinition is the largest definition of a tool that is offered, in bytes. The longest that anybody has a
	// use for has some ten thousand.
	MostDefinition = 128 << 10
	// ToolsPage is from how many bytes on a message takes no further definition.
	ToolsPage = 128 << 10
	// originLength is how long an origin may be, in bytes: a server's name and a tool's.
	originLength = 1024
)

// Size is how much a definition takes, in bytes.
func (o *Offered) Size() int {
	return len(o.Origin) + len(o.Spec) + len(o.Input) + len(o.Output) + len(o.Wire)
}

// ParseTools reads definitions, and refuses those that cannot be. from is the number of the first that was asked for.
func ParseTools(b []byte, from int) (*Tools, error) {
	var t Tools
	if err := decode(b, &t); err != nil {
		return nil, err
	}
	if t.Next != 0 && (t.Next <= from || t.Next > mostTools || t.Next != from+len(t.Tools)) {
		return nil, fmt.Errorf("after tool %d comes tool %d", from, t.Next)
	}
	for i := range t.Tools {
		o := &t.Tools[i]
		switch {
		case o.Origin == "" || len(o.Origin) > originLength:
			return nil, errors.New("a tool that comes from nowhere")
		case o.Size() > MostDefinition:
			const large = "%.80q: a definition of %d bytes, want at most %d"
			return nil, fmt.Errorf(large, o.Origin, o.Size(), MostDefinition)
		}
	}
	return &t, nil
}
