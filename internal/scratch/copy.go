package scratch

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"

	"helve/internal/state"
)

// Bounds of what is copied: a script, a log, an output. Commands see larger ones of their own all the same.
const (
	maxFile    = 64 << 20  // bytes of one file
	maxBytes   = 256 << 20 // of all files that one command brings or leaves
	maxFiles   = 2000
	maxLooked  = 20_000  // entries that are looked at
	maxEntries = 100_000 // that a folder keeps from one command to the next
	maxIndex   = 4 << 20
	maxMatches = 100 // files that one pattern of a command line means

	// maxKept bounds a folder, in bytes: beyond it the oldest files go, as a /tmp in memory takes no more.
	maxKept = 1 << 30
)

// own is how the names begin that run times leave in any temporary folder, of no interest to anybody else.
var own = []string{
	".cache", "node-compile-cache", "v8-compile-cache", "go-build", "hsperfdata_", "tsx-", "jiti", "metro-", "npm-",
}

// An identity tells a file, as it is, from what becomes of it.
type identity struct {
	Size int64 `json:"size"`
	Time int64 `json:"time"` // of its last change, in nanoseconds
}

func identityOf(st fs.FileInfo) identity { return identity{st.Size(), st.ModTime().UnixNano()} }

// A copied is a file or folder that stands in both places.
type copied struct {
	Here  identity `json:"here"`  // in the conversation's
	There identity `json:"there"` // in the machine's
	// Theirs says that it stood in the machine's first: it is never written there. Apart says that each place has
	// one of its own, and neither becomes the other.
	Theirs bool `json:"theirs,omitempty"`
	Apart  bool `json:"apart,omitempty"`
	Dir    bool `json:"dir,omitempty"`
}

// A copying is one way of copying, from one place to the other.
type copying struct {
	here, there *os.Root
	index       map[string]copied // by path from either
	left        []string          // what stands in the machine's already
	files       int
	bytes       int64
}

// with does something with both places, alone.
func (f *Folder) with(do func(*copying) error) (left []string, err error) {
	unlock, err := state.Lock(f.dir, indexName)
	if err != nil {
		return nil, err
	}
	defer unlock()
	c := &copying{index: map[string]copied{}}
	file := filepath.Join(f.dir, indexName)
	if text, err := state.Read(file, maxIndex); err == nil && json.Unmarshal(text, &c.index) != nil {
		c.index = map[string]copied{} // what was copied is not copied again, since it stands there
	}
	if c.here, err = os.OpenRoot(f.Dir()); err != nil {
		return nil, err
	}
	defer c.here.Close()
	if c.there, err = os.OpenRoot(f.real); err != nil {
		return nil, err
	}
	defer c.there.Close()
	if err := do(c); err != nil {
		return c.left, err
	}
	text, err := json.Marshal(c.index)
	if err != nil || len(text) > maxIndex {
		return c.left, errors.Join(err, errors.New("scratch: too many files were copied to remember them all"))
	}
	return c.left, state.Replace(file, text, 0o600)
}

// Bring copies what stands at paths of the machine's folder, as a command line names them, and what has changed there
// since it was copied. hidden tells what the command must not read.
func (f *Folder) Bring(paths []string, hidden func(path string) bool) error {
	_, err := f.with(func(c *copying) error {
		for name, was := range c.index {
			st, err := c.there.Lstat(name)
			if !was.Dir && !was.Apart && err == nil && st.Mode().IsRegular() && identityOf(st) != was.There {
				c.bring(name, st, was.Theirs)
			}
		}
		for _, p := range paths {
			for _, name := range c.meant(f.real, p) {
				c.bringAll(name, func(name string) bool { return hidden(filepath.Join(f.real, name)) })
			}
		}
		return nil
	})
	return err
}

