package check

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"sort"

	"helve/internal/change"
	"helve/internal/fsroot"
)

// Options say where a set is to be made.
type Options struct {
	// Roots are the absolute paths of the directories, as in change.Options.
	Roots []string
	// Folder is the transaction's, where changes come from. It may be empty if none does.
	Folder string
	// Later are files that programs run later, beside those of package later.
	Later []Later
	// Getenv is the person's environment: it tells where their home and their own settings are. nil: they have none.
	Getenv func(string) string
	// Asks tells why another program would ask us no more if a place changed, "" if it would. nil: no place is such.
	Asks func(change.Place) string
	// New says that nobody was asked about what made the set: what has a new hidden name, or one that tells a model or
	// another program what to do, is found, too. nil: it is not.
	New *New
}

// A Finding is something dangerous in a set.
type Finding struct {
	// Index is the change's in its set.
	Index int
	// Place is what is dangerous: the change's, or one in it, if the change brings a directory as a whole.
	change.Place
	// Why says in words what would come of it.
	Why string
	// New says that nothing but its name is known of it: see Options.New.
	New bool
	// Git says that it is what git would make of a folder, in which other files have a part, too.
	Git bool
}

// Check finds what is dangerous in a set, in the order of its changes. Until it returns, nothing in the roots and the
// folder may be changed by those who made the set; what others change in the roots meanwhile is found out when the set
// is made.
func Check(ctx context.Context, o Options, set *change.Set) ([]Finding, error) {
	found, err := check(ctx, o, set, nil)
	if err == nil {
		err = ctx.Err() // what was found until then is not all
	}
	return o.withAsking(set, found, false), err
}

// check is Check; with a past the set was made already, and the past says what was before.
func check(ctx context.Context, o Options, set *change.Set, past *Past) ([]Finding, error) {
	if len(set.Changes) == 0 {
		return nil, nil
	}
	v, err := newView(o, set)
	if err != nil {
		return nil, err
	}
	defer v.close()
	v.past = past
	c := &checker{
		view:   v,
		o:      o,
		lost:   map[place]bool{},
		judged: map[place]bool{},
		held:   map[place]bool{},
		met:    map[place]bool{},
	}
	defer o.New.done()
	if err := c.ask(ctx, o); err != nil {
		return nil, err
	}
	for i := range set.Changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.change(ctx, i); err != nil {
			return nil, err
		}
	}
	sort.SliceStable(c.found, func(i, j int) bool { return c.found[i].Index < c.found[j].Index })
	return c.found, nil
}

// A checker goes through the changes of a set.
type checker struct {
	*view
	o      Options
	guard  *guarded
	asked  []*survey // of the states before and after
	found  []Finding
	held   map[place]bool // places of findings
	lost   map[place]bool // repositories of which nothing is left
	met    map[place]bool // directories that were asked about
	judged map[place]bool // directories that were looked at as repositories
	home   *place         // the person's, where it lies in the workspace; see isHome
}

// ask finds out what is obeyed before and after.
func (c *checker) ask(ctx context.Context, o Options) error {
	before, after := c.states()
	if c.past != nil {
		c.guard = c.past.guard.clone()
	} else {
		c.guard = newGuarded(o.Later)
		c.asked = append(c.asked, newSurvey(before, o.Getenv, c.guard))
	}
	c.asked = append(c.asked, newSurvey(after, o.Getenv, c.guard))
	for i := range c.set.Changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.meet(c.set.Changes[i].Place())
	}
	return nil
}

// meet asks about the repositories that a place lies in.
func (c *checker) meet(p place) {
	for d := p; d.Path != "."; {
		d = d.Parent()
		if c.met[d] {
			return
		}
		c.met[d] = true
		for _, s := range c.asked {
			dir := s.files.path(d)
			if !s.files.isAfter {
				s.inDir(dir)
			}
			if c.state(d) != (state{}) || s.files.look(s.end(dir+"/.git")).Type != change.None {
				s.top(dir)
			}
		}
	}
}

// An edge is one path before and after.
type edge struct {
	place
	was, will entry
}

