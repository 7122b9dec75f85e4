package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

// aboutRow is what one definition is connected with, in groups.
type aboutRow struct {
	Of symbolRow `json:"of"`
	othersData
	Source     *textRow       `json:"source,omitempty" jsonschema:"description=Its text"`
	Groups     []*groupRow    `json:"groups" jsonschema:"description=What it is connected with"`
	Tests      []*affectedRow `json:"tests,omitempty" jsonschema:"description=The likeliest to break first"`
	MoreTests  int            `json:"more_tests,omitempty" jsonschema:"description=That are not here"`
	Run        []*runRow      `json:"run,omitempty" jsonschema:"description=Commands that run the tests"`
	Unresolved int            `json:"unresolved,omitempty" jsonschema:"description=Uses with a receiver of unknown type"`
	Unknown    int            `json:"unknown,omitempty" jsonschema:"description=Uses in it with a receiver of unknown type"`
	Elsewhere  int            `json:"elsewhere,omitempty" jsonschema:"description=Uses that mean something outside"`
	aloneData
	pageData
}

// textRow is the text of a definition.
type textRow struct {
	Text string `json:"text" jsonschema:"description=Whole lines"`
	More int    `json:"more_lines,omitempty" jsonschema:"description=Lines of it that are not here"`
}

// groupRow are the connections of one kind.
type groupRow struct {
	Group string     `json:"group" jsonschema:"description=callers\\, readers\\, subtypes …; calls\\, reads\\, extends …"`
	Total int        `json:"total" jsonschema:"description=Of all\\, here or not"`
	Edges []*edgeRow `json:"edges" jsonschema:"description=The surest first"`
	Rest  string     `json:"rest,omitempty" jsonschema:"description=The tool that lists the others"`
}

// The groups by the direction of the question.
var (
	usersGroups = [...]string{"callers", "readers", "subtypes", "implementers", "overriders", "tests"}
	usedGroups  = [...]string{"calls", "reads", "extends", "implements", "overrides", "tests"}
)

// write writes a group under its title, an item a line.
func (g *groupRow) write(b *strings.Builder) {
	b.WriteString(partHead(g.Group, g.Total))
	for _, e := range g.Edges {
		b.WriteString("  " + cut(e.String()) + "\n")
	}
	if more := g.Total - len(g.Edges); more > 0 && g.Rest != "" {
		b.WriteString(restNote(more, g.Rest))
	}
}

func restNote(more int, rest string) string {
	return fmt.Sprintf("  [%d more: %s lists them]\n", more, rest)
}

const elsewhereNote = "[%d references to this name mean something outside the project, as far as is known]\n"

func (d *aboutRow) head() string { return d.Of.place() + "\n" + d.othersData.String() }

// write writes the definition, its text if that was asked for, and the groups.
func (d *aboutRow) write(b *strings.Builder) {
	b.WriteString(d.head())
	if d.Source != nil {
		writeText(b, &d.Of, d.Source.Text, d.Source.More)
	}
	if d.Moved {
		b.WriteString(movedNote)
	}
	for _, g := range d.Groups {
		g.write(b)
	}
	if len(d.Groups)+len(d.Tests) == 0 && d.Offset == 0 {
		b.WriteString("none\n")
	}
	if len(d.Tests) > 0 {
		writePart(b, "tests", d.Tests, d.MoreTests)
	}
	writeRuns(b, d.Run, 0)
	writeMore(b, d.pageData)
	writeUnresolved(b, d.Unresolved)
	if d.Unknown > 0 {
		fmt.Fprintf(b, "[%d more uses in it have a receiver of unknown type]\n", d.Unknown)
	}
	if d.Elsewhere > 0 {
		fmt.Fprintf(b, elsewhereNote, d.Elsewhere)
	}
	d.aloneData.write(b)
	if d.Stopped {
		b.WriteString(stoppedNote)
	}
}

func uses(x *Index) spec[question] {
	return spec[question]{
		name:    "uses",
		short:   "What a symbol calls, reads, extends.",
		input:   inputOf[askIn](),
		renders: tool.Renders[namesData[*aboutRow]],
		run:     asked{x, connections{(*code.Snapshot).Dependencies, usedGroups[:]}.answer}.run,
	}
}

