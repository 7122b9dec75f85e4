package check

import (
	_ "embed"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	shellquote "github.com/kballard/go-shellquote"

	"helve/internal/change"
	"helve/internal/git"
)

//go:embed gitobeys.txt
var gitObeysText string

// obeyedKeys are the keys of gitobeys.txt with what their values are.
var obeyedKeys = sync.OnceValue(func() map[string][]gitKey {
	out := map[string][]gitKey{}
	for _, kind := range []string{"configuration", "folder", "file", "command", "alias", "name"} {
		for _, key := range gitObeys()[kind] {
			first, rest, _ := strings.Cut(key, ".")
			last := rest[strings.LastIndexByte(rest, '.')+1:]
			sub := strings.TrimSuffix(rest[:len(rest)-len(last)], ".")
			out[kind] = append(out[kind], gitKey{section: first, sub: sub != "", only: sub, key: last})
		}
	}
	return out
})

// settingKind tells what the value of a setting is; "" for what is in no list.
func settingKind(s git.Setting) string {
	for _, kind := range []string{"configuration", "folder", "file", "command", "alias", "name"} {
		if slices.ContainsFunc(obeyedKeys()[kind], func(k gitKey) bool { return k.is(s) }) {
			return kind
		}
	}
	return ""
}

// read lists the settings of a file and of all that it includes, and guards those files.
func (s *survey) read(at, why string) []located {
	end := s.follow(at, false, why)
	return s.parse(end, path.Dir(filepath.ToSlash(at)))
}

// parse lists the settings of the file that a way ends at. folder is the one that the way names.
func (s *survey) parse(end, folder string) []located {
	if s.parsed[end] {
		return nil
	}
	s.parsed[end] = true
	if s.configs++; s.configs > maxConfigs {
		s.out.all = tooMuch
		return nil
	}
	text, bad := s.text(end)
	if bad != "" {
		s.out.all = "git's settings in " + end + " cannot be judged (" + bad + "), and this may be a part of them"
		return nil
	}
	settings, err := git.ParseConfig(text)
	if err != nil { // another version of git may read it
		settings = append(settings, git.Setting{Section: "unreadable", Key: "unreadable", Value: string(text)})
	}
	var out []located
	for _, one := range settings {
		if settingKind(one) != "configuration" {
			out = append(out, located{one, folder})
			continue
		}
		out = append(out, s.read(from(folder, s.interpolated(one.Value)), "git follows it: "+one.Name()+" names it")...)
	}
	return out
}

// ofEnvironment are settings and programs that variables name.
func (s *survey) ofEnvironment() []located {
	var out []located
	add := func(name, value string) {
		if one, ok := named1(name, value); ok {
			out = append(out, located{one, "/"})
		}
	}
	count, _ := strconv.Atoi(s.env("GIT_CONFIG_COUNT"))
	for i := range min(count, maxWords) {
		add(s.env("GIT_CONFIG_KEY_"+strconv.Itoa(i)), s.env("GIT_CONFIG_VALUE_"+strconv.Itoa(i)))
	}
	words, _ := shellquote.Split(s.env("GIT_CONFIG_PARAMETERS"))
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		add(name, value)
	}
	for _, name := range gitObeys()["variables"] {
		if value := s.env(name); value != "" {
			out = append(out, located{git.Setting{Section: "pager", Key: strings.ToLower(name), Value: value}, "/"})
		}
	}
	return out
}

// named1 is a setting by its whole name.
func named1(name, value string) (git.Setting, bool) {
	first, rest, ok := strings.Cut(name, ".")
	if !ok {
		return git.Setting{}, false
	}
	at := strings.LastIndexByte(rest, '.')
	one := git.Setting{Section: strings.ToLower(first), Key: strings.ToLower(rest[at+1:]), Value: value}
	if at >= 0 {
		one.Sub, one.HasSub = rest[:at], true
	}
	return one, true
}

// repository learns of the repository that git finds from a folder, or above it.
func (s *survey) repository(dir string) {
	for at := dir; ; at = path.Dir(at) {
		if s.top(at) || at == path.Dir(at) {
			return
		}
	}
}

// top learns of the repository whose files, or whose own folder, a folder is. False: it is neither.
func (s *survey) top(dir string) bool { return s.topAt(dir, ".git") }

