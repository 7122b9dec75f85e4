package fsroot

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Bounds of a path from outside. Linux takes 4,096 bytes and 255 a name; the number of names and of
// steps (which links add to) bounds the work that a hostile tree of links can cause; 40 links are
// the kernel's own bound.
const (
	maxPath  = 4096
	maxName  = 255
	maxDepth = 256
	maxSteps = 1024
	maxLinks = 40
)

// A Path is a place below a root, every link on the way resolved. It says nothing about what is
// there: nothing may be.
type Path struct {
	root *Root
	rel  string // slash-separated, "." for the root itself
	in   string // as asked for
}

// Root is the root that the place is below.
func (p Path) Root() *Root { return p.root }

// Rel is the place below the root, slash-separated, with the names as the model and the links wrote
// them.
func (p Path) Rel() string { return p.rel }

// Abs is the place as this host names it.
func (p Path) Abs() string { return filepath.Join(p.root.Dir(), filepath.FromSlash(p.rel)) }

// Asked is the path as it was asked for.
func (p Path) Asked() string { return p.in }

// Shown is Asked as tools show it in a line of text; see [Quote].
func (p Path) Shown() string { return Quote(p.in) }

// Target is the place as a policy judges it: relative to the first root, or "//name/…" below
// another; case-folded where the file system folds, with U+FFFD for every byte that is no UTF-8.
func (p Path) Target() string {
	rel := p.rel
	if p.root.folds {
		rel = Fold(rel)
	}
	return runes(p.root.prefix() + rel)
}

// Pattern is the place as rules name it: as Target, in its own case.
func (p Path) Pattern() string { return runes(p.root.prefix() + p.rel) }

// String is the path for people and models: relative to the first root, or "//name/…" below
// another, quoted where it could not be read.
func (p Path) String() string { return Quote(p.root.prefix() + p.rel) }

// Parent is the directory of the place; the root is its own parent.
func (p Path) Parent() Path { return Path{p.root, path.Dir(p.rel), p.in} }

// Join is a place below p. The names must come from a listing of p: links are not resolved.
func (p Path) Join(name string) Path { return Path{p.root, path.Join(p.rel, name), p.in} }

func (r *Root) prefix() string {
	if r.name == "" {
		return ""
	}
	return "//" + r.name + "/"
}

// Resolve finds the place that a path names: absolute, relative to dir (itself absolute, or
// relative to the first root; "" is the first root), or "//name/…" for a root by its name; quoted,
// as [Quote] gives it, or not. Links are resolved as the kernel resolves them; an absolute link
// that leads back into a root is followed. What does not exist is taken literally. A path that
// leads out is an *Error of ErrOutside, whose Path is the absolute place where it leads.
func (s *Set) Resolve(dir, asked string) (Path, error) {
	plain := unquote(asked)
	if err := check(plain); err != nil {
		return Path{}, err
	}
	w := walk{set: s, asked: asked}
	root, rest, err := s.enter(dir, plain)
	if err != nil {
		return Path{}, err
	}
	if err := w.run(root, rest); err != nil {
		return Path{}, err
	}
	return Path{w.root, w.place(), asked}, nil
}

func check(asked string) error {
	bad := func(hint string) error { return fail("resolve", show(asked), ErrBadPath, hint) }
	switch {
	case asked == "":
		return bad("the path is empty")
	case strings.ContainsRune(asked, 0):
		return bad("it has a NUL byte")
	case len(asked) > maxPath:
		return bad("it is longer than 4096 bytes")
	}
	for _, name := range names(asked) {
		if len(name) > maxName {
			return bad("a name in it is longer than 255 bytes")
		}
	}
	if why := pathFault(asked); why != "" {
		return bad(why)
	}
	if strings.HasPrefix(asked, "~") {
		return fail("resolve", asked, ErrOutside, "~ is not expanded; write ./~… for a name that begins so")
	}
	return nil
}

// show cuts a path that is too long to repeat.
func show(p string) string {
	if len(p) > maxName {
		return p[:maxName] + "…"
	}
	return p
}

func names(p string) []string { return strings.Split(filepath.ToSlash(p), "/") }

// enter finds the root where the walk begins and the names that are left.
func (s *Set) enter(dir, asked string) (*Root, []string, error) {
	if r, rest, ok := s.byName(asked); ok {
		return r, rest, nil
	}
	if len(s.roots) == 0 {
		return nil, nil, fail("resolve", asked, ErrOutside, "there is no workspace")
	}
	full := filepath.FromSlash(hostPath(asked, s.roots[0].Dir()))
	switch {
	case filepath.IsAbs(full):
	case filepath.IsAbs(dir):
		full = dir + string(filepath.Separator) + full
	case dir != "":
		return s.roots[0], append(names(dir), names(asked)...), nil
	default:
		return s.roots[0], names(asked), nil
	}
	return s.byPrefix(asked, full)
}

