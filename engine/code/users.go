package code

import (
	"maps"
	"slices"

	"helve/engine/code/internal/syntax"
)

// maxAliases bounds the names under which one definition is looked for.
const maxAliases = 16

// users are the definitions that refer to one of group, which all have one name: those found before the time is over.
func (r *resolver) users(group []symbol) []arrow {
	var list []arrow
	through := map[symbol]Confidence{}
	for _, y := range group {
		if r.clock.over(1) {
			break
		}
		maps.Copy(through, r.over(y))
	}
	for _, y := range group {
		if r.clock.over(1) {
			break
		}
		list = append(list, r.makers(y)...)
	}
	m := r.mentionsOf(r.def(group[0]).name, family(r.s.files[group[0].file].lang))
	in := members(group)
	chosen := r.chosen
	if chosen != nil && !in(chosen.chosen) {
		chosen = nil
	}
	add := func(at *mention) {
		if r.clock.over(len(at.targets)) {
			return
		}
		from := symbol{at.file, at.from}
		sure, ok := r.meant(at.targets, &at.ref, in, through)
		if ok && chosen != nil {
			sure, ok = chosen.settle(at.file, &at.ref, r.s.lex.text(at.name), sure)
		}
		if ok && !in(from) {
			list = append(list, arrow{from, at.use, at.line, sure})
		}
	}
	if m.asked++; m.asked == 1 {
		r.settleUsers(m, in, through)
		for i := range m.list {
			add(&m.list[i])
		}
	} else {
		places := m.of(group, through)
		r.settleUsers(m, in, through)
		for _, i := range places {
			add(&m.list[i])
		}
	}
	return merge(r.s, list)
}

// settleUsers has those mentions checked that may mean what is in, or what that stands in for.
func (r *resolver) settleUsers(m *mentions, in func(symbol) bool, through map[symbol]Confidence) {
	if r.s.checker == nil {
		return
	}
	var open []*mention
	for i := range m.list {
		u := &m.list[i]
		if _, ok := r.meant(u.targets, &u.ref, in, through); ok && doubtful(u.targets) {
			open = append(open, u)
		}
	}
	if r.settle(open) {
		m.by = nil // they may mean others now
	}
}

// unresolved counts the references that may mean one of group and are no edges: nothing is known of their receivers, and
// types of the language itself have a member of that name, or others of the tree do. Where nothing uses the group, all others count, too, that
// nothing explains: who is told that there is no user may delete what was asked for.
func (r *resolver) unresolved(group []symbol, used bool) int {
	y := group[0]
	m := r.mentionsOf(r.def(y).name, family(r.s.files[y.file].lang))
	member := r.isMember(y.file, r.def(y))
	switch {
	case used && member:
		return m.lost + m.unlikely(group)
	case used:
		return 0
	case member:
		return m.nowhere + r.unsaid(y, m) + m.unlikely(group)
	}
	return m.nowhere - m.lost // what a list of any element has is no function
}

// unlikely counts the references that may mean one of group and likely mean something else.
func (m *mentions) unlikely(group []symbol) int {
	in, n := members(group), 0
	for i := range m.list {
		u := &m.list[i]
		means := func(t target) bool { return in(t.symbol) }
		if slices.ContainsFunc(u.could, in) && !slices.ContainsFunc(u.targets, means) {
			n++
		}
	}
	return n
}

// elsewhere counts the references to the name of group that mean nothing in the tree.
func (r *resolver) elsewhere(group []symbol) int {
	y := group[0]
	return r.mentionsOf(r.def(y).name, family(r.s.files[y.file].lang)).elsewhere
}

// fewMembers is the size up to which a group is looked through, rather than made a set.
const fewMembers = 8

// members tells what is in a group.
func members(group []symbol) func(symbol) bool {
	if len(group) <= fewMembers {
		return func(y symbol) bool { return slices.Contains(group, y) }
	}
	set := make(map[symbol]bool, len(group))
	for _, y := range group {
		set[y] = true
	}
	return func(y symbol) bool { return set[y] }
}

