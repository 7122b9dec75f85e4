package refactor

import (
	"fmt"
	"slices"
	"strings"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// judge decides what each mention means. Every token that is the name has to be explained: as one that means the
// subject, or as one that does not. What cannot be explained is a reason to refuse.
type judge struct {
	*mentions
	alone    bool          // in its package no other type has a member of that name
	together []store.DefID // what one place means besides the subject: they can only be renamed together
	joins    int           // how often such may be added to the group
	rulings  []ruled       // on all places of the name
	next     string        // what to do about those that stay open, where it is more than to edit them by hand
}

func newJudge(of *subject, also string) *judge {
	return &judge{mentions: &mentions{subject: of, also: also}}
}

// decide rules on every place of the name.
func (p *judge) decide() error {
	p.alone = p.onlyMember()
	for again := true; again; {
		open := len(p.open)
		p.rulings = nil
		for _, f := range p.found {
			p.ruleOn(f, nil)
			p.lang.hides(p.mentions, f)
		}
		p.settle(false)
		if again = len(p.together) > 0; again {
			p.open = p.open[:open]
			if err := p.join(); err != nil {
				return err
			}
		}
	}
	for _, r := range p.rulings {
		if r.what == meant {
			r.in.uses = append(r.in.uses, r.Site)
		}
	}
	return nil
}

// ruleOn rules on every place of the old name in a file but those that skip passes over. Doubts wait for settle.
func (p *judge) ruleOn(f *scan, skip func(*syntax.Site) bool) {
	for i := range f.sites {
		s := &f.sites[i]
		if s.Name != p.old || skip != nil && skip(s) {
			continue
		}
		what, why := p.rule(f, s)
		p.rulings = append(p.rulings, ruled{s, f, what, why})
	}
}

// join adds to the group what places mean besides it: a value may be of either type.
func (p *judge) join() error {
	p.joins--
	before := len(p.group)
	for _, y := range p.together {
		p.add(y)
	}
	p.together = nil
	if err := p.lang.overrides(p.subject); err != nil {
		return err
	}
	if err := p.lang.hazards(p.mentions); err != nil {
		return err
	}
	var names []string
	for _, y := range p.group[before:] {
		names = append(names, p.r.Tree.Symbol(y).ID)
	}
	slices.Sort(names)
	p.changes.Notes = append(p.changes.Notes, "renamed with it, since values may be of several types: "+strings.Join(names, ", "))
	return nil
}

// refusedPlaces refuses for the places that are open; why is given their number and the definition.
func (p *judge) refusedPlaces(why string) error {
	slices.SortStableFunc(p.open, byPlace)
	p.open = slices.Compact(p.open)
	return &RefusedError{
		Why:    fmt.Sprintf(why, len(p.open), p.id()),
		Places: p.open,
		Next:   strings.TrimSpace("Nothing was changed. Edit it by hand, these places too. " + p.next),
	}
}

// several turns what is said of values of a union into doubts: it is said of one of their types. What an object has
// itself is of one type.
func (p *judge) several() {
	if !p.unions.mixed() {
		return
	}
	for i := range p.rulings {
		r := &p.rulings[i]
		key := p.lang.property(r.in, r.Site)
		if !r.Dots && !key || r.Def >= 0 || r.what == doubt {
			continue
		}
		switch nameBefore(r.in.src, r.Start-1) {
		case "this", "self", "super":
		default:
			r.what, r.why = doubt, "the value may be of several types"
		}
	}
}