// byName takes "//name/path", the form in which places below other roots than the first are shown.
func (s *Set) byName(asked string) (*Root, []string, bool) {
	rest, ok := strings.CutPrefix(asked, "//")
	if !ok {
		return nil, nil, false
	}
	parts := strings.Split(rest, "/")
	for _, r := range s.roots {
		if r.name != "" && r.name == parts[0] {
			return r, parts[1:], true
		}
	}
	return nil, nil, false
}

// byPrefix finds the deepest root that an absolute path begins with.
func (s *Set) byPrefix(asked, full string) (*Root, []string, error) {
	var best *Root
	var rest []string
	size := -1
	for _, r := range s.roots {
		for _, name := range r.names {
			if left, ok := below(full, name, r.folds); ok && len(name) > size {
				best, rest, size = r, left, len(name)
			}
		}
	}
	if best == nil {
		return nil, nil, outside(asked, full)
	}
	return best, rest, nil
}

// below cuts the names of dir off the names of full; it looks at names, not at bytes: /ws-evil is
// not below /ws.
func below(full, dir string, folded bool) ([]string, bool) {
	have, want := words(full), words(dir)
	if len(have) < len(want) {
		return nil, false
	}
	for i, w := range want {
		if have[i] != w && !(folded && Fold(have[i]) == Fold(w)) {
			return nil, false
		}
	}
	return have[len(want):], true
}

// words are the names of a path, without the empty ones and the dots.
func words(p string) []string {
	var out []string
	for _, n := range names(p) {
		if n != "" && n != "." {
			out = append(out, n)
		}
	}
	return out
}

func outside(asked, place string) error {
	return fail("resolve", filepath.Clean(place), ErrOutside, "asked for as "+show(asked)+"; stay below the workspace or ask the user to add a root")
}

// A walk resolves one path name by name.
type walk struct {
	set   *Set
	asked string
	root  *Root
	done  []string // names without links, below root
	steps int
	links int
}

func (w *walk) place() string {
	if len(w.done) == 0 {
		return "."
	}
	return strings.Join(w.done, "/")
}

func (w *walk) run(root *Root, rest []string) error {
	w.root, w.done = root, nil
	for len(rest) > 0 {
		if w.steps++; w.steps > maxSteps || len(w.done) > maxDepth {
			return fail("resolve", show(w.asked), ErrBadPath, "it has too many names")
		}
		next, err := w.step(rest[0], rest[1:])
		if err != nil {
			return err
		}
		rest = next
	}
	return nil
}

// step takes one name and returns the names that are left then.
func (w *walk) step(name string, rest []string) ([]string, error) {
	switch name {
	case "", ".":
		return rest, nil
	case "..":
		if len(w.done) == 0 {
			return w.jump(filepath.Dir(w.root.Dir()), rest)
		}
		w.done = w.done[:len(w.done)-1]
		return rest, nil
	}
	w.done = append(w.done, name)
	fi, err := w.root.dir.Lstat(w.place())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.absent(rest)
	case err != nil:
		return nil, fail("resolve", show(w.asked), err, "")
	case isLink(fi):
		return w.follow(rest)
	case len(rest) > 0 && !fi.IsDir() && strings.Join(rest, "") != "":
		return nil, fail("resolve", show(w.asked), ErrNotDir, w.place()+" is a file")
	}
	w.done[len(w.done)-1] = ownName(w.root, w.place(), name)
	return rest, nil
}

// absent ends a walk where nothing exists: there are no links below. ".." after a missing name
// would be an error for the kernel; models write such paths, and taken by their letters they are
// harmless.
func (w *walk) absent(rest []string) ([]string, error) {
	for i, name := range rest {
		if name == ".." {
			w.done = w.done[:len(w.done)-1]
			return rest[i+1:], nil
		}
		if name != "" && name != "." {
			w.done = append(w.done, name)
		}
	}
	return nil, nil
}

// follow replaces the link that the walk stands on by what it names.
func (w *walk) follow(rest []string) ([]string, error) {
	if w.links++; w.links > maxLinks {
		return nil, fail("resolve", show(w.asked), ErrLoop, "remove the loop")
	}
	to, err := w.root.dir.Readlink(w.place())
	if err != nil {
		return nil, fail("resolve", show(w.asked), err, "")
	}
	w.done = w.done[:len(w.done)-1]
	if filepath.IsAbs(to) || os.IsPathSeparator(to[0]) {
		return w.jump(to, rest)
	}
	return append(names(to), rest...), nil
}

// jump goes on at an absolute place, if it is below a root.
func (w *walk) jump(to string, rest []string) ([]string, error) {
	full := to
	if len(rest) > 0 {
		full += string(filepath.Separator) + filepath.Join(rest...)
	}
	if w.steps++; w.steps > maxSteps {
		return nil, fail("resolve", show(w.asked), ErrLoop, "")
	}
	root, left, err := w.set.byPrefix(w.asked, to+string(filepath.Separator)+strings.Join(rest, string(filepath.Separator)))
	if err != nil {
		return nil, outside(w.asked, full)
	}
	w.root, w.done = root, nil
	return left, nil
}