// topAt is top with the spelling of .git that stands there.
func (s *survey) topAt(dir, name string) bool {
	git, key := dir+"/"+name, dir
	if name != ".git" {
		key = git
	}
	if s.learnt[key] {
		return true
	}
	s.learnt[key] = true
	switch end, _, _ := s.files.resolve(git); s.files.look(end).Type {
	case change.Dir:
		s.follow(git, false, "git finds its own folder by it")
		s.learn(end, dir)
	case change.File:
		text, _ := s.text(end)
		to := strings.TrimRight(strings.TrimPrefix(string(text), "gitdir:"), "\r\n")
		end, _, _ = s.files.resolve(from(dir, strings.TrimLeft(to, " ")))
		s.learn(end, dir)
	default:
		bare := s.files.look(dir+"/objects").Type == change.Dir && s.files.look(dir+"/refs").Type == change.Dir
		if !bare || s.files.look(dir+"/HEAD").Type == change.None {
			delete(s.learnt, key)
			return false
		}
		s.learn(dir, dir)
	}
	return true
}

// learn guards what the settings of a repository name: git is its own folder, top the one with its files.
func (s *survey) learn(git, top string) {
	common := git
	if text, _ := s.text(s.end(git + "/commondir")); len(text) > 0 {
		common = s.end(from(git, strings.TrimSpace(string(text))))
	}
	bases := append([]string{top, git}, s.worktrees(common)...)
	s.parsed = map[string]bool{} // what one includes another may include as well
	var own []located
	for _, at := range []string{common + "/config", git + "/config.worktree"} {
		own = append(own, s.ownConfig(git, at)...)
	}
	bases = slices.Compact(append(bases, common))
	s.apply(own, bases)
	s.apply(s.everywhere, bases)
	s.hooks(common + "/hooks")
	if gone := s.files.look(git).Type == change.None; gone {
		s.follow(git, true, "git takes it for its own folder: "+top+"/.git names it, and it is not there")
	}
	for _, dir := range []string{"info", "info/attributes", "hooks", "objects", "refs", "HEAD", "index"} {
		s.way(common+"/"+dir, "git finds its own files by it")
	}
	s.modules(common+"/modules", 0)
}

// end is where a path ends.
func (s *survey) end(at string) string {
	end, _, _ := s.files.resolve(at)
	return end
}

// way guards the links on a way, and where it ends if there were any: what git keeps in its own folder is judged by
// what it holds.
func (s *survey) way(at, why string) {
	if s.end(at) != at {
		s.follow(at, true, why)
	}
}

// ownConfig reads the configuration in git's own folder.
func (s *survey) ownConfig(git, at string) []located {
	s.way(at, "git follows it: its own configuration leads here")
	return s.parse(s.end(at), path.Dir(at))
}

// worktrees are the folders of the linked worktrees of a repository.
func (s *survey) worktrees(common string) []string {
	var out []string
	for _, name := range s.files.list(common + "/worktrees") {
		own := common + "/worktrees/" + name
		if text, _ := s.text(own + "/gitdir"); len(text) > 0 {
			out = append(out, own, path.Dir(s.end(from(own, strings.TrimSpace(string(text))))))
		}
	}
	return out
}

// modules learns of the repositories of submodules, whose names may have slashes.
func (s *survey) modules(dir string, depth int) {
	const deepest = 8
	for _, name := range s.files.list(dir) {
		at := dir + "/" + name
		switch {
		case s.files.look(at).Type != change.Dir || s.learnt[at]:
		case s.files.look(at+"/HEAD").Type != change.None:
			s.learnt[at] = true
			s.learn(at, s.ofModule(at))
		case depth < deepest:
			s.modules(at, depth+1)
		}
	}
}

// ofModule is the folder with the files of a submodule.
func (s *survey) ofModule(dir string) string {
	text, _ := s.text(dir + "/config")
	settings, _ := git.ParseConfig(text)
	for _, one := range settings {
		if one.Name() == "core.worktree" {
			return s.end(from(dir, one.Value))
		}
	}
	return dir
}

// hooks guards a folder of hooks that lies elsewhere, and what its entries lead to.
func (s *survey) hooks(at string) {
	const why = "git runs it: it is a hook"
	s.way(at, why)
	s.entries(s.end(at), why, 0)
}

