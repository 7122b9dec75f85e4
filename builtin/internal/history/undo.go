package history

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sort"

	"helve/internal/change"
	"helve/internal/git"
)

// maxMerge is up to how many bytes a text is merged: longer ones are a conflict where somebody changed them.
const maxMerge = 8 << 20

// A Step is what a plan does to one path.
type Step struct {
	change.Place
	Now  State // what stands there
	Left State // what the newest of the calls had left there
	Will State // what would stand there; with a conflict what would, if it were forced

	// Conflict says in words why the path is left alone; "": it is not.
	Conflict string
	Never    bool // of one that was refused: no force brings it back
	Merged   bool // what somebody changed since stays, beside what is undone

	dated  bool         // only the time of a directory changes
	denied bool         // it is not to be touched, by no force
	entry  change.Entry // what stands there, as the system told it
	text   []byte       // the content, where it was merged
}

// A Plan is what an undo or a redo would do.
type Plan struct {
	Kind  Kind
	Calls []Call // that are taken back, the newest first
	Steps []Step // by root and path; those of conflicts among them

	dates map[change.Place]int64 // the times that directories get
	seen  *sights                // what was looked at
	read  fs.FileInfo            // the journal as it was read; nil: unknown
}

// Conflicts are the steps that are left alone.
func (p *Plan) Conflicts() []Step {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s Step) bool { return s.Conflict == "" })
}

// ErrNothing: there is no call to take back.
var ErrNothing = errors.New("history: there is nothing to take back")

// ErrNoUndo: there is no undo to take back.
var ErrNoUndo = errors.New("history: there is nothing to redo")

// ErrForce: nothing is to be taken back but what was left alone, and waits for force.
var ErrForce = errors.New("history: there is nothing to take back but what was left alone")

// Plan plans what a wish means for the files as they are now.
func (s *Store) Plan(w Wish) (*Plan, error) {
	return s.plan(cmp.Or(w.Kind, Undo), func(g *log) ([]*Call, error) { return g.choose(w) })
}

// plan goes back through the calls that choose picks, the newest first.
func (s *Store) plan(kind Kind, choose func(*log) ([]*Call, error)) (*Plan, error) {
	g, unlock, err := s.open()
	if err != nil {
		return nil, err
	}
	defer unlock()
	calls, err := choose(g)
	if err != nil {
		return nil, err
	}
	if len(calls) == 0 {
		return nil, ErrNothing
	}
	p := &planner{
		s:     s,
		seen:  s.sights(),
		steps: map[change.Place]*Step{},
		dates: map[change.Place]int64{},
	}
	defer p.seen.close()
	out := &Plan{Kind: kind, seen: p.seen}
	out.read, _ = os.Lstat(s.journal())
	for _, c := range calls {
		out.Calls = append(out.Calls, *c)
		for _, ch := range slices.Backward(c.Changes) {
			p.back(ch)
			p.remake(ch)
		}
		p.backInTime(c.Dirs)
	}
	out.dates = p.dates
	if out.Steps = p.wanted(); len(out.Steps) == 0 {
		out.Steps = p.onlyDates()
	}
	return out, nil
}

// wanted are the steps that do something, or would if they were forced.
func (p *planner) wanted() []Step {
	var out []Step
	for _, st := range p.steps {
		dated := st.Will.Type == change.File && st.Will.Time != st.Now.Time
		if st.Will.Type == change.Link && st.Will.Time != 0 { // an older history does not say it
			dated = st.Will.Time != st.Now.Time
		}
		if st.Conflict != "" || st.text != nil || dated || !st.Now.equal(st.Will) {
			out = append(out, *st)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Place.Compare(out[j].Place) < 0 })
	return out
}

// A planner goes back, call by call.
type planner struct {
	s     *Store
	seen  *sights
	steps map[change.Place]*Step
	dates map[change.Place]int64
}

// back takes one change back, as far as what the calls after it left there allows.
func (p *planner) back(ch Change) {
	st := p.step(ch)
	switch {
	case st.Conflict != "":
		st.Will = ch.Was // forced, it goes back further
	case st.text == nil && (st.Will.same(ch.Now) || p.s.sameIndex(ch, st.Will)):
		p.restore(st, ch)
	case st.text == nil && st.Will.same(ch.Was):
		// somebody took it back by hand
	default:
		p.merge(st, ch)
	}
}

