package codetool

import (
	"context"
	"fmt"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

// edgesIn asks for what one symbol is connected with.
type edgesIn struct {
	named
	MaxResults int `json:"max_results,omitempty" jsonschema:"description=Limit,minimum=0"`
}

func (in edgesIn) String() string { return "links of " + in.Name }

// edgeRow is a connection: the other end, what kind of use it is, in which line, and how sure that is.
type edgeRow struct {
	symbolRow
	Use string `json:"use" jsonschema:"description=call\\, type\\, import\\, override\\, implement …"`
	At  int    `json:"at" jsonschema:"description=The line of the first use\\, in the file of the one that uses"`
	sureness
}

func (e edgeRow) String() string {
	return fmt.Sprintf("%s, %s at %d, %s", e.place(), e.Use, e.At, e.sureness)
}

func (s *sheet) edgeRows(list []code.Edge) []*edgeRow {
	return rows(len(list), func(i int) *edgeRow {
		e := &list[i]
		return &edgeRow{rowOf(&e.Symbol), s.relation(e.Use), e.At, surenessOf(e.Sure)}
	})
}

const extends = "extends"

// relation is the word for a use.
func (s *sheet) relation(u code.Use) string {
	if s.brief && u == code.Inherit {
		return extends
	}
	return u.String()
}

// edgesRow are the connections of one definition.
type edgesRow struct {
	Of symbolRow `json:"of"`
	othersData
	Edges      []*edgeRow `json:"edges" jsonschema:"description=The surest first"`
	Unresolved int        `json:"unresolved,omitempty" jsonschema:"description=Unresolved uses of the name"`
	aloneData
	pageData
}

// write lists the connections of a definition.
func (d *edgesRow) write(b *strings.Builder) {
	b.WriteString(d.head())
	writePage(b, d.Edges, d.pageData)
	writeUnresolved(b, d.Unresolved)
	d.aloneData.write(b)
}

func (d *edgesRow) head() string { return "of " + d.Of.place() + "\n" + d.othersData.String() }

// writeUnresolved says how many references may mean a definition and are in no list.
func writeUnresolved(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "[%d more uses of this name could not be resolved: search for them by text]\n", n)
	}
}

// edgesOf is a question about the neighbours of a symbol, in one of the two directions.
type edgesOf func(s *code.Snapshot, ctx context.Context, name string, p code.Page) (code.Edges, error)

// getDependencies answers with lines such as "store/s.go#Open:6-6 function, call at 8, import-resolved".
func getDependencies(x *Index) spec[edgesIn] {
	return spec[edgesIn]{
		name:    "get_dependencies",
		title:   "Dependencies",
		short:   "What a symbol uses, and how sure that is.",
		limits:  []string{"max_results"},
		renders: tool.Renders[namesData[*edgesRow]],
		run:     links{x, (*code.Snapshot).Dependencies}.run,
	}
}

// getDependents is the other direction: who has to be looked at when a symbol changes.
func getDependents(x *Index) spec[edgesIn] {
	return spec[edgesIn]{
		name:    "get_dependents",
		title:   "Dependents",
		short:   "What uses a symbol, and how sure that is.",
		limits:  []string{"max_results"},
		renders: tool.Renders[namesData[*edgesRow]],
		run:     links{x, (*code.Snapshot).Dependents}.run,
	}
}

// links are a question for connections, in one of the two directions.
type links struct {
	x   *Index
	ask edgesOf
}

func (l links) run(ctx context.Context, s *sheet, in edgesIn) (tool.Rendered, error) {
	snap, err := l.x.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	d, err := each(s, in.named, func(name, cursor string) ([]*edgesRow, error) {
		e, err := l.ask(snap, ctx, name, s.page(in.MaxResults, cursor))
		if err != nil {
			return nil, err
		}
		s.misses(snap, e.Of.Path)
		var ids []string
		if cursor == "" {
			ids = s.shared(e.Others)
		}
		if len(ids) == 0 {
			return []*edgesRow{s.edges(&e, cursor)}, nil
		}
		e.Others = nil
		first := func() *edgesRow { s.name = clean(e.Of.ID); return s.edges(&e, "") }
		return share(s, ids, first, func(id string) (*edgesRow, error) {
			e, err := l.ask(snap, ctx, id, s.page(in.MaxResults, ""))
			e.Others = nil
			return s.edges(&e, ""), err
		})
	})
	if err != nil {
		return nil, err
	}
	return *d, nil
}

