// Package drafts has helve draft: changes that stand beside the workspace until a person says yes.
package drafts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	shellquote "github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"helve/builtin"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/review"
	"helve/cmd/internal/terminal"
	"helve/engine/sandbox"
	"helve/internal/workspace"
	"helve/tool"
)

// options say which draft is meant, and how it is printed.
type options struct {
	command.Common
	id   string
	yes  bool
	all  bool
	json bool
}

// Command is helve draft and what stands below it.
func Command(c *command.Line) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "draft",
		Short: "Changes that stand beside the workspace until you commit them",
		Long: `Work in a draft: calls with --draft see the workspace as the draft has it and change nothing but the
draft. Then look at the difference, and commit or drop it. A draft stays until then, or until nobody
used it for a week. In one work read, write, edit, multi_edit, ls, glob, grep and bash.`,
		Example: "  helve draft open\n  helve call --draft k3v9 edit file_path=a.txt old_string=teh new_string=the\n" +
			"  helve draft diff k3v9\n  helve draft commit k3v9",
	}
	cmd.AddCommand(
		o.sub(c, "open", "Begin a draft, and print its ID", open),
		o.list(c),
		o.sub(c, "diff ID", "Show what a draft would change", diff),
		o.commit(c),
		o.sub(c, "drop ID", "Lose a draft with all that it changes", drop),
	)
	return cmd
}

// A doing is one of the commands on an open workspace.
type doing func(context.Context, command.Streams, *workspace.Assembly, options) error

// sub is one of the commands.
func (o *options) sub(c *command.Line, use, short string, do doing) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			own := *o
			own.Common = c.Flags.Common
			if len(args) > 0 {
				own.id = args[0]
			}
			ctx, s := cmd.Context(), c.Streams()
			return command.In(ctx, s, own.Common, func(ws *workspace.Assembly) error {
				swept(s, ws)
				err := do(ctx, s, ws, own)
				if errors.Is(err, builtin.ErrDraftUnknown) && waits(ws, own.id) {
					return own.ofReview(ctx, s, ws, cmd.Name())
				}
				return wrong(err)
			})
		},
	}
	if strings.HasSuffix(use, " ID") {
		cmd.Args = cobra.ExactArgs(1)
		cmd.ValidArgsFunction = command.OnlyFirst(Complete(c))
	}
	command.JSONFlag(cmd, &o.json)
	return cmd
}

func (o *options) list(c *command.Line) *cobra.Command {
	cmd := o.sub(c, "list", "List the drafts, and what waits in helve review", list)
	cmd.Flags().BoolVar(&o.all, "all", false, "what was committed or dropped within the week, too")
	return cmd
}

func (o *options) commit(c *command.Line) *cobra.Command {
	cmd := o.sub(c, "commit ID", "Make what a draft changes, as one", commit)
	cmd.Long = `Make all that a draft changes, or nothing: one entry in the history, one undo. On a terminal the
difference is shown and asked about. --yes says that you have seen it with helve draft diff; what your
other programs would run or follow is then left for helve review.

What somebody changed meanwhile is kept: in other lines it is merged and said; else nothing is made,
both differences are shown, and the draft stays.`
	cmd.Flags().BoolVar(&o.yes, "yes", false, "the difference was seen: make it without a question")
	return cmd
}

// Complete completes to the IDs of drafts that are open.
func Complete(c *command.Line) command.Completion {
	return command.InWorkspace(c, func(ws *workspace.Assembly) []string {
		var out []string
		all, _ := ws.Drafts()
		for _, d := range all {
			if isOpen(d) {
				out = append(out, cobra.CompletionWithDesc(d.ID, "opened "+d.Opened.Local().Format(time.DateTime)))
			}
		}
		return out
	})
}

func isOpen(d *builtin.DraftState) bool { return d.State == "open" || d.State == "committing" }

// swept drops what nobody used for a week, and tells it.
func swept(s command.Streams, ws *workspace.Assembly) {
	gone, err := ws.SweepDrafts()
	for _, id := range gone {
		s.Say("draft: %s was dropped: nobody used it for a week", id)
	}
	if err != nil {
		s.Say("draft: what nobody used for a week stays: %s", command.Printable(err.Error()))
	}
}

// wrong gives errors of a choice the next step.
func wrong(err error) error {
	if _, told := errors.AsType[*command.ExitError](err); told || err == nil {
		return err
	}
	return Wrong(err)
}