func usedBy(x *Index) spec[question] {
	return spec[question]{
		name:    "used_by",
		short:   "Callers, readers, implementers, overriders, tests.",
		input:   inputOf[askIn](),
		renders: tool.Renders[namesData[*aboutRow]],
		run:     asked{x, connections{(*code.Snapshot).Dependents, usersGroups[:]}.answer}.run,
	}
}

// connections are a question for edges in groups, in one of the two directions.
type connections struct {
	ask    edgesOf
	titles []string // of the groups
}

func (k connections) answer(ctx context.Context, snap *code.Snapshot, s *sheet, q question) (tool.Rendered, error) {
	d, err := each(s, q.named, func(name, cursor string) ([]*aboutRow, error) {
		p := s.page(0, cursor)
		p.Dealt = true
		e, err := k.ask(snap, ctx, name, p)
		if err != nil {
			return nil, err
		}
		s.misses(snap, e.Of.Path)
		var ids []string
		if cursor == "" {
			ids = s.shared(e.Others)
		}
		if len(ids) == 0 {
			return []*aboutRow{s.grouped(&e, k.titles, cursor)}, nil
		}
		e.Others = nil
		first := func() *aboutRow { s.name = clean(e.Of.ID); return s.grouped(&e, k.titles, "") }
		return share(s, ids, first, func(id string) (*aboutRow, error) {
			e, err := k.ask(snap, ctx, id, p)
			e.Others = nil
			return s.grouped(&e, k.titles, ""), err
		})
	})
	if err != nil {
		return nil, err
	}
	return *d, nil
}

// grouped are the connections of one definition, as many as fit, in groups.
func (s *sheet) grouped(e *code.Edges, titles []string, cursor string) *aboutRow {
	s.about(e.Of.Path)
	d := &aboutRow{
		Of:         rowOf(&e.Of),
		Unresolved: e.Unresolved,
		Unknown:    e.Unknown,
		Elsewhere:  e.Elsewhere,
		aloneData:  aloneOf(e.Alone),
	}
	d.othersData = s.others(e.Others)
	s.spend(d.head())
	for _, c := range e.Groups {
		s.spend(partHead(titles[c.Group], c.Total))
	}
	shown, p := list(s, s.edgeRows(e.Edges), e.More, cursor)
	d.pageData = p
	d.Groups = groupsOf(e, shown, titles, "")
	return d
}

// addGroups adds to an exploration the groups of one direction, with as many edges of each as fit. rest is the tool
// that lists the others.
func (d *aboutRow) addGroups(s *sheet, e *code.Edges, titles []string, rest string) {
	for _, c := range e.Groups {
		s.spend(partHead(titles[c.Group], c.Total) + restNote(c.Total, rest))
	}
	shown := s.edgeRows(e.Edges)
	for i, row := range shown {
		text := "  " + cut(row.String()) + "\n"
		if !s.fits(text) {
			shown = shown[:i]
			break
		}
		s.about(row.Path)
		s.spend(text)
	}
	if e.Left > 0 || len(shown) < len(e.Edges) {
		s.lacks("there are more uses")
	}
	for _, g := range groupsOf(e, shown, titles, rest) {
		// Tests have a list of their own, with those that reach a symbol through others.
		if g.Group != usersGroups[code.Tests] {
			d.Groups = append(d.Groups, g)
		}
	}
}

// groupsOf sorts the rows of edges into their groups. Without a tool for the rest, groups of which none is here are
// left out.
func groupsOf(e *code.Edges, shown []*edgeRow, titles []string, rest string) []*groupRow {
	groups := []*groupRow{}
	for _, c := range e.Groups {
		g := &groupRow{Group: titles[c.Group], Total: c.Total, Edges: []*edgeRow{}, Rest: rest}
		for i, row := range shown {
			if e.Edges[i].Group == c.Group {
				g.Edges = append(g.Edges, row)
			}
		}
		if len(g.Edges) > 0 || rest != "" {
			groups = append(groups, g)
		}
	}
	return groups
}
