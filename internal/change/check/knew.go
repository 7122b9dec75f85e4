package check

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/internal/change"
	"helve/internal/git"
	"helve/internal/later"
	"helve/internal/resolved"
	kept "helve/internal/state"
)

// A New tells which files git knew before commands that nobody was asked about touched it. Commits that such a command
// put into refs or the index prove nothing, however many steps that took: what stood there before is kept by
// repository. It is for one set.
type New struct {
	// File is where that is kept for a workspace.
	File string
	// Writable are folders outside of the workspace that such commands may change.
	Writable []string

	repos   map[string]*knownRepo // by git directory
	unasked map[string]bool       // commits of unasked commands, of any repository of the workspace
	asks    map[string]*asking    // by git directory
	touches map[string]bool       // git directories that the set changes
}

const (
	// knewTime bounds git's answers.
	knewTime = 10 * time.Second
	// maxKnewFile bounds the file, maxTrusted what is kept of one repository, and maxTips the commits that are asked
	// about a path: a project has some hundred branches and tags.
	maxKnewFile = 16 << 20
	maxTrusted  = 20_000
	maxTips     = 1000
)

// A knownRepo is what is kept of one repository, and what git says of it.
type knownRepo struct {
	// Trusted are the objects that refs named before the first unasked command, Unasked those that such commands put
	// there since. Index are the files of the index before.
	Trusted map[string]bool   `json:"trusted"`
	Unasked map[string]bool   `json:"unasked"`
	Index   map[string]string `json:"index,omitempty"`
	// Open says that a command was at it and nobody knows what it put there: it was killed.
	Open bool `json:"open,omitempty"`

	kept bool     // there is a record of it
	tips []string // the commits that are believed
}

// load reads what is kept.
func (n *New) load() map[string]*knownRepo {
	out := map[string]*knownRepo{}
	text, err := kept.Read(n.File, maxKnewFile)
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &out)
	}
	if err != nil { // what cannot be read is believed in nothing
		return nil
	}
	for _, r := range out {
		if r != nil {
			r.kept = true
		}
	}
	return out
}

// repo is what is known of a repository.
func (n *New) repo(ctx context.Context, dir string) *knownRepo {
	if r, known := n.repos[dir]; known {
		return r
	}
	if n.repos == nil {
		n.repos = map[string]*knownRepo{}
	}
	all := n.load()
	n.unasked = map[string]bool{}
	for _, one := range all { // a commit may come from one repository into another, and a repository be moved
		if one != nil {
			maps.Copy(n.unasked, one.Unasked)
		}
	}
	r := all[dir]
	switch {
	case all == nil:
		r = &knownRepo{Open: true}
	case r == nil:
		r = &knownRepo{}
	}
	if err := n.believe(ctx, r, dir); err != nil {
		r.tips, r.Index = nil, nil
	}
	n.repos[dir] = r
	return r
}

// believe finds the commits that are believed: all that refs name, where no unasked command ever touched them; else
// those that they named before, and what others made since. Of neither is what has a commit of such a command in it.
func (n *New) believe(ctx context.Context, r *knownRepo, dir string) error {
	refs, err := git.Refs(dir)
	if err != nil {
		return err
	}
	if !r.kept && !r.Open {
		if r.Index, err = indexed(dir); err != nil {
			return err
		}
	}
	r.tips = slices.Sorted(maps.Keys(r.Trusted))
	strangers := false // a commit of such a command came from another repository
	if len(n.unasked) > 0 && !r.kept {
		there, err := git.Existing(ctx, dir, slices.Sorted(maps.Keys(n.unasked)))
		strangers = err != nil || len(there) > 0
	}
	for _, name := range refs {
		switch {
		case r.Trusted[name] || r.Open:
		case !r.kept && !strangers, n.clean(ctx, r, dir, name):
			r.tips = append(r.tips, name)
		}
	}
	return nil
}