// Wrong is the error of a draft that cannot be had, with the next step.
func Wrong(err error) error {
	const lists = "\nhint: helve draft list lists the drafts"
	text := command.Printable(strings.TrimPrefix(err.Error(), sandbox.ErrNoLayer.Error()+": "))
	elsewhere, is := errors.AsType[*builtin.DraftElsewhereError](err)
	switch {
	case is && elsewhere.Gone:
		return command.Usage("draft: %s\nhint: bring the folder back to that place, or make an empty one there; then "+
			"helve -C %s draft diff, commit or drop %s", text, shellquote.Join(command.Printable(elsewhere.Dir)), elsewhere.ID)
	case is:
		return command.Usage("draft: %s\nhint: helve -C %s draft diff, commit or drop %s",
			text, shellquote.Join(command.Printable(elsewhere.Dir)), elsewhere.ID)
	case errors.Is(err, builtin.ErrDraftFolders):
		return command.Usage("draft: %s\nhint: name the same further folders with --add-dir; helve draft drop needs none", text)
	case errors.Is(err, builtin.ErrDraftUnknown), errors.Is(err, builtin.ErrDraftAmbiguous):
		return command.Usage("draft: %s%s", text, lists)
	case errors.Is(err, builtin.ErrDraftOver):
		return command.Failed(fmt.Errorf("draft: %s%s", text, lists))
	case errors.Is(err, builtin.ErrDraftBusy):
		return command.Failed(fmt.Errorf("draft: %s\nhint: try again when its call has ended", text))
	case errors.Is(err, builtin.ErrDraftDamaged):
		return command.Failed(fmt.Errorf("draft: %s\nhint: nothing of it was made, and it stays; helve draft drop loses it", text))
	case errors.Is(err, sandbox.ErrNoLayer):
		return command.Failed(fmt.Errorf("draft: this machine can hold no draft of this workspace: %s\n"+
			"hint: calls without --draft change the files at once, and helve undo takes them back", text))
	case errors.Is(err, syscall.ENOSPC):
		return command.Failed(fmt.Errorf("draft: %s\nhint: make room and do it again, or helve draft drop, which needs none", text))
	}
	return command.Failed(fmt.Errorf("draft: %s", text))
}

// waits tells of the ID of what waits in helve review.
func waits(ws *workspace.Assembly, id string) bool {
	sets, _, _ := ws.Review().List(false)
	for _, set := range sets {
		if id != "" && strings.HasPrefix(set.ID, id) {
			return true
		}
	}
	return false
}

func open(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	d, err := ws.KeepDraft(ctx)
	if err != nil {
		return err
	}
	line := lineOf(d.State())
	if err := d.Leave(); err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(line)
	}
	s.Note("hint: helve call --draft %s TOOL …, then helve draft diff, commit or drop %[1]s", line.ID)
	return s.Print(line.ID)
}

// A line of the list, as scripts read it.
type line struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"` // draft, or review: what a command left waiting
	State  string    `json:"state"`
	Opened time.Time `json:"opened,omitzero"`
	Used   time.Time `json:"used,omitzero"`
	Places int       `json:"places"` // changed, as far as they are known
	Undo   string    `json:"undo,omitempty"`
	Why    string    `json:"why,omitempty"` // it was dropped by nobody's word
	Title  string    `json:"title,omitempty"`
}

func lineOf(d *builtin.DraftState) line {
	l := line{ID: d.ID, Kind: "draft", State: d.State, Opened: d.Opened, Used: d.Used, Undo: d.Undo, Why: d.Why}
	for _, p := range d.Places {
		if p.Since > 0 || p.Known {
			l.Places++
		}
	}
	return l
}

func list(_ context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	drafts, damaged := ws.Drafts()
	lines := []line{}
	for _, id := range damaged {
		s.Say("draft: what is written down of %s cannot be read: helve draft drop loses it", id)
		lines = append(lines, line{ID: id, Kind: "draft", State: "damaged"})
	}
	for _, d := range drafts {
		if o.all || isOpen(d) {
			lines = append(lines, lineOf(d))
		}
	}
	sets, _, err := ws.Review().List(o.all)
	if err != nil {
		return err
	}
	for _, set := range sets {
		lines = append(lines, line{
			ID:     set.ID,
			Kind:   "review",
			State:  review.Word(set.State),
			Opened: set.Time,
			Places: len(set.Files),
			Title:  set.Title,
		})
	}
	if o.json {
		return s.PrintJSON(lines)
	}
	if len(lines) == 0 {
		s.Note("there are no drafts")
		return nil
	}
	t := s.Table()
	t.Row("ID", "KIND", "STATE", "OPENED", "LEFT BY")
	for _, l := range lines {
		opened := ""
		if !l.Opened.IsZero() {
			opened = l.Opened.Local().Format(time.DateTime)
		}
		t.Row(l.ID, l.Kind, l.State, opened, command.Brief(cmp.Or(l.Title, l.Why)))
	}
	return t.Flush()
}

