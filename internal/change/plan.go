package change

import (
	"cmp"
	"fmt"
	"slices"
)

// action is how a change is made.
type action string

const (
	put   action = "put"   // what is in the slot goes to the place, where nothing stands
	swap  action = "swap"  // slot and place exchange what they hold
	take  action = "take"  // what is at the place goes to the slot
	alter action = "alter" // mode, owner and time of what stands at the place
)

// A step is one change as it is made, undone and repaired. Where its new and old content lie tells how far it got: the
// journal need not be written again.
type step struct {
	Place
	Do   action `json:"do"`
	Slot slot   `json:"slot,omitzero"`
	Was  Entry  `json:"was,omitzero"`
	// Will is, once it is staged, the very entry that comes to the place.
	Will  Entry  `json:"will,omitzero"`
	Unit  string `json:"unit,omitempty"`
	Whole bool   `json:"whole,omitempty"`
	// Late is a step of our own: it opens a directory for what is to happen in it, or closes it in the end.
	Late bool `json:"late,omitempty"`
	// Redo is a step that a repair makes in any case, because a late one comes before it.
	Redo bool `json:"redo,omitempty"`

	change *Change // nil in a step that was read from a journal
	index  int     // of the change in its set; -1 for a step that goes along with another
	rank   int
	done   bool
	met    bool  // what stands there already will do
	why    error // why it is not made; nil: it is
}

// A slot is where a step's content waits, and what it replaced is kept.
type slot struct {
	// Path is relative to the transaction's folder or, if Near, to the step's root.
	Path Name `json:"path,omitempty"`
	// Near slots lie in the root, because nothing can be renamed between it and the folder.
	Near bool `json:"near,omitempty"`
}

// A plan is the steps of one set, in the order in which they are made.
type plan struct {
	steps  []*step
	at     map[Place]*step
	inUnit map[string][]*step
	units  map[string]Unit
	settle func(*Transaction, *Report) error // nil where a repair has only the journal
}

// newPlan orders a set. It looks at no file.
func newPlan(s *Set) (*plan, error) {
	p := emptyPlan(len(s.Changes))
	p.units = s.Units
	for i := range s.Changes {
		c := &s.Changes[i]
		if p.at[c.Place()] != nil {
			return nil, fmt.Errorf("change: %w: %q: is in it twice", ErrSet, string(c.Path))
		}
		st := c.step()
		st.index = i
		p.steps = append(p.steps, st)
		p.at[st.Place] = st
	}
	if err := p.checkParents(); err != nil {
		return nil, err
	}
	p.rankParents()
	p.closeLate()
	slices.SortStableFunc(p.steps, byPhase)
	p.group()
	return p, nil
}

// emptyPlan is a plan with room for so many steps.
func emptyPlan(steps int) *plan {
	return &plan{
		at:     make(map[Place]*step, steps),
		inUnit: map[string][]*step{},
	}
}

// step is a change as it is made.
func (c *Change) step() *step {
	return &step{
		Place:  c.Place(),
		Do:     c.action(),
		Was:    c.Was,
		Will:   c.Will,
		Unit:   c.Unit,
		Whole:  c.Whole,
		change: c,
		rank:   c.Rank,
	}
}

// action is how a change is made: what stands and what is to stand decide.
func (c *Change) action() action {
	switch {
	case c.Was.Type == None:
		return put
	case c.Will.Type == None:
		return take
	case c.Alters():
		return alter
	}
	return swap
}

// makesDir reports a step after which a directory stands where none stood.
func (st *step) makesDir() bool {
	return st.Will.Type == Dir && (st.Do == put || st.Do == swap)
}

// endsDir reports a step after which the directory that stood there stands no more.
func (st *step) endsDir() bool {
	return st.Was.Type == Dir && (st.Do == take || st.Do == swap)
}

// makes reports that a step of the set makes a directory at a place.
func (p *plan) makes(at Place) bool {
	st := p.at[at]
	return st != nil && st.makesDir() && st.why == nil
}

// staysOpen reports that no step of the set ends or closes the directory at a place.
func (p *plan) staysOpen(at Place) bool {
	st := p.at[at]
	return st == nil || !st.endsDir() && (st.Do != alter || writable(st.Will))
}

// checkParents refuses sets in which something is to stand where its directory does not.
func (p *plan) checkParents() error {
	for _, st := range p.steps {
		up := p.at[st.Parent()]
		if up == nil {
			continue
		}
		bad := func(why string) error {
			return fmt.Errorf("change: %w: %q: %s", ErrSet, string(st.Path), why)
		}
		switch {
		case up.Whole:
			return bad("its directory is changed as a whole")
		case st.Will.Type != None && up.Will.Type != Dir:
			return bad("there is no directory for it")
		case st.Was.Type != None && up.Was.Type != Dir:
			return bad("there was no directory for it")
		}
	}
	return nil
}

// rankParents has directories come before what is in them, and go after it, whatever the ranks say. Steps are visited
// from the deepest up, so that one pass is enough.
func (p *plan) rankParents() {
	deepest := slices.Clone(p.steps)
	slices.SortFunc(deepest, func(a, b *step) int {
		return cmp.Compare(len(b.Path), len(a.Path))
	})
	for _, st := range deepest {
		up := p.at[st.Parent()]
		if up == nil {
			continue
		}
		if up.makesDir() && st.Will.Type != None {
			up.rank = min(up.rank, st.rank)
		}
		if up.endsDir() && st.Was.Type != None {
			up.rank = max(up.rank, st.rank)
		}
	}
}