// meant are the names, from the machine's folder, of what a path or pattern of a command line means.
func (c *copying) meant(real, p string) []string {
	name, err := filepath.Rel(real, p)
	if err != nil || name == "." || !filepath.IsLocal(name) {
		return nil
	}
	if !strings.ContainsAny(name, "*?[") {
		return []string{name}
	}
	found, _ := fs.Glob(c.there.FS(), filepath.ToSlash(name)) // what is no pattern means nothing
	return found[:min(len(found), maxMatches)]
}

// bringAll copies a file, or a folder with what is in it, that the conversation's folder does not have.
func (c *copying) bringAll(name string, hidden func(string) bool) {
	st, err := c.there.Lstat(name)
	if err != nil {
		return
	}
	w := walk{in: c.there, room: maxFiles}
	w.entry(name, st, func(at string, st fs.FileInfo) bool {
		if hidden(at) {
			return false
		}
		if _, err := c.here.Lstat(at); err != nil && st.Mode().IsRegular() { // else it has its own, or was brought
			c.bring(at, st, true)
		}
		return true
	})
}

// A walk looks at a tree, as far as there is room for: nobody bounds how many files a command makes.
type walk struct {
	in   *os.Root
	room int
}

// entry looks at one entry and, where each says so, at what is in it. Links are not followed.
func (w *walk) entry(name string, st fs.FileInfo, each func(string, fs.FileInfo) bool) {
	w.room--
	if w.room < 0 || !each(name, st) || !st.IsDir() {
		return
	}
	dir, err := w.in.Open(name)
	if err != nil {
		return
	}
	list, _ := dir.ReadDir(w.room + 1) // with an error there are fewer
	dir.Close()
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range list {
		at := path.Join(name, e.Name())
		if st, err := w.in.Lstat(at); err == nil {
			w.entry(at, st, each)
		}
	}
}

// bring copies one file from the machine's folder. What cannot be read there, the command does not find either.
func (c *copying) bring(name string, st fs.FileInfo, theirs bool) {
	if c.here.MkdirAll(path.Dir(name), 0o700) != nil || !c.may(st) {
		return
	}
	if copyFile(c.there, c.here, name, st, false) != nil {
		return
	}
	if here, err := c.here.Lstat(name); err == nil {
		c.index[name] = copied{Here: identityOf(here), There: identityOf(st), Theirs: theirs}
	}
}

// may tells that one more file can be copied.
func (c *copying) may(st fs.FileInfo) bool {
	if st.Size() > maxFile || c.bytes+st.Size() > maxBytes || c.files >= maxFiles {
		return false
	}
	c.files++
	c.bytes += st.Size()
	return true
}

// Leave copies what a command made or changed to the machine's folder, where nothing stands but what was copied there
// and is as it was. left are the names of what is not there as the conversation has it.
func (f *Folder) Leave() (left []string, err error) {
	return f.with(func(c *copying) error {
		top, err := c.here.Lstat(".")
		if err != nil {
			return err
		}
		var all []found
		closed := "" // a folder that is not ours in the machine's
		w := walk{in: c.here, room: maxLooked}
		if err := c.thin(maxEntries); err != nil {
			return err
		}
		w.entry(".", top, func(name string, st fs.FileInfo) bool {
			if name == "." {
				return true
			}
			all = append(all, found{name, st})
			switch inside := closed != "" && strings.HasPrefix(name, closed+"/"); {
			case isOwn(name):
			case st.IsDir() && !inside:
				if !c.leaveDir(name, st) {
					closed = name
				}
			case st.Mode().IsRegular():
				c.leave(name, st, inside)
			}
			return true
		})
		c.trim(all)
		return nil
	})
}

// leaveDir makes a folder in the machine's folder. false: one stands there that somebody else made.
func (c *copying) leaveDir(name string, st fs.FileInfo) bool {
	_, err := c.there.Lstat(name)
	switch _, known := c.index[name]; {
	case err == nil:
		return known
	case !holds(c.here, name): // it may be where the sandbox mounted something
		return true
	}
	if c.there.Mkdir(name, st.Mode().Perm()|0o700) != nil {
		return false
	}
	c.index[name] = copied{Dir: true}
	return true
}

