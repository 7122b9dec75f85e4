package tree

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of ignore file in a directory, strongest first.
var ignoreNames = [...]string{".rgignore", ".ignore", ".gitignore"}

const (
	kindGit        = 2               // index of .gitignore in ignoreNames
	maxIgnoreBytes = maxRules * 64   // bytes read of one ignore file
	maxParents     = maxRuleLine / 2 // directories above the root: no path has more
	gitFilePrefix  = "gitdir:"       // first word of a .git that is a file
	gitFileBytes   = 2 * maxRuleLine // bytes read of it
)

// scope is what holds in a directory: its own ignore files and those inherited. Directories without such files share
// their parent's scope. A scope does not change once it is made.
type scope struct {
	parent *scope
	own    [len(ignoreNames)]*ruleSet
	repo   bool // the top of a git work tree
	tail   []*ruleSet
	levels []*ruleSet // all that count here, strongest first
}

// verdict is what the rules say about one entry.
type verdict uint8

const (
	undecided verdict = iota
	ignored
	shown // by a rule with !
)

// decide asks the levels in turn; the first that has a matching rule decides.
func (s *scope) decide(dir, name string, isDir bool, buf []byte) (verdict, *Rule, []byte) {
	var n int32
	for _, set := range s.levels {
		n, buf = set.match(dir, name, isDir, buf)
		if n < 0 {
			continue
		}
		r := &set.rules[n]
		if r.neg {
			return shown, r, buf
		}
		return ignored, r, buf
	}
	return undecided, nil, buf
}

// finish computes levels once own, repo and tail are set. Rules of git count only up to the top of a work tree: without
// one around, a .gitignore means nothing.
func (s *scope) finish() *scope {
	for kind := range kindGit {
		for at := s; at != nil; at = at.parent {
			s.levels = appendRules(s.levels, at.own[kind])
		}
	}
	var git []*ruleSet
	for at := s; at != nil; at = at.parent {
		git = appendRules(git, at.own[kindGit])
		if at.repo {
			s.levels = append(s.levels, git...)
			s.levels = append(s.levels, at.tail...)
			break
		}
	}
	return s
}

func appendRules(list []*ruleSet, s *ruleSet) []*ruleSet {
	if s == nil || len(s.rules) == 0 {
		return list
	}
	return append(list, s)
}

// place is a directory whose ignore files are to be read.
type place struct {
	base  string // see ruleSet
	above string
	shown string // prefix under which its files are named to people
	abs   string
	read  func(name string) []byte // the beginning of one of its files; in the tree no link is followed
}

// enter returns the scope of a directory in which the named ignore files exist. git says that it has an entry .git.
func (s *scope) enter(p place, present [len(ignoreNames)]bool, git bool, global string) *scope {
	if !git && !slices.Contains(present[:], true) {
		return s
	}
	n := &scope{parent: s, repo: git}
	for i, name := range ignoreNames {
		if present[i] {
			n.own[i] = parseRules(p.shown+name, p.base, p.above, p.read(name))
		}
	}
	if git {
		n.tail = appendRules(n.tail, p.load(excludeFile(p.abs)))
		n.tail = appendRules(n.tail, p.load(global))
	}
	return n.finish()
}

// load reads a rule file that lies elsewhere but whose patterns are relative to this place.
func (p place) load(file string) *ruleSet {
	if file == "" {
		return nil
	}
	name := file
	rel, err := filepath.Rel(p.abs, file)
	if err == nil && filepath.IsLocal(rel) {
		name = p.shown + filepath.ToSlash(rel)
	}
	return parseRules(name, p.base, p.above, readBounded(file, maxIgnoreBytes))
}

// excludeFile finds info/exclude of the work tree at abs: in .git, or where the file .git of a submodule or a linked
// work tree points to.
func excludeFile(abs string) string {
	git := filepath.Join(abs, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return ""
	}
	if !info.IsDir() {
		line := strings.TrimSpace(string(readBounded(git, gitFileBytes)))
		target, ok := strings.CutPrefix(line, gitFilePrefix)
		if !ok {
			return ""
		}
		git = joinIfRelative(abs, strings.TrimSpace(target))
		common := bytes.TrimSpace(readBounded(filepath.Join(git, "commondir"), gitFileBytes))
		if len(common) > 0 {
			git = joinIfRelative(git, string(common))
		}
	}
	return filepath.Join(git, "info", "exclude")
}

func joinIfRelative(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// parentScope reads the ignore files of the directories above root, the topmost first.
func parentScope(root, global string) *scope {
	var dirs []string
	for dir := filepath.Dir(root); len(dirs) < maxParents; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if root == filepath.Dir(root) {
		dirs = nil
	}
	var s *scope = &scope{}
	for _, dir := range slices.Backward(dirs) {
		rel, err := filepath.Rel(dir, root)
		if err != nil {
			continue
		}
		p := place{
			above: filepath.ToSlash(rel) + "/",
			shown: dir + string(filepath.Separator),
			abs:   dir,
		}
		s = s.enterDisk(p, global)
	}
	return s
}

// enterDisk is enter for a directory that is not being listed: it looks for the files itself.
func (s *scope) enterDisk(p place, global string) *scope {
	var present [len(ignoreNames)]bool
	for i, name := range ignoreNames {
		present[i] = exists(filepath.Join(p.abs, name))
	}
	if p.read == nil { // above the root, where the person's own files lie
		p.read = func(name string) []byte {
			return readBounded(filepath.Join(p.abs, name), maxIgnoreBytes)
		}
	}
	git := exists(filepath.Join(p.abs, ".git"))
	return s.enter(p, present, git, global)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// GitIgnoreFile returns the person's own ignore file, core.excludesFile of the git configuration or its default, for
// Options.GlobalIgnore; "" if there is none. getenv is os.Getenv outside tests; git itself is not run.
func GitIgnoreFile(getenv func(string) string) string {
	home, config := getenv("HOME"), getenv("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = filepath.Join(home, ".config")
	}
	var files []string
	if home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	if config != "" {
		files = append(files, filepath.Join(config, "git", "config"))
	}
	for _, file := range files {
		path := excludesFile(string(readBounded(file, maxIgnoreBytes)))
		if path == "" {
			continue
		}
		rest, inHome := strings.CutPrefix(path, "~/")
		if inHome {
			return filepath.Join(home, rest)
		}
		return path
	}
	if config == "" {
		return ""
	}
	file := filepath.Join(config, "git", "ignore")
	if exists(file) {
		return file
	}
	return ""
}

// excludesFile finds core.excludesFile in the text of a git configuration.
func excludesFile(config string) string {
	section, found := "", ""
	for line := range strings.Lines(config) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(strings.Trim(line, "[] \t"))
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && section == "core" && strings.EqualFold(strings.TrimSpace(key), "excludesFile") {
			found = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return found
}
