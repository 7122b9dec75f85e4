package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"helve/engine/schema"
)

// A Tool is something that a model may call. Its methods are safe for concurrent use.
// New, Plan and Raw make one from a function; tooltest.Check checks any other implementation.
type Tool interface {
	// Spec describes the tool. It is constant, cheap, and never modified by who reads it.
	Spec() *Spec

	// Prepare understands a call: it parses the arguments, which already satisfy Spec().Input, and
	// resolves paths. It reads no content, dials nothing and starts nothing: the policy has not
	// judged yet.
	Prepare(ctx context.Context, c *Call) (*Job, error)
}

// An Immediate is a Tool whose Prepare only computes: it looks at no file and waits for nothing, so that no other
// goroutine need run it and bound its time.
type Immediate interface {
	Tool
	PreparesAtOnce()
}

// A Spec is what is known of a tool before any call.
type Spec struct {
	Name    string   // unique within its origin; the public name belongs to a View
	Aliases []string // further names under which a call finds it, the historical ones
	Title   string   // for people; "" means Name
	Version string   // "" means 1.0.0
	Origin  Origin   // the identity; policy and grants use it
	Doc     Doc

	Kind     Kind    // the zero value is the most dangerous one
	Touches  Touches `json:",omitempty"` // what it touches that rules guard; the zero value: nobody said
	ReadOnly bool    // changes nothing, anywhere; Kind Read implies it
	Serial   bool    // runs alone in its session
	Strict   bool    // asks providers to hold the model to the schema
	Stateful bool    // useless without a session: not listed and not callable where there is none
	Away     bool    // it is done on another machine, where no file of this one is seen
	Calls    bool    // its jobs make calls of the kit themselves (Call.Kit): they take no turn and end themselves

	Category string // the topic: file, search, shell, web, task, code
	Tags     []string

	Input  *schema.Schema    // nil accepts any object
	Output *schema.Schema    // of Result.Data; nil promises nothing
	Params map[string]string // further spellings of parameters: {"path": "file_path"}

	// Limits are the parameters whose defaults spare a model's context. They are not filled in where the caller is a
	// program; see Call.Whole.
	Limits []string `json:",omitempty"`

	// Translate has other ways to say what parameters say: {"timeout_seconds": {To: "timeout",
	// Times: 1000}}.
	Translate map[string]schema.Spelling `json:",omitempty"`

	// Wire is the definition as an upstream server sent it, to be forwarded with only the name
	// replaced; nil for our own.
	Wire json.RawMessage `json:",omitempty"`
}

// DisplayName is what people see in lists.
func (s *Spec) DisplayName() string {
	if s.Title != "" {
		return s.Title
	}
	return s.Name
}

// Kind is the worst that a tool does, or what one Effect of a job is. The zero value is the most
// dangerous one.
type Kind uint8

const (
	Exec  Kind = iota // runs programs
	Write             // changes files
	Net               // talks to other machines
	Read              // reads only

	// State is of an Effect alone: it changes what the tool itself remembers, such as a todo list,
	// and nothing else.
	State
)

var kindNames = [...]string{"exec", "write", "net", "read", "state"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", k)
}

// Touches says how a policy learns what a tool's calls touch of what its rules guard: files, other machines, programs.
// The zero value is the careful one.
type Touches uint8

const (
	// Unsaid is of a tool that does not say: a call may touch whatever its kind can, so that a rule on any file
	// makes it one that is asked about.
	Unsaid Touches = iota

	// EachJob is of a tool whose jobs say it, in Job.Effects. Plan makes such tools, and New of an In that is an
	// Effecter.
	EachJob

	// Nothing is of a tool that touches none of it: no files, no other machines, no programs. Rules on paths, hosts and
	// commands have no say about it; those that name the tool have, and its kind: one of Kind Write or Exec is asked
	// about where that is so of its kind, and refused in mode plan.
	Nothing
)

// MarshalText writes the kind's word: exec, write, net, read or state.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote, and what ParseKind does.
func (k *Kind) UnmarshalText(b []byte) error {
	if string(b) == kindNames[State] {
		*k = State
		return nil
	}
	v, err := ParseKind(string(b))
	*k = v
	return err
}

// ParseKind turns a word into the Kind of a tool: exec or execute, write, net or network, read or
// readonly, in any case. The error lists the words.
func ParseKind(s string) (Kind, error) {
	switch strings.ToLower(s) {
	case "exec", "execute":
		return Exec, nil
	case "write":
		return Write, nil
	case "net", "network":
		return Net, nil
	case "read", "readonly":
		return Read, nil
	}
	return Exec, fmt.Errorf("kind %q: want read, write, exec or net", s)
}

// OriginKind tells where a tool comes from.
type OriginKind string

const (
	Builtin OriginKind = "builtin" // ships with helve
	Go      OriginKind = "go"      // registered by the program that embeds helve
	Command OriginKind = "command" // found by a discovery command
	MCP     OriginKind = "mcp"     // offered by an MCP server
	Remote  OriginKind = "remote"  // offered by workers on other machines
)

// An Origin identifies a tool. Public names are projections of it and are never parsed back.
type Origin struct {
	Kind   OriginKind `json:"kind"`
	Server string     `json:"server,omitempty"` // of an MCP tool; the pool of a remote one
	Name   string     `json:"name"`             // as its source calls it
}

// Source names what brought the tool: builtin, go, command, the MCP server's name, or pool: and the
// pool's name.
func (o Origin) Source() string {
	switch o.Kind {
	case MCP:
		return o.Server
	case Remote:
		return "pool:" + o.Server
	}
	return string(o.Kind)
}

// String is the identity in one word, for messages: mcp:server/tool, builtin:read.
func (o Origin) String() string {
	if o.Server != "" {
		return string(o.Kind) + ":" + o.Server + "/" + o.Name
	}
	return string(o.Kind) + ":" + o.Name
}

// A Doc is what the model reads about a tool. Short is one line; the rest may be empty.
type Doc struct {
	Short     string
	Long      string
	Usage     []string // bullets under "Usage notes:"
	Important []string // bullets under "IMPORTANT:"
	Examples  []Example
}

// An Example is a call worth imitating.
type Example struct {
	Description string          `json:"description"`
	Args        json.RawMessage `json:"args"`
}

// Full joins short, long, usage notes and important notes, the description that a declaration
// carries. Examples stay out of it: they cost tokens at every turn.
func (d Doc) Full() string {
	var b strings.Builder
	b.WriteString(d.Short)
	if d.Long != "" {
		b.WriteString("\n" + d.Long)
	}
	bullets(&b, "\n\nUsage notes:", d.Usage)
	bullets(&b, "\n\nIMPORTANT:", d.Important)
	return b.String()
}

func bullets(b *strings.Builder, head string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString(head)
	for _, s := range items {
		b.WriteString("\n- " + s)
	}
}
