package codetool

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

// impactIn asks what a change touches. Without a name it is the change that is under way.
type impactIn struct {
	Name          string   `json:"name,omitempty" jsonschema:"description=Symbol or file; default: uncommitted changes"`
	Names         []string `json:"names,omitempty" jsonschema:"description=More names"`
	MaxDirect     int      `json:"max_direct,omitempty" jsonschema:"description=Limit,minimum=0"`
	MaxTransitive int      `json:"max_transitive,omitempty" jsonschema:"description=Limit,minimum=0"`
}

func (in impactIn) String() string { return "impact of " + in.Name }

// affectedRow is a definition that a change may touch.
type affectedRow struct {
	symbolRow
	Use   string `json:"use" jsonschema:"description=How it uses what changed\\, or via: call\\, type …"`
	Depth int    `json:"depth" jsonschema:"description=1: it uses what changed itself"`
	Via   string `json:"via,omitempty" jsonschema:"description=ID of what it uses"`
	sureness
}

// impactRow is what one change touches.
type impactRow struct {
	Changed     []*symbolRow `json:"changed"`
	MoreChanged int          `json:"more_changed,omitempty" jsonschema:"description=That are not here"`
	othersData
	Tests          []*affectedRow `json:"tests" jsonschema:"description=The likeliest to break first"`
	MoreTests      int            `json:"more_tests,omitempty" jsonschema:"description=That are not here"`
	Run            []*runRow      `json:"run" jsonschema:"description=What runs the tests\\, the likeliest first"`
	NotRun         int            `json:"not_run,omitempty" jsonschema:"description=Tests that no command here runs"`
	Direct         []*affectedRow `json:"direct" jsonschema:"description=Users of what changed"`
	MoreDirect     int            `json:"more_direct,omitempty" jsonschema:"description=That are not here"`
	Transitive     []*affectedRow `json:"transitive" jsonschema:"description=Users of these"`
	MoreTransitive int            `json:"more_transitive,omitempty" jsonschema:"description=That are not here"`
	Unresolved     int            `json:"unresolved,omitempty" jsonschema:"description=Unresolved uses of the name"`
	aloneData
	Stopped bool `json:"stopped,omitempty" jsonschema:"description=A bound of time or size ended the search"`
}

// write writes the tests first, which are what one runs.
func (d *impactRow) write(b *strings.Builder) {
	writePart(b, "changed", d.Changed, d.MoreChanged)
	b.WriteString(d.othersData.String())
	writePart(b, "tests", d.Tests, d.MoreTests)
	writeRuns(b, d.Run, d.NotRun)
	writePart(b, "direct", d.Direct, d.MoreDirect)
	writePart(b, "transitive", d.Transitive, d.MoreTransitive)
	writeUnresolved(b, d.Unresolved)
	d.aloneData.write(b)
	if d.Stopped {
		b.WriteString(stoppedNote)
	}
}

// writeRuns writes the commands, none of which is cut: what is not whole is not run.
func writeRuns(b *strings.Builder, runs []*runRow, notRun int) {
	if len(runs) == 0 {
		return
	}
	b.WriteString("run:\n")
	for _, r := range runs {
		b.WriteString("  " + r.Command + "\n")
	}
	if notRun > 0 {
		fmt.Fprintf(b, "  [%d more tests: run the whole suite]\n", notRun)
	}
}

// writePart writes one list of an impact under its title. It has no cursor: what is cut is the less likely end, and a
// narrower question gives more than a further page.
func writePart[T fmt.Stringer](b *strings.Builder, title string, rows []T, more int) {
	b.WriteString(partHead(title, len(rows)+more))
	for _, r := range rows {
		b.WriteString("  " + cut(r.String()) + "\n")
	}
	if more > 0 {
		fmt.Fprintf(b, "  [truncated: %d more: ask for a narrower symbol]\n", more)
	}
}

func partHead(title string, n int) string { return fmt.Sprintf("%s: %d\n", title, n) }

// String is a user of what changed: how sure that is, and through how many others it is one.
func (a affectedRow) String() string {
	text := a.place()
	if a.Use == code.Implement.String() || a.Use == code.Override.String() || a.Use == extends {
		text += ", " + a.Use
	}
	text += ", " + a.sureness.String()
	if a.Depth > 1 {
		text += fmt.Sprintf(", depth %d", a.Depth)
	}
	return text
}

// impactData is what changes touch: of names, or of what differs from the last commit.
type impactData struct {
	Names       []askedFor[*impactRow] `json:"names,omitempty" jsonschema:"description=By name that was asked for"`
	Uncommitted *impactRow             `json:"uncommitted,omitempty" jsonschema:"description=Of uncommitted changes"`
	Notes       string                 `json:"notes,omitempty" jsonschema:"description=What the comparison leaves out"`
	extent
}

// Text is what a model reads.
func (d impactData) Text() string {
	var b strings.Builder
	writeNames(&b, d.Names)
	switch {
	case d.Uncommitted != nil:
		d.Uncommitted.write(&b)
	case len(d.Names) == 0:
		b.WriteString("No uncommitted changes.\n")
	}
	b.WriteString(d.Notes)
	return strings.TrimSuffix(b.String(), "\n") + d.note()
}

// getChangeImpact answers with the tests that a change may break, then with those who use what changed, directly and
// through others: what one looks at before and after a change.
func getChangeImpact(x *Index) spec[impactIn] {
	return spec[impactIn]{
		name:    "get_change_impact",
		title:   "Change Impact",
		short:   "What a change may break: tests to run, direct and transitive users.",
		limits:  []string{"max_direct", "max_transitive"},
		renders: tool.Renders[impactData],
		run:     asking(x, x.changeImpact),
	}
}

