package review

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"helve/builtin"
	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/tool"
)

// A Decider is who has what waits made or dropped, as the record names them.
type Decider struct {
	Principal string
	Approver  tool.Approver
}

// Apply makes what is meant of what waits, and puts on record who had it made. out is nil where nothing was begun.
func Apply(
	ctx context.Context, ws *workspace.Assembly, of builtin.Review, words []string, by Decider,
) (out *builtin.ReviewOutcome, err error) {
	if out, err = of.Apply(ctx, words); out == nil {
		return nil, err
	}
	return out, errors.Join(err, by.note(ws, "review apply", out.Made))
}

// Drop has nobody make what is meant any more, and puts on record who said so. out is nil where nothing was begun.
func Drop(
	ws *workspace.Assembly, of builtin.Review, words []string, by Decider,
) (out *builtin.ReviewOutcome, err error) {
	if out, err = of.Drop(words); out == nil {
		return nil, err
	}
	return out, errors.Join(err, by.note(ws, "review drop", out.Dropped))
}

// note puts on record what was decided of files, if it is any.
func (d Decider) note(ws *workspace.Assembly, what string, files []builtin.ReviewFile) error {
	if len(files) == 0 {
		return nil
	}
	return ws.Decided(d.Principal, d.Approver, what, Names(files))
}

// Told is an outcome in words, the same for everybody who shows it. What others wrote is printable in it.
func Told(out *builtin.ReviewOutcome) string {
	var lines []string
	for _, list := range []struct {
		word  string
		files []builtin.ReviewFile
	}{{"made", out.Made}, {"stands already", out.Already}, {"dropped", out.Dropped}} {
		for _, f := range list.files {
			lines = append(lines, list.word+": "+command.Printable(f.Path))
		}
	}
	for _, f := range out.Conflicts {
		line := "not made: " + command.Printable(f.Path) + ": somebody changed it since."
		if f.Since != "" {
			line += " It would have become:\n" + strings.TrimRight(command.Printable(f.Diff), "\n") +
				"\nand was made since:\n" + strings.TrimRight(command.Printable(f.Since), "\n")
		}
		lines = append(lines, line)
	}
	if out.Undo != "" {
		lines = append(lines, "helve undo "+out.Undo+" takes it back")
	}
	if out.Note != "" {
		lines = append(lines, out.Note)
	}
	return strings.Join(lines, "\n")
}

// Changed is the error of an outcome in which somebody changed something since; nil: nobody did.
func Changed(out *builtin.ReviewOutcome) error {
	if len(out.Conflicts) == 0 {
		return nil
	}
	return fmt.Errorf("%d were changed since: they are as they were, and go on waiting", len(out.Conflicts))
}
