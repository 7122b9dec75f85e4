package configure

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/policy"
	"helve/tool"
)

// approvalsOptions are those of list and revoke. A person sees their own workspace unless they ask for all: an
// approval holds in one.
type approvalsOptions struct {
	command.Common
	all    bool     // list: of every workspace; revoke: all of this one
	ids    []string // to revoke
	shared string   // where replicas keep theirs: a folder, or command.OnBus; "": those of this machine are meant
	json   bool
}

func ApprovalsCommand(c *command.Line) *cobra.Command {
	var o approvalsOptions
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "What was approved for always, and the questions of clients that ask nobody",
		Long: `What was approved for always, on this machine, or with --shared by servers that share; and the questions
about own tools of clients that ask nobody themselves, such as Codex.`,
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the approvals of this workspace, or of all",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Common = c.Flags.Common
			return o.in(cmd.Context(), c.Streams(), o.list(cmd.Context()))
		},
	}
	revoke := &cobra.Command{
		Use:   "revoke [ID…]",
		Short: "Forget approvals by their ID, or all of this workspace",
		Args: func(cmd *cobra.Command, args []string) error {
			if o.all == (len(args) > 0) {
				return command.Usage("%s: want IDs, or --all\nhint: helve approvals list", command.Called(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Common, o.ids = c.Flags.Common, args
			return o.in(cmd.Context(), c.Streams(), revokeApprovals)
		},
	}
	list.Flags().BoolVar(&o.all, "all", false, "those of every workspace")
	revoke.Flags().BoolVar(&o.all, "all", false, "all of this workspace")
	for _, sub := range []*cobra.Command{list, revoke} {
		sub.Flags().StringVar(&o.shared, "shared", "",
			"those that servers share: in this folder, or on the bus, as for helve serve")
	}
	command.JSONFlag(list, &o.json)
	cmd.AddCommand(list, revoke)
	cmd.AddCommand(questionCommands(c)...)
	return cmd
}

// in does something with the approvals that are meant.
func (o approvalsOptions) in(
	ctx context.Context, s command.Streams, do func(command.Streams, approvalsOptions, policy.GrantStore) error,
) error {
	if o.shared == "" {
		return do(s, o, s.Records().Approvals(s.Logger()))
	}
	if o.shared == command.OnBus {
		return o.onBus(ctx, s, do)
	}
	dir := s.Path(o.shared)
	if _, err := os.Stat(dir); err != nil { // a mistyped folder would be made, and empty
		return command.Usage("--shared: %v", err)
	}
	folder, err := workspace.SharedFolder(dir)
	if err != nil {
		return command.Usage("--shared: %v", err)
	}
	return do(s, o, workspace.SharedApprovals(folder, s.Logger()))
}

// onBus is in for those on the bus.
func (o approvalsOptions) onBus(
	ctx context.Context, s command.Streams, do func(command.Streams, approvalsOptions, policy.GrantStore) error,
) error {
	where, err := o.BusOf(s, "")
	if err != nil {
		return err
	}
	var done error
	err = s.Bus.Shared(ctx, where, func(shared workspace.Shared) {
		done = do(s, o, workspace.SharedApprovals(shared, s.Logger()))
	})
	if err != nil {
		return command.Misused(err)
	}
	return done
}

// list prints what a person said yes to for always, with the title that they saw when they did.
func (o approvalsOptions) list(ctx context.Context) func(command.Streams, approvalsOptions, policy.GrantStore) error {
	return func(s command.Streams, o approvalsOptions, store policy.GrantStore) error {
		return listApprovals(ctx, s, o, store)
	}
}

func listApprovals(ctx context.Context, s command.Streams, o approvalsOptions, store policy.GrantStore) error {
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	grants, err := store.Load()
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
		return s.PrintJSON(chosen)
	}
	t := s.Table()
	t.Row("ID", "COVERS", "SINCE", "ASKED FOR")
	for _, g := range chosen {
		t.Row(g.ID, command.Printable(asking.Covers(g)), g.When.Format(time.DateOnly), command.Printable(wasAsked(g)))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, g := range o.outdated(ctx, s, dir, chosen) {
		s.Say("written by an older version, no longer counts: %s (%s); revoke it with: helve approvals revoke %s",
			g.ID, command.Printable(wasAsked(g)), g.ID)
	}
	return nil
}

// outdated are the grants of this workspace that no longer count, since a tool of helve's own is defined otherwise. Of
// tools of servers that would want them started: those are told of when they ask.
func (o approvalsOptions) outdated(
	ctx context.Context, s command.Streams, dir string, of []policy.Grant,
) []policy.Grant {
	ours := func(g policy.Grant) bool { return g.Workspace == dir && g.Origin.Kind == tool.Builtin }
	if !slices.ContainsFunc(of, ours) {
		return nil
	}
	opened, err := o.Options(s)
	if err != nil { // a list is no place for what is wrong with the configuration
		return nil
	}
	ws, err := command.OpenWith(ctx, opened)
	if err != nil {
		return nil
	}
	defer func() { _ = ws.Close() }() // it was only looked at
	var out []policy.Grant
	for _, g := range of {
		t, known := ws.Registry().View().Get(g.Origin.Name)
		if ours(g) && known && g.Outdated(t.Spec()) {
			out = append(out, g)
		}
	}
	return out
}

// wasAsked says what was asked, and by which client, as that calls itself.
func wasAsked(g policy.Grant) string {
	if g.Client == "" {
		return g.Title
	}
	return g.Title + " (for " + g.Client + ")"
}

// revokeApprovals forgets grants. An ID that is not there is said: who mistyped it would take a grant for gone.
func revokeApprovals(s command.Streams, o approvalsOptions, store policy.GrantStore) error {
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	gone := 0
	// Another helve may approve something meanwhile: the change is made to what stands there then.
	err = store.Update(func(grants []policy.Grant) ([]policy.Grant, error) {
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
		return command.Failed(fmt.Errorf(
			"approvals: %d of %d were there\nhint: helve approvals list --all, with --shared for those of servers",
			gone, len(o.ids)))
	}
	return s.Print(fmt.Sprintf("revoked: %d", gone))
}