// edges are the connections of one definition, as many as fit.
func (s *sheet) edges(e *code.Edges, cursor string) *edgesRow {
	s.about(e.Of.Path)
	d := &edgesRow{
		Of:         rowOf(&e.Of),
		othersData: othersOf(e.Others),
		Unresolved: e.Unresolved,
		aloneData:  aloneOf(e.Alone),
	}
	s.spend(d.head())
	d.Edges, d.pageData = list(s, s.edgeRows(e.Edges), e.More, cursor)
	return d
}

// chainIn asks for the way from one function to another.
type chainIn struct {
	From string `json:"from_name" jsonschema:"description=The caller,minLength=1"`
	To   string `json:"to_name" jsonschema:"description=The callee,minLength=1"`
}

func (in chainIn) String() string { return "calls from " + in.From + " to " + in.To }

// chainData is a way from one function to another.
type chainData struct {
	From       symbolRow  `json:"from"`
	FromOthers othersData `json:"from_others"`
	Steps      []*edgeRow `json:"steps" jsonschema:"description=What is called in turn; none: there is no way"`
	More       int        `json:"more_steps,omitempty" jsonschema:"description=That are not here"`
	To         symbolRow  `json:"to"`
	ToOthers   othersData `json:"to_others"`
	Stopped    bool       `json:"stopped,omitempty" jsonschema:"description=A bound of time or size ended the search"`
	extent
}

// Text is the steps from the caller to the callee. What else the two names may mean is said at either end.
func (d chainData) Text() string {
	var b strings.Builder
	b.WriteString(d.From.place() + "\n" + d.FromOthers.String())
	if len(d.Steps) == 0 {
		fmt.Fprintf(&b, "no chain to %s\n", d.To.place())
	}
	for _, e := range d.Steps {
		b.WriteString("→ " + cut(e.String()) + "\n")
	}
	if d.More > 0 {
		fmt.Fprintf(&b, "[truncated: %d more steps]\n", d.More)
	}
	b.WriteString(d.ToOthers.String())
	if d.Stopped {
		b.WriteString("[ended at a bound of time or size: there may be a way]\n")
	}
	return strings.TrimSuffix(b.String(), "\n") + d.note()
}

// getCallChain answers how a call gets from one place to another, which takes many steps by getDependents.
func getCallChain(x *Index) spec[chainIn] {
	return spec[chainIn]{
		name:    "get_call_chain",
		title:   "Call Chain",
		short:   "The shortest chain of calls from one symbol to another.",
		renders: tool.Renders[chainData],
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in chainIn) (tool.Rendered, error) {
			c, err := snap.Chain(ctx, in.From, in.To)
			if err != nil {
				return nil, err
			}
			s.misses(snap, c.From.Path)
			return s.chain(c), nil
		}),
	}
}

// chain is as many steps of a way as fit, at least one.
func (s *sheet) chain(c code.Chain) chainData {
	s.about(c.From.Path)
	d := chainData{From: rowOf(&c.From), To: rowOf(&c.To), Steps: []*edgeRow{}, Stopped: c.Stopped}
	s.spend(d.From.place() + "\n")
	d.FromOthers = s.others(c.FromOthers)
	for i, e := range s.edgeRows(c.Steps) {
		text := cut(e.String())
		if i > 0 && !s.fits(text) {
			d.More = len(c.Steps) - i
			s.lacks("there are more steps")
			break
		}
		s.about(e.Path)
		s.spend("→ " + text + "\n")
		d.Steps = append(d.Steps, e)
	}
	d.ToOthers = s.others(c.ToOthers)
	s.stopped(c.Stopped)
	d.extent = s.extent()
	return d
}
