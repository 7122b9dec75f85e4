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

// compare judges the newest calls on record as the rules stand, and as they would stand after the change.
func (o tryOptions) compare(ctx context.Context, s command.Streams, dir string, made config.Edit, out *tried) error {
	then, err := opened(ctx, s, o.Common, config.Edit{})
	if err != nil {
		return err
	}
	defer then.Close()
	now, err := opened(ctx, s, o.Common, made)
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
			out.Changed = append(out.Changed, changed{
				Time: r.Time.Format(time.RFC3339), Tool: r.Name, Title: r.Title,
				Then: before.Decision.String(), Now: after.Decision.String(),
			})
		}
		return out.Calls < o.last
	})
}

func (t tried) print(s command.Streams) error {
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
