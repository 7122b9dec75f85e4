package bash

import (
	"cmp"
	"context"
	"strings"

	"helve/tool"
)

// askShown asks about all of a draft. What others would run somebody has to see; where nobody is there, a yes that was
// said before is one to the rest.
func (d *Draft) askShown(ctx context.Context, f *finished, shown reviewed, about string) (*tool.Need, error) {
	f.answer, d.blind = tool.Answer{Yes: shown.nothing(), Unasked: true, Note: "nobody can be asked"}, false
	if d.t.call.Ask == nil || f.answer.Yes {
		return nil, nil
	}
	late := f.late(shown)
	late.Title = "make what " + cmp.Or(d.what, "the script") + " changed: " + shown.count()
	late.Why = "this mode shows a change before it is made, and nothing of it was made yet"
	late.Preview = under(about, shown.diff)
	if len(f.found) > 0 {
		need, err := f.put(ctx, d.t.call, late)
		if err != nil || need != nil || !f.answer.Unasked {
			return need, err
		}
	}
	d.blind = len(f.found) > 0
	late.Parent = d.t.call.Parent
	return f.put(ctx, d.t.call, late)
}

// under is a difference below the lines that say where it comes from.
func under(about string, d tool.Diff) tool.Diff {
	if about == "" {
		return d
	}
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(about, "\n")) {
		b.WriteString("# " + strings.TrimRight(line, "\n") + "\n")
	}
	d.Unified = b.String() + d.Unified
	return d
}

// declinedDraft says why nothing was made.
func declinedDraft(a tool.Answer) *tool.Error {
	switch {
	case a.Unasked:
		return tool.Errorf(tool.Permission, "nothing was made: a person has to see it first, and nobody was asked (%s)", a.Note)
	case a.Note != "":
		return tool.Errorf(tool.Permission, "nothing was made: the person says: %s", a.Note)
	}
	return tool.Errorf(tool.Permission, "nothing was made: the person declined").
		WithHint("Do not retry; ask what to do instead.")
}
