package refactor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
)

// This file has what names alone do not explain settled by a Checker: all of it, or the refactoring is refused.

const (
	// maxSettled bounds the places of one refactoring that a checker is asked about.
	maxSettled = 400
	// maxSettling bounds the time that one refactoring gives to a checker: a server that starts reads the project
	// first.
	maxSettling = 15 * time.Second
	// maxJoins bounds how often what a place means besides the definition is renamed with it.
	maxJoins = 4
	// maxProbes is how many sure places of each kind a checker is asked about, too: who contradicts one is not
	// believed.
	maxProbes = 8
)

// settle decides what is in doubt: a checker says it, or the place stays open. What is refused anyway needs no
// answers: then nobody is asked.
func (p *judge) settle(refused bool) {
	p.several()
	var doubts []*ruled
	for i := range p.rulings {
		if r := &p.rulings[i]; r.what == doubt {
			doubts = append(doubts, r)
		}
	}
	if len(doubts) == 0 {
		return
	}
	if !refused && len(p.open) == 0 {
		p.askAbout(doubts)
	}
	for _, r := range doubts {
		if r.what == doubt {
			p.unsure(r.in, r.Line, r.why)
		}
	}
}

// askAbout asks the checker about doubts, and about some sure places beside them.
func (p *judge) askAbout(doubts []*ruled) {
	checker := p.r.Tree.Checker
	language := p.file(p.group[0].File).Lang
	if checker == nil || !checker.Checks(language) {
		return
	}
	if len(doubts) > maxSettled {
		p.next = fmt.Sprintf("A language server is asked about %d places at most.", maxSettled)
		return
	}
	list := append(doubts[:len(doubts):len(doubts)], p.probes()...)
	var places []store.Asked
	for _, r := range list {
		f := p.file(r.in.file)
		if len(r.in.src) > meaning.MaxAskedText {
			return
		}
		at := store.Position{Line: r.Line - 1, Column: meaning.Units(r.in.src[lineStart(r.in.src, r.Start):r.Start])}
		places = append(places, store.Asked{Path: f.Path, Language: f.Lang, Text: r.in.src, Position: at})
	}
	limit := maxSettling
	if end, ok := p.ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/2)
	}
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	meanings := checker.Meanings(ctx, p.r.Tree.Entries, places)
	if len(meanings) != len(places) {
		return
	}
	p.believe(doubts, list, meanings)
}

// believe takes the answers for what they are worth: list begins with the doubts, and what follows them is sure.
func (p *judge) believe(doubts, list []*ruled, meanings []store.Meaning) {
	answers := make([]ruling, len(list))
	for i, r := range list {
		answers[i] = p.heard(r, meanings[i])
		if r.what != doubt && answers[i] != doubt && answers[i] != r.what {
			p.unsure(r.in, r.Line, meanings[i].By+" contradicts what is known of this place: it is not believed")
			return
		}
	}
	var by []string
	settled, silent := [3]int{}, 0
	for i, r := range doubts {
		if !meanings[i].Known {
			silent++
		}
		if answers[i] != doubt && !slices.Contains(by, meanings[i].By) {
			by = append(by, meanings[i].By)
		}
		r.what = answers[i]
		settled[r.what]++
	}
	slices.Sort(by)
	switch n := len(doubts); {
	case len(p.together) > 0:
	case settled[doubt] == 0:
		p.note(fmt.Sprintf("%s settled %d places that names do not explain: %d mean it, %d do not",
			strings.Join(by, " and "), n, settled[meant], settled[other]))
	case silent == n:
		p.next = "The language server may be reading the project: repeat the call."
	default:
		p.next = fmt.Sprintf("Of %d places that names do not explain, a language server settles %d.",
			n, n-settled[doubt])
	}
}

// probes are some of the sure references, spread over the files.
func (p *judge) probes() []*ruled {
	var out []*ruled
	for _, what := range []ruling{meant, other} {
		var list []*ruled
		for i := range p.rulings {
			r := &p.rulings[i]
			if r.what == what && r.Def < 0 && !r.Imported && len(r.Refs) > 0 && len(r.in.src) <= meaning.MaxAskedText {
				list = append(list, r)
			}
		}
		for i := range min(len(list), maxProbes) {
			out = append(out, list[i*len(list)/min(len(list), maxProbes)])
		}
	}
	return out
}

// heard is what an answer says of a place.
func (p *judge) heard(r *ruled, w store.Meaning) ruling {
	property := p.lang.property(r.in, r.Site) || p.lang.literal(p.subject, r.in, r.Site)
	h := &hearing{judge: p, place: r, property: property}
	h.short = h.property && shortKey(r.Site)
	m := &meaning.Mention{Ref: store.Ref{Name: p.oldName, From: r.From, Line: int32(r.Line)}, File: r.in.file}
	for _, y := range p.group {
		m.Targets = append(m.Targets, meaning.Target{DefID: y})
	}
	if w.Known && (len(w.At) == 0 || w.Outside) {
		h.no++
	}
	for _, at := range w.At {
		if !h.hear(m, at) {
			return doubt
		}
	}
	return h.ruling()
}

// hearing counts what an answer says of one place.
type hearing struct {
	*judge
	place           *ruled
	property, short bool // it is a key of a literal; the key is a value at the same time
	yes, no, values int
	others          []store.DefID
}

// hear counts one place where an answer says that it is defined, false where nobody knows what stands there.
func (h *hearing) hear(m *meaning.Mention, at store.Definition) bool {
	y, where := h.r.DefinedAt(m, at)
	within := where == meaning.DefinedWithin
	switch {
	case h.property && at.Path == h.file(h.place.in.file).Path && at.Line == h.place.Line-1:
		// The key of a literal is defined where it stands, and by its type.
	case where == meaning.DefinedNowhere:
		return false
	case within && h.in[y]:
		h.yes++
	case h.short && (where == meaning.DefinedElsewhere || within && !h.r.IsMember(y.File, h.r.Def(y))):
		h.values++ // what {name} has as its value, or a property of a type without a name
	case within:
		h.no++
		h.others = append(h.others, y)
	case where == meaning.DefinedElsewhere:
		h.no++
	}
	return true
}

// ruling is what was heard of a place, all in all.
func (h *hearing) ruling() ruling {
	if h.values > 1 {
		h.no++
	}
	switch {
	case h.yes > 0 && h.no == 0:
		return meant
	case h.no > 0 && h.yes == 0:
		return other
	case h.joins > 0 && h.no == len(h.others):
		h.together = append(h.together, h.others...)
	}
	return doubt
}
