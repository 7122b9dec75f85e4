package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"helve/engine/code"
)

// This file asks the index what an agent would ask (what uses this, what does this use), and holds the answers against
// what an oracle knows.

// placed is a definition of the index.
type placed struct {
	id         string // path#Qualified
	name, path string
	line, end  int
	kind       code.Kind
}

// edgeScorer holds the index against the truth of one folder.
type edgeScorer struct {
	truth *edgeTruth
	s     *code.Snapshot

	files map[string][]placed // by path, in the order of the text
	ids   []string            // of the index for each definition of the truth; "": it has none
	same  map[string][]int    // the definitions of the truth that share an ID
	below map[int][]int       // the definitions that a definition overrides, directly or not

	uses    map[string][]trueUse // by the ID of what is used
	in      map[string][]trueUse // by path, sorted by line
	unknown map[string][]int     // path and name: lines of uses that the oracle cannot tell
}

// count is a share: right of all.
type count struct{ right, all int }

func (c *count) add(ok bool) {
	c.all++
	if ok {
		c.right++
	}
}

// value is 1 of nothing.
func (c count) value() float64 { return ratio(c.right, c.all) }

// tally is one line of the table: what an index found of a language.
type tally struct {
	definitions, references, callers, callsOut, implementers, files count // recall
	sure, ambiguous                                                 count // precision
	falseNone                                                       count // right: those answered "none" though something uses them
	undecided                                                       int   // edges of which the oracle knows nothing
}

// newEdgeScorer matches the definitions of both sides.
func newEdgeScorer(ctx context.Context, t *edgeTruth, s *code.Snapshot) (*edgeScorer, error) {
	e := &edgeScorer{
		truth: t, s: s,
		files:   map[string][]placed{},
		same:    map[string][]int{},
		below:   map[int][]int{},
		uses:    map[string][]trueUse{},
		in:      map[string][]trueUse{},
		unknown: map[string][]int{},
	}
	for _, path := range t.Files {
		o, err := s.Outline(ctx, path, code.Page{Limit: outlinePage})
		if err != nil {
			return nil, err
		}
		for _, n := range o.Nodes {
			e.files[path] = append(e.files[path], placed{path + "#" + n.Qualified, n.Name, path, n.Line, n.EndLine, n.Kind})
		}
	}
	for i := range t.Defs {
		id := e.match(&t.Defs[i])
		e.ids = append(e.ids, id)
		if id != "" {
			e.same[id] = append(e.same[id], i)
		}
	}
	e.overridden()
	e.collect()
	return e, nil
}

// match is the ID that the index gives a definition: what has its name and begins nearest above the name.
func (e *edgeScorer) match(d *trueDef) string {
	best := placed{line: -1}
	for _, p := range e.files[d.Path] {
		if p.name == d.Name && p.line <= d.Line && d.Line <= max(p.end, p.line) && p.line >= best.line {
			best = p
		}
	}
	return best.id
}

// overridden closes over the overrides: what a method overrides, and what that does.
func (e *edgeScorer) overridden() {
	direct := map[int][]int{}
	for _, o := range e.truth.Over {
		direct[o[0]] = append(direct[o[0]], o[1])
	}
	for n := range direct {
		queue := slices.Clone(direct[n])
		for i := 0; i < len(queue); i++ {
			for _, m := range direct[queue[i]] {
				if m != n && !slices.Contains(queue, m) {
					queue = append(queue, m)
				}
			}
		}
		e.below[n] = queue
	}
}

// collect sorts the uses by what they mean and where they stand.
func (e *edgeScorer) collect() {
	for _, u := range e.truth.Uses {
		if len(u.To) == 0 {
			e.unknown[u.Path+"#"+u.Name] = append(e.unknown[u.Path+"#"+u.Name], u.Line)
			continue
		}
		e.in[u.Path] = append(e.in[u.Path], u)
		seen := map[string]bool{}
		for _, n := range u.To {
			if id := e.ids[n]; id != "" && !seen[id] {
				seen[id] = true
				e.uses[id] = append(e.uses[id], u)
			}
		}
	}
	for _, list := range e.in {
		slices.SortFunc(list, func(a, b trueUse) int { return a.Line - b.Line })
	}
}

