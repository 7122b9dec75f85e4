package command

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"helve/agent/conversation"
	"helve/internal/config"
)

// Conversations are those that helve run keeps, of all workspaces of this person. The keys that this run was given are
// masked in them.
func (s Streams) Conversations() conversation.Folder {
	f := conversation.Folder{Dir: filepath.Join(s.Places().StateDir, "sessions")}
	for _, provider := range Providers() {
		for _, name := range KeyVariables(provider) {
			if key := s.Getenv(name); key != "" {
				f.Secrets = append(f.Secrets, key)
			}
		}
	}
	return f
}

// Conversation is the conversation that a word of the command line means: its ID, or the beginning of it.
func (s Streams) Conversation(cmd, id string) (conversation.About, error) {
	about, err := conversation.Find(s.Conversations(), id)
	if many, ok := errors.AsType[*conversation.AmbiguousError](err); ok {
		return about, Usage("%s: %v\nhint: %s", cmd, many, s.ConversationLines(many.List))
	}
	if errors.Is(err, conversation.ErrNone) {
		return about, Usage("%s: there is no conversation %q\nhint: helve conversations --all", cmd, Brief(id))
	}
	return about, err
}

// mostListed is how many conversations a message names: a person chooses among these.
const mostListed = 10

// ConversationLines name conversations in a message.
func (s Streams) ConversationLines(list []conversation.About) string {
	var lines []string
	for _, a := range list[:min(len(list), mostListed)] {
		lines = append(lines, fmt.Sprintf("%s  %s  %s", a.ID, a.Updated.Local().Format(time.DateTime), Brief(a.Name)))
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// PruneConversations deletes those that are older, or together larger, than the configuration keeps; nil: what stands
// where it says nothing. With dry nothing is deleted. What their calls changed is the history's, which has bounds of its
// own. It returns what is gone, beside an error too.
func (s Streams) PruneConversations(c *config.Conversations, dry bool) ([]conversation.About, error) {
	keep, bytes := conversation.DefaultKeep, int64(conversation.DefaultBytes)
	if c != nil {
		keep, bytes = cmp.Or(time.Duration(c.Keep), keep), cmp.Or(c.MaxBytes, bytes)
	}
	all := s.Conversations()
	list, err := all.List()
	if err != nil {
		return nil, err
	}
	var gone []conversation.About
	var errs []error
	for _, a := range conversation.Outdated(list, time.Now().Add(-keep), bytes) {
		if !dry {
			err := all.Delete(a.ID)
			if _, held := errors.AsType[*conversation.HeldError](err); held {
				continue // somebody went on with it just now
			}
			if err != nil {
				errs = append(errs, err)
				continue
			}
		}
		gone = append(gone, a)
	}
	return gone, errors.Join(errs...)
}