// clean tells that no commit of an unasked command is in a commit. What git lists is read again: a commit whose content
// does not have its name would have other parents.
func (n *New) clean(ctx context.Context, r *knownRepo, dir, commit string) bool {
	if n.unasked[commit] {
		return false
	}
	trusted, err := git.Existing(ctx, dir, slices.Sorted(maps.Keys(r.Trusted)))
	if err != nil {
		return false
	}
	commits, all, err := git.New(ctx, dir, []string{commit}, trusted)
	a := n.ask(dir)
	if err != nil || !all || a == nil {
		return false
	}
	defer time.AfterFunc(knewTime, a.stop).Stop()
	for _, c := range commits {
		parents, err := a.Parents(c)
		if err != nil || n.unasked[c] || slices.ContainsFunc(parents, func(p string) bool { return n.unasked[p] }) {
			return false
		}
	}
	return true
}

// indexed are the files of an index that are hidden or tell somebody what to do, with their objects.
func indexed(dir string) (map[string]string, error) {
	text, err := readFile(filepath.Join(dir, "index"), maxIndex)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	err = git.Indexed(text, func(f git.IndexedFile) {
		hidden := slices.ContainsFunc(strings.Split(f.Name, "/"), isHidden)
		if len(out) < maxTrusted && (hidden || later.Instructs().Why(f.Name) != "") {
			out[f.Name] = hex.EncodeToString(f.Object)
		}
	})
	return out, err
}

// worktree is the repository in whose worktree a place lies or will lie, and the path there.
func (n *New) worktree(v *view, at place) (dir, rel string) {
	for up := at; ; {
		up = up.Parent()
		e, err := v.after(up.Child(".git"))
		abs := filepath.Join(v.dirs[up.Root], filepath.FromSlash(string(up.Path)))
		rel, _ := below(at, up)
		switch {
		case err == nil && e.Type == change.Dir:
			return filepath.Join(abs, ".git"), rel
		case err == nil && e.Type == change.File:
			text, err := v.read(up.Child(".git"), maxText)
			if err != nil {
				return "", ""
			}
			return commonDir(abs, string(text)), rel
		case up.Path == ".":
			top := git.Top(abs)
			if top == "" {
				return "", ""
			}
			rel, err := filepath.Rel(top, filepath.Join(v.dirs[at.Root], filepath.FromSlash(string(at.Path))))
			if err != nil {
				return "", ""
			}
			return filepath.Join(top, ".git"), filepath.ToSlash(rel)
		}
	}
}

