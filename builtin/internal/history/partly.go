package history

import (
	"slices"

	"helve/internal/change"
)

// An undo may leave places alone: somebody changed them, or a rule denies it. What stands there of the call is still to
// be taken back, so the journal says of an undo what it left, and of which changes of a call it was one. From both
// follows, change by change, what of each call is still in force.

// A Left place was not brought back by an undo.
type Left struct {
	change.Place
	Never bool `json:"never,omitempty"` // no force brings it back either
}

// A taking is what later calls took back of one.
type taking struct {
	taken map[change.Place]bool
	left  map[change.Place]bool // places that the newest undo of them left alone, with their Never
}

// mark tells of each call what later ones took back of it. It goes from the newest to the oldest, as an undo that was
// taken back counts no more.
func (g *log) mark() {
	byID := map[string]*Call{}
	for _, c := range g.calls {
		byID[c.ID] = c
		c.Undone = false
		c.partly = nil
	}
	for _, c := range slices.Backward(g.calls) {
		c.settle()
		if c.Kind == Work || c.Undone {
			continue
		}
		for _, id := range c.Of {
			if of := byID[id]; of != nil {
				c.takeFrom(of)
			}
		}
	}
}

// settle sums up what was taken back of a call, once every later one was looked at.
func (c *Call) settle() {
	c.Rest, c.tried, c.never = nil, false, false
	if c.partly == nil || c.Undone {
		return
	}
	c.tried, c.never = true, true
	for _, ch := range c.Changes {
		if c.partly.taken[ch.Place] {
			continue
		}
		never, left := c.partly.left[ch.Place]
		c.Rest = append(c.Rest, ch)
		c.tried = c.tried && left
		c.never = c.never && never
	}
	c.Undone = len(c.Rest) == 0
}

// takeFrom notes what an undo or a redo took back of a call.
func (c *Call) takeFrom(of *Call) {
	only, narrow := c.Only[of.ID]
	if len(c.Left) == 0 && c.Rest == nil && !narrow {
		of.Undone = true
		return
	}
	if of.partly == nil {
		of.partly = &taking{map[change.Place]bool{}, map[change.Place]bool{}}
	}
	p := of.partly
	left, undoes := c.leaves(), c.inForce()
	for i, ch := range of.Changes {
		if narrow && !slices.Contains(only, i) {
			continue
		}
		never, isLeft := left[ch.Place]
		_, known := p.left[ch.Place]
		switch {
		case isLeft && !known:
			p.left[ch.Place] = never
		case !isLeft && undoes(ch.Place):
			p.taken[ch.Place] = true
		}
	}
}

// leaves are the places that an undo left alone.
func (c *Call) leaves() map[change.Place]bool {
	out := map[change.Place]bool{}
	for _, l := range c.Left {
		out[l.Place] = l.Never
	}
	return out
}

// inForce tells of places whether what an undo did there still holds: it may have been taken back in part.
func (c *Call) inForce() func(change.Place) bool {
	if c.Rest == nil {
		return func(change.Place) bool { return true }
	}
	holds := map[change.Place]bool{}
	for _, ch := range c.Rest {
		holds[ch.Place] = true
	}
	return func(at change.Place) bool { return holds[at] }
}

// waits tells whether a call is there to be taken back by who names none. One of which only that is left which an undo
// left alone waits for force.
func (c *Call) waits(force bool) bool {
	switch {
	case c.Undone:
		return false
	case c.Rest == nil || !c.tried:
		return true
	}
	return force && !c.never
}

// stands is how many changes of a call are in force.
func (c *Call) stands() int {
	switch {
	case c.Undone:
		return 0
	case c.Rest != nil:
		return len(c.Rest)
	}
	return len(c.Changes)
}

// narrowed are calls as they are planned: of those that were taken back in part what is left of them. Whole ones are
// gone through as they happened, beside the undos that took them back.
func narrowed(calls []*Call, whole bool) []*Call {
	out := make([]*Call, 0, len(calls))
	for _, c := range calls {
		one := *c
		one.stood = c.stands()
		if whole {
			one.Rest = nil
		} else if one.Rest != nil {
			one.narrow()
		}
		out = append(out, &one)
	}
	return out
}

// narrow leaves in a call what is left of it, with the directories of that, and notes which changes these are.
func (c *Call) narrow() {
	rest, in := map[change.Place]bool{}, map[change.Place]bool{}
	for _, ch := range c.Rest {
		rest[ch.Place] = true
		in[ch.Place] = true
		in[ch.Parent()] = true
	}
	for i, ch := range c.Changes {
		if rest[ch.Place] {
			c.positions = append(c.positions, i)
		}
	}
	c.Changes = c.Rest
	c.Dirs = slices.DeleteFunc(slices.Clone(c.Dirs), func(d Dated) bool { return !in[d.Place] })
}

// leftOf are the steps that were refused, as the journal has them.
func leftOf(refused []Step) []Left {
	var out []Left
	for _, st := range refused {
		out = append(out, Left{st.Place, st.Never})
	}
	return out
}

// onlyOf says of which calls of a plan no more than a part is taken back: the numbers of their changes.
func (p *Plan) onlyOf() map[string][]int {
	var out map[string][]int
	for _, c := range p.Calls {
		if c.Rest == nil {
			continue
		}
		if out == nil {
			out = map[string][]int{}
		}
		out[c.ID] = c.positions
	}
	return out
}
