package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helve/agent"
	"helve/agent/conversation"
	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
	"helve/internal/workspace"
)

// A chosen conversation is the one that a run goes on with.
type chosen struct {
	conversation.About
	past bool // it was there before; else it is new, and About says how it begins
	fork bool // what is said from now on goes into another one
}

// choose finds the conversation that the flags mean; a new one where they mean none.
func (o *runOptions) choose(ctx context.Context, s command.Streams, dir string) (chosen, error) {
	begin := chosen{About: conversation.About{ID: conversation.NewID(), Workspace: dir}}
	var about conversation.About
	var err error
	switch {
	case o.newest:
		about, err = newestOf(s, dir)
	case o.resume == bareResume:
		about, err = pick(ctx, s, dir)
	case o.resumes:
		about, err = meant(s, dir, o.resume)
	case o.fork:
		return chosen{}, command.Usage("run: --fork wants a conversation: --continue or --resume ID")
	default:
		return begin, nil
	}
	if err != nil {
		return chosen{}, err
	}
	c := chosen{About: about, past: true, fork: o.fork}
	return c, c.belongs(s, dir)
}

// belongs tells whether the conversation is one of this workspace. What was said in another one speaks of other files.
func (c chosen) belongs(s command.Streams, dir string) error {
	switch {
	case c.fork, c.Workspace == "", c.Workspace == dir:
		return nil
	}
	_, err := workspace.Folder(c.Workspace)
	if err != nil {
		return command.Usage("run: the conversation %s is of %s, which is not there any more\n"+
			"hint: --fork goes on with a copy of it here", c.ID, command.Printable(c.Workspace))
	}
	return command.Usage("run: the conversation %s is of %s\n"+
		"hint: -C %s, or --fork, which goes on with a copy of it here",
		c.ID, command.Printable(c.Workspace), command.Printable(c.Workspace))
}

// of are the conversations of a workspace, the newest first.
func of(s command.Streams, dir string) ([]conversation.About, error) {
	all, err := s.Conversations().List()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(a conversation.About) bool { return a.Workspace != dir }), nil
}

func newestOf(s command.Streams, dir string) (conversation.About, error) {
	list, err := of(s, dir)
	if err != nil {
		return conversation.About{}, err
	}
	if len(list) == 0 {
		return conversation.About{}, command.Usage("run: --continue: there is no conversation of this workspace yet\nhint: helve conversations --all lists those of others; helve run PROMPT begins one")
	}
	return list[0], nil
}

// pick has the person choose among the newest ones.
func pick(ctx context.Context, s command.Streams, dir string) (conversation.About, error) {
	list, err := of(s, dir)
	switch {
	case err != nil:
		return conversation.About{}, err
	case len(list) == 0:
		return conversation.About{}, command.Usage("run: --resume: there is no conversation of this workspace yet\nhint: helve conversations --all lists those of others; helve run PROMPT begins one")
	case !s.Terminal().Present():
		return conversation.About{}, command.Usage("run: --resume: want an ID, nobody can choose here\nhint: %s",
			s.ConversationLines(list))
	}
	const shown = 9 // one key each
	q := terminal.Question{Title: "Go on with which conversation?", Ask: "Which?"}
	for i, a := range list[:min(len(list), shown)] {
		q.Choices = append(q.Choices, terminal.Choice{
			Label:  strings.TrimSpace(s.ConversationLines(list[i : i+1])),
			Value:  a.ID,
			Letter: string(rune('1' + i)),
		})
	}
	said, err := s.Terminal().Ask(ctx, q)
	if err != nil {
		return conversation.About{}, err
	}
	at := slices.IndexFunc(list, func(a conversation.About) bool { return a.ID == said.Value })
	if at < 0 || said.Interrupted {
		return conversation.About{}, &command.ExitError{Status: command.ExitInterrupted, Err: errors.New("interrupted")}
	}
	return list[at], nil
}

