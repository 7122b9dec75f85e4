package run

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"

	"helve/agent"
	"helve/cmd/internal/command"
	"helve/internal/workspace"
)

// A kept conversation is what an agent and a model said in one session.
type keptConversation struct {
	id   string
	past *agent.Log // what was said before; nil: the session is new
	log  *os.File   // what is said from now on goes there
}

// idBytes are the random bytes of a session's ID: enough that nobody meets another's by chance, and short to type.
const idBytes = 6

// openConversation opens the conversation of a session, a new one for "". The caller closes its log.
func openConversation(s command.Streams, id string) (*keptConversation, error) {
	c := &keptConversation{id: id}
	if id == "" {
		var b [idBytes]byte
		rand.Read(b[:]) // never fails
		c.id = hex.EncodeToString(b[:])
	}
	if !workspace.SessionID(c.id) {
		return nil, command.Usage("run: --resume %q is no session", command.Printable(c.id))
	}
	path := filepath.Join(s.Places().StateDir, "sessions", c.id, "conversation.jsonl")
	if id != "" {
		past, err := readConversation(path)
		if os.IsNotExist(err) {
			return nil, command.Usage("run: --resume %s: there is no such session", id)
		}
		if err != nil {
			return nil, command.Usage("run: --resume %s: %v", id, err)
		}
		c.past = past
	}
	// What was said in a session is its person's alone.
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		return nil, err
	}
	c.log, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return c, err
}

// readConversation reads what was said in a session so far. A log that a crash cut off is gone on with.
func readConversation(path string) (*agent.Log, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return agent.Read(r)
}
