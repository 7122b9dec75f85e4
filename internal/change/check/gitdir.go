package check

import (
	"fmt"
	"path"
	"strings"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/git"
)

// What git obeys in a directory of its own, and what is asked of each:
//
//	config, config.worktree   settings that are new must be in the list of harmless ones
//	hooks/*                   must be samples, which git never runs
//	commondir                 must lead to a folder that holds nothing dangerous: its configuration counts
//	gitdir (of a worktree)    must lead into the workspace: git removes what it names
//	index                     a submodule that is new in it must hold nothing dangerous: git status looks into it
//	git-rebase-todo           must have no exec lines: git rebase --continue runs them
//
// The same is asked of a .git that is a file or a link, which leads git to such a directory.

// A state is what git takes a directory for: before the set is made, and after.
type state struct {
	before, after kind
}

// A kind is what git takes a directory for.
type kind uint8

const (
	noGit   kind = iota
	halfGit      // it could be a repository if something pointed to it, or a HEAD were added
	gitDir       // it is a repository
)

// state tells what git takes a directory for.
func (v *view) state(d place) state {
	if s, known := v.known[d]; known {
		return s
	}
	s := state{kindOf(d, v.before), kindOf(d, v.after)}
	v.known[d] = s
	return s
}

// kindOf follows setup.c: a HEAD, and objects and refs of its own or of a common directory.
func kindOf(d place, look func(place) (entry, error)) kind {
	// A link stands for whatever it leads to.
	has := func(name string, want change.Type) bool {
		e, err := look(d.Child(name))
		return err == nil && (e.Type == want || e.Type == change.Link)
	}
	objects := has("objects", change.Dir) && has("refs", change.Dir)
	if !objects && !has("commondir", change.File) {
		return byName(d, look)
	}
	if has("HEAD", change.File) {
		return gitDir
	}
	return halfGit
}

// byName is what a directory is that has nothing of a repository but, maybe, the name: git init in the folder above
// makes one of it, and takes over what is there.
func byName(d place, look func(place) (entry, error)) kind {
	if fsroot.Fold(d.Base()) != ".git" {
		return noGit
	}
	e, err := look(d)
	if err != nil || e.Type != change.Dir {
		return noGit
	}
	return halfGit
}

// enclosing is the nearest directory above p that git takes for its own, or could.
func (v *view) enclosing(p place) (place, bool) {
	for d := p; d.Path != "."; {
		d = d.Parent()
		s := v.state(d)
		if s.after != noGit || s.before != noGit {
			return d, true
		}
	}
	return place{}, false
}

// A danger is one thing by which git would run or obey something.
type danger struct {
	at  place
	why string
}

// String is the danger in words.
func (d danger) String() string { return string(d.at.Path) + ": " + d.why }

// maxPointers bounds how pointers lead to each other: git follows one or two.
const maxPointers = 5

// dangers lists everything in a git directory by which git would run something, whoever brought it.
func (v *view) dangers(d place, pointers int) []danger {
	var out []danger
	for _, name := range []string{"config", "config.worktree"} {
		if why := v.judgeConfigFile(d.Child(name), d, false); why != "" {
			out = append(out, danger{d.Child(name), why})
		}
	}
	if e, err := v.after(d.Child("hooks")); err == nil && e.Type == change.Link { // git follows it
		out = append(out, danger{d.Child("hooks"), "it has git find its hooks elsewhere"})
	}
	hooks, err := v.names(d.Child("hooks"))
	if err != nil {
		out = append(out, danger{d.Child("hooks"), "git's hooks: " + err.Error()})
	}
	for _, name := range hooks {
		at := d.Child("hooks/" + name)
		if why := v.judgeHook(at); why != "" {
			out = append(out, danger{at, why})
		}
	}
	at := d.Child("commondir")
	if why := v.judgePointer(at, d, pointers); why != "" {
		out = append(out, danger{at, why})
	}
	return out
}

