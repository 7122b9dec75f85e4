package check

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/change"
	"helve/internal/git"
)

// The words of package change that stand in nearly every line here.
type (
	place = change.Place
	entry = change.Entry
)

// maxText bounds what is read of one file that is judged by its content: a configuration of git's is a few kilobytes.
// The index of a large repository is larger.
const (
	maxText  = 1 << 20
	maxIndex = 512 << 20
)

// Why a file is not judged by its content. Both hold back what depends on it.
var (
	errTooLarge = errors.New("it is too large to be judged")
	errNotThere = errors.New("it is not there")
)

// A view is a workspace as it is, and as it will be when a set was made.
type view struct {
	set    *change.Set
	folder *change.Tree // where changes come from
	roots  []*change.Tree
	dirs   []string           // the roots' paths, clean and absolute
	at     map[place]int      // the change of a place
	added  map[place][]string // what the set has stand in a directory, by name
	texts  map[place][]byte   // what changes write
	known  map[place]state    // of directories: whether git takes them for its own
	past   *Past              // what was before a set that was made already; nil: it is still to be made
}

// newView opens the roots and the folder. The caller must close the view.
func newView(o Options, set *change.Set) (*view, error) {
	v := &view{
		set:   set,
		at:    make(map[place]int, len(set.Changes)),
		added: map[place][]string{},
		texts: map[place][]byte{},
		known: map[place]state{},
	}
	for i := range set.Changes {
		c := &set.Changes[i]
		p := c.Place()
		v.at[p] = i
		if c.Will.Type != change.None {
			up := p.Parent()
			v.added[up] = append(v.added[up], p.Base())
		}
	}
	for _, dir := range o.Roots {
		tree, err := change.OpenTree(dir)
		if err != nil {
			v.close()
			return nil, err
		}
		v.roots = append(v.roots, tree)
		v.dirs = append(v.dirs, filepath.Clean(dir))
	}
	if o.Folder == "" {
		return v, nil
	}
	var err error
	if v.folder, err = change.OpenTree(o.Folder); err != nil {
		v.close()
		return nil, err
	}
	return v, nil
}

// close closes what newView opened, as far as it got.
func (v *view) close() {
	for _, t := range v.roots {
		t.Close()
	}
	if v.folder != nil {
		v.folder.Close()
	}
}

// A source is where that lies now which will stand at a place.
type source struct {
	tree *change.Tree // nil: nowhere yet
	path change.Name
	own  *change.Change // that says what stands there; nil: it is found in tree
}

// find tells where what will stand at a place is now; false: nothing will.
func (v *view) find(p place) (source, bool) {
	for up := p; ; up = up.Parent() {
		i, changed := v.at[up]
		switch {
		case changed && up == p:
			return v.sourceOf(&v.set.Changes[i])
		case changed:
			return v.inside(&v.set.Changes[i], p)
		case up.Path == ".":
			return source{tree: v.roots[p.Root], path: p.Path}, true
		}
	}
}

// sourceOf is where a change's own content lies.
func (v *view) sourceOf(c *change.Change) (source, bool) {
	s := source{own: c}
	switch {
	case v.past != nil:
		s.tree, s.path = v.roots[c.Root], c.Path
	case c.From != "":
		s.tree, s.path = v.folder, c.From
	case c.Alters():
		s.tree, s.path = v.roots[c.Root], c.Path
	}
	return s, c.Will.Type != change.None
}

// inside is where that lies which is in a directory that a change speaks of, and which no change names.
func (v *view) inside(c *change.Change, p place) (source, bool) {
	switch {
	case c.Will.Type != change.Dir:
		return source{}, false
	case v.past != nil:
		return source{tree: v.roots[p.Root], path: p.Path}, true
	case c.From != "":
		rel, _ := below(p, c.Place())
		return source{tree: v.folder, path: join(c.From, rel)}, true
	}
	return source{tree: v.roots[p.Root], path: p.Path}, c.Alters()
}