// limits bound what an impact lists.
func (s *sheet) limits(in impactIn) code.Limits {
	l := code.Limits{
		Direct:     min(in.MaxDirect, maxItems),
		Transitive: min(in.MaxTransitive, maxItems),
		Tests:      runTests,
	}
	if s.whole() {
		l.Direct = cmp.Or(l.Direct, wholeItems)
		l.Transitive = cmp.Or(l.Transitive, wholeItems)
		l.Tests = wholeItems
	}
	return l
}

// changeImpact answers for the names given, or for what differs from the last commit.
func (x *Index) changeImpact(ctx context.Context, snap *code.Snapshot, s *sheet, in impactIn) (tool.Rendered, error) {
	limits := s.limits(in)
	if in.Name == "" && len(in.Names) == 0 {
		return x.uncommitted(ctx, snap, s, limits)
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	all := named{Name: in.Name, Names: in.Names}
	d, err := each(s, all, func(name, _ string) ([]*impactRow, error) {
		i, err := snap.ImpactOfName(ctx, name, limits)
		if err != nil {
			return nil, err
		}
		s.missed(snap, i.Changed)
		ids := s.shared(i.Others)
		if len(ids) == 0 {
			return []*impactRow{s.impact(i)}, nil
		}
		i.Others = nil
		return share(s, ids, func() *impactRow { return s.impact(i) }, func(id string) (*impactRow, error) {
			i, err := snap.ImpactOfName(ctx, id, limits)
			if err != nil {
				return nil, err
			}
			i.Others = nil
			return s.impact(i), nil
		})
	})
	if err != nil {
		return nil, err
	}
	return impactData{Names: d.Names, extent: d.extent}, nil
}

// missed notes which files that may use what changed are not known to the index.
func (s *sheet) missed(snap *code.Snapshot, changed []code.Symbol) {
	for i := range changed[:min(len(changed), maxOthers)] {
		s.misses(snap, changed[i].Path)
	}
}

// uncommitted is the impact of what differs from the last commit.
func (x *Index) uncommitted(
	ctx context.Context, snap *code.Snapshot, s *sheet, limits code.Limits,
) (tool.Rendered, error) {
	ranges, note, err := x.changes(ctx)
	if err != nil {
		return nil, err
	}
	d := impactData{Notes: note}
	if len(ranges) > 0 {
		i, err := snap.ImpactOfRanges(ctx, ranges, limits)
		if err != nil {
			return nil, err
		}
		s.missed(snap, i.Changed)
		d.Uncommitted = s.impact(i)
	}
	if note != "" {
		s.lacks("not all that differs from the last commit was looked at")
	}
	d.extent = s.extent()
	return d, nil
}

// impact is what a change touches, as much of it as fits. Each part leaves room for those behind it, and what it does
// not need is theirs.
func (s *sheet) impact(i code.Impact) *impactRow {
	start, all := s.spent, s.budget
	upTo := func(tenths int) { s.budget = start + (all-start)*tenths/10 }
	d := &impactRow{Unresolved: i.Unresolved, aloneData: aloneOf(i.Alone), Stopped: i.Stopped}

	// What changed is known to who asks, so it gets the least room. The tests and the direct users have three tenths
	// each: both are acted upon.
	upTo(2)
	d.Changed, d.MoreChanged = part(s, "changed", rowsOf(i.Changed), 0)
	d.othersData = s.others(i.Others)
	upTo(4)
	shown := i.Tests
	if !s.whole() {
		shown = i.Tests[:min(len(i.Tests), shownTests)]
	}
	d.Tests, d.MoreTests = part(s, "tests", s.affected(shown), i.MoreTests+len(i.Tests)-len(shown))
	upTo(6)
	d.Run, d.NotRun = s.runs(i)
	upTo(8)
	d.Direct, d.MoreDirect = part(s, "direct", s.affected(i.Direct), i.MoreDirect)
	upTo(10)
	d.Transitive, d.MoreTransitive = part(s, "transitive", s.affected(i.Transitive), i.MoreTransitive)
	s.stopped(i.Stopped)
	return d
}

const (
	// shownTests is how many tests an answer for a model names.
	shownTests = 20
	// runTests is how many of them it has commands for.
	runTests = 200
)

// runs are the commands that fit, and how many tests they leave out. The first one always comes: it is what one does
// next.
func (s *sheet) runs(i code.Impact) (runs []*runRow, notRun int) {
	runs = []*runRow{}
	left := i.MoreTests + len(i.Tests)
	for n, r := range s.x.runs(i.Tests) {
		line := "  " + r.Command + "\n"
		if n > 0 && !s.fits(line) {
			break
		}
		s.spend(line)
		left -= r.Tests
		runs = append(runs, r)
	}
	if len(runs) == 0 {
		return runs, 0
	}
	return runs, max(0, left)
}

// affected are users of what changed, for programs.
func (s *sheet) affected(list []code.Affected) []*affectedRow {
	return rows(len(list), func(i int) *affectedRow {
		a := &list[i]
		return &affectedRow{rowOf(&a.Symbol), s.relation(a.Use), a.Depth, clean(a.Via), surenessOf(a.Sure)}
	})
}

// part is as much of one list of an impact as fits, and how many rows it leaves out.
func part[T row](s *sheet, title string, rows []T, more int) ([]T, int) {
	s.spend(partHead(title, len(rows)+more))
	shown := len(rows)
	for i, r := range rows {
		text := cut(r.String())
		if !s.fits(text) {
			shown = i
			break
		}
		s.about(r.path())
		s.spend("  " + text + "\n")
	}
	more += len(rows) - shown
	if more > 0 {
		s.lacks("not everything that is touched is here")
	}
	return rows[:shown], more
}
