package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"helve/policy"
	"helve/wrap"
)

func (a *app) approvalsCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{Use: "approvals", Short: "What was approved for always"}
	list := &cobra.Command{Use: "list", Short: "List the approvals of this workspace, or of all", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listApprovals(all) }}
	revoke := &cobra.Command{Use: "revoke [ID…]", Short: "Forget approvals by their ID, or all of this workspace",
		Args: func(cmd *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usage("%s: want IDs, or --all\nhint: helve approvals list", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.revokeApprovals(args, all) }}
	list.Flags().BoolVar(&all, "all", false, "those of every workspace")
	revoke.Flags().BoolVar(&all, "all", false, "all of this workspace")
	a.jsonFlag(list)
	cmd.AddCommand(list, revoke)
	return cmd
}

func (a *app) listApprovals(all bool) error {
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	grants, err := a.records().Approvals(a.logger()).Load()
	if err != nil {
		return err
	}
	list := []policy.Grant{}
	for _, g := range grants {
		if all || g.Workspace == dir {
			list = append(list, g)
		}
	}
	if a.flags.json {
		return a.printJSON(list)
	}
	w := a.table()
	fmt.Fprintln(w, "ID\tCOVERS\tSINCE\tASKED FOR")
	for _, g := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", g.ID, printable(covers(g)), g.When.Format(time.DateOnly), printable(g.Title))
	}
	return w.Flush()
}

// covers says what a grant covers.
func covers(g policy.Grant) string {
	switch g.Rule {
	case "":
		return "exactly this"
	case policy.WholeTool:
		return "the tool " + g.Origin.String()
	case policy.WholeServer:
		return "the server " + g.Origin.Server
	}
	return g.Rule
}

func (a *app) revokeApprovals(ids []string, all bool) error {
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	gone := 0
	err = a.records().Approvals(a.logger()).Update(func(list []policy.Grant) ([]policy.Grant, error) {
		before := len(list)
		list = slices.DeleteFunc(list, func(g policy.Grant) bool { return all && g.Workspace == dir || slices.Contains(ids, g.ID) })
		gone = before - len(list)
		return list, nil
	})
	if err != nil {
		return err
	}
	if gone < len(ids) {
		return &exitError{exitFailed, fmt.Errorf("approvals: %d of %d were there\nhint: helve approvals list --all", gone, len(ids))}
	}
	fmt.Fprintf(a.env.Stdout, "revoked: %d\n", gone)
	return nil
}

func (a *app) auditCommand() *cobra.Command {
	var last int
	var name, outcome string
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "The record of calls, refusals included: one JSON object a line, oldest first",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.audit(last, name, outcome) },
	}
	cmd.Flags().IntVarP(&last, "last", "n", 0, "only the last N calls (default: all that are kept)")
	cmd.Flags().StringVar(&name, "tool", "", "only calls of this tool")
	cmd.Flags().StringVar(&outcome, "outcome", "", "only calls that came to this: ok, need, permission_error …")
	a.jsonFlag(cmd)
	return cmd
}

// auditKept bounds the lines held for --last.
const auditKept = 100_000

func (a *app) audit(last int, name, outcome string) error {
	var kept [][]byte
	err := a.records().Calls(func(line []byte) bool {
		var r wrap.Record
		if json.Unmarshal(line, &r) != nil || name != "" && r.Name != name && (r.Origin == nil || r.Origin.Name != name) || outcome != "" && r.Outcome != outcome {
			return true
		}
		if last == 0 {
			_, err := fmt.Fprintf(a.env.Stdout, "%s\n", line)
			return err == nil
		}
		if kept = append(kept, bytes.Clone(line)); len(kept) > min(last, auditKept) {
			kept = kept[1:]
		}
		return true
	})
	for _, line := range kept {
		fmt.Fprintf(a.env.Stdout, "%s\n", line)
	}
	return err
}

func (a *app) statsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "stats", Short: "How often each tool was called, and how it went", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.stats() }}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) stats() error {
	all, err := a.records().Usage()
	if err != nil {
		return err
	}
	list := wrap.Sorted(all)
	if a.flags.json {
		return a.printJSON(list)
	}
	w := a.table()
	fmt.Fprintln(w, "TOOL\tCALLS\tFAILED\tREFUSED\tMEAN\tBYTES\tLAST")
	for _, u := range list {
		mean := (u.Duration / time.Duration(max(1, u.Calls))).Round(time.Millisecond / 10)
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%v\t%d\t%s\n", printable(u.Tool), u.Calls, u.Failed, u.Refused, mean, u.Bytes, u.Last.Format(time.DateTime))
	}
	return w.Flush()
}
