package app

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"helve/policy"
)

// approvalsOptions are those of list and revoke. A person sees their own workspace unless they ask for all: an
// approval holds in one.
type approvalsOptions struct {
	common
	all  bool     // list: of every workspace; revoke: all of this one
	ids  []string // to revoke
	json bool
}

func approvalsCommand(c *cli) *cobra.Command {
	var o approvalsOptions
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "What was approved for always",
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the approvals of this workspace, or of all",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			o.common = c.flags.common
			return listApprovals(c.streams(), o)
		},
	}
	revoke := &cobra.Command{
		Use:   "revoke [ID…]",
		Short: "Forget approvals by their ID, or all of this workspace",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.all == (len(args) > 0) {
				return usage("%s: want IDs, or --all\nhint: helve approvals list", called(cmd))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			o.common, o.ids = c.flags.common, args
			return revokeApprovals(c.streams(), o)
		},
	}
	list.Flags().BoolVar(&o.all, "all", false, "those of every workspace")
	revoke.Flags().BoolVar(&o.all, "all", false, "all of this workspace")
	jsonFlag(list, &o.json)
	cmd.AddCommand(list, revoke)
	return cmd
}

// listApprovals prints what a person said yes to for always, with the title that they saw when they did.
func listApprovals(s streams, o approvalsOptions) error {
	dir, err := o.folder(s)
	if err != nil {
		return err
	}
	grants, err := s.records().Approvals(s.logger()).Load()
	if err != nil {
		return err
	}
	chosen := []policy.Grant{} // JSON says [] and not null
	for _, g := range grants {
		if o.all || g.Workspace == dir {
			chosen = append(chosen, g)
		}
	}
	if o.json {
		return s.printJSON(chosen)
	}
	t := s.table()
	t.row("ID", "COVERS", "SINCE", "ASKED FOR")
	for _, g := range chosen {
		t.row(g.ID, printable(covers(g)), g.When.Format(time.DateOnly), printable(g.Title))
	}
	return t.Flush()
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

// revokeApprovals forgets grants. An ID that is not there is said: who mistyped it would take a grant for gone.
func revokeApprovals(s streams, o approvalsOptions) error {
	dir, err := o.folder(s)
	if err != nil {
		return err
	}
	gone := 0
	// Another helve may approve something meanwhile: the change is made to what stands there then.
	err = s.records().Approvals(s.logger()).Update(func(grants []policy.Grant) ([]policy.Grant, error) {
		before := len(grants)
		grants = slices.DeleteFunc(grants, func(g policy.Grant) bool {
			here := o.all && g.Workspace == dir
			return here || slices.Contains(o.ids, g.ID)
		})
		gone = before - len(grants)
		return grants, nil
	})
	if err != nil {
		return err
	}
	if gone < len(o.ids) {
		return failed(fmt.Errorf("approvals: %d of %d were there\nhint: helve approvals list --all", gone, len(o.ids)))
	}
	return s.print(fmt.Sprintf("revoked: %d", gone))
}
