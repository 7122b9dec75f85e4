package acp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/tool"
)

// A slash is a command that a person gives in the place of a prompt. The model hears nothing of it.
type slash struct {
	name, words, hint string
	do                func(*session, context.Context, string) (string, error)
}

// slashes are all of them.
func slashes() []slash {
	return []slash{
		{"undo", "Take back the last call that changed files, or the one of an ID", "ID", (*session).undo},
		{"redo", "Take the last undo back", "", (*session).redo},
		{"diff", "Show what a call changed", "ID", (*session).diff},
		{"history", "Show the calls that changed files, the newest first", "", (*session).history},
		{"tools", "Show the tools that the agent has", "", (*session).tools},
	}
}

// tellCommands says which there are.
func (s *session) tellCommands() {
	var list []slashCommand
	for _, c := range slashes() {
		one := slashCommand{Name: c.name, Description: c.words}
		if c.hint != "" {
			one.Input = &commandInput{Hint: c.hint}
		}
		list = append(list, one)
	}
	s.tell(update{Kind: "available_commands_update", Commands: list})
}

// command carries out a command; done is false where the text is none.
func (s *session) command(ctx context.Context, text string) (done bool, err error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	for _, c := range slashes() {
		if name != "/"+c.name {
			continue
		}
		said, err := c.do(s, ctx, strings.TrimSpace(rest))
		s.chunk("agent_message_chunk", said)
		return true, err
	}
	return false, nil
}

// past is what calls changed. Who gives a command means it.
func (s *session) past() workspace.Past {
	return s.host.Workspace().Past().Asking(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		by := tool.Approver{Kind: tool.ByPerson, Via: "acp", Client: s.e.capable().Info.Name}
		return tool.Answer{Yes: !q.Late, By: by}, nil
	})
}

// undo takes a call back: of this conversation, where none is named. What the editor holds unsaved is taken back there.
func (s *session) undo(ctx context.Context, id string) (string, error) {
	calls, err := s.callsOf(ctx, id)
	if err != nil {
		return "", err
	}
	if len(calls) == 0 {
		if id == "" {
			return "Nothing of this conversation is there to be taken back.", nil
		}
		return s.showPast(s.past().Undo(ctx, workspace.UndoOptions{Call: id})) // which says what is wrong with it
	}
	said, done, err := s.undoHeld(ctx, calls)
	if done || err != nil {
		return said, err
	}
	return s.showPast(s.past().Undo(ctx, workspace.UndoOptions{Call: undoneAs(calls[0])}))
}

// undoneAs is what undo takes of a call: calls that one call made are one undo.
func undoneAs(c workspace.PastCall) string {
	if c.Parent != "" {
		return c.Parent
	}
	return c.ID
}

// callsOf are the calls that an ID means, or the newest of this conversation that are not undone.
func (s *session) callsOf(ctx context.Context, id string) ([]workspace.PastCall, error) {
	calls, _, err := s.past().Calls(ctx, 0)
	if err != nil {
		return nil, err
	}
	var out []workspace.PastCall
	for _, c := range calls {
		switch {
		case len(out) > 0 && undoneAs(c) == undoneAs(out[0]):
		case len(out) > 0:
			continue
		case id == "" && (c.Session != s.id || c.Undone || len(c.Of) > 0 || s.taken[c.ID]):
			continue
		case id != "" && c.ID != id && c.Parent != id:
			continue
		}
		out = append(out, c)
	}
	return out, nil
}

// undoHeld takes calls back whose files the editor holds unsaved, as they left them; done is false where it holds none
// so. What somebody typed since is theirs: nothing is taken back then.
func (s *session) undoHeld(ctx context.Context, calls []workspace.PastCall) (said string, done bool, err error) {
	var ours, theirs []string
	all := 0
	for _, c := range calls {
		for _, f := range c.Files {
			all++
			path := pathOf(s.host.Workspace().Dirs(), f.Path)
			text, dirty, err := s.unsaved(ctx, path)
			switch list := s.puttings[path]; {
			case err != nil:
				return "", false, err
			case !dirty:
			case len(list) > 0 && list[len(list)-1].after == text:
				ours = append(ours, path)
			default:
				theirs = append(theirs, f.Path)
			}
		}
	}
	switch {
	case len(theirs) > 0 || len(ours) > 0 && len(ours) < all:
		return "Nothing was taken back: save or revert what is unsaved in the editor first: " +
			command.OneLine(strings.Join(append(theirs, ours...), ", ")), true, nil
	case len(ours) == 0:
		return "", false, nil
	}
	for _, path := range ours {
		list := s.puttings[path]
		last := list[len(list)-1]
		if err := s.put(ctx, path, last.before); err != nil {
			return "", false, err
		}
		s.puttings[path] = list[:len(list)-1]
	}
	if s.taken == nil {
		s.taken = map[string]bool{}
	}
	for _, c := range calls {
		s.taken[c.ID] = true
	}
	return "Taken back in the editor, where it was not saved: " + command.OneLine(strings.Join(ours, ", ")), true, nil
}

func (s *session) redo(ctx context.Context, _ string) (string, error) {
	return s.showPast(s.past().Redo(ctx, false))
}

func (s *session) diff(ctx context.Context, id string) (string, error) {
	if id == "" {
		calls, err := s.callsOf(ctx, "")
		if err != nil || len(calls) == 0 {
			return "No call of this conversation changed files.", err
		}
		id = calls[0].ID
	}
	return s.showPast(s.past().Diff(ctx, id))
}

// showPast shows a result as text, a difference in a fence.
func (s *session) showPast(r *tool.Result, err error) (string, error) {
	if err != nil {
		return "", err
	}
	if r.Err != nil {
		return command.Printable(r.Text()), nil
	}
	if d, ok := r.Display.(tool.Diff); ok {
		fence := fenceOf(d.String())
		return fence + "diff\n" + strings.TrimSuffix(d.String(), "\n") + "\n" + fence + "\n", nil
	}
	return command.Printable(r.Text()), nil
}

// mostPast is how many calls the history shows.
const mostPast = 20

func (s *session) history(ctx context.Context, _ string) (string, error) {
	calls, _, err := s.past().Calls(ctx, mostPast)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range calls {
		line := c.Time.Local().Format(time.DateTime) + " " + command.OneLine(c.Title)
		if c.Undone {
			line += ", undone"
		}
		fmt.Fprintf(&b, "- `%s` %s\n", c.ID, line)
	}
	if b.Len() == 0 {
		return "No call changed files here.", nil
	}
	return b.String(), nil
}

func (s *session) tools(context.Context, string) (string, error) {
	var b strings.Builder
	view := s.host.Workspace().Kit().View()
	for _, spec := range view.Specs() {
		fmt.Fprintf(&b, "- `%s` (%s)\n", command.OneLine(view.Name(spec)), spec.Kind)
	}
	return b.String(), nil
}
