package serve

import (
	"context"
	"errors"
	"time"

	"helve/builtin"
	"helve/cmd/internal/review"
	"helve/internal/workspace"
	"helve/server/console"
	"helve/tool"
)

var _ console.Reviewer = (*consoleData)(nil)

const (
	// shownSets bounds the sets that a page lists.
	shownSets = 1000
	// shownFiles and shownDiffs bound what a page is given at once of a set: more is asked for.
	shownFiles, shownDiffs = 50, 512 << 10
)

// atPage is the person at the page.
func atPage() review.Decider {
	return review.Decider{Principal: "console", Approver: tool.Approver{Kind: tool.ByConsole, Via: "page"}}
}

// Review is what waits, as helve review lists it.
func (d *consoleData) Review(context.Context) (console.Review, error) {
	out := console.Review{Sets: []console.ReviewSet{}}
	ws := d.w.workspace()
	if ws == nil {
		return out, errNoWorkspace
	}
	sets, damaged, err := ws.Review().List(false)
	out.Damaged = damaged
	for _, s := range sets {
		one := reviewSet(s)
		if one.Open > 0 {
			out.Waiting++
		}
		if len(out.Sets) < shownSets {
			out.Sets = append(out.Sets, one)
		}
	}
	return out, err
}

func reviewSet(s builtin.ReviewSet) console.ReviewSet {
	out := console.ReviewSet{
		ID:    s.ID,
		Time:  s.Time.UTC().Format(time.RFC3339),
		Title: cutText(s.Title, shownTitle),
		Names: review.Names(s.Files),
		Files: len(s.Files),
	}
	for _, f := range s.Files {
		if f.State == "open" {
			out.Open++
		}
	}
	return out
}

// shownTitle bounds what a command is called, in bytes: it stands above what it left.
const shownTitle = 300

// ReviewFiles are files of a set, as helve review show has them.
func (d *consoleData) ReviewFiles(_ context.Context, id string, skip int) (console.ReviewFiles, error) {
	out := console.ReviewFiles{Files: []console.ReviewFile{}}
	ws := d.w.workspace()
	if ws == nil {
		return out, errNoWorkspace
	}
	s, more, err := ws.Review().Page(id, skip, shownFiles, shownDiffs)
	for i, f := range s.Files {
		out.Files = append(out.Files, console.ReviewFile{
			Number: skip + i,
			Path:   f.Path,
			Change: f.Change,
			Why:    f.Why,
			State:  review.Word(f.State),
			Diff:   f.Diff,
		})
	}
	out.More = more
	return out, err
}

// ReviewApply is helve review apply.
func (d *consoleData) ReviewApply(ctx context.Context, id string, files []int) (console.Reviewed, error) {
	return d.reviewed(func(ws *workspace.Assembly) (*builtin.ReviewOutcome, error) {
		return review.Apply(ctx, ws, ws.Review().Of(id, files...), nil, atPage())
	})
}

// ReviewDrop is helve review drop.
func (d *consoleData) ReviewDrop(_ context.Context, id string, files []int) (console.Reviewed, error) {
	return d.reviewed(func(ws *workspace.Assembly) (*builtin.ReviewOutcome, error) {
		return review.Drop(ws, ws.Review().Of(id, files...), nil, atPage())
	})
}

// reviewed does one of them, and tells the pages. What was made before something failed is told as well.
func (d *consoleData) reviewed(do func(*workspace.Assembly) (*builtin.ReviewOutcome, error)) (console.Reviewed, error) {
	ws := d.w.workspace()
	if ws == nil {
		return console.Reviewed{}, errNoWorkspace
	}
	out, err := do(ws)
	if out == nil {
		return console.Reviewed{}, err
	}
	defer d.w.hub.Notice()
	said := console.Reviewed{Text: cutText(review.Told(out), shownDiffs)}
	if err = errors.Join(err, review.Changed(out)); err == nil {
		return said, nil
	}
	if said.Text == "" {
		return said, err
	}
	said.Problem = err.Error()
	return said, nil
}
