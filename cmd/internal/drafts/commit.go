package drafts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"helve/builtin"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/cmd/internal/review"
	"helve/cmd/internal/terminal"
	"helve/internal/workspace"
	"helve/tool"
)

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
	d, err := ws.OpenDraft(ctx, o.id)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Leave()) }()
	ask := asker(s)
	by := tool.Approver{Kind: tool.ByPerson, Via: "terminal"}
	switch {
	case o.yes:
		ask, by = nil, tool.Approver{Kind: tool.ByFlag}
	case !s.Terminal().Present():
		return unseen(o.id)
	}
	out, err := d.Commit(ctx, ask)
	if out == nil {
		return err
	}
	if len(out.Changes) > 0 {
		err = errors.Join(err, ws.Decided("local", by, "draft commit", names(out)))
	}
	return cmp.Or(errors.Join(err, o.tell(s, out, err == nil)), failure(out))
}

// tell prints an outcome. One that failed is told in words only if something was made all the same.
func (o options) tell(s command.Streams, out *builtin.DraftOutcome, ok bool) error {
	said := told(out)
	switch {
	case o.json:
		return s.PrintJSON(out)
	case said != "" && (ok || len(out.Changes) > 0):
		return s.Print(said)
	}
	return nil
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
