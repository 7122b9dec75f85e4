package rules

import (
	"context"
	"errors"
	"fmt"
	"time"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/wrap"
)

// errTried ends a change before it is made.
var errTried = errors.New("it was only tried")

// Try tells which of the newest calls on record the rule would decide otherwise. Nothing is written.
func (n New) Try(ctx context.Context, s command.Streams) (Tried, error) {
	return n.outcome(ctx, s, lastTried)
}

func (n New) outcome(ctx context.Context, s command.Streams, last int) (Tried, error) {
	dir, err := n.Folder(s)
	if err != nil {
		return Tried{}, err
	}
	out := Tried{Decision: n.Decision, Rule: n.Rule, Changed: []Changed{}}
	_, err = config.AddRule(s.Places(), config.LocalFile(dir), n.Decision, n.Rule, func(e config.Edit) error {
		if _, err := n.judge(ctx, s, e); err != nil {
			return err
		}
		if err := n.compare(ctx, s, dir, e, last, &out); err != nil {
			return err
		}
		return errTried
	})
	if err != errTried {
		return Tried{}, command.Misused(err)
	}
	return out, nil
}

// compare judges the newest calls on record as the rules stand, and as they would stand after the change.
func (n New) compare(
	ctx context.Context, s command.Streams, dir string, made config.Edit, last int, out *Tried,
) error {
	then, err := opened(ctx, s, n.Common, config.Edit{})
	if err != nil {
		return err
	}
	defer then.Close()
	now, err := opened(ctx, s, n.Common, made)
	if err != nil {
		return err
	}
	defer now.Close()
	return s.Records().Newest(wrap.Query{Workspace: dir, Judged: true}, func(_ []byte, r *wrap.Record) bool {
		out.Calls++
		before, known := workspace.Rejudge(ctx, then, r)
		after, still := workspace.Rejudge(ctx, now, r)
		switch {
		case !known || !still:
			out.Untold++
		case before.Decision != after.Decision:
			out.Changed = append(out.Changed, Changed{
				Time: r.Time.Format(time.RFC3339), Tool: r.Name, Title: r.Title,
				Then: before.Decision.String(), Now: after.Decision.String(),
			})
		}
		return out.Calls < last
	})
}

func (t Tried) print(s command.Streams) error {
	table := s.Table()
	for _, c := range t.Changed {
		at, _ := time.Parse(time.RFC3339, c.Time)
		table.Row(at.Local().Format(time.DateTime), c.Then+" → "+c.Now, command.Printable(c.Title))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	told := ""
	if t.Untold > 0 {
		told = fmt.Sprintf("; of %d the record says too little", t.Untold)
	}
	return s.Print(fmt.Sprintf("%s %s would decide %d of %d calls otherwise%s", t.Decision, command.Printable(t.Rule),
		len(t.Changed), t.Calls, told))
}
