package tool

import "encoding/json"

// A Listing has lists show tools in other words than their own, and leave some out that others stand for. A tool stays
// what it is: its own definition checks the arguments and is what a digest names, and policies judge it as ever. Its
// functions compute only; they are called by several goroutines at once.
type Listing struct {
	// Specs gives what lists show of the tools that they would show, each under the Origin that it has. Those that it
	// leaves out are as those that Show leaves out. It changes none of the specs. nil: all, as they are.
	Specs func(tools []*Spec) []*Spec

	// Meant gives the tool that a call of another means by its arguments, as its origin, and the arguments for that
	// one; false: the call means what it says. nil: every call does.
	Meant func(s *Spec, args json.RawMessage) (Origin, json.RawMessage, bool)
}

// say has the view show what a listing says.
func (v *View) say(l *Listing) {
	if l == nil || l.Specs == nil {
		return
	}
	said := map[Origin]*Spec{}
	for _, s := range l.Specs(v.specs) {
		said[s.Origin] = s
	}
	v.specs, v.rest = make([]*Spec, 0, len(said)), nil
	for _, e := range v.all {
		s := said[e.spec.Origin]
		switch {
		case !e.offered:
		case e.shown && s != nil:
			e.listed = s
			v.specs = append(v.specs, s)
		default:
			e.shown = false
			v.rest = append(v.rest, e.spec)
		}
	}
}

// Own is the definition of a tool itself, where s is what a list of this view shows of it (KitOptions.Listing); any
// other spec is itself.
func (v *View) Own(s *Spec) *Spec {
	if e := v.byID[s.Origin]; e != nil && e.listed == s {
		return e.spec
	}
	return s
}

// meant is the entry that a call may use, and the call as one of it: with the arguments for another tool, where they
// mean that.
func (k *Kit) meant(c *Call) (e *entry, own Call, bad *Error) {
	v := k.View()
	own = *c
	if c.concludes != nil {
		return c.concluding(), own, nil
	}
	e, bad = v.enter(c)
	if bad != nil || k.o.Listing == nil || k.o.Listing.Meant == nil {
		return e, own, bad
	}
	origin, args, other := k.o.Listing.Meant(e.spec, c.Args)
	if to := v.byID[origin]; other && to != nil {
		own.Name, own.Args = to.name, args
		e, bad = v.enter(&own)
	}
	return e, own, bad
}
