package configure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/terminal"
	"helve/internal/visible"
	"helve/internal/waiting"
)

// questionsPoll is how often it is looked for new questions: the hook that asks waits some seconds for an answer.
const questionsPoll = 200 * time.Millisecond

// questionCommands are about the questions of clients that have none of their own.
func questionCommands(c *command.Line) []*cobra.Command {
	var json bool
	waits := &cobra.Command{
		Use:   "waiting",
		Short: "List the questions of clients that ask nobody themselves",
		Long: `List the questions of clients that ask nobody themselves: the calls of their own tools that helve
refused since nobody could be asked. helve approvals yes ID lets the same call run once, when it is made again.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return listQuestions(c.Streams(), json) },
	}
	command.JSONFlag(waits, &json)
	watch := &cobra.Command{
		Use:   "watch",
		Short: "Ask here what clients that ask nobody themselves would do, as it comes",
		Long: `Ask here what clients that ask nobody themselves would do, as it comes. While this runs such a call
waits some seconds for the answer; later answers count when it is made again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return watchQuestions(cmd.Context(), c.Streams()) },
	}
	yes := &cobra.Command{
		Use:   "yes ID",
		Short: "Let a call that waits run once, when it is made again",
		Args:  command.Exactly(1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return answerYes(cmd.Context(), c.Streams(), args[0])
		},
	}
	no := &cobra.Command{
		Use:   "no ID",
		Short: "Refuse a call that waits",
		Args:  command.Exactly(1, "ID"),
		RunE: func(_ *cobra.Command, args []string) error {
			q, err := waiting.Say(c.Streams().Places().StateDir, args[0], false)
			if err != nil {
				return unknownQuestion(args[0], err)
			}
			return c.Streams().Print("refused: " + command.Printable(q.Title))
		},
	}
	return []*cobra.Command{waits, watch, yes, no}
}

func unknownQuestion(id string, err error) error {
	return command.Failed(fmt.Errorf("approvals: %s: %w\nhint: helve approvals waiting", command.Brief(id), err))
}

func listQuestions(s command.Streams, json bool) error {
	list := waiting.List(s.Places().StateDir)
	if json {
		if list == nil {
			list = []waiting.Question{}
		}
		return s.PrintJSON(list)
	}
	t := s.Table()
	t.Row("ID", "CLIENT", "SINCE", "WOULD", "ASKED BECAUSE")
	for _, q := range list {
		since, would := q.Since.Local().Format(time.TimeOnly), command.Printable(q.Title)
		t.Row(q.ID, q.Client, since, would, command.Printable(q.Reason))
	}
	return t.Flush()
}

// answerYes shows what a yes is about, and asks for it: a program that types this command has no terminal.
func answerYes(ctx context.Context, s command.Streams, id string) error {
	if !s.Terminal().Present() {
		return command.Usage("approvals yes: a person says yes at a terminal\n" +
			"hint: a rule lets it run without a question: helve approvals waiting --json has it")
	}
	dir := s.Places().StateDir
	for _, q := range waiting.List(dir) {
		if q.ID == id {
			return askQuestion(ctx, s, dir, q)
		}
	}
	return unknownQuestion(id, waiting.ErrNone)
}

// askQuestion asks a person about a call, and keeps the answer.
func askQuestion(ctx context.Context, s command.Streams, dir string, q waiting.Question) error {
	shown := terminal.Question{
		Title:   visible.SpelledLine(q.Client + ": " + q.Title), // in one line: words of a model must not look like ours
		Notes:   []string{"in " + visible.Line(q.Workspace), "asked because: " + visible.Line(q.Reason)},
		Preview: q.Text,
		Ask:     "Allow this once?",
	}
	if q.Text == "" {
		s.Say("%s is too long to be shown here: a rule can allow it", command.Printable(q.Title))
		return nil
	}
	yes, err := asking.Confirm(ctx, s.Terminal(), shown, "Yes, once")
	if err != nil {
		return err
	}
	if _, err := waiting.Say(dir, q.ID, yes); err != nil {
		s.Say("approvals: %s: %v", q.ID, err) // it was answered elsewhere, or its time is over
		return nil
	}
	if yes {
		s.Note("allowed once, when it is called again within %v", waiting.Valid)
	}
	return nil
}

// watchQuestions asks about each question as it comes, until it is interrupted.
func watchQuestions(ctx context.Context, s command.Streams) error {
	if !s.Terminal().Present() {
		return command.Usage("approvals watch: questions are asked at a terminal\n" +
			"hint: helve approvals waiting lists them")
	}
	dir := s.Places().StateDir
	stop, err := waiting.Watch(dir)
	if err != nil {
		return command.Failed(err)
	}
	defer stop()
	s.Note("questions of clients are asked here; Ctrl-C ends it")
	asked := map[string]time.Time{}
	tick := time.NewTicker(questionsPoll)
	defer tick.Stop()
	for {
		for _, q := range waiting.List(dir) {
			if asked[q.ID].Equal(q.Since) {
				continue
			}
			asked[q.ID] = q.Since
			if err := askQuestion(ctx, s, dir, q); err != nil {
				return ended(ctx, err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// ended is the error of a question, where it was not ended by the person.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
