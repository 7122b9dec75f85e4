// Package clienthook is what the hooks of agent clients ask before and after each of their own tools: it reads the
// client's event, says it in terms of helve's tools, and writes the verdict in the client's form. Each client has a
// reader, a table of tools and a writer of its own, since a field too many or an exit status can mean the opposite
// from one to the next; docs/clients.md has what was seen.
package clienthook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxEvent bounds an event, in bytes: clients put whole files into them, and none takes one of 16 MiB.
const MaxEvent = 32 << 20

// maxDrained bounds how much of a longer one is read and thrown away, in bytes; the deadline of a hook bounds it, too.
const maxDrained = 1 << 30

// A Phase is when the client asks.
type Phase int

// The phases. Other is of no interest: a session that starts, a message.
const (
	Other Phase = iota
	Before
	After
)

// An Event is what a client says of one call of its tools.
type Event struct {
	Phase        Phase
	Tool         string
	Input        json.RawMessage // an object
	Dir          string          // where the client stands; "": it does not say
	Roots        []string        // the folders that the client works in, where it says so
	Conversation string
	Call         string // the client's ID of the call; "": it has none
	Turn         string // of the conversation, in the client's words; "": it does not say
	Version      string // of the client; "": it does not say
	Mode         string // how free the client's person lets it be, in its words
	Transcript   string // the file in which the client keeps the conversation; "": it does not say
	Server       Server // of an MCP tool
}

// A Server is the MCP server whose tool is called, as far as the client says it.
type Server struct {
	Name, Tool string
	Command    []string // how it is started
}

// A Client is what is known of a client's hooks.
type Client struct {
	Name, Title string

	// Events are the client's names of the events before and after a call.
	Before, After string

	read  func(raw []byte, e *Event) error
	tools map[string]shape
	mcp   func(e *Event) // finds the server in the name of a tool, where the event does not have it

	write func(a Answer, e *Event) Reply

	// Asks says that the client's own question works: where the person sits at a terminal, and without one, where it
	// refuses.
	AsksTerminal, AsksHeadless bool
	// AsksRewritten says that its question shows the command that a hook put in the place of the model's, and that a
	// yes runs that one.
	AsksRewritten bool
	// Rewrites says that a hook may put another command in the place of the model's.
	Rewrites bool
	// Bare says that the command must not begin with a path.
	Bare bool
	// Ends says that its event after a call comes for commands, too.
	Ends bool
	// Keeps says that the shell's folder is kept from one call to the next.
	Keeps bool

	// headless tells by the arguments of the client's process that nobody sits at it.
	headless func(args []string) bool
	// own are folders of the home in which the client's tools keep what is theirs.
	own []string
}

// Clients are those whose hooks are known, by name.
func Clients() []*Client {
	return []*Client{claude(), cline(), codex(), copilot(), gemini(), opencode(), qwen()}
}

// Find is the client of a name; nil: its hooks are not known.
func Find(name string) *Client {
	for _, c := range Clients() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// PhaseOf is what an event of this name means. Names of other versions are compared without case and separators.
func (c *Client) PhaseOf(event string) Phase {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(s))
	}
	switch plain(event) {
	case plain(c.Before), "before":
		return Before
	case plain(c.After), "after":
		return After
	case "posttoolusefailure":
		return After
	}
	return Other
}

// ErrTooLarge is the error of an event that is longer than MaxEvent.
var ErrTooLarge = fmt.Errorf("the event has more than %d MiB", MaxEvent>>20)

// Read reads an event of the client. What it does not know is passed over.
func (c *Client) Read(r io.Reader, event string) (*Event, error) {
	raw, err := io.ReadAll(io.LimitReader(r, MaxEvent+1))
	if err != nil {
		return nil, fmt.Errorf("the event cannot be read: %w", err)
	}
	if len(raw) > MaxEvent {
		// A client that cannot write all of it may take that for a failed hook, and let the call run.
		io.Copy(io.Discard, io.LimitReader(r, maxDrained))
		return nil, ErrTooLarge
	}
	e := &Event{Phase: c.PhaseOf(event)}
	raw = bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("\xef\xbb\xbf"))
	if len(raw) == 0 {
		return nil, errors.New("there is no event on standard input")
	}
	if err := c.read(raw, e); err != nil {
		return nil, fmt.Errorf("the event is none of %s: %w", c.Title, err)
	}
	if e.Phase == Other {
		return e, nil
	}
	if e.Tool == "" {
		return nil, fmt.Errorf("the event is none of %s: it names no tool", c.Title)
	}
	if e.Input = bytes.TrimSpace(e.Input); len(e.Input) == 0 || string(e.Input) == "null" {
		e.Input = json.RawMessage("{}")
	}
	if e.Input[0] != '{' {
		return nil, fmt.Errorf("the event is none of %s: the input of %s is no object", c.Title, e.Tool)
	}
	if c.mcp != nil {
		c.mcp(e)
	}
	return e, nil
}

// decode reads an object and nothing behind it.
func decode(raw []byte, to any) error {
	if len(raw) > 0 && raw[0] != '{' {
		return errors.New("it is no object")
	}
	if err := json.Unmarshal(raw, to); err != nil {
		var cut *json.SyntaxError
		if errors.As(err, &cut) {
			return fmt.Errorf("it is no JSON: %w", err)
		}
		return err
	}
	return nil
}
