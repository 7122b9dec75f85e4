package acp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"helve/cmd/internal/command"
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
