package drafts

import (
	"cmp"
	"context"
	"time"

	"helve/builtin"
	"helve/cmd/internal/command"
	"helve/cmd/internal/review"
	"helve/internal/workspace"
)

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
	if d.Script != nil && isOpen(d) {
		l.Title = "a script in conflict"
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
	switch {
	case o.json:
		return s.PrintJSON(lines)
	case len(lines) == 0:
		s.Note("there are no drafts")
		return nil
	}
	return table(s, lines)
}

// table prints the list for people.
func table(s command.Streams, lines []line) error {
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
