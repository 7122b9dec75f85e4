package app

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"helve/wrap"
)

// auditOptions choose records; what is empty chooses all.
type auditOptions struct {
	last    int    // only so many, the newest; 0: all that are kept
	tool    string // by its public name, or by its own
	outcome string // ok, need, or the code of an error
}

func auditCommand(c *cli) *cobra.Command {
	var o auditOptions
	var ignored bool // --json: it prints nothing else
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "The record of calls, refusals included: one JSON object a line, oldest first",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return audit(c.streams(), o)
		},
	}
	cmd.Flags().IntVarP(&o.last, "last", "n", 0, "only the last N calls (default: all that are kept)")
	cmd.Flags().StringVar(&o.tool, "tool", "", "only calls of this tool")
	cmd.Flags().StringVar(&o.outcome, "outcome", "",
		"only calls that came to this: ok, need, permission_error …")
	jsonFlag(cmd, &ignored)
	return cmd
}

// auditKept bounds the lines held for --last: some 50 MB.
const auditKept = 100_000

// audit prints the records as they were written.
func audit(s streams, o auditOptions) error {
	var kept [][]byte
	err := s.records().Calls(func(line []byte) bool {
		var r wrap.Record
		if json.Unmarshal(line, &r) != nil || !o.chosen(r) {
			return true
		}
		if o.last == 0 {
			_, err := fmt.Fprintf(s.Stdout, "%s\n", line)
			return err == nil
		}
		kept = append(kept, bytes.Clone(line))
		if len(kept) > min(o.last, auditKept) {
			kept = kept[1:]
		}
		return true
	})
	for _, line := range kept {
		fmt.Fprintf(s.Stdout, "%s\n", line)
	}
	return err
}

func (o auditOptions) chosen(r wrap.Record) bool {
	named := o.tool == "" || r.Name == o.tool || r.Origin != nil && r.Origin.Name == o.tool
	ended := o.outcome == "" || r.Outcome == o.outcome
	return named && ended
}
