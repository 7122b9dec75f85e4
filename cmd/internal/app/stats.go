package app

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"helve/wrap"
)

func statsCommand(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "How often each tool was called, and how it went",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return stats(c.streams(), asJSON)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// stats prints the usage of each tool, of all workspaces of this person.
func stats(s streams, asJSON bool) error {
	all, err := s.records().Usage()
	if err != nil {
		return err
	}
	list := wrap.Sorted(all)
	if asJSON {
		return s.printJSON(list)
	}
	t := s.table()
	t.row("TOOL", "CALLS", "FAILED", "REFUSED", "MEAN", "BYTES", "LAST")
	for _, u := range list {
		mean := u.Duration / time.Duration(max(1, u.Calls))
		t.row(
			printable(u.Tool),
			strconv.Itoa(u.Calls),
			strconv.Itoa(u.Failed),
			strconv.Itoa(u.Refused),
			mean.Round(time.Millisecond/10).String(),
			fmt.Sprint(u.Bytes),
			u.Last.Format(time.DateTime),
		)
	}
	return t.Flush()
}