// meant is the conversation of an ID or its beginning, else the one of this workspace in which all the words stand.
func meant(s command.Streams, dir, words string) (conversation.About, error) {
	all := s.Conversations()
	about, err := conversation.Find(all, words)
	if !errors.Is(err, conversation.ErrNone) {
		if err == nil {
			return about, nil
		}
		return s.Conversation("run: --resume", words)
	}
	list, err := of(s, dir)
	if err != nil {
		return about, err
	}
	found := slices.DeleteFunc(list, func(a conversation.About) bool { return !conversation.Mentions(all, a, words) })
	switch len(found) {
	case 0:
		return about, command.Usage("run: --resume %s: there is no such conversation\nhint: helve conversations",
			command.Brief(words))
	case 1:
		return found[0], nil
	}
	return about, command.Usage("run: --resume %s: %d conversations have these words\nhint: %s",
		command.Brief(words), len(found), s.ConversationLines(found))
}

// hold takes the conversation, or makes it. from is the one whose calls were interrupted: another than the one that is
// held where that is a copy.
func (c *chosen) hold(
	s command.Streams, store conversation.Folder, dir string,
) (held conversation.Conversation, from string, err error) {
	from = c.ID
	if c.fork {
		held, err = store.Fork(c.ID, conversation.About{ID: conversation.NewID(), Workspace: dir})
	} else {
		held, err = store.Hold(c.About)
	}
	if other, ok := errors.AsType[*conversation.HeldError](err); ok {
		return nil, "", command.Failed(fmt.Errorf("run: %w\nhint: --fork goes on with a copy of it", other))
	}
	if err != nil {
		return nil, "", command.Failed(fmt.Errorf("run: %w", err))
	}
	switch {
	case c.fork:
		s.Note("the conversation %s goes on as %s", from, held.About().ID)
	case c.State == conversation.Interrupted:
		s.Note("the last run of the conversation %s was killed", c.ID)
	}
	c.About = held.About()
	return held, from, nil
}

// goOn has the agent go on where the conversation ended, and says what became of calls that were interrupted.
func (c *chosen) goOn(
	say func(level, format string, args ...any), all conversation.Store, a *agent.Agent, judge *fates,
) error {
	past, err := conversation.Read(all, c.ID)
	if err != nil {
		return command.Failed(fmt.Errorf("run: the conversation %s: %w", c.ID, err))
	}
	past.Settle(judge.of)
	for _, one := range past.Interrupted {
		say("warning", "%s", interruptedLine(one))
	}
	if gone := goneTools(past, a); gone != "" {
		say("warning", "%s", gone)
		a.System += "\n\n" + gone
	}
	a.Resume(past)
	c.Turns = past.Turns()
	return nil
}

// begin notes what the run makes of the conversation.
func (c *chosen) begin(held conversation.Conversation, a *agent.Agent, mode, prompt string) error {
	return held.Change(func(about *conversation.About) {
		about.Model, about.Mode, about.Turns = a.Model.Name(), mode, c.Turns+1
		if about.Name == "" {
			about.Name = nameOf(prompt)
		}
	})
}

// interruptedLine tells what became of a call.
func interruptedLine(c agent.Interrupted) string {
	name := c.Tool
	if name == "" {
		name = c.Name
	}
	what := map[agent.State]string{
		agent.NotBegun:  "not begun",
		agent.Dropped:   "dropped, nothing kept",
		agent.Committed: "committed",
		agent.Unknown:   "unknown: look before it is made again",
	}[c.State]
	if c.Undo != "" {
		what += "; helve undo " + c.Undo + " takes it back"
	}
	return fmt.Sprintf("interrupted: %s %s: %s", name, command.Brief(c.Args), what)
}

// goneTools says which tools of the conversation are not there any more; "": all are.
func goneTools(past *agent.Log, a *agent.Agent) string {
	view := a.Kit.View()
	var gone []string
	for _, said := range past.Said {
		for _, c := range said.Calls {
			_, bad := view.Lookup(c.Tool)
			if c.Tool != "" && bad != nil && c.Tool != agent.LeavePlan && !slices.Contains(gone, c.Tool) {
				gone = append(gone, c.Tool)
			}
		}
	}
	if len(gone) == 0 {
		return ""
	}
	return "Tools of this conversation that are not there any more: " + strings.Join(gone, ", ") + "."
}

// nameLength is how many characters of a prompt name a conversation: a line of a list.
const nameLength = 60

// nameOf is the beginning of a prompt.
func nameOf(prompt string) string {
	words := strings.Join(strings.Fields(prompt[:min(len(prompt), 4*nameLength)]), " ")
	if r := []rune(strings.ToValidUTF8(words, "")); len(r) > nameLength {
		return string(r[:nameLength-1]) + "…"
	}
	return strings.ToValidUTF8(words, "")
}
