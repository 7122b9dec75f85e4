package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"helve/agent/conversation"
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