// ownerWrites are the permissions without which the owner can change nothing in a directory.
const ownerWrites = 0o300

// closeLate has new directories that nobody may write to get their mode when everything in them is in place.
func (p *plan) closeLate() {
	for _, st := range slices.Clone(p.steps) {
		if !st.makesDir() || st.Whole || st.change.From != "" || writable(st.Will) {
			continue
		}
		closed := st.Will
		st.Will.Mode |= ownerWrites
		p.steps = append(p.steps, late(st.Place, st.Will, closed))
	}
}

// late is a step that changes a directory's mode for the sake of others.
func late(at Place, was, will Entry) *step {
	return &step{
		Place: at,
		Do:    alter,
		Was:   was,
		Will:  will,
		Late:  true,
		Redo:  true,
		index: -1,
	}
}

// writable reports a directory in which its owner may change something.
func writable(e Entry) bool { return e.Mode&ownerWrites == ownerWrites }

// openUp has the directories in which something changes be writable meanwhile, and closed again in the end. look tells
// what stands at a place.
func (p *plan) openUp(look func(Place) (Entry, error)) error {
	seen := map[Place]bool{}
	for _, st := range slices.Clone(p.steps) {
		up := st.Parent()
		if !st.changesDir() || seen[up] || p.makes(up) {
			continue
		}
		seen[up] = true
		now, err := look(up)
		if err != nil {
			return err
		}
		if now.Type == Dir && !writable(now) {
			p.open(up, now)
		}
	}
	slices.SortStableFunc(p.steps, byPhase)
	return nil
}

// changesDir reports a step that changes the names in a directory below a root.
func (st *step) changesDir() bool {
	return st.why == nil && st.Do != alter && st.Parent().Path != "."
}

// open adds the steps that open and close a directory. What the set itself does with it finds it open.
func (p *plan) open(at Place, now Entry) {
	opened := now
	opened.Mode |= ownerWrites
	if own := p.at[at]; own != nil {
		if own.phase() == phaseOpen && own.why == nil {
			return // the set does so itself
		}
		own.Was.Mode, own.Redo = opened.Mode, own.Do == alter
	}
	p.steps = append(p.steps, late(at, now, opened), late(at, opened, now))
}

// needless reports a step that closes a directory which the set gave another mode.
func (p *plan) needless(st *step) bool {
	own := p.at[st.Place]
	return st.Late && st.phase() == phaseClose && own != nil && own.Do == alter && own.done
}

// The phases of a plan: directories are opened for writing first, and closed and dated last.
const (
	phaseOpen = iota
	phaseFill
	phaseAlter
	phaseClose
)

// phase says in which part of the work a step is made.
func (st *step) phase() int {
	switch {
	case st.Do != alter:
		return phaseFill
	case st.Was.Type == Dir && writable(st.Will) && !writable(st.Was):
		return phaseOpen
	case st.Late:
		return phaseClose
	}
	return phaseAlter
}

// byPhase puts phases and ranks first; then what comes, directories before what is in them; then what goes, directories
// after it. What is renamed in a set is therefore for a moment there twice, never not at all.
func byPhase(a, b *step) int {
	return cmp.Or(
		cmp.Compare(a.phase(), b.phase()),
		cmp.Compare(a.rank, b.rank),
		comparePaths(a, b),
	)
}

// comparePaths puts what comes before what goes, and reverses the paths of what goes.
func comparePaths(a, b *step) int {
	aGoes, bGoes := a.endsLast(), b.endsLast()
	switch {
	case aGoes && bGoes:
		return b.Place.Compare(a.Place)
	case aGoes:
		return 1
	case bGoes:
		return -1
	}
	return a.Place.Compare(b.Place)
}

// endsLast reports a step that waits for others to empty its directory, or one of those others.
func (st *step) endsLast() bool {
	return st.Do == take || st.Do == swap && st.endsDir() && st.Will.Type != Dir
}

// group notes which steps belong together.
func (p *plan) group() {
	for _, st := range p.steps {
		if st.Unit != "" {
			p.inUnit[st.Unit] = append(p.inUnit[st.Unit], st)
		}
	}
}

// refuse has a step, and with it its unit, not be made. It returns whether anything is new.
func (p *plan) refuse(st *step, why error) bool {
	if st.why != nil {
		return false
	}
	st.why = why
	if st.Unit == "" {
		return true
	}
	for _, other := range p.inUnit[st.Unit] {
		if other.why == nil {
			other.why = fmt.Errorf("it goes with %s: %w", quoted(st.Path), why)
		}
	}
	return true
}

// spread refuses what cannot be without a step that was refused: what is in a directory that does not come, and a
// directory that keeps something.
func (p *plan) spread() {
	for again := true; again; {
		again = false
		for _, st := range p.steps {
			up := p.at[st.Parent()]
			if up != nil && !st.Late && p.spreadTo(up, st) {
				again = true
			}
		}
	}
}

// spreadTo is spread for a step and that of its directory. It returns whether anything is new.
func (p *plan) spreadTo(up, st *step) bool {
	switch {
	case up.why != nil && up.makesDir() && st.Will.Type != None:
		return p.refuse(st, fmt.Errorf("its directory is not there: %w", up.why))
	case st.why != nil && up.endsDir() && st.Was.Type != None:
		name := quoted(Name(st.Base()))
		return p.refuse(up, fmt.Errorf("%s stays in it: %w", name, st.why))
	}
	return false
}

// quoted is a name as it can be read in a line.
func quoted(n Name) string {
	text, _ := n.MarshalText() // it has no error
	return string(text)
}