// step is what is known of a place; at first what stands there.
func (p *planner) step(ch Change) *Step {
	if st := p.steps[ch.Place]; st != nil {
		return st
	}
	st := &Step{Place: ch.Place, Left: ch.Now}
	p.steps[ch.Place] = st
	if p.seen.denies(ch.Place) {
		st.Conflict = "a rule denies it"
		st.denied = true
		return st
	}
	now, entry, err := p.seen.look(ch.Place)
	if err != nil {
		st.Conflict = fmt.Sprintf("it cannot be read: %v", err)
	}
	st.Now, st.Will, st.entry = now, now, entry
	return st
}

// known tells that a place is in a folder that the workspace has now.
func (s *Store) known(at change.Place) bool { return at.Root >= 0 && at.Root < len(s.o.Roots) }

// sameIndex tells whether a place is git's index, and says the same of every file as the one that a call left there:
// git notes the times of files in it whenever it looks.
func (s *Store) sameIndex(ch Change, now State) bool {
	dir, in := gitDir(ch.Place)
	isIndex := in && ch.Base() == "index" && ch.Parent() == dir
	if !isIndex || now.Type != change.File || ch.Now.Type != change.File {
		return false
	}
	text, err := s.Content(now, maxIndex)
	if err != nil { // it was never kept: it stands there
		text, err = s.standing(ch.Place, now)
	}
	if err != nil {
		return false
	}
	left, err := s.Content(ch.Now, maxIndex)
	return err == nil && git.SameIndex(text, left)
}

// standing is the content of what stands at a place, as a look saw it.
func (s *Store) standing(at change.Place, now State) ([]byte, error) {
	t, err := change.OpenTree(s.o.Roots[at.Root])
	if err != nil {
		return nil, err
	}
	defer t.Close()
	text, err := t.Read(at.Path, maxIndex)
	if err == nil && digestOf(text) != now.Object {
		err = ErrLate
	}
	return text, err
}

// restore has a place be as it was before the change. A mode that somebody set since stays.
func (p *planner) restore(st *Step, ch Change) {
	before := st.Will
	st.Will = ch.Was
	if before.Type == ch.Was.Type && before.Mode != ch.Now.Mode {
		st.Will.Mode = before.Mode
	}
	switch {
	case ch.Was.same(ch.Now):
	case ch.Was.Lost != "":
		st.Conflict = ch.Was.Lost
		st.Will = before
	case ch.Was.Special():
		st.Conflict = fmt.Sprintf("it was %v, which cannot be made again", ch.Was.Type)
		st.Will = before
	}
}

// notMerged says why what stands somewhere now is not merged with what stood there before a call.
func notMerged(now change.Type, ch Change) string {
	if now == ch.Now.Type {
		return fmt.Sprintf("before the call it was %v", ch.Was.Type)
	}
	return fmt.Sprintf("it is %v now, the call had left %v", now, ch.Now.Type)
}

// merge takes a change back out of a text that somebody changed since, where the
// two do not touch. A conflict's Will is what force would do: what was there before.
func (p *planner) merge(st *Step, ch Change) {
	conflict := func(why string) {
		st.Conflict = why
		st.Will = ch.Was
	}
	if st.Will.Type != change.File || ch.Now.Type != change.File || ch.Was.Type != change.File {
		conflict("somebody changed it since: " + notMerged(st.Will.Type, ch))
		return
	}
	now, err := p.textOf(st)
	if err != nil {
		conflict("somebody changed it since, and it cannot be read: " + err.Error())
		return
	}
	left, err1 := p.s.Content(ch.Now, maxMerge)
	was, err2 := p.s.Content(ch.Was, maxMerge)
	if err := errors.Join(err1, err2); err != nil {
		conflict("somebody changed it since, and what it was cannot be read: " + err.Error())
		return
	}
	text, ok := merge(left, now, was)
	if !ok {
		conflict("somebody changed it since, in the same lines")
		return
	}
	st.text = text
	st.Merged = true
	st.Will.Object = digestOf(text)
	st.Will.Size = int64(len(text))
	st.Will.Lost = ""
	st.Will.Time = 0 // it is a new text
}

// textOf is the content of a step as it is planned so far.
func (p *planner) textOf(st *Step) ([]byte, error) {
	switch {
	case st.text != nil:
		return st.text, nil
	case st.Will.Object != st.Now.Object:
		return p.s.Content(st.Will, maxMerge)
	}
	t, err := change.OpenTree(p.s.o.Roots[st.Root])
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Read(st.Path, maxMerge)
}