// around is the innermost function or type of the index at a line; where there is none, the variable or field there,
// or the file. What a function body gives its fields belongs to the function: both sides see it differently.
func (e *edgeScorer) around(path string, line int) string {
	best := placed{id: path, end: 1 << 30}
	for _, p := range e.files[path] {
		if p.line > line || line > p.end {
			continue
		}
		if p.holds() == best.holds() && p.end-p.line <= best.end-best.line || p.holds() && !best.holds() {
			best = p
		}
	}
	return best.id
}

// holds tells whether a definition is one that others stand in.
func (p placed) holds() bool { return p.kind.Callable() || p.kind.Type() }

// score asks about at most sample definitions, spread over the folder.
func (e *edgeScorer) score(ctx context.Context, w io.Writer, sample, misses int) (*tally, error) {
	t := &tally{}
	var ids []string
	for i := range e.truth.Defs {
		d := &e.truth.Defs[i]
		t.definitions.add(e.ids[i] != "")
		if e.ids[i] == "" && misses > 0 {
			fmt.Fprintf(w, "    no definition %s:%d %s %s\n", d.Path, d.Line, d.Kind, d.Name)
		}
	}
	for id := range e.same {
		ids = append(ids, id)
	}
	m := &missed{w: w, left: map[string]int{}, most: misses}
	for _, id := range spread(ids, cmp.Or(sample, len(ids))) {
		if err := e.users(ctx, t, id, m); err != nil {
			return nil, err
		}
		if err := e.usedBy(ctx, t, id, m); err != nil {
			return nil, err
		}
	}
	return t, e.fileEdges(ctx, t, m)
}

// missed prints what is wrong, so many of each kind.
type missed struct {
	w    io.Writer
	left map[string]int
	most int
}

func (m *missed) say(kind, format string, args ...any) {
	if m.left[kind]++; m.left[kind] <= m.most {
		fmt.Fprintf(m.w, "    "+kind+" "+format+"\n", args...)
	}
}

// allEdges is more than any definition of a scored folder has.
const allEdges = 1 << 18

// users scores what the index says uses the definition id.
func (e *edgeScorer) users(ctx context.Context, t *tally, id string, m *missed) error {
	answer, err := e.s.Dependents(ctx, id, code.Page{Limit: allEdges})
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	e.implementers(t, id, answer.Edges, m)
	wanted := e.wanted(id)
	found := map[string]bool{}
	calls := map[string]bool{}
	for _, edge := range answer.Edges {
		if edge.Use == code.Implement || edge.Use == code.Override {
			continue
		}
		from := e.user(edge)
		found[from] = true
		calls[from] = calls[from] || edge.Use == code.Call || edge.Use == code.Inherit
		e.judge(t, id, edge, wanted, m)
	}
	others := 0
	for from, u := range wanted {
		if from == id || e.one(from, id, u) {
			continue // recursion, of which the index says nothing
		}
		others++
		t.references.add(found[from])
		if u.Call {
			t.callers.add(found[from])
		}
		if !found[from] {
			m.say("missing", "%s used by %s at %s:%d", id, from, u.Path, u.Line)
		}
	}
	if others > 0 {
		none := len(answer.Edges) == 0 && answer.Unresolved == 0
		t.falseNone.add(none)
		if none {
			m.say("none", "%s", id)
		}
	}
	return nil
}

// one tells whether a use stands in what it means: declarations have the ID of their own file.
func (e *edgeScorer) one(from, id string, u trueUse) bool {
	return slices.ContainsFunc(u.To, func(n int) bool { return e.ids[n] == from }) &&
		slices.ContainsFunc(u.To, func(n int) bool { return e.ids[n] == id })
}

// edgeID is the ID of a symbol without the number of its version.
func edgeID(y code.Symbol) string {
	if y.ID == y.Path {
		return y.Path
	}
	return y.Path + "#" + y.Qualified
}

// user is the ID of what an edge comes from, as around has it.
func (e *edgeScorer) user(edge code.Edge) string {
	if edge.Kind.Callable() || edge.Kind.Type() {
		return edgeID(edge.Symbol)
	}
	return e.around(edge.Path, edge.At)
}

