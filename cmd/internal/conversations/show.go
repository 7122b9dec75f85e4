package conversations

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/agent"
	"helve/agent/conversation"
	"helve/cmd/internal/command"
	"helve/internal/state"
)

// A told conversation is one with all that was said.
type told struct {
	conversation.About
	Messages []message `json:"messages"`
}

// A message is what one of the two said.
type message struct {
	Turn  int    `json:"turn"`
	Role  string `json:"role"`
	Text  string `json:"text"`
	Calls []call `json:"calls"`

	Images int `json:"images,omitempty"` // pictures beside the text of a prompt
}

// A call is one that the model made.
type call struct {
	ID        string      `json:"id"`
	Tool      string      `json:"tool"`
	Arguments string      `json:"arguments"` // as the model wrote them
	OK        bool        `json:"ok"`
	Text      string      `json:"text"`
	State     agent.State `json:"state"`
	Undo      string      `json:"undo,omitempty"` // what helve undo takes
}

// read is a conversation with all that was said, masked once more: what is masked today may not have been then.
func read(s command.Streams, name, id string) (*told, error) {
	a, err := s.Conversation("conversations "+name, id)
	if err != nil {
		return nil, err
	}
	all := s.Conversations()
	log, err := conversation.Read(all, a.ID)
	if err != nil {
		return nil, command.Failed(fmt.Errorf("conversations %s: %s: %w", name, a.ID, err))
	}
	log.Settle(nil)
	mask := conversation.NewMask(all.Secrets)
	clean := func(text string) string { return string(mask.Text([]byte(text))) }
	out := &told{About: a, Messages: []message{}}
	for _, said := range log.Said {
		m := message{
			Turn:   said.Turn,
			Role:   said.Role,
			Text:   clean(said.Text),
			Calls:  []call{},
			Images: len(said.Images),
		}
		for _, c := range said.Calls {
			m.Calls = append(m.Calls, call{
				ID:        c.ID,
				Tool:      orName(c),
				Arguments: clean(c.Args),
				OK:        !c.Failed && c.State == agent.Finished,
				Text:      clean(c.Text),
				State:     c.State,
				Undo:      c.Undo,
			})
		}
		out.Messages = append(out.Messages, m)
	}
	return out, nil
}

// orName is the tool's name, as the model wrote it where the call never came to a tool.
func orName(c agent.Made) string {
	if c.Tool == "" {
		return c.Name
	}
	return c.Tool
}

func showCommand(c *command.Line) *cobra.Command {
	var json bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "What was said in a conversation",
		Args:  one("show"),
		RunE: func(_ *cobra.Command, args []string) error {
			s := c.Streams()
			t, err := read(s, "show", args[0])
			if err != nil {
				return err
			}
			if json {
				return s.PrintJSON(t)
			}
			return s.Print(command.Printable(strings.TrimSuffix(t.text(), "\n")))
		},
	}
	command.JSONFlag(cmd, &json)
	return cmd
}

// shownResult is how many lines of a call's answer people are shown.
const shownResult = 10

// text is the conversation as people read it.
func (t *told) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s  %s  %s\n", t.ID, t.Model, t.Mode, t.Name)
	for _, m := range t.Messages {
		if m.Role == agent.RoleUser {
			fmt.Fprintf(&b, "\n%d> %s\n", m.Turn, m.shown())
			continue
		}
		if m.Text != "" {
			fmt.Fprintf(&b, "\n%s\n", m.Text)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "\n%s %s %s%s\n", mark(c), c.Tool, c.Arguments, stateWords(c))
			lines := strings.Split(strings.TrimRight(c.Text, "\n"), "\n")
			for _, line := range lines[:min(len(lines), shownResult)] {
				fmt.Fprintf(&b, "    %s\n", line)
			}
			if more := len(lines) - shownResult; more > 0 {
				fmt.Fprintf(&b, "    … %d more lines\n", more)
			}
		}
	}
	return b.String()
}

// shown is what a person said, as people read it.
func (m message) shown() string {
	if m.Images == 0 {
		return m.Text
	}
	return strings.TrimLeft(fmt.Sprintf("%s\n[pictures: %d]", m.Text, m.Images), "\n")
}

func mark(c call) string {
	if c.OK {
		return "✓"
	}
	return "✗"
}

// stateWords say what became of a call that was interrupted, and how it is taken back.
func stateWords(c call) string {
	out := ""
	if c.State != agent.Finished {
		out = "  [" + strings.ReplaceAll(string(c.State), "_", " ") + "]"
	}
	if c.Undo != "" {
		out += "  [helve undo " + c.Undo + "]"
	}
	return out
}

// exportOptions say how a conversation is written.
type exportOptions struct {
	format string
	file   string // "": standard output
}

func exportCommand(c *command.Line) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a conversation as Markdown or JSON",
		Args:  one("export"),
		RunE: func(_ *cobra.Command, args []string) error {
			return export(c.Streams(), args[0], o)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "markdown", "markdown or json")
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "the file to write (default: standard output)")
	command.CompleteFlag(cmd, "format", "markdown", "json")
	return cmd
}

// export writes a conversation. A file that is there is left alone.
func export(s command.Streams, id string, o exportOptions) error {
	if o.format != "markdown" && o.format != "json" {
		return command.Usage("conversations export: --format %q: want markdown or json", o.format)
	}
	t, err := read(s, "export", id)
	if err != nil {
		return err
	}
	if o.file != "" {
		path := s.Path(o.file)
		if _, err := os.Lstat(path); err == nil {
			return command.Usage("conversations export: %s is there already\nhint: give another name",
				command.Printable(path))
		}
		var b strings.Builder
		s.Stdout = &b
		if err := t.print(s, o.format); err != nil {
			return err
		}
		if err := state.Replace(path, []byte(b.String()), 0o600); err != nil {
			return command.Failed(errors.New(command.Cause(err)))
		}
		return nil
	}
	return t.print(s, o.format)
}

func (t *told) print(s command.Streams, format string) error {
	if format == "json" {
		return s.PrintJSON(t)
	}
	return s.Print(strings.TrimSuffix(t.markdown(), "\n"))
}

// markdown is the conversation as a document.
func (t *told) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", t.Name)
	fmt.Fprintf(&b, "Conversation %s in `%s`, begun %s; model %s, mode %s.\n",
		t.ID, t.Workspace, t.Started.Local().Format(time.DateTime), t.Model, t.Mode)
	for _, m := range t.Messages {
		switch {
		case m.Role == agent.RoleUser:
			fmt.Fprintf(&b, "\n## %d\n\n%s\n", m.Turn, quoted(m.shown()))
		case m.Text != "":
			fmt.Fprintf(&b, "\n%s\n", m.Text)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "\n%s **%s** `%s`%s\n\n%s\n", mark(c), c.Tool, c.Arguments, stateWords(c), fenced(c.Text))
		}
	}
	return b.String()
}

// quoted is what a person said, as Markdown quotes it.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n> ")
}

// fenced is a text in a block whose fence is longer than any in it.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
