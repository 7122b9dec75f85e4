package meaning

import (
	"context"
	"maps"
	"slices"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// uses find what refers to definitions.
type uses struct {
	*evaluator
	dispatch *dispatch
	checking *checking

	chosen    *Overload // the one that is asked for among several; nil: none
	mentions  map[mentionsKey]*mentions
	mentioned int // what mentions holds
	ahead     *ahead
}

// begin forgets all that was found.
func (r *uses) begin(ctx context.Context, s *store.Snapshot, table *rulesTable) {
	r.evaluator.begin(ctx, s, table)
	*r.ahead = ahead{}
	*r.dispatch = newDispatch(r.evaluator)
	*r.checking = checking{evaluator: r.evaluator, dispatch: r.dispatch, ahead: r.ahead}
	*r = uses{
		evaluator: r.evaluator,
		dispatch:  r.dispatch,
		checking:  r.checking,
		mentions:  map[mentionsKey]*mentions{},
		ahead:     r.ahead,
	}
}

// Users are the definitions that refer to one of group, which all have one name: those found before the time is over.
func (r *uses) Users(group []store.DefID) []Arrow {
	var list []Arrow
	through := map[store.DefID]Confidence{}
	for _, y := range group {
		if r.Clock.Over(1) {
			break
		}
		maps.Copy(through, r.dispatch.Over(y))
	}
	for _, y := range group {
		if r.Clock.Over(1) {
			break
		}
		list = append(list, r.makers(y)...)
	}
	m := r.MentionsOf(r.Def(group[0]).Name, store.Family(r.Tree.Files[group[0].File].Lang))
	in := Members(group)
	chosen := r.chosen
	if chosen != nil && !in(chosen.chosen) {
		chosen = nil
	}
	add := func(at *Mention) {
		if r.Clock.Over(len(at.Targets)) {
			return
		}
		from := store.At(at.File, at.From)
		sure, ok := r.meant(at.Targets, &at.Ref, in, through)
		if ok && chosen != nil {
			sure, ok = chosen.settle(at.File, &at.Ref, r.Tree.Lex.Text(at.Name), sure)
		}
		if ok && !in(from) {
			list = append(list, Arrow{from, at.Use, at.Line, sure})
		}
	}
	if m.asked++; m.asked == 1 {
		r.settleUsers(m, in, through)
		for i := range m.List {
			add(&m.List[i])
		}
	} else {
		places := m.of(group, through)
		r.settleUsers(m, in, through)
		for _, i := range places {
			add(&m.List[i])
		}
	}
	return Merge(r.Tree, list)
}

// settleUsers has those mentions checked that may mean what is in, or what that stands in for.
func (r *uses) settleUsers(m *mentions, in func(store.DefID) bool, through map[store.DefID]Confidence) {
	if r.Tree.Checker == nil {
		return
	}
	var open []*Mention
	for i := range m.List {
		u := &m.List[i]
		if _, ok := r.meant(u.Targets, &u.Ref, in, through); ok && doubtful(u.Targets) {
			open = append(open, u)
		}
	}
	if r.checking.Settle(open) {
		m.by = nil // they may mean others now
	}
}

// Unresolved counts the references that may mean one of group and are no edges: nothing is known of their receivers,
// and types of the language itself have a member of that name, or others of the tree do. Where nothing uses the
// group, all others count, too, that nothing explains: who is told that there is no user may delete what was asked
// for.
func (r *uses) Unresolved(group []store.DefID, used bool) int {
	y := group[0]
	m := r.MentionsOf(r.Def(y).Name, store.Family(r.Tree.Files[y.File].Lang))
	member := r.IsMember(y.File, r.Def(y))
	switch {
	case used && member:
		return m.lost + m.unlikely(group)
	case used:
		return 0
	case member:
		return m.Nowhere + r.unsaid(y, m) + m.unlikely(group)
	}
	return m.Nowhere - m.lost // what a list of any element has is no function
}

// unlikely counts the references that may mean one of group and likely mean something else.
func (m *mentions) unlikely(group []store.DefID) int {
	in, n := Members(group), 0
	for i := range m.List {
		u := &m.List[i]
		means := func(t Target) bool { return in(t.DefID) }
		if slices.ContainsFunc(u.could, in) && !slices.ContainsFunc(u.Targets, means) {
			n++
		}
	}
	return n
}

// Elsewhere counts the references to the name of group that mean nothing in the tree.
func (r *uses) Elsewhere(group []store.DefID) int {
	y := group[0]
	return r.MentionsOf(r.Def(y).Name, store.Family(r.Tree.Files[y.File].Lang)).Elsewhere
}

// fewMembers is the size up to which a group is looked through, rather than made a set.
const fewMembers = 8

// Members tells what is in a group.
func Members(group []store.DefID) func(store.DefID) bool {
	if len(group) <= fewMembers {
		return func(y store.DefID) bool { return slices.Contains(group, y) }
	}
	set := make(map[store.DefID]bool, len(group))
	for _, y := range group {
		set[y] = true
	}
	return func(y store.DefID) bool { return set[y] }
}

// Mention is a reference and what it may mean.
type Mention struct {
	store.Ref
	File    int32
	Targets []Target
	could   []store.DefID // what it may mean besides, which is not likely; nil: nothing
	checked bool          // a checker was asked what it means
}

// mentions are the references to a name in one family of languages, also under the names that imports give it, in the
// order of the files.
type mentions struct {
	List []Mention
	lost int // references that may mean any member of the name: of their receivers nothing is known

	Nowhere int // references that nothing explains, those among them
	asked   int // how many questions went through the list

	Elsewhere int                     // references that mean nothing in the tree, and are not lost
	by        map[store.DefID][]int32 // where in list each definition is meant; made when asked a second time
}

// mentionsKey tells lists of mentions apart.
type mentionsKey struct {
	name   uint32
	family syntax.Language
}

// maxMentions bounds the mentions remembered within one question, 100 bytes each: the next ones take the place of all
// before.
const maxMentions = 1 << 16

// MentionsOf finds the mentions of a name: definitions of one name share them.
func (r *uses) MentionsOf(name uint32, of syntax.Language) *mentions {
	key := mentionsKey{name, of}
	if m, ok := r.mentions[key]; ok {
		return m
	}
	m := &mentions{}
	names := []uint32{name}
	for k := 0; k < len(names); k++ { // the name, then those under which files import it
		r.Mentioning(names[k], true, func(n int32) {
			if store.Family(r.Tree.Files[n].Lang) != of {
				return
			}
			names = r.dispatch.holders(r.dispatch.aliases(names, n, names[k]), n, names[k])
			r.mentionsIn(m, n, names[k])
		})
	}
	if r.mentioned += len(m.List); r.mentioned > maxMentions {
		clear(r.mentions)
		r.mentioned = len(m.List)
	}
	r.mentions[key] = m
	return m
}

// mentionsIn adds the references of file n to name.
func (r *uses) mentionsIn(m *mentions, n int32, name uint32) {
	lost, nowhere := r.Lost, r.nowhere
	nothing := 0
	for _, u := range r.ahead.named(r.Tree.Files[n].Packed, n, name) {
		if r.Clock.Ended {
			break
		}
		r.narrowing.could = nil
		targets := r.Resolve(n, &u)
		if len(targets) == 0 {
			nothing++
			continue
		}
		m.List = append(m.List, Mention{Ref: u, File: n, Targets: targets, could: r.narrowing.could})
	}
	m.lost += r.Lost - lost
	m.Nowhere += r.nowhere - nowhere
	m.Elsewhere += max(0, nothing-(r.nowhere-nowhere))
}

// of are the places in the list, ascending, of what may mean one of group, or what group stands in for.
func (m *mentions) of(group []store.DefID, through map[store.DefID]Confidence) []int32 {
	if m.by == nil {
		m.by = map[store.DefID][]int32{}
		for i := range m.List {
			for _, t := range m.List[i].Targets {
				m.by[t.DefID] = append(m.by[t.DefID], int32(i))
			}
		}
	}
	var places []int32
	for _, y := range group {
		places = append(places, m.by[y]...)
	}
	for y := range through {
		places = append(places, m.by[y]...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// meant is how sure it is that a reference with these meanings means one that is in.
func (r *uses) meant(
	targets []Target, u *store.Ref, in func(store.DefID) bool, through map[store.DefID]Confidence,
) (Confidence, bool) {
	for _, t := range targets {
		if in(t.DefID) {
			return t.Sure, true
		}
	}
	if len(through) == 0 || !r.dispatch.Virtual(u) {
		return Confidence{}, false
	}
	for _, t := range targets {
		if sure, ok := through[t.DefID]; ok {
			return t.Sure.Worse(sure), true
		}
	}
	return Confidence{}, false
}