// mention is a reference and what it may mean.
type mention struct {
	ref
	file    int32
	targets []target
	could   []symbol // what it may mean besides, which is not likely; nil: nothing
	checked bool     // a checker was asked what it means
}

// mentions are the references to a name in one family of languages, also under the names that imports give it, in the
// order of the files.
type mentions struct {
	list []mention
	lost int // references that may mean any member of the name: of their receivers nothing is known

	nowhere int // references that nothing explains, those among them
	asked   int // how many questions went through the list

	elsewhere int                // references that mean nothing in the tree, and are not lost
	by        map[symbol][]int32 // where in list each definition is meant, made when the list is asked a second time
}

// mentionsKey tells lists of mentions apart.
type mentionsKey struct {
	name   uint32
	family syntax.Language
}

// maxMentions bounds the mentions remembered within one question, 100 bytes each: the next ones take the place of all
// before.
const maxMentions = 1 << 16

// mentionsOf finds the mentions of a name: definitions of one name share them.
func (r *resolver) mentionsOf(name uint32, of syntax.Language) *mentions {
	key := mentionsKey{name, of}
	if m, ok := r.mentions[key]; ok {
		return m
	}
	m := &mentions{}
	names := []uint32{name}
	for k := 0; k < len(names); k++ { // the name, then those under which files import it
		r.mentioning(names[k], true, func(n int32) {
			if family(r.s.files[n].lang) != of {
				return
			}
			names = r.holders(r.aliases(names, n, names[k]), n, names[k])
			r.mentionsIn(m, n, names[k])
		})
	}
	if r.mentioned += len(m.list); r.mentioned > maxMentions {
		clear(r.mentions)
		r.mentioned = len(m.list)
	}
	r.mentions[key] = m
	return m
}

// mentionsIn adds the references of file n to name.
func (r *resolver) mentionsIn(m *mentions, n int32, name uint32) {
	lost, nowhere := r.lost, r.nowhere
	nothing := 0
	for _, u := range r.ahead.named(r.s.files[n].packed, n, name) {
		if r.clock.ended {
			break
		}
		r.could = nil
		targets := r.resolve(n, &u)
		if len(targets) == 0 {
			nothing++
			continue
		}
		m.list = append(m.list, mention{ref: u, file: n, targets: targets, could: r.could})
	}
	m.lost += r.lost - lost
	m.nowhere += r.nowhere - nowhere
	m.elsewhere += max(0, nothing-(r.nowhere-nowhere))
}

// of are the places in the list, ascending, of what may mean one of group, or what group stands in for.
func (m *mentions) of(group []symbol, through map[symbol]Confidence) []int32 {
	if m.by == nil {
		m.by = map[symbol][]int32{}
		for i := range m.list {
			for _, t := range m.list[i].targets {
				m.by[t.symbol] = append(m.by[t.symbol], int32(i))
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

// related reports whether a file's language can refer to that of group.
func (r *resolver) related(n int32, group []symbol) bool {
	return family(r.s.files[n].lang) == family(r.s.files[group[0].file].lang)
}

// meant is how sure it is that a reference with these meanings means one that is in.
func (r *resolver) meant(targets []target, u *ref, in func(symbol) bool, through map[symbol]Confidence) (Confidence, bool) {
	for _, t := range targets {
		if in(t.symbol) {
			return t.sure, true
		}
	}
	if len(through) == 0 || !r.virtual(u) {
		return Confidence{}, false
	}
	for _, t := range targets {
		if sure, ok := through[t.symbol]; ok {
			return t.sure.worse(sure), true
		}
	}
	return Confidence{}, false
}

// aliases adds the other names under which file n imports name.
func (r *resolver) aliases(names []uint32, n int32, name uint32) []uint32 {
	for _, m := range r.s.importsOf(n) {
		if m.name == name && m.local != 0 && len(names) < maxAliases && !slices.Contains(names, m.local) {
			names = append(names, m.local)
		}
	}
	return names
}
