package serve

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"helve/internal/workspace"
	"helve/tool"
)

// A would is what a call would do, as far as it can be known before.
type would struct {
	Title   string        `json:"title"`
	Effects []tool.Effect `json:"effects,omitempty"`
	More    int           `json:"more,omitempty"` // effects that are left out
	Line    string        `json:"line,omitempty"` // the command line
	Preview string        `json:"preview,omitempty"`
	Diff    bool          `json:"diff,omitempty"` // Preview is a unified diff
	Problem string        `json:"problem,omitempty"`
}

// maxWould bounds the effects that are shown of a call that is not made.
const maxWould = 20

// would looks at a call of the person's without making it. nil: the tool is not offered, and would do nothing.
func (d *consoleData) would(ctx context.Context, ws *workspace.Assembly, name string, args json.RawMessage) *would {
	if err := d.play.open(d.w, ws); err != nil {
		return &would{Problem: err.Error()}
	}
	j, err := d.play.kit.Understand(ctx, &tool.Call{Name: name, Args: args, Session: d.play.session})
	if err != nil {
		return nil
	}
	all := j.Judged()
	out := &would{Title: j.Title, Effects: all[:min(len(all), maxWould)]}
	out.More = len(all) - len(out.Effects)
	if j.Line != nil {
		out.Line = cutText(j.Line.Text, maxPlayed)
	}
	shown, err := d.play.kit.Show(ctx, j)
	if err != nil {
		out.Problem = err.Error()
	}
	if shown != nil {
		out.Preview = shown.String()
	}
	if diff, ok := shown.(tool.Diff); ok {
		out.Preview, out.Diff = diff.Unified, true
	}
	out.Preview = cutText(out.Preview, maxPlayed)
	return out
}

// cutText is the beginning of a text, in whole characters.
func cutText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