// commonDir is the repository that a .git file names, of a worktree the one that it was made from.
func commonDir(dir, text string) string {
	to, is := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
	if !is {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	if up := filepath.Dir(to); filepath.Base(up) == "worktrees" {
		return filepath.Dir(up)
	}
	return to
}

// had tells whether one of the objects that git knew at a path is meant.
func (n *New) had(v *view, at place, means func(object string) bool) bool {
	dir, rel := n.worktree(v, at)
	if dir == "" {
		return false
	}
	dir = resolved.Path(dir)
	ctx, cancel := context.WithTimeout(context.Background(), knewTime)
	defer cancel()
	r := n.repo(ctx, dir)
	if object := r.Index[rel]; object != "" && means(object) {
		return true
	}
	if len(r.tips) == 0 {
		return false
	}
	a := n.ask(dir)
	return a != nil && slices.ContainsFunc(r.tips[:min(len(r.tips), maxTips)], func(tip string) bool {
		object := a.at(tip, rel)
		return object != "" && means(object)
	})
}

// knew tells that git had something at a path.
func (n *New) knew(v *view, at place) bool {
	return n.had(v, at, func(string) bool { return true })
}

// restored tells that what is to stand at a path is what git had there.
func (n *New) restored(v *view, at place, will entry) bool {
	if will.Type != change.File {
		return false
	}
	text, err := v.read(at, maxText)
	if err != nil {
		return false
	}
	names := []string{blob(sha1.New(), text), blob(sha256.New(), text)}
	return n.had(v, at, func(object string) bool { return slices.Contains(names, object) })
}

// blob is the name that git gives a content.
func blob(sum hash.Hash, text []byte) string {
	fmt.Fprintf(sum, "blob %d\x00", len(text))
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

// touches notes that a set changes what stands in a git directory, or in one of a worktree or submodule of it: all of
// them are asked about later.
func (c *checker) touches(p place) {
	n := c.o.New
	if n == nil {
		return
	}
	for d, in := c.enclosing(p); in; d, in = c.enclosing(d) {
		rel, _ := below(p, d)
		if first, _, _ := strings.Cut(rel, "/"); first == "objects" || first == "logs" {
			continue
		}
		if n.touches == nil {
			n.touches = map[string]bool{}
		}
		n.touches[resolved.Path(filepath.Join(c.dirs[d.Root], filepath.FromSlash(string(d.Path))))] = true
	}
}

// Touch notes, before a set is made that was checked and that nobody was asked about, what the repositories had until
// then that it changes. after is to be called when it was made, and notes what it put there. Where that cannot be kept
// the set must not be made: later nobody could tell what it brought.
func (n *New) Touch(ctx context.Context) (after func() error, err error) {
	dirs := slices.Sorted(maps.Keys(n.touches))
	if len(dirs) == 0 {
		return func() error { return nil }, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), knewTime)
	defer cancel()
	defer n.done()
	before := map[string]*knownRepo{}
	for _, dir := range dirs {
		before[dir] = n.repo(ctx, dir)
	}
	err = n.update(func(all map[string]*knownRepo) {
		for _, dir := range dirs {
			all[dir] = before[dir].opened()
		}
	})
	return func() error { return n.touched(dirs) }, err
}

// opened is what is kept of a repository that an unasked command is about to change.
func (r *knownRepo) opened() *knownRepo {
	out := &knownRepo{Trusted: map[string]bool{}, Unasked: maps.Clone(r.Unasked), Index: r.Index, Open: true}
	if out.Unasked == nil {
		out.Unasked = map[string]bool{}
	}
	for _, tip := range r.tips[:min(len(r.tips), maxTrusted)] {
		out.Trusted[tip] = true
	}
	return out
}

// touched notes what a command put into repositories.
func (n *New) touched(dirs []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), knewTime)
	defer cancel()
	return n.update(func(all map[string]*knownRepo) {
		for _, dir := range dirs {
			r := all[dir]
			if r == nil || !r.bring(ctx, dir) {
				continue // it stays open: from then on nothing new is believed
			}
			r.Open = false
		}
	})
}

// bring notes the commits that are new: those that refs name, and what lies below them, also where nothing but a log
// knows them by now. False: they cannot be listed.
func (r *knownRepo) bring(ctx context.Context, dir string) bool {
	refs, err := git.Refs(dir)
	if err != nil {
		return false
	}
	trusted, err := git.Existing(ctx, dir, slices.Sorted(maps.Keys(r.Trusted)))
	if err != nil {
		return false
	}
	commits, all, err := git.New(ctx, dir, refs, trusted, "--reflog")
	if err != nil || !all || len(r.Unasked)+len(commits)+len(refs) > maxTrusted {
		return false
	}
	for _, name := range slices.Concat(refs, commits) {
		if !r.Trusted[name] {
			r.Unasked[name] = true
		}
	}
	return true
}

// update changes what is kept.
func (n *New) update(do func(map[string]*knownRepo)) error {
	if err := kept.MakeDir(filepath.Dir(n.File)); err != nil {
		return err
	}
	return kept.Update(n.File, maxKnewFile, func(old []byte) ([]byte, error) {
		all := map[string]*knownRepo{}
		if len(old) > 0 {
			if err := json.Unmarshal(old, &all); err != nil { // nothing in it is believed any more
				if _, err := kept.KeepDamaged(n.File, old); err != nil {
					return nil, err
				}
				all = map[string]*knownRepo{}
			}
		}
		do(all)
		return json.Marshal(all)
	})
}