// after tells what will stand at a place.
func (v *view) after(p place) (entry, error) {
	s, there := v.find(p)
	switch {
	case !there:
		return entry{}, nil
	case s.own != nil:
		return s.own.Will, nil
	}
	return s.tree.Look(s.path)
}

// before tells what stands at a place.
func (v *view) before(p place) (entry, error) {
	if v.past != nil {
		return v.past.entries[p], nil
	}
	return v.roots[p.Root].Look(p.Path)
}

// read is the text of a file as it will be.
func (v *view) read(p place, limit int64) ([]byte, error) {
	s, there := v.find(p)
	switch {
	case !there:
		return nil, errNotThere
	case s.tree != nil:
		return s.tree.Read(s.path, limit)
	case s.own.Write == nil:
		return nil, errNotThere
	}
	if text, known := v.texts[p]; known {
		return text, nil
	}
	var b bytes.Buffer
	if err := s.own.Write(&limited{&b, limit}); err != nil {
		return nil, err
	}
	v.texts[p] = b.Bytes()
	return b.Bytes(), nil
}

// limited writes up to a limit.
type limited struct {
	to   io.Writer
	left int64
}

// Write writes all of p or nothing.
func (l *limited) Write(p []byte) (int, error) {
	if l.left -= int64(len(p)); l.left < 0 {
		return 0, errTooLarge
	}
	return l.to.Write(p)
}

// readBefore is the text of a file as it is; nil where none is.
func (v *view) readBefore(p place, limit int64) []byte {
	if v.past != nil {
		return v.past.texts[p]
	}
	text, err := v.roots[p.Root].Read(p.Path, limit)
	if err != nil {
		return nil
	}
	return text
}

// names lists what will be in a directory.
func (v *view) names(p place) ([]string, error) {
	s, there := v.find(p)
	if !there {
		return nil, nil
	}
	seen := map[string]bool{}
	for _, name := range v.added[p] {
		seen[name] = true
	}
	out := slices.Clone(v.added[p])
	if s.tree == nil {
		return out, nil
	}
	found, err := s.tree.Names(s.path)
	if err != nil {
		return nil, err
	}
	for _, name := range found {
		_, changed := v.at[p.Child(name)]
		if !changed && !seen[name] {
			out = append(out, name)
		}
	}
	return out, nil
}

// locate finds the place that a path leads to as git reads it: relative to a directory, or absolute. False: it leads
// out of the workspace.
func (v *view) locate(from place, to string) (place, bool) {
	if !filepath.IsAbs(to) {
		here := filepath.FromSlash(string(from.Path))
		to = filepath.Join(v.dirs[from.Root], here, to)
	}
	for i, dir := range v.dirs {
		rel, err := filepath.Rel(dir, to)
		if err == nil && filepath.IsLocal(rel) {
			rel = filepath.ToSlash(rel)
			return place{Root: i, Path: change.Name(rel)}, true
		}
	}
	return place{}, false
}

// straight reports that no part of a path is a link: it leads where it says, also when git follows it later.
func (v *view) straight(p place) bool {
	for ; p.Path != "."; p = p.Parent() {
		e, err := v.after(p)
		if err != nil || e.Type == change.Link {
			return false
		}
	}
	return true
}

// below is the path of p below dir, if it lies there.
func below(p, dir place) (string, bool) {
	switch {
	case p.Root != dir.Root:
		return "", false
	case dir.Path == ".":
		return string(p.Path), p.Path != "."
	}
	return strings.CutPrefix(string(p.Path), string(dir.Path)+"/")
}

// join is a path below another one.
func join(dir change.Name, rel string) change.Name {
	return place{Path: dir}.Child(rel).Path
}

// settings are those of a git directory's own configuration, none if it cannot be read.
func (v *view) settings(d place) []git.Setting {
	text, err := v.read(d.Child("config"), maxText)
	if err != nil {
		return nil
	}
	settings, _ := git.ParseConfig(text)
	return settings
}
