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
		found := []*aboutRow{d}
		if err != nil || !s.whole() {
			return found, err
		}
		others := d.Others // a program gets them, too
		d.othersData = othersData{}
		for _, o := range others {
			d, err := s.explored(ctx, snap, o.ID)
			if err != nil {
				return nil, err
			}
			found = append(found, d)
		}
		return found, nil
	})
	if err != nil {
		return nil, err
	}
	return *d, nil
}

// explored is what there is of one definition. Each part leaves room for those behind it, and what it does not need is
// theirs. So it is with the time: who uses it, its tests, and what it uses have a third each.
func (s *sheet) explored(ctx context.Context, snap *code.Snapshot, name string) (*aboutRow, error) {
	start, all := s.spent, s.budget
	upTo := func(tenths int) { s.budget = start + (all-start)*tenths/10 }
	defer func() { s.budget = all }()

	upTo(4)
	d, err := s.exploredSource(ctx, snap, name)
	if err != nil {
		return nil, err
	}
	upTo(7)
	users, err := timed(ctx, snap, (*code.Snapshot).Dependents, d.Of.ID, s.few(exploredUsers))
	if err != nil {
		return nil, err
	}
	s.misses(snap, users.Of.Path)
	d.Unresolved, d.Elsewhere = users.Unresolved, users.Elsewhere
	d.aloneData = aloneOf(users.Alone)
	d.addGroups(s, &users, usersGroups[:], "used_by")
	upTo(9)
	err = s.exploredTests(ctx, snap, d)
	if err != nil {
		return nil, err
	}
	upTo(10)
	used, err := timed(ctx, snap, (*code.Snapshot).Dependencies, d.Of.ID, s.few(exploredUses))
	if err != nil {
		return nil, err
	}
	d.Unknown = used.Unknown
	d.addGroups(s, &used, usedGroups[:], "uses")
	d.Stopped = d.Stopped || users.Stopped || used.Stopped
	s.stopped(d.Stopped)
	return d, nil
}

// timed asks for edges within a third of the time.
func timed(ctx context.Context, snap *code.Snapshot, ask edgesOf, name string, p code.Page) (code.Edges, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime/3)
	defer cancel()
	return ask(snap, ctx, name, p)
}

// exploredSource is the definition that a name means, with its text.
func (s *sheet) exploredSource(ctx context.Context, snap *code.Snapshot, name string) (*aboutRow, error) {
	lines := 0
	if s.whole() {
		lines = math.MaxInt32
	}
	e, err := snap.Source(ctx, name, "", lines, nil)
	if err != nil {
		return nil, err
	}
	others := s.others(e.Others)
	switch {
	case s.whole():
		s.shared(e.Others) // says where there may be more than these
	case len(e.Others) > 0:
		s.lacks("other definitions of this name are not answered for: ask for each by its id")
	}
	e.Others = nil
	text := s.excerpt(e)
	return &aboutRow{
		Of:         text.symbolRow,
		othersData: others,
		Source:     &textRow{text.Text, text.More},
		Groups:     []*groupRow{},
	}, nil
}

// exploredTests adds the tests that a change may break, and what runs them.
func (s *sheet) exploredTests(ctx context.Context, snap *code.Snapshot, d *aboutRow) error {
	ctx, cancel := context.WithTimeout(ctx, searchTime/3)
	defer cancel()
	i, err := snap.ImpactOfName(ctx, d.Of.ID, code.Limits{Direct: 1, Transitive: 1, Tests: runTests})
	if err != nil {
		return err
	}
	shown := i.Tests[:min(len(i.Tests), exploredTests)]
	d.Tests, d.MoreTests = part(s, "tests", s.affected(shown), i.MoreTests+len(i.Tests)-len(shown))
	d.Run, _ = s.runs(i)
	d.Stopped = i.Stopped
	return nil
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
