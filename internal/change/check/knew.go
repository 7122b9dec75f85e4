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
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/git"
	"helve/internal/later"
	kept "helve/internal/state"
)

// A New tells which files git knew before commands that nobody was asked about touched it. Commits that such a command
// put into refs or the index prove nothing, however many steps that took: what stood there before is kept by
// repository. It is for one set.
type New struct {
	// File is where that is kept for a workspace.
	File string

	repos map[string]*knownRepo // by git directory
	asked map[string]string     // objects of "COMMIT:PATH"; "" for those that are not there
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
	r := all[dir]
	switch {
	case all == nil:
		r = &knownRepo{Open: true}
	case r == nil:
		r = &knownRepo{}
	}
	if err := r.believe(ctx, dir); err != nil {
		r.tips, r.Index = nil, nil
	}
	n.repos[dir] = r
	return r
}

// believe finds the commits that are believed: all that refs name, where no unasked command ever touched them; else
// those that they named before, and what others made since that has nothing of such a command in it.
func (r *knownRepo) believe(ctx context.Context, dir string) error {
	refs, err := git.Refs(dir)
	if err != nil {
		return err
	}
	if !r.kept && !r.Open {
		r.tips = refs
		r.Index, err = indexed(dir)
		return err
	}
	r.tips = slices.Sorted(maps.Keys(r.Trusted))
	for _, name := range refs {
		if !r.Trusted[name] && !r.Unasked[name] && !r.Open && r.clean(ctx, dir, name) {
			r.tips = append(r.tips, name)
		}
	}
	return nil
}

// clean tells that no commit of an unasked command is in a commit.
func (r *knownRepo) clean(ctx context.Context, dir, commit string) bool {
	commits, all, err := git.New(ctx, dir, commit, r.existing(ctx, dir))
	return err == nil && all && !slices.ContainsFunc(commits, func(c string) bool { return r.Unasked[c] })
}

// existing are the trusted objects that are still there.
func (r *knownRepo) existing(ctx context.Context, dir string) []string {
	var ask []string
	for _, name := range slices.Sorted(maps.Keys(r.Trusted)) {
		ask = append(ask, name+"^{tree}")
	}
	there, err := git.Named(ctx, dir, ask)
	var out []string
	for name := range there {
		out = append(out, strings.TrimSuffix(name, "^{tree}"))
	}
	if err != nil {
		return nil
	}
	slices.Sort(out)
	return out
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

// objects are those that git knew at a path.
func (n *New) objects(v *view, at place) []string {
	dir, rel := n.worktree(v, at)
	if dir == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), knewTime)
	defer cancel()
	r := n.repo(ctx, dir)
	var out, ask []string
	if object := r.Index[rel]; object != "" {
		out = append(out, object)
	}
	for _, tip := range r.tips[:min(len(r.tips), maxTips)] {
		ask = append(ask, tip+":"+rel)
	}
	named, err := n.named(ctx, dir, ask)
	if err != nil {
		return nil
	}
	return append(out, named...)
}

// named asks git what it has by these expressions.
func (n *New) named(ctx context.Context, dir string, ask []string) ([]string, error) {
	if n.asked == nil {
		n.asked = map[string]string{}
	}
	unknown := slices.DeleteFunc(slices.Clone(ask), func(e string) bool {
		_, known := n.asked[dir+"\x00"+e]
		return known
	})
	if len(unknown) > 0 {
		found, err := git.Named(ctx, dir, unknown)
		if err != nil {
			return nil, err
		}
		for _, e := range unknown {
			n.asked[dir+"\x00"+e] = found[e]
		}
	}
	var out []string
	for _, e := range ask {
		if object := n.asked[dir+"\x00"+e]; object != "" {
			out = append(out, object)
		}
	}
	return out, nil
}

// knew tells that git had something at a path.
func (n *New) knew(v *view, at place) bool { return len(n.objects(v, at)) > 0 }

// restored tells that what is to stand at a path is what git had there.
func (n *New) restored(v *view, at place, will entry) bool {
	if will.Type != change.File {
		return false
	}
	had := n.objects(v, at)
	if len(had) == 0 {
		return false
	}
	text, err := v.read(at, maxText)
	if err != nil {
		return false
	}
	return slices.Contains(had, blob(sha1.New(), text)) || slices.Contains(had, blob(sha256.New(), text))
}

// blob is the name that git gives a content.
func blob(sum hash.Hash, text []byte) string {
	fmt.Fprintf(sum, "blob %d\x00", len(text))
	sum.Write(text)
	return hex.EncodeToString(sum.Sum(nil))
}

// repositoriesOf are the git directories whose refs or index a set changes.
func repositoriesOf(o Options, set *change.Set) []string {
	seen := map[string]bool{}
	for i := range set.Changes {
		at := set.Changes[i].Place()
		names := strings.Split(fsroot.Fold(string(at.Path)), "/")
		j := slices.Index(names, ".git")
		if j < 0 {
			continue
		}
		if rest := names[j+1:]; len(rest) > 0 && (rest[0] == "objects" || rest[0] == "logs") {
			continue
		}
		real := strings.Split(string(at.Path), "/")[:j+1]
		seen[filepath.Join(o.Roots[at.Root], filepath.FromSlash(path.Join(real...)))] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// Touch notes, before a set is made that nobody was asked about, what the repositories had until then whose refs or
// index it changes. after is to be called when it was made, and notes what it put there. Where that cannot be kept the
// set must not be made: later nobody could tell what it brought.
func (n *New) Touch(ctx context.Context, o Options, set *change.Set) (after func() error, err error) {
	dirs := repositoriesOf(o, set)
	if len(dirs) == 0 {
		return func() error { return nil }, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), knewTime)
	defer cancel()
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
	return n.update(func(all map[string]*knownRepo) {
		for _, dir := range dirs {
			r := all[dir]
			refs, err := git.Refs(dir)
			if r == nil || err != nil || len(r.Unasked)+len(refs) > maxTrusted {
				continue // it stays open: from then on nothing new is believed
			}
			for _, name := range refs {
				if !r.Trusted[name] {
					r.Unasked[name] = true
				}
			}
			r.Open = false
		}
	})
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