// leave copies one file to the machine's folder. Links, pipes and sockets stay where they are.
func (c *copying) leave(name string, st fs.FileInfo, closed bool) {
	was, known := c.index[name]
	if known && was.Here == identityOf(st) {
		return
	}
	there, err := c.there.Lstat(name)
	missing := errors.Is(err, fs.ErrNotExist)
	ours := known && !was.Theirs && !was.Apart && err == nil && identityOf(there) == was.There
	if closed || !missing && !ours || !c.may(st) {
		if st.Size() > 0 { // an empty one may be where the sandbox mounted something
			c.left = append(c.left, name)
		}
		c.index[name] = copied{Here: identityOf(st), Apart: true}
		return
	}
	if copyFile(c.here, c.there, name, st, missing) != nil {
		return // the machine's folder takes no more, or somebody was faster
	}
	if there, err := c.there.Lstat(name); err == nil {
		c.index[name] = copied{Here: identityOf(st), There: identityOf(there)}
	}
}

// isOwn tells what programs keep in temporary folders for themselves.
func isOwn(name string) bool {
	return slices.ContainsFunc(own, func(begin string) bool { return strings.HasPrefix(name, begin) })
}

// holds tells that a folder is not empty: an empty one may be where the sandbox mounted something.
func holds(in *os.Root, dir string) bool {
	f, err := in.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	list, _ := f.Readdirnames(1)
	return len(list) > 0
}

// A found is an entry of a folder.
type found struct {
	name string
	st   fs.FileInfo
}

// trim removes the oldest files of a folder that has more than it may.
func (c *copying) trim(all []found) {
	var total int64
	for _, f := range all {
		total += f.st.Size()
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].st.ModTime().Before(all[j].st.ModTime()) })
	for _, f := range all {
		if total <= maxKept {
			return
		}
		if f.st.Mode().IsRegular() && c.here.Remove(f.name) == nil {
			total -= f.st.Size()
		}
	}
}

// thin removes the oldest half of what stands in a folder with more entries than it may keep, until it has fewer. While
// a command runs the sandbox bounds them.
func (c *copying) thin(most int) error {
	for {
		w := walk{in: c.here, room: most}
		top, err := c.here.Lstat(".")
		if err != nil {
			return err
		}
		w.entry(".", top, func(string, fs.FileInfo) bool { return true })
		if w.room >= 0 {
			return nil
		}
		dir, err := c.here.Open(".")
		if err != nil {
			return err
		}
		list, err := dir.ReadDir(-1)
		dir.Close()
		if err != nil {
			return err
		}
		var all []found
		for _, e := range list {
			if st, err := e.Info(); err == nil {
				all = append(all, found{e.Name(), st})
			}
		}
		sort.SliceStable(all, func(i, j int) bool { return all[i].st.ModTime().Before(all[j].st.ModTime()) })
		gone := 0
		for _, f := range all[:(len(all)+1)/2] {
			if c.here.RemoveAll(f.name) == nil {
				gone++
			}
		}
		if gone == 0 {
			return nil // nothing of it can be removed
		}
	}
}

// copyFile copies a regular file as a whole, under a name of its own until it is: nobody reads half of it. fresh says
// that nothing may stand in its place.
func copyFile(from, to *os.Root, name string, st fs.FileInfo, fresh bool) (err error) {
	in, err := from.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a pipe
	if err != nil {
		return err
	}
	defer in.Close()
	if now, err := in.Stat(); err != nil || !now.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("scratch: %s is no file", name))
	}
	part := path.Join(path.Dir(name), ".helve-"+rand.Text()[:12])
	out, err := to.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer to.Remove(part) // fails where it was renamed
	_, err = io.Copy(out, io.LimitReader(in, maxFile))
	err = errors.Join(err, out.Close())
	err = errors.Join(err, to.Chmod(part, st.Mode().Perm()), to.Chtimes(part, st.ModTime(), st.ModTime()))
	if err != nil {
		return err
	}
	if fresh {
		return to.Link(part, name)
	}
	return to.Rename(part, name)
}