// wanted are the definitions around the true uses of id; of several uses in one, a call before others.
func (e *edgeScorer) wanted(id string) map[string]trueUse {
	out := map[string]trueUse{}
	for _, u := range e.uses[id] {
		from := e.around(u.Path, u.Line)
		if known, ok := out[from]; !ok || u.Call && !known.Call {
			out[from] = u
		}
	}
	return out
}

// judge tells whether an edge is right: the definition around has such a use, or one of what id overrides.
func (e *edgeScorer) judge(t *tally, id string, edge code.Edge, wanted map[string]trueUse, m *missed) {
	to := &t.sure
	if edge.Sure.Level == code.Ambiguous {
		to = &t.ambiguous
	}
	if _, read := e.files[edge.Path]; !read { // for another system, say: the oracle cannot deny it
		t.undecided++
		return
	}
	from := e.user(edge)
	if _, ok := wanted[from]; ok || e.mayRun(id, edge.Symbol) {
		to.add(true)
		return
	}
	name := e.truth.Defs[e.same[id][0]].Name
	for _, line := range e.unknown[edge.Path+"#"+name] {
		if line >= edge.Line && line <= edge.EndLine {
			t.undecided++
			return
		}
	}
	to.add(false)
	if to == &t.sure {
		m.say("wrong", "%s used by %s at %d, %s", id, from, edge.At, edge.Sure)
	} else {
		m.say("guessed", "%s used by %s at %d, %s", id, from, edge.At, edge.Sure)
	}
}

// mayRun tells whether a symbol uses something that id overrides: the use may run id.
func (e *edgeScorer) mayRun(id string, y code.Symbol) bool {
	for _, n := range e.same[id] {
		for _, base := range e.below[n] {
			for _, u := range e.uses[e.ids[base]] {
				if u.Path == y.Path && u.Line >= y.Line && u.Line <= y.EndLine {
					return true
				}
			}
		}
	}
	return false
}

// usedBy scores what the index says the definition id calls.
func (e *edgeScorer) usedBy(ctx context.Context, t *tally, id string, m *missed) error {
	d := &e.truth.Defs[e.same[id][0]]
	if !d.callable() {
		return nil
	}
	answer, err := e.s.Dependencies(ctx, id, code.Page{Limit: allEdges})
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	found := map[string]bool{}
	for _, edge := range answer.Edges {
		found[edgeID(edge.Symbol)] = true
	}
	seen := map[string]bool{}
	for _, u := range e.in[d.Path] {
		if !u.Call || e.around(u.Path, u.Line) != id {
			continue
		}
		to := e.ids[u.To[0]]
		if to == "" || to == id || seen[to] || e.one(id, to, u) {
			continue
		}
		seen[to] = true
		ok := slices.ContainsFunc(u.To, func(n int) bool { return found[e.ids[n]] })
		t.callsOut.add(ok)
		if !ok {
			m.say("uncalled", "%s calls %s at %d", id, to, u.Line)
		}
	}
	return nil
}

// implementers scores who the index says implements or overrides id.
func (e *edgeScorer) implementers(t *tally, id string, edges []code.Edge, m *missed) {
	found := map[string]bool{}
	for _, edge := range edges {
		if edge.Use == code.Implement || edge.Use == code.Override {
			found[edgeID(edge.Symbol)] = true
		}
	}
	for _, o := range e.truth.Over {
		if e.ids[o[1]] != id || e.ids[o[0]] == "" {
			continue
		}
		ok := found[e.ids[o[0]]]
		t.implementers.add(ok)
		if !ok {
			m.say("unimplemented", "%s by %s", id, e.ids[o[0]])
		}
	}
}

// fileEdges scores which files a file uses, where the oracle knows imports.
func (e *edgeScorer) fileEdges(ctx context.Context, t *tally, m *missed) error {
	found := map[string]map[string]bool{}
	for _, edge := range e.truth.Imports {
		from, to := edge[0], edge[1]
		if found[from] == nil {
			found[from] = map[string]bool{}
			answer, err := e.s.FileDependencies(ctx, from, code.Page{Limit: allEdges})
			if err != nil {
				return fmt.Errorf("%s: %w", from, err)
			}
			for _, f := range answer.Files {
				found[from][f.Path] = true
			}
		}
		t.files.add(found[from][to])
		if !found[from][to] {
			m.say("unlinked", "%s uses %s", from, to)
		}
	}
	return nil
}
