package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/scripts/internal/scoring"
)

// This file asks the index what an agent would ask (what uses this, what does this use), and holds the answers against
// what an oracle knows.

// placed is a definition of the index.
type placed struct {
	id         string // path#Qualified
	name, path string
	from       int // the line where its decorators begin
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

	falseNone count // right: those answered "none" though something uses them
	undecided int   // edges of which the oracle knows nothing
}

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
	for _, id := range scoring.Spread(ids, cmp.Or(sample, len(ids))) {
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
	if e.makes(id, edge) || e.sameSlot(id, edge.Symbol) {
		t.undecided++
		return
	}
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

// makes tells whether id is a constructor and the oracle says that its type is used there: some name the type alone
// where a value of it is made.
func (e *edgeScorer) makes(id string, edge code.Edge) bool {
	_, name, _ := strings.Cut(id, "#")
	parts := strings.Split(name, ".")
	last := len(parts) - 1
	if last < 1 || parts[last] != parts[last-1] && parts[last] != "__init__" && parts[last] != "__construct" {
		return false
	}
	parts[last] = parts[last-1]
	// The type may stand in a header, and under a namespace that its constructor does not repeat.
	for typ, uses := range e.uses {
		if !strings.HasSuffix(typ, "#"+strings.Join(parts[:last], ".")) && !strings.HasSuffix(typ, "."+parts[last]) {
			continue
		}
		for _, u := range uses {
			if u.Path == edge.Path && u.Line >= edge.Line && u.Line <= edge.EndLine {
				return true
			}
		}
	}
	return false
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

// slot tells whether both sides of an override are fields: where types do not declare them, they are one of each
// object.
func (e *edgeScorer) slot(over [2]int) bool {
	field := func(n int) bool { return slots[e.truth.Defs[n].Kind] }
	return field(over[0]) && field(over[1])
}

// slots are the kinds of what holds a value.
var slots = map[string]bool{"field": true, "variable": true, "constant": true}

// sameSlot tells whether a symbol uses a field that stands in the place of the field id: the value of a base counts
// until the other is assigned, so that the use may mean both, and the oracle names the one.
func (e *edgeScorer) sameSlot(id string, y code.Symbol) bool {
	for _, n := range e.same[id] {
		for _, o := range e.truth.Over {
			if o[1] != n || !e.slot(o) {
				continue
			}
			for _, u := range e.uses[e.ids[o[0]]] {
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
		inside := strings.HasPrefix(to, id+".") // a function in this one is a part of it
		if to == "" || to == id || seen[to] || inside || e.one(id, to, u) {
			continue
		}
		seen[to] = true
		ok := slices.ContainsFunc(u.To, func(n int) bool { return found[e.ids[n]] || found[e.maker(n)] })
		t.callsOut.add(ok)
		if !ok {
			m.say("uncalled", "%s calls %s at %d", id, to, u.Line)
		}
	}
	return nil
}

// maker is the ID of the type that the definition n makes a value of: to call a type is to call one of its
// constructors.
func (e *edgeScorer) maker(n int) string {
	if e.truth.Defs[n].Kind != "constructor" {
		return ""
	}
	return strings.TrimSuffix(e.ids[n], "."+e.truth.Defs[n].Name)
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
		if e.ids[o[1]] != id || e.ids[o[0]] == "" || e.slot(o) {
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
