package codetool

import (
	"context"
	"fmt"

	"helve/engine/code"
)

// impactIn asks what a change touches. Without a name it is the change that is under way.
type impactIn struct {
	Name          string   `json:"name,omitempty" jsonschema:"description=Symbol or file; default: uncommitted changes"`
	Names         []string `json:"names,omitempty" jsonschema:"description=More names"`
	MaxDirect     int      `json:"max_direct,omitempty" jsonschema:"description=Limit,minimum=0"`
	MaxTransitive int      `json:"max_transitive,omitempty" jsonschema:"description=Limit,minimum=0"`
}

func (in impactIn) String() string { return "impact of " + in.Name }

// getChangeImpact answers with the tests that a change may break, then with those who use what changed, directly and
// through others: what one looks at before and after a change.
func getChangeImpact(x *Index) spec[impactIn] {
	return spec[impactIn]{
		name:  "get_change_impact",
		title: "Change Impact",
		short: "What a change may break: tests to run, direct and transitive users.",
		run:   asking(x, x.changeImpact),
	}
}

// changeImpact answers for the names given, or for what differs from the last commit.
func (x *Index) changeImpact(ctx context.Context, snap *code.Snapshot, s *sheet, in impactIn) error {
	limits := code.Limits{
		Direct:     min(in.MaxDirect, maxItems),
		Transitive: min(in.MaxTransitive, maxItems),
	}
	if in.Name == "" && len(in.Names) == 0 {
		return x.uncommitted(ctx, snap, s, limits)
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	return each(s, in.Name, in.Names, "", func(name, _ string) error {
		i, err := snap.ImpactOfName(ctx, name, limits)
		if err != nil {
			return err
		}
		ids := shared(i.Others)
		if len(ids) == 0 {
			s.impact(i)
			return nil
		}
		i.Others = nil
		return s.share(ids, func() { s.impact(i) }, func(id string) error {
			i, err := snap.ImpactOfName(ctx, id, limits)
			if err == nil {
				i.Others = nil
				s.impact(i)
			}
			return err
		})
	})
}

// uncommitted is the impact of what differs from the last commit.
func (x *Index) uncommitted(ctx context.Context, snap *code.Snapshot, s *sheet, limits code.Limits) error {
	ranges, note, err := x.changes(ctx)
	if err != nil {
		return err
	}
	if len(ranges) == 0 {
		s.printf("No uncommitted changes.\n%s", note)
		return nil
	}
	i, err := snap.ImpactOfRanges(ctx, ranges, limits)
	if err != nil {
		return err
	}
	s.impact(i)
	s.printf("%s", note)
	return nil
}

// impact writes the tests first, which are what one runs. Each part leaves room for those behind it, and what it does
// not need is theirs.
func (s *sheet) impact(i code.Impact) {
	start, all := s.spent, s.budget
	upTo := func(tenths int) { s.budget = start + (all-start)*tenths/10 }

	// What changed is known to who asks, so it gets the least room. The tests and the direct users have three tenths
	// each: both are acted upon.
	upTo(2)
	part(s, "changed", i.Changed, 0, func(o code.Symbol) (string, string) { return o.Path, place(o) })
	s.others(i.Others)
	upTo(5)
	part(s, "tests", i.Tests, i.MoreTests, affected)
	upTo(8)
	part(s, "direct", i.Direct, i.MoreDirect, affected)
	upTo(10)
	part(s, "transitive", i.Transitive, i.MoreTransitive, affected)
	s.unresolved(i.Unresolved)
	if i.Stopped {
		s.printf("[ended at a bound of time or size: there may be more]\n")
	}
}

// part is one list of an impact under its title. It has no cursor: what is cut is the less likely end, and a narrower
// question gives more than a further page.
func part[T any](s *sheet, title string, items []T, more int, line func(T) (path, text string)) {
	s.printf("%s: %d\n", title, len(items)+more)
	for i, it := range items {
		path, text := line(it)
		text = cut(text)
		if !s.fits(text) {
			more += len(items) - i
			break
		}
		s.about(path)
		s.printf("  %s\n", text)
	}
	if more > 0 {
		s.printf("  [truncated: %d more: ask for a narrower symbol]\n", more)
	}
}

// affected is a user of what changed: how sure that is, and through how many others it is one.
func affected(a code.Affected) (path, text string) {
	text = place(a.Symbol)
	if a.Use == code.Implement || a.Use == code.Override {
		text += fmt.Sprintf(", %s", a.Use)
	}
	text += fmt.Sprintf(", %s", a.Sure)
	if a.Depth > 1 {
		text += fmt.Sprintf(", depth %d", a.Depth)
	}
	return a.Path, text
}
