package change

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of a set, which may come from a command that somebody else wrote.
const (
	// MaxChanges is how many changes one set may have: a large node_modules has 100,000 files, and a million changes
	// are a gigabyte of memory. Whole directories count once.
	MaxChanges = 1_000_000
	// maxPath and maxName are what Linux takes.
	maxPath = 4096
	maxName = 255
)

// ErrSet wraps what is wrong with a set as such: nothing was changed.
var ErrSet = errors.New("not a set of changes")

// A Set is what is to become of some paths. Its order is of no meaning.
type Set struct {
	Changes []Change
	// Units holds what units want beside their changes. A unit that is not in it wants nothing.
	Units map[string]Unit
	// Settle is called once when the set is made, while the locks of its units are held, with what [Transaction.Apply]
	// is about to report. After a kill it is not called any more, and what it left half done goes. Nil: nothing.
	Settle func(*Transaction, *Report) error
}

// A Change is what becomes of one path.
type Change struct {
	// Root is the index of the path's root in Options.Roots.
	Root int
	Path Name
	// Was is what must stand there; it is compared with what does, as far as Was knows it.
	Was Entry
	// Will is what stands there afterwards. With the type of Was and no content, only mode, owner and time change.
	Will Entry

	// The new content, one of the two. From is a path below the transaction's folder where a file, a link or a whole
	// directory lies ready, which is moved; what was replaced lies there afterwards. Write writes a file's content.
	From  Name
	Write func(io.Writer) error

	// Stale says that somebody changed the path while the set came to be: it is refused like any path that somebody
	// changed later.
	Stale bool

	// Unit joins changes that are made together or not at all. Changes without one stand for themselves.
	Unit string
	// Rank orders: lower ranks are made first, whatever the paths.
	Rank int
	// Whole says that a directory comes or goes with everything in it, of which the set says nothing more.
	Whole bool
	// Shared says that what stands there already will do if it is of the same type: a directory, or a file that is
	// named after its content.
	Shared bool
}

// A Unit says what a unit wants beside its changes.
type Unit struct {
	// Lock is a file that programs make while they change this unit, as git makes index.lock. It is made for as long
	// as the unit is changed; where it exists, the unit is refused. Nil: none.
	Lock *Place
	// Still are paths that must stand as they did, though the unit does not change them.
	Still []Expected
}

// A Place is a path below a root.
type Place struct {
	Root int  `json:"root,omitempty"`
	Path Name `json:"path"`
}

// Compare orders by root, then by the bytes of the path: a directory comes before what is in it.
func (p Place) Compare(o Place) int {
	return cmp.Or(cmp.Compare(p.Root, o.Root), cmp.Compare(p.Path, o.Path))
}

// Expected is what must stand at a place.
type Expected struct {
	Place
	Was Entry
	// Stale is as in a Change.
	Stale bool
}

// Parent is the directory of a place; the root, ".", is its own. It is a part of the same text: thousands of folders
// in each other are gone up from everywhere in them.
func (p Place) Parent() Place {
	i := strings.LastIndexByte(string(p.Path), '/')
	if i <= 0 {
		return Place{p.Root, "."}
	}
	return Place{p.Root, p.Path[:i]}
}

// Check refuses what is no place below one of so many roots.
func (p Place) Check(roots int) error {
	if p.Root < 0 || p.Root >= roots {
		return fmt.Errorf("root %d of %d", p.Root, roots)
	}
	return checkPath(string(p.Path))
}

// Base is the last part of the path.
func (p Place) Base() string { return base(p.Path) }

// Child is a place below the directory p.
func (p Place) Child(rel string) Place {
	return Place{p.Root, in(p.Path, rel)}
}

// Within reports that p is q or lies below it.
func (p Place) Within(q Place) bool {
	if p.Root != q.Root {
		return false
	}
	below := string(q.Path) + "/"
	return p.Path == q.Path || strings.HasPrefix(string(p.Path), below)
}

// Place is where the change is made.
func (c *Change) Place() Place { return Place{c.Root, c.Path} }

// Alters reports a change of nothing but mode, owner and time.
func (c *Change) Alters() bool {
	return c.Was.Type == c.Will.Type && !c.hasContent()
}

// hasContent reports that something new comes to the path.
func (c *Change) hasContent() bool {
	if c.From != "" || c.Write != nil {
		return true
	}
	return c.Will.Type == Link && c.Will.Target != c.Was.Target
}

// check refuses what no set may hold.
func (s *Set) check(roots int) error {
	if len(s.Changes) > MaxChanges {
		return fmt.Errorf("change: %w: %d changes, at most %d", ErrSet, len(s.Changes), MaxChanges)
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		if err := c.check(roots); err != nil {
			return fmt.Errorf("change: %w: %q: %w", ErrSet, string(c.Path), err)
		}
	}
	return nil
}

// check refuses a change that cannot be made whatever stands there.
func (c *Change) check(roots int) error {
	if err := checkPath(string(c.Path)); err != nil {
		return err
	}
	switch {
	case c.Root < 0 || c.Root >= roots:
		return fmt.Errorf("root %d of %d", c.Root, roots)
	case c.Was.Type == None && c.Will.Type == None:
		return errors.New("nothing becomes nothing")
	case c.From != "":
		if err := checkPath(string(c.From)); err != nil {
			return err
		}
	}
	return c.checkContent()
}

// checkContent refuses a change whose content does not fit what is to stand there.
func (c *Change) checkContent() error {
	same := c.Was.Type == c.Will.Type
	switch {
	case c.From != "" && c.Write != nil:
		return errors.New("its content comes from two places")
	case c.From != "" && c.Will.Type == None:
		return errors.New("what goes has no content")
	case c.Write != nil && c.Will.Type != File:
		return errors.New("only a file is written")
	case same || c.hasContent():
		return nil
	case c.Will.Type == File:
		return errors.New("a file without content: give it an empty one")
	case c.Will.Special():
		return errors.New("a special file must lie ready")
	}
	return nil
}

// checkPath refuses what is no path below a root, as the system or a person could write it.
func checkPath(p string) error {
	if p == "" || len(p) > maxPath {
		return fmt.Errorf("a path of %d bytes, it must have 1 to %d", len(p), maxPath)
	}
	if strings.ContainsRune(p, 0) {
		return errors.New("it holds a NUL byte")
	}
	for name := range strings.SplitSeq(p, "/") {
		switch {
		case name == "" || name == "." || name == "..":
			return fmt.Errorf("it has a part %q", name)
		case len(name) > maxName:
			return fmt.Errorf("a part of it has %d bytes, at most %d", len(name), maxName)
		}
	}
	return nil
}
