package codetool

import (
	"context"
	"math"

	"helve/engine/code"
	"helve/tool"
)

const (
	// exploredUsers and exploredUses are how many edges of each direction an exploration describes.
	exploredUsers = 40
	exploredUses  = 20
	// exploredTests is how many tests it names.
	exploredTests = 8
)

// explore answers at once what one asks of a symbol that is new to one.
func explore(x *Index) spec[question] {
	return spec[question]{
		name:    "explore",
		short:   "Begin here: a symbol's source, callers, callees, implementers, tests.",
		input:   inputOf[nameIn](),
		renders: tool.Renders[namesData[*aboutRow]],
		run:     asked{x, exploration}.run,
	}
}

// exploration has one page: each group names the tool that lists the rest.
func exploration(ctx context.Context, snap *code.Snapshot, s *sheet, q question) (tool.Rendered, error) {
	d, err := each(s, named{Name: q.Name}, func(name, _ string) ([]*aboutRow, error) {
		d, err := s.explored(ctx, snap, name)
		return []*aboutRow{d}, err
	})
	if err != nil {
		return nil, err
	}
	return *d, nil
}

// explored is what there is of one definition. Each part leaves room for those behind it, and what it does not need is
// theirs.
func (s *sheet) explored(ctx context.Context, snap *code.Snapshot, name string) (*aboutRow, error) {
	start, all := s.spent, s.budget
	upTo := func(tenths int) { s.budget = start + (all-start)*tenths/10 }
	defer func() { s.budget = all }()

	users, err := snap.Dependents(ctx, name, s.few(exploredUsers))
	if err != nil {
		return nil, err
	}
	s.about(users.Of.Path)
	d := &aboutRow{Of: rowOf(&users.Of), Groups: []*groupRow{}, Unresolved: users.Unresolved, Elsewhere: users.Elsewhere}
	d.Stopped = users.Stopped
	d.othersData = s.others(users.Others)
	s.spend(d.head())
	id := users.Of.ID

	upTo(4)
	lines := 0
	if s.whole() {
		lines = math.MaxInt32
	}
	e, err := snap.Source(ctx, id, "", lines, nil)
	if err != nil {
		return nil, err
	}
	e.Others = nil // they are named above
	text := s.excerpt(e)
	d.Of = text.symbolRow // where it stands now
	d.Source = &textRow{text.Text, text.More}
	upTo(7)
	d.addGroups(s, &users, usersGroups[:], "used_by")

	upTo(9)
	i, err := snap.ImpactOfName(ctx, id, code.Limits{Direct: 1, Transitive: 1, Tests: runTests})
	if err != nil {
		return nil, err
	}
	shown := i.Tests[:min(len(i.Tests), exploredTests)]
	d.Tests, d.MoreTests = part(s, "tests", s.affected(shown), i.MoreTests+len(i.Tests)-len(shown))
	d.Run, _ = s.runs(i)

	upTo(10)
	used, err := snap.Dependencies(ctx, id, s.few(exploredUses))
	if err != nil {
		return nil, err
	}
	d.Unknown = used.Unknown
	d.addGroups(s, &used, usedGroups[:], "uses")
	d.Stopped = d.Stopped || i.Stopped || used.Stopped
	s.stopped(d.Stopped)
	return d, nil
}

// few is the first page of edges, of each group some.
func (s *sheet) few(n int) code.Page {
	p := s.page(0, "")
	p.Dealt = true
	if !s.whole() {
		p.Limit = n
	}
	return p
}