// entries guards what the links in a folder lead to, and those in its folders some way down.
func (s *survey) entries(folder, why string, depth int) {
	for _, e := range s.files.entries(folder) {
		switch {
		case e.kind == change.Link:
			s.follow(folder+"/"+e.name, true, why)
		case e.kind == change.Dir && depth > 0:
			s.entries(folder+"/"+e.name, why, depth-1)
		}
	}
}

// apply guards what settings name, where relative paths begin at one of some folders.
func (s *survey) apply(list []located, bases []string) {
	for _, one := range list {
		s.drivers(one.Setting)
		if harmful(one.Setting, anywhere) == "" {
			continue
		}
		why := "git runs or follows it: " + one.Name() + " names it"
		switch settingKind(one.Setting) {
		case "name":
		case "folder", "file":
			s.named(bases, one.Value, settingKind(one.Setting) == "folder", why)
		case "command":
			s.line(bases, one.Value, why)
		case "alias":
			line, shell := strings.CutPrefix(one.Value, "!")
			if !shell {
				line = "git " + line
			}
			s.line(bases, line, why)
		default:
			if one.Section == "unreadable" {
				why = "git runs or follows it: its settings cannot be read, and may name it"
			}
			s.named(bases, one.Value, true, why)
			s.line(bases, ": "+strings.TrimPrefix(one.Value, "!"), why)
			s.line(bases, one.Sub, why)
		}
	}
}

func anywhere(string) bool { return true }

// named guards what a path leads to from each folder.
func (s *survey) named(bases []string, value string, tree bool, why string) {
	at := s.interpolated(value)
	if (word{text: at}).bare().text == "" || strings.Contains(at, "\n") {
		return
	}
	for _, base := range bases {
		end := s.follow(from(base, at), tree, why)
		if tree {
			const templates = 2 // hooks and info of a template lie in it
			s.entries(end, why, templates)
		}
		if p, inside := s.files.place(end); inside && p.Path == "." && tree {
			for _, hook := range gitHooks {
				s.follow(end+"/"+hook, false, why)
			}
		}
	}
}

// gitHooks are the names under which git looks for hooks (githooks(5)), where their folder is that of everything.
var gitHooks = strings.Fields(`applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit
	prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update
	proc-receive post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite
	sendemail-validate fsmonitor-watchman p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit
	post-index-change`)

// line guards what the words of a line for a shell lead to. Each is a folder with all that is in it, if it is one.
func (s *survey) line(bases []string, line, why string) {
	words, ok := pathWords(line)
	if !ok {
		s.out.all = tooMuch
	}
	quoted, _ := shellquote.Split(line)
	for _, q := range quoted {
		if strings.Contains(q, " ") && strings.Contains(q, "/") { // a name with a blank in it
			words = append(words, word{text: q})
		}
	}
	begins := slices.Clone(bases)
	for _, w := range words {
		for _, base := range bases {
			if w.into {
				begins = append(begins, s.end(from(base, s.interpolated(w.text))))
			}
		}
	}
	for _, w := range words {
		s.word(begins, w, why)
	}
}

func (s *survey) word(bases []string, w word, why string) {
	if strings.Trim(w.text, "./") == "" { // where it stands, or above
		return
	}
	at := s.interpolated(w.text)
	ways := []string{at}
	if w.loose && strings.HasPrefix(at, "/") {
		ways = append(ways, strings.TrimLeft(at, "/"))
	}
	for _, way := range ways {
		for _, base := range bases {
			s.start(from(base, way), why)
		}
	}
}

// start guards what one path of a line leads to.
func (s *survey) start(at, why string) {
	before, rest, globs := cutGlob(at)
	switch {
	case !globs:
		if end := s.end(at); !s.holdsTop(end) {
			s.entries(s.follow(at, true, why), why, 0) // programs that PATH finds in it may be links
		}
	case strings.Contains(rest, "/"):
		s.follow(before, true, why)
	default:
		if p, inside := s.files.place(s.end(before)); inside {
			s.out.patterns = append(s.out.patterns, pattern{folded(p), strings.ToLower(rest), why})
		}
	}
}

// holdsTop reports a folder that holds a whole repository: a line that names it names nothing in it.
func (s *survey) holdsTop(end string) bool {
	for top := range s.learnt {
		if top == end || strings.HasPrefix(top, strings.TrimSuffix(end, "/")+"/") {
			return true
		}
	}
	return false
}
