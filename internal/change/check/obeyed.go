package check

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/git"
	"helve/internal/later"
	"helve/internal/sections"
)

// What is obeyed is asked of all that can tell, and not read off names: the settings of git for the machine, the
// person, the repository and the worktree, with every file that they include, whether its condition holds and whether
// it is there or not; links of the person's home that lead into the workspace. Paths are followed as the system does,
// through every link, on the files as they are and as they will be. What one of them names and what stands on the way
// to it is guarded.

// Bounds of what is asked for. Whoever has more has everything guarded.
const (
	// maxConfigs bounds the files of settings: 10,000 includes are read in a tenth of a second.
	maxConfigs = 20_000
	// maxLookups bounds the paths that are followed.
	maxLookups = 200_000
	// maxConfig bounds one file of settings.
	maxConfig = 8 << 20
)

const tooMuch = "git's settings name more than can be looked at, and this may be a part of it"

// A survey finds out what is obeyed in one state of the files.
type survey struct {
	files  *fileState
	getenv func(string) string
	out    *guarded

	texts      map[string]bool   // texts for models that were read
	everywhere []located         // settings of the machine and the person
	parsed     map[string]bool   // files of settings that were read, by where they end
	followed   map[string]string // where paths that were followed end
	loaded     map[string]bool   // files of settings.txt that were read
	learnt     map[string]bool   // folders that were looked at as repositories
	configs    int               // how many files of settings were read
}

// A located setting is one with the folder of the file that it stands in.
type located struct {
	git.Setting
	folder string
}

// gitObeys is gitobeys.txt.
var gitObeys = sync.OnceValue(func() map[string][]string { return sections.Read(gitObeysText) })

func newSurvey(files *fileState, getenv func(string) string, out *guarded) *survey {
	s := &survey{
		files:    files,
		getenv:   getenv,
		out:      out,
		parsed:   map[string]bool{},
		followed: map[string]string{},
		loaded:   map[string]bool{},
		texts:    map[string]bool{},
		learnt:   map[string]bool{},
	}
	s.home()
	for _, at := range s.personal() {
		s.everywhere = append(s.everywhere, s.read(at, "git follows it: it is the person's own configuration")...)
	}
	s.everywhere = append(s.everywhere, s.ofEnvironment()...)
	for _, dir := range files.real {
		s.repository(dir)
		s.around(dir)
		s.apply(s.everywhere, []string{dir})
		if !files.isAfter {
			s.nested(dir)
		}
	}
	return s
}

// maxNested bounds the folders of a workspace that are searched for repositories which no change touches, and whose
// settings may lead out of their own folder: to list that many takes some milliseconds.
const maxNested = 400

// nested learns of the repositories below a folder, the outer ones first.
func (s *survey) nested(dir string) {
	queue := []string{dir}
	for n := 0; n < len(queue) && n < maxNested; n++ {
		entries, _ := os.ReadDir(queue[n]) // names only: what they hold is read by other means
		for _, e := range entries {
			s.linked(dir, queue[n], e)
			switch name := e.Name(); {
			case fsroot.Fold(name) == ".git":
				s.topAt(queue[n], name)
			case importing(name):
				s.imports(queue[n]+"/"+name, 0)
			case settingsFiles()[fsroot.Fold(name)] != nil:
				s.settings(queue[n] + "/" + name)
			case e.IsDir() && !later.IsDependencies(name):
				queue = append(queue, queue[n]+"/"+name)
			}
		}
	}
}

// env is a variable of the person's environment.
func (s *survey) env(name string) string {
	if s.getenv == nil {
		return ""
	}
	return s.getenv(name)
}

// personal are the files of git's settings for the machine and the person.
func (s *survey) personal() []string {
	out := slices.Clone(gitObeys()["system"])
	for _, dir := range filepath.SplitList(s.env("PATH")) {
		if filepath.IsAbs(dir) && s.files.look(path.Join(filepath.ToSlash(dir), "git")).Type != change.None {
			out = append(out, path.Join(path.Dir(filepath.ToSlash(dir)), "etc/gitconfig"))
			break
		}
	}
	if at := s.env("GIT_CONFIG_SYSTEM"); at != "" {
		out = append(out, at)
	}
	home := s.env("HOME")
	config := s.env("XDG_CONFIG_HOME")
	if config == "" && home != "" {
		config = path.Join(home, ".config")
	}
	for _, at := range []string{path.Join(config, "git/config"), path.Join(home, ".gitconfig"), s.env("GIT_CONFIG_GLOBAL")} {
		if filepath.IsAbs(at) {
			out = append(out, at)
		}
	}
	if filepath.IsAbs(config) {
		s.follow(path.Join(config, "git/attributes"), false, "git follows it: it is the person's own list of attributes")
	}
	return out
}

// follow guards what a path leads to and the links on the way to it, as far as they lie in the workspace, and tells
// where it ends. tree guards what is in it as well.
func (s *survey) follow(at string, tree bool, why string) string {
	key := at
	if tree {
		key += "/"
	}
	if end, known := s.followed[key]; known {
		return end
	}
	end, links, ok := s.files.resolve(at)
	s.followed[key] = end
	for _, l := range links {
		s.guard(s.out.files, l, why)
	}
	if !ok {
		return end
	}
	if len(s.followed) >= maxLookups {
		s.out.all = tooMuch
	}
	if p, inside := s.files.place(end); inside && p.Path != "." {
		if tree {
			s.guard(s.out.trees, end, why)
		}
		s.guard(s.out.files, end, why)
	}
	return end
}

func (s *survey) guard(in map[place]string, at, why string) {
	p, inside := s.files.place(at)
	if !inside || p.Path == "." {
		return
	}
	if p = folded(p); in[p] == "" {
		in[p] = why
	}
}

// interpolated is a path as git reads it from a setting.
func (s *survey) interpolated(value string) string {
	value = strings.TrimPrefix(value, ":(optional)")
	if rest, ok := strings.CutPrefix(value, "%(prefix)"); ok {
		return "/usr" + rest
	}
	if !strings.HasPrefix(value, "~") {
		return value
	}
	name, rest, _ := strings.Cut(value[1:], "/")
	home := s.env("HOME")
	if name != "" {
		home = homeOf(name)
	}
	return path.Join(home, rest)
}

// homeOf is the home of another user, as the system's list has it; os/user would be linked for this alone.
func homeOf(name string) string {
	text, _ := readFile("/etc/passwd", maxConfig)
	for line := range strings.Lines(string(text)) {
		const home = 5
		if fields := strings.Split(line, ":"); fields[0] == name && len(fields) > home {
			return fields[home]
		}
	}
	return "/nonexistent"
}

// from is a path relative to a folder, before links are followed: ".." counts where the way before it ends.
func from(folder, at string) string {
	if filepath.IsAbs(at) {
		return at
	}
	return folder + "/" + at
}

// text reads a file of settings; empty where none is.
func (s *survey) text(at string) ([]byte, string) {
	text, err := s.files.text(at, maxConfig)
	switch {
	case err == errNotThere, os.IsPermission(err):
		return nil, ""
	case err != nil:
		return nil, err.Error()
	}
	return text, ""
}