// judgeConfigFile tells why a file of git's configuration in the directory d is dangerous. With excused, settings that
// it has already are not.
func (v *view) judgeConfigFile(at, d place, excused bool) string {
	e, err := v.after(at)
	switch {
	case err != nil:
		return "git's configuration: " + err.Error()
	case e.Type == change.None:
		return ""
	case e.Type != change.File:
		return "git's configuration: it is " + e.Type.String()
	}
	text, err := v.read(at, maxText)
	if err != nil {
		return "git's configuration: " + err.Error()
	}
	var old []byte
	if excused {
		old = v.readBefore(at, maxText)
	}
	return judgeConfig(text, old, func(p string) bool {
		return v.isWorktree(d, p)
	})
}

// isWorktree reports that a path, as git reads it from a git directory, is the folder whose files that directory
// keeps: the one around it, or one whose .git leads back. Into any other, one with hooks for example, git would check
// files out that were never looked at there.
func (v *view) isWorktree(d place, p string) bool {
	to, inside := v.locate(d, p)
	if !inside || !v.straight(to) || v.inGit(to) || runsLater(nil, string(to.Path)) != "" {
		return false
	}
	if fsroot.Fold(d.Base()) == ".git" && to == d.Parent() {
		return true
	}
	text, err := v.read(to.Child(".git"), maxText)
	if err != nil {
		return false
	}
	back, inside := v.locate(to, strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:")))
	return inside && back == d
}

// inGit reports a directory of git's own, or one in it.
func (v *view) inGit(p place) bool {
	if p.Path == "." {
		return false
	}
	_, in := v.enclosing(p)
	return in || v.state(p).after != noGit
}

// leadsInside reports that a path, as git reads it from a directory, stays in the workspace.
func (v *view) leadsInside(from place, p string) bool {
	to, inside := v.locate(from, p)
	return inside && v.straight(to)
}

// judgeHook tells why an entry of a folder of hooks is dangerous. What git leaves as a sample it never runs.
func (v *view) judgeHook(at place) string {
	e, err := v.after(at)
	if err != nil {
		return "git's hooks: " + err.Error()
	}
	switch {
	case e.Type == change.None, e.Type == change.Dir:
		return ""
	case strings.HasSuffix(at.Base(), ".sample"):
		return ""
	}
	return "git runs it: it is a hook"
}

// judgePointer tells why a file or a link may not point git to another directory. from is the directory that its path
// is relative to.
func (v *view) judgePointer(at, from place, pointers int) string {
	e, err := v.after(at)
	var to string
	switch {
	case err != nil:
		return "it points git elsewhere: " + err.Error()
	case e.Type == change.Link:
		to = string(e.Target)
	case e.Type == change.File:
		text, err := v.read(at, maxText)
		if err != nil {
			return "it points git elsewhere: " + err.Error()
		}
		to = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir:"))
	default:
		return ""
	}
	target, inside := v.locate(from, to)
	switch {
	case !inside:
		return fmt.Sprintf("it points git out of the workspace, to %q", shown(to))
	case !v.straight(target):
		return fmt.Sprintf("it points git to %q, through a link", shown(to))
	case v.own(target):
		return ""
	case pointers >= maxPointers:
		return "it points git on and on"
	}
	if found := v.dangers(target, pointers+1); len(found) > 0 {
		return fmt.Sprintf("it points git to %s, where %s", target.Path, found[0])
	}
	return ""
}

// own reports the repository of a root, which is in use already: what a set changes in it is judged by itself.
func (v *view) own(p place) bool {
	git := place{Root: p.Root, Path: ".git"}
	_, inIt := below(p, git)
	return (p == git || inIt) && v.state(git).before == gitDir
}

// judgeInGit tells why a change in the git directory d is dangerous.
func (v *view) judgeInGit(e edge, d place) string {
	rel, _ := below(e.place, d)
	first, rest, _ := strings.Cut(rel, "/")
	switch {
	case rel == "config" || rel == "config.worktree":
		return v.judgeConfigFile(e.place, d, true)
	case first == "hooks" && rest != "":
		return v.judgeHook(e.place)
	case rel == "commondir":
		return v.judgePointer(e.place, d, 0)
	case (first == "remotes" || first == "branches") && rest != "" && e.will.Type != change.Dir:
		return "git takes the address of a remote from it, in an older form"
	case rel == "gitdir":
		return v.judgeWorktree(e.place, d)
	case rel == "index" || strings.HasPrefix(rel, "sharedindex."):
		return v.judgeIndex(e.place, d)
	case e.Base() == "git-rebase-todo" || rel == "sequencer/todo":
		return v.judgeTodo(e.place)
	case rel == "rebase-merge/strategy" || rel == "sequencer/opts":
		return v.judgeStrategy(e.place)
	case e.will.Type == change.Link:
		return judgeLinkInGit(rel, e.will)
	}
	return ""
}

// judgeGone tells why git's configuration may not go away: what it says would be said by the next one.
func (v *view) judgeGone(e edge) string {
	d, in := v.enclosing(e.place)
	if rel, _ := below(e.place, d); !in || rel != "config" || v.state(d).after != gitDir {
		return ""
	}
	return judgeConfig(nil, v.readBefore(e.place, maxText), nil)
}

// judgeLinkInGit refuses links by which git would find its own files elsewhere. An old form of HEAD is one.
func judgeLinkInGit(rel string, will entry) string {
	if rel == "HEAD" && strings.HasPrefix(string(will.Target), "refs/") {
		return ""
	}
	if path.Dir(rel) == "." {
		return fmt.Sprintf("it has git find its %s elsewhere", rel)
	}
	return ""
}

// judgeWorktree tells why the note of a linked worktree's place is dangerous: git removes what it names.
func (v *view) judgeWorktree(p, d place) string {
	text, err := v.read(p, maxText)
	if err != nil {
		return "a worktree: " + err.Error()
	}
	to := strings.TrimSpace(string(text))
	if !v.leadsInside(d, to) {
		return fmt.Sprintf("it names a worktree out of the workspace: %q", shown(to))
	}
	at, _ := v.locate(d, to)
	if v.inGit(at.Parent()) {
		return fmt.Sprintf("it names a folder of git's own as a worktree: %q", shown(to))
	}
	return ""
}

// judgeIndex tells why an index is dangerous: a submodule that was not in it makes git run what that submodule's own
// configuration says, whenever it looks at the whole.
func (v *view) judgeIndex(p, d place) string {
	text, err := v.read(p, maxIndex)
	if err != nil {
		return "git's index: " + err.Error()
	}
	hash := v.hashSize(d)
	links, err := git.Submodules(text, hash)
	if err != nil {
		return "git's index: " + err.Error()
	}
	if len(links) == 0 {
		return ""
	}
	old := map[string]bool{}
	had, _ := git.Submodules(v.readBefore(p, maxIndex), hash) // what cannot be read excuses nothing
	for _, l := range had {
		old[l] = true
	}
	top, known := v.worktree(d)
	for _, l := range links {
		if old[l] {
			continue
		}
		if !known {
			return "it has submodules, and git finds their folders elsewhere"
		}
		if why := v.judgeSubmodule(top.Child(l)); why != "" {
			return fmt.Sprintf("the submodule %q: %s", shown(l), why)
		}
	}
	return ""
}

// judgeSubmodule tells why a folder that becomes a submodule is dangerous.
func (v *view) judgeSubmodule(top place) string {
	git := top.Child(".git")
	e, err := v.after(git)
	switch {
	case err != nil:
		return err.Error()
	case e.Type == change.None:
		return ""
	case e.Type != change.Dir:
		return v.judgePointer(git, top, 0)
	}
	if found := v.dangers(git, 0); len(found) > 0 {
		return found[0].String()
	}
	return ""
}

// worktree is the folder whose files a git directory keeps.
func (v *view) worktree(d place) (place, bool) {
	if fsroot.Fold(d.Base()) == ".git" {
		return d.Parent(), true
	}
	if text, err := v.read(d.Child("gitdir"), maxText); err == nil { // of a linked worktree
		git, inside := v.locate(d, strings.TrimSpace(string(text)))
		return git.Parent(), inside
	}
	for _, s := range v.settings(d) {
		if s.Name() == "core.worktree" {
			return v.locate(d, s.Value)
		}
	}
	return place{}, false
}

// hashSize is the size of a repository's digests.
func (v *view) hashSize(d place) int {
	if text, err := v.read(d.Child("commondir"), maxText); err == nil {
		if common, inside := v.locate(d, strings.TrimSpace(string(text))); inside {
			d = common
		}
	}
	for _, s := range v.settings(d) {
		if s.Name() == "extensions.objectformat" && s.Value == "sha256" {
			return git.SHA256Size
		}
	}
	return git.SHA1Size
}
