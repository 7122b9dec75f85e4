package check

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"helve/internal/change"
	"helve/internal/fsroot"
)

// A fileState is what stands on this machine before a set is made, or after. Paths are absolute.
type fileState struct {
	*view
	isAfter bool
	real    []string // the roots' paths, links resolved
	seen    map[string]entry
	around  *outside

	spellings map[string]map[string]string // of folders: names by how they are folded
}

// An outside is what stands out of the roots, where no set changes anything: both states look at it once.
type outside struct {
	seen  map[string]entry
	lists map[string][]listed
}

// A listed entry is one of a folder.
type listed struct {
	name string
	kind change.Type
}

// states are what stands before the set is made, and after.
func (v *view) states() (before, after *fileState) {
	var real []string
	for _, dir := range v.dirs {
		if to, err := filepath.EvalSymlinks(dir); err == nil {
			dir = to
		}
		real = append(real, filepath.ToSlash(dir))
	}
	around := &outside{seen: map[string]entry{}, lists: map[string][]listed{}}
	one := func(isAfter bool) *fileState {
		return &fileState{
			view:      v,
			isAfter:   isAfter,
			real:      real,
			seen:      map[string]entry{},
			around:    around,
			spellings: map[string]map[string]string{},
		}
	}
	return one(false), one(true)
}

// place is where a path lies in the roots, the innermost of them.
func (f *fileState) place(at string) (p place, inside bool) {
	best := -1
	for i, dir := range f.real {
		rel, found := strings.CutPrefix(at, strings.TrimSuffix(dir, "/"))
		if !found || rel != "" && rel[0] != '/' || len(dir) <= best {
			continue
		}
		best, inside = len(dir), true
		p = place{Root: i, Path: change.Name(strings.Trim(rel, "/"))}
		if p.Path == "" {
			p.Path = "."
		}
	}
	return p, inside
}

// path is the path of a place.
func (f *fileState) path(p place) string {
	return path.Join(f.real[p.Root], string(p.Path))
}

// look tells what stands at a path on the way to which are no links; nothing where nobody may look.
func (f *fileState) look(path string) entry {
	if e, known := f.seen[path]; known {
		return e
	}
	e := f.find(path)
	f.seen[path] = e
	return e
}

func (f *fileState) find(path string) entry {
	p, inside := f.place(path)
	if !inside {
		return f.around.look(path)
	}
	look := f.view.before
	if f.isAfter {
		look = f.view.after
	}
	e, err := look(p)
	if err != nil {
		return entry{}
	}
	return e
}

// look tells what stands at a path.
func (o *outside) look(path string) entry {
	e, known := o.seen[path]
	if !known {
		e = lookOutside(path)
		o.seen[path] = e
	}
	return e
}

func lookOutside(path string) entry {
	st, err := os.Lstat(path)
	if err != nil {
		return entry{}
	}
	e := entry{Type: typeOf(st.Mode()), Size: st.Size()}
	if e.Type == change.Link {
		to, err := os.Readlink(path)
		if err != nil {
			return entry{}
		}
		e.Target = change.Name(to)
	}
	return e
}

func typeOf(mode fs.FileMode) change.Type {
	switch {
	case mode.IsDir():
		return change.Dir
	case mode.IsRegular():
		return change.File
	case mode&fs.ModeSymlink != 0:
		return change.Link
	}
	return change.Device // nothing that is read
}

// list names what is in a folder, at most some thousand entries. Of most of them the folder itself tells what they are.
func (o *outside) list(path string) []listed {
	out, known := o.lists[path]
	if known {
		return out
	}
	if d, err := os.Open(path); err == nil {
		entries, _ := d.ReadDir(maxListed)
		d.Close()
		for _, e := range entries {
			out = append(out, listed{e.Name(), typeOf(e.Type())})
		}
	}
	o.lists[path] = out
	return out
}

// text is what stands in a regular file at a path without links; nil where none can be read.
func (f *fileState) text(path string, limit int64) ([]byte, error) {
	if f.look(path).Type != change.File {
		return nil, errNotThere
	}
	p, inside := f.place(path)
	switch {
	case !inside:
		return readFile(path, limit)
	case f.isAfter:
		return f.view.read(p, limit)
	case f.past != nil:
		return f.readBefore(p, limit), nil
	}
	return f.roots[p.Root].Read(p.Path, limit)
}

func readFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if int64(len(text)) > limit {
		return nil, errTooLarge
	}
	return text, err
}

// list names what is in a directory, at most some thousand entries.
func (f *fileState) list(path string) []string {
	p, inside := f.place(path)
	if !inside {
		var names []string
		for _, e := range f.around.list(path) {
			names = append(names, e.name)
		}
		return names
	}
	var names []string
	if f.isAfter {
		names, _ = f.names(p)
	} else {
		names, _ = f.roots[p.Root].Names(p.Path)
	}
	return names
}

// entries are what is in a directory, with what each is.
func (f *fileState) entries(path string) []listed {
	if _, inside := f.place(path); !inside {
		return f.around.list(path)
	}
	var out []listed
	for _, name := range f.list(path) {
		out = append(out, listed{name, f.look(path + "/" + name).Type})
	}
	return out
}

// maxListed bounds what is looked at in one folder outside: a home has some hundred entries.
const maxListed = 4096

// maxWay bounds the links on one way, as Linux does.
const maxWay = 40

// spelled is the path of a name in a folder, by the spelling that stands there: a file system that folds case takes
// one for the other, and on any other it is judged as if it did.
func (f *fileState) spelled(folder, name string) string {
	at := path.Join(folder, name)
	if _, inside := f.place(at); !inside || f.look(folder).Type != change.Dir {
		return at
	}
	names, known := f.spellings[folder]
	if !known {
		names = map[string]string{}
		for _, one := range f.list(folder) {
			names[fsroot.Fold(one)] = one
		}
		f.spellings[folder] = names
	}
	if other := names[fsroot.Fold(name)]; other != "" {
		return path.Join(folder, other)
	}
	return at
}

// resolve follows a path as the system does, and tells where it ends and which links it met. What is not there yet is
// gone through as if it were folders. False: there are too many links.
func (f *fileState) resolve(name string) (end string, links []string, ok bool) {
	top := filepath.VolumeName(name) + "/"
	end = top
	left := strings.Split(strings.TrimPrefix(filepath.ToSlash(name), filepath.VolumeName(name)), "/")
	for len(left) > 0 {
		part := left[0]
		left = left[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			end = path.Dir(end)
			continue
		}
		next := path.Join(end, part)
		e := f.look(next)
		if e.Type == change.None {
			next = f.spelled(end, part)
			e = f.look(next)
		}
		if e.Type != change.Link {
			end = next
			continue
		}
		if links = append(links, next); len(links) > maxWay {
			return end, links, false
		}
		to := string(e.Target)
		left = append(strings.Split(to, "/"), left...)
		if filepath.IsAbs(to) {
			end = top
		}
	}
	return end, links, true
}