func diff(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) (err error) {
	d, err := ws.OpenDraft(ctx, o.id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Leave()) }()
	v, err := d.View(ctx)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(v)
	}
	if v.Summary == "" {
		s.Note("the draft changes nothing")
		return nil
	}
	for _, path := range v.Merged {
		s.Note("%s: somebody changed it meanwhile, in other lines: it is merged", command.Printable(path))
	}
	for _, c := range v.Conflicts {
		s.Note("%s: %s: the draft cannot be committed", command.Printable(c.Path), command.Printable(c.Why))
	}
	return s.Print(v.Summary + "\n" + strings.TrimRight(command.Printable(v.Diff), "\n"))
}

func drop(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) error {
	d, err := ws.DropDraft(ctx, o.id)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(lineOf(d))
	}
	return s.Print("dropped " + d.ID)
}

// asker asks the person at the terminal about a difference.
func asker(s command.Streams) func(context.Context, tool.Late) (tool.Answer, error) {
	return func(ctx context.Context, l tool.Late) (tool.Answer, error) {
		q := terminal.Question{Title: l.Title, Ask: "Make it?"}
		if d, is := l.Preview.(tool.Diff); is {
			q.Preview, q.Diff = d.Unified, true
		}
		yes, err := asking.Confirm(ctx, s.Terminal(), q, "Yes")
		return tool.Answer{Yes: yes, By: tool.Approver{Kind: tool.ByPerson, Via: "terminal"}}, err
	}
}

// unseen is the error of a commit that nobody has seen.
func unseen(id string) error {
	return &command.ExitError{Status: command.ExitRefused, Err: fmt.Errorf(
		"draft: nothing was made: somebody has to see the difference first\n"+
			"hint: helve draft diff %s shows it; helve draft commit --yes %[1]s says that it was seen", command.Printable(id))}
}

func commit(ctx context.Context, s command.Streams, ws *workspace.Assembly, o options) (err error) {
	ask := asker(s)
	by := tool.Approver{Kind: tool.ByPerson, Via: "terminal"}
	switch {
	case o.yes:
		ask, by = nil, tool.Approver{Kind: tool.ByFlag}
	case !s.Terminal().Present():
		return unseen(o.id)
	}
	d, err := ws.OpenDraft(ctx, o.id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Leave()) }()
	out, err := d.Commit(ctx, ask)
	if out == nil {
		return err
	}
	if len(out.Changes) > 0 {
		err = errors.Join(err, ws.Decided("local", by, "draft commit", names(out)))
	}
	if o.json {
		err = errors.Join(err, s.PrintJSON(out))
	} else if said := told(out); said != "" && (err == nil || len(out.Changes) > 0) {
		err = errors.Join(err, s.Print(said))
	}
	if err != nil {
		return err
	}
	return failure(out)
}

// failure is the error of a draft that was not made.
func failure(out *builtin.DraftOutcome) error {
	const stays = "\nhint: the draft stays: helve draft diff, commit or drop "
	switch {
	case len(out.Conflicts) > 0:
		return command.Failed(fmt.Errorf("draft: nothing was made: somebody changed %d of its files meanwhile%s%s",
			len(out.Conflicts), stays, out.ID))
	case out.Refused != nil:
		return &command.ExitError{
			Status: command.StatusOf(out.Refused),
			Err:    fmt.Errorf("draft: %s%s%s", command.Printable(out.Refused.Err.Error()), stays, out.ID),
		}
	}
	return nil
}

// shownConflict bounds what is shown of each difference of a conflict, in bytes: helve draft diff shows all.
const shownConflict = 64 << 10

// told is an outcome in words.
func told(out *builtin.DraftOutcome) string {
	var lines []string
	for _, c := range out.Changes {
		lines = append(lines, c.Change+": "+command.Printable(c.Path))
	}
	if out.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", out.More))
	}
	for _, path := range out.Merged {
		lines = append(lines, "merged: "+command.Printable(path)+": somebody changed other lines of it meanwhile")
	}
	for _, w := range out.Waits {
		where := "it stays in the draft"
		if w.ID != "" {
			where = "it waits: helve review show " + w.ID
		}
		lines = append(lines, "not made: "+command.Printable(w.Path)+": "+command.Printable(w.Why)+"; "+where)
	}
	for _, c := range out.Conflicts {
		lines = append(lines, command.Printable(c.Words(shownConflict)))
	}
	switch {
	case out.Undo != "":
		lines = append(lines, "helve undo "+out.Undo+" takes it back")
	case len(lines) == 0 && out.Refused == nil:
		lines = append(lines, "the draft changes nothing, and stays")
	}
	return strings.Join(lines, "\n")
}

// names are the first files that were made, for the record.
func names(out *builtin.DraftOutcome) string {
	var files []builtin.ReviewFile
	for _, c := range out.Changes {
		files = append(files, builtin.ReviewFile{Path: c.Path})
	}
	return review.Names(files)
}