// change judges one change, and everything in a directory that comes as a whole.
func (c *checker) change(ctx context.Context, i int) error {
	one := &c.set.Changes[i]
	c.path(i, edge{one.Place(), one.Was, one.Will})
	if one.Will.Type != change.Dir || one.From == "" {
		return nil
	}
	from := place{Path: one.From}
	return c.folder.Walk(one.From, func(at change.Name, e entry) error {
		rel, _ := below(place{Path: at}, from)
		c.path(i, edge{place: one.Place().Child(rel), will: e})
		return ctx.Err()
	})
}

// path judges what becomes of one path. What is in a directory that is held back goes with it.
func (c *checker) path(i int, e edge) {
	c.repositories(i, e)
	c.meet(e.place)
	c.touches(e.place)
	if d, in := c.enclosing(e.place); in && c.emptied(d) {
		c.blame(i, Loss)
		return
	}
	if c.past == nil && e.unchanged(&c.set.Changes[i]) || c.heldAbove(e.place) {
		return
	}
	why := c.judge(e)
	if why == "" {
		c.findNew(i, e.place, c.judgeNew(e))
		return
	}
	if _, in := c.enclosing(e.place); in || fsroot.Fold(e.Base()) == ".git" {
		c.findGit(i, e.place, why)
		return
	}
	c.find(i, e.place, why)
}

// unchanged reports a path that only gets another time or owner.
func (e edge) unchanged(c *change.Change) bool {
	if e.place != c.Place() || !c.Alters() {
		return false
	}
	return e.was.Mode == e.will.Mode
}

// heldAbove reports that a place, or a directory on the way to it, is held back already.
func (c *checker) heldAbove(p place) bool {
	if len(c.held) == 0 {
		return false
	}
	for ; p.Path != "."; p = p.Parent() {
		if c.held[p] {
			return true
		}
	}
	return false
}

// blame notes a whole change as dangerous.
func (c *checker) blame(i int, why string) {
	c.findGit(i, c.set.Changes[i].Place(), why)
}

// judge tells why one path may not become what it is to become, by itself and by the git directory that it is in.
func (c *checker) judge(e edge) string {
	if why := e.judgeKind(); why != "" {
		return why
	}
	if e.will.Type == change.None {
		return c.judgeGone(e)
	}
	if why := c.guard.why(e.place, e.will.Type == change.Dir); why != "" {
		return why
	}
	name := fsroot.Fold(e.Base())
	switch {
	case e.will.Type == change.Dir:
	case name == ".gitmodules":
		return c.judgeConfigFile(e.place, e.Parent(), true)
	case name == ".git":
		return cmp.Or(c.judgePointer(e.place, e.Parent(), 0), c.judgeTop(e.Parent()))
	case name == ".gitattributes":
		return c.judgeAttributes(e.place, false)
	}
	if why := c.judgeSettings(e.place); why != "" {
		return why
	}
	d, in := c.enclosing(e.place)
	if !in {
		return ""
	}
	if rel, _ := below(e.place, d); rel == "info/attributes" {
		return c.judgeAttributes(e.place, true)
	}
	return c.judgeInGit(e, d)
}

// judgeKind refuses devices, and programs that would run with the rights of their owner.
func (e edge) judgeKind() string {
	const special = fs.ModeSetuid | fs.ModeSetgid
	switch {
	case e.will.Type == change.Device:
		return "it is a device"
	case e.will.Type == change.File && e.will.Mode&special != 0:
		return "it would run with the rights of its owner, whoever starts it (set-user-ID or set-group-ID)"
	}
	return ""
}

// repositories looks at the directories above a path that become repositories by a change in them, or are not any more:
// git then takes another one for the repository.
func (c *checker) repositories(i int, e edge) {
	gone := e.was.Type != change.None && e.will.Type == change.None
	if c.loses(e.place) {
		c.findGit(i, e.place, Loss)
	}
	if gone && fsroot.Fold(e.Base()) == ".git" {
		c.findGit(i, e.place, c.judgeOuter(e.place))
	}
	for d := e.place; d.Path != "."; {
		d = d.Parent()
		if c.judged[d] {
			return // and all above it
		}
		c.judged[d] = true
		s := c.state(d)
		if s.after > s.before {
			c.becomes(i, d)
		}
		if s.before == gitDir && s.after != gitDir {
			if c.loses(d) {
				c.blame(c.cause(i, d), Loss)
			}
			c.blame(c.cause(i, d), c.judgeOuter(d))
		}
	}
}

