package history

import (
	"errors"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/wrap"
)

func StatsCommand(c *command.Line) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "How often each tool was called, and how it went",
		Long: `Show how often each tool was called in all workspaces of this person, and how it went. Times are
those of the calls; the person's answers are not in them.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return stats(c.Streams(), asJSON)
		},
	}
	command.JSONFlag(cmd, &asJSON)
	return cmd
}

// A toolUsage is the usage of one tool as JSON. Times are in milliseconds.
type toolUsage struct {
	Tool    string    `json:"tool"`
	Calls   int       `json:"calls"`
	Failed  int       `json:"failed"`  // of calls: the tool said so
	Refused int       `json:"refused"` // of calls: by policy or person
	Bytes   int64     `json:"bytes"`   // of text to the model
	Total   float64   `json:"total_ms"`
	Mean    float64   `json:"mean_ms"`
	Asked   float64   `json:"asked_ms"` // that approvers took; not in the others
	Last    time.Time `json:"last"`
}

// usageOf is a usage with its times in a unit that its names tell.
func usageOf(u wrap.Usage) toolUsage {
	total := float64(u.Duration) / float64(time.Millisecond)
	return toolUsage{
		Tool:    u.Tool,
		Calls:   u.Calls,
		Failed:  u.Failed,
		Refused: u.Refused,
		Bytes:   u.Bytes,
		Total:   total,
		Mean:    total / float64(max(1, u.Calls)),
		Asked:   float64(u.Asked) / float64(time.Millisecond),
		Last:    u.Last,
	}
}

// stats prints the usage of each tool, of all workspaces of this person.
func stats(s command.Streams, asJSON bool) error {
	all, err := s.Records().Usage()
	switch {
	case errors.Is(err, workspace.ErrDamaged):
		s.Say("%v", err)
	case err != nil:
		return err
	}
	list := []toolUsage{} // JSON says [] and not null
	for _, u := range wrap.Sorted(all) {
		list = append(list, usageOf(u))
	}
	if asJSON {
		return s.PrintJSON(list)
	}
	t := s.Table()
	t.Row("TOOL", "CALLS", "FAILED", "REFUSED", "MEAN MS", "BYTES", "LAST")
	for _, u := range list {
		t.Row(
			command.Printable(u.Tool),
			strconv.Itoa(u.Calls),
			strconv.Itoa(u.Failed),
			strconv.Itoa(u.Refused),
			strconv.FormatFloat(u.Mean, 'f', 1, 64),
			strconv.FormatInt(u.Bytes, 10),
			u.Last.Local().Format(time.DateTime),
		)
	}
	return t.Flush()
}
