package command

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"helve/agent"
	"helve/agent/conversation"
	"helve/internal/config"
)

// PruneConversations forgets those that are older, or together larger, than the configuration keeps; nil: what stands
// where it says nothing. With dry nothing is forgotten. It returns what is gone, beside an error too.
func (s Streams) PruneConversations(
	ctx context.Context, common Common, c *config.Conversations, dry bool,
) ([]conversation.About, error) {
	keep, bytes := conversation.DefaultKeep, int64(conversation.DefaultBytes)
	if c != nil {
		keep, bytes = cmp.Or(time.Duration(c.Keep), keep), cmp.Or(c.MaxBytes, bytes)
	}
	list, err := s.Conversations().List()
	if err != nil {
		return nil, err
	}
	var gone []conversation.About
	var errs []error
	for _, a := range conversation.Outdated(list, time.Now().Add(-keep), bytes) {
		if ctx.Err() != nil {
			break // another time
		}
		if !dry {
			err := s.ForgetConversation(ctx, common, a)
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

// ForgetConversation deletes a conversation, and what the history of its workspace keeps of its calls, but for those
// that a fork of it has, too. What is left behind by a history that cannot be opened is told.
func (s Streams) ForgetConversation(ctx context.Context, common Common, a conversation.About) error {
	meant := s.callsOf(a)
	if err := s.Conversations().Delete(a.ID); err != nil {
		return err
	}
	if a.Workspace == "" {
		return nil
	}
	o, err := common.OptionsIn(s.Silent(), a.Workspace)
	if err != nil {
		return err
	}
	o.AllowHome = true // nothing of it is changed
	ws, err := OpenWith(ctx, o)
	if err != nil {
		s.Note("what the calls of %s changed stays in the history of %s: %v", a.ID, Printable(a.Workspace), err)
		return nil
	}
	defer ws.Close()
	if !ws.Past().Remembered() {
		return nil
	}
	_, _, err = ws.Past().ForgetCalls(meant)
	return err
}

// callsOf tells which calls of the history are a conversation's: those that it made, and those that it has from another
// one which is gone. What a fork has stays with that.
func (s Streams) callsOf(a conversation.About) func(names []string, session string) bool {
	all := s.Conversations()
	list, _ := all.List() // what cannot be listed is no fork that goes on
	own, forked, there := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, other := range list {
		there[other.ID] = true
		if other.From == "" {
			continue
		}
		calls := forked
		if other.ID == a.ID {
			calls = own
		}
		log, err := conversation.Read(all, other.ID)
		if err != nil {
			continue // nobody can go back in it
		}
		addUndos(log, calls)
	}
	return func(names []string, session string) bool {
		in := func(calls map[string]bool) bool {
			return slices.ContainsFunc(names, func(name string) bool { return calls[name] })
		}
		return (session == a.ID || in(own) && !there[session]) && !in(forked)
	}
}

// addUndos adds what undo takes of the calls of a conversation.
func addUndos(log *agent.Log, to map[string]bool) {
	for _, said := range log.Said {
		for _, c := range said.Calls {
			if c.Undo != "" {
				to[c.Undo] = true
			}
		}
	}
}