// Loss is why a change is found that takes a repository away, or leaves what is none in its place.
const Loss = "a repository would be lost, and with it the history of what lies around it"

// loses tells that the folder around a repository stays, and the repository does not. With its whole folder it may go:
// a copy that was cloned for an hour.
func (c *checker) loses(d place) bool {
	if c.past != nil || fsroot.Fold(d.Base()) != ".git" {
		return false
	}
	s := c.state(d)
	if s.before != gitDir || s.after == gitDir {
		return false
	}
	if d.Parent().Path == "." {
		return true
	}
	up, err := c.after(d.Parent())
	return err == nil && up.Type == change.Dir
}

// emptied tells that another repository is put in the place of one: nothing is left of what that one had stored.
func (c *checker) emptied(d place) bool {
	lost, known := c.lost[d]
	if known {
		return lost
	}
	s := c.state(d)
	if c.past == nil && fsroot.Fold(d.Base()) == ".git" && s == (state{gitDir, gitDir}) {
		lost = c.stores(d, c.roots[d.Root].Names) && !c.stores(d, func(at change.Name) ([]string, error) {
			return c.names(place{Root: d.Root, Path: at})
		})
	}
	c.lost[d] = lost
	return lost
}

// stores tells that a repository has objects: in folders of two letters, or packed.
func (c *checker) stores(d place, names func(change.Name) ([]string, error)) bool {
	objects := d.Child("objects")
	loose, err := names(objects.Path)
	has := func(name string) bool { return len(name) == 2 }
	packs, bad := names(objects.Child("pack").Path)
	return err == nil && slices.ContainsFunc(loose, has) || bad == nil && len(packs) > 0
}

// becomes judges everything in a directory that becomes a repository. What the set does not bring is held back by the
// change that makes it count.
func (c *checker) becomes(i int, d place) {
	if fsroot.Fold(d.Base()) == ".git" {
		c.blame(c.cause(i, d), c.judgeTop(d.Parent()))
	}
	for _, x := range c.dangers(d, 0) {
		if own, brought := c.bringer(x.at); brought {
			c.findGit(own, x.at, x.why)
			continue
		}
		why := fmt.Sprintf("it makes %s a repository of git's, where %s", d.Path, x)
		c.blame(c.cause(i, d), why)
	}
}

// bringer is the change that brings what will stand at a place.
func (c *checker) bringer(p place) (int, bool) {
	for up := p; ; up = up.Parent() {
		i, changed := c.at[up]
		if changed {
			one := &c.set.Changes[i]
			if c.past != nil {
				return i, up == p && one.Will.Type != change.None
			}
			return i, up == p && !one.Alters() || one.From != ""
		}
		if up.Path == "." {
			return 0, false
		}
	}
}

// cause is the change by which a directory becomes a repository, or is one no more; i where none is found.
func (c *checker) cause(i int, d place) int {
	for _, name := range []string{"HEAD", "commondir", "objects", "refs"} {
		if j, changed := c.at[d.Child(name)]; changed {
			return j
		}
	}
	for ; d.Path != "."; d = d.Parent() {
		if j, changed := c.at[d]; changed {
			return j
		}
	}
	return i
}

// judgeOuter tells why a repository may not go: git would take one for it that stands around it, and was there before.
func (c *checker) judgeOuter(gone place) string {
	for d := gone; d.Path != "."; {
		d = d.Parent()
		if c.state(d).after != gitDir {
			continue
		}
		if found := c.dangers(d, 0); len(found) > 0 {
			return fmt.Sprintf("without it git takes %s for the repository, where %s", d.Path, found[0])
		}
	}
	return ""
}
