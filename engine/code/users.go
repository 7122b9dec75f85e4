package code

import (
	"context"
	"maps"
	"slices"

	"helve/engine/code/internal/syntax"
)

// Dependents answers what uses the definition called name.
func (s *Snapshot) Dependents(ctx context.Context, name string, p Page) (Edges, error) {
	group, others, err := s.only(ctx, name)
	if err != nil {
		return Edges{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	list, whole := s.resolver().users(ctx, group)
	out, err := s.edges(group, others, list, p)
	out.Stopped = !whole
	return out, err
}

// maxAliases bounds the names under which one definition is looked for.
const maxAliases = 16

// users are the definitions that refer to one of group, which all have one name. whole is false when time ran out.
func (r *resolver) users(ctx context.Context, group []symbol) (list []arrow, whole bool) {
	through := map[symbol]Confidence{}
	for _, y := range group {
		maps.Copy(through, r.over(y))
	}
	m := r.mentionsOf(ctx, r.def(group[0]).name, family(r.s.files[group[0].file].lang))
	add := func(at *mention) {
		from := symbol{at.file, at.from}
		if sure, ok := r.meant(at.targets, &at.ref, group, through); ok && !slices.Contains(group, from) {
			list = append(list, arrow{from, at.use, at.line, sure})
		}
	}
	if m.asked++; m.asked == 1 {
		for i := range m.list {
			add(&m.list[i])
		}
	} else {
		for _, i := range m.of(group, through) {
			add(&m.list[i])
		}
	}
	return r.s.merge(list), m.whole
}

// mention is a reference and what it may mean.
type mention struct {
	ref
	file    int32
	targets []target
}

// mentions are the references to a name in one family of languages, also under the names that imports give it, in the
// order of the files.
type mentions struct {
	list  []mention
	whole bool // false: time ran out
	asked int  // how many questions went through the list

	by map[symbol][]int32 // where in list each definition is meant, made when the list is asked a second time
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
func (r *resolver) mentionsOf(ctx context.Context, name uint32, of syntax.Language) *mentions {
	key := mentionsKey{name, of}
	if m, ok := r.mentions[key]; ok {
		return m
	}
	m := &mentions{whole: true}
	names := []uint32{name}
	for k := 0; k < len(names); k++ { // the name, then those under which files import it
		r.s.mentioning(names[k], true, func(n int32) {
			if m.whole = m.whole && ctx.Err() == nil; !m.whole || family(r.s.files[n].lang) != of {
				return
			}
			names = r.aliases(names, n, names[k])
			m.list = r.mentionsIn(m.list, n, names[k])
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
func (r *resolver) mentionsIn(list []mention, n int32, name uint32) []mention {
	for _, u := range r.ahead.named(r.s.files[n].packed, n, name) {
		if targets := r.resolve(n, &u); len(targets) > 0 {
			list = append(list, mention{u, n, targets})
		}
	}
	return list
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

// meant is how sure it is that a reference with these meanings means one of group.
func (r *resolver) meant(targets []target, u *ref, group []symbol, through map[symbol]Confidence) (Confidence, bool) {
	for _, t := range targets {
		if slices.Contains(group, t.symbol) {
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
