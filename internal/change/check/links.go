package check

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/later"
)

// What a name means that a link has, means the file at its end: what a program finds by a link in the home, in the
// workspace by one that has the name of settings, and by a text for models that names another one.

// home follows the links of the person's home that may lead here, as who keeps their settings in a repository has them.
func (s *survey) home() {
	home := s.env("HOME")
	if !filepath.IsAbs(home) {
		return
	}
	folders := []string{home, home + "/bin", home + "/.local/bin", home + "/.config/systemd/user"}
	for _, up := range []string{home, home + "/.config"} {
		for _, e := range s.outside(up) {
			if e.kind == change.Dir && (up != home || isHidden(e.name)) {
				folders = append(folders, up+"/"+e.name)
			}
		}
	}
	for _, folder := range folders {
		for _, e := range s.outside(folder) {
			if e.kind == change.Link {
				at := folder + "/" + e.name
				s.follow(at, true, "the person's programs follow it: ~"+strings.TrimPrefix(at, home)+" leads here")
			}
		}
	}
}

// outside are some of what stands in a folder outside of the workspace.
func (s *survey) outside(folder string) []listed {
	if _, inside := s.files.place(folder); inside {
		return nil
	}
	return s.files.around.list(folder)
}

// maxWithin bounds how deep links are looked for in a folder of settings.
const maxWithin = 3

// linked guards what an entry of a folder of the workspace leads to, if it is a link whose name programs look for.
func (s *survey) linked(root, folder string, e os.DirEntry) {
	if e.Type()&os.ModeSymlink == 0 {
		return
	}
	at := folder + "/" + e.Name()
	rel := strings.TrimPrefix(at, root+"/")
	if why := later.Default().Why(rel); why != "" {
		why += ": " + rel + " leads here"
		s.entries(s.follow(at, true, why), why, maxWithin)
	}
	if why := later.Instructs().Why(rel); why != "" {
		why += ": " + rel + " leads here"
		end := s.end(at)
		s.guard(s.out.texts, end, why)
		for _, name := range s.files.list(end) {
			s.guard(s.out.texts, s.end(end+"/"+name), why)
		}
	}
}

// importing reports the folded name of a text for models in which "@path" stands for what is in another one.
func importing(name string) bool {
	return strings.HasSuffix(fsroot.Fold(name), ".md") && later.Instructs().Why(name) != ""
}

// imported is another text that a text for models names.
var imported = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?:^|[\\s(*_-])@([^\\s@`\"'()<>\\[\\]]+)")
})

// maxImports bounds how texts for models name each other: Claude Code follows five steps.
const maxImports = 5

// imports guards the texts that a text for models names.
func (s *survey) imports(at string, depth int) {
	if depth > maxImports || s.texts[at] {
		return
	}
	s.texts[at] = true
	text, _ := s.text(s.end(at))
	for _, m := range imported().FindAllSubmatch(text, maxWords) {
		name := strings.TrimRight(string(m[1]), ".,;:!?")
		if !strings.ContainsAny(name, "./") {
			continue // somebody's name
		}
		to := from(path.Dir(at), s.interpolated(name))
		s.guard(s.out.texts, s.end(to), "a model takes it for instructions: "+path.Base(at)+" names it")
		s.imports(to, depth+1)
	}
}

// judgeTop tells why a folder may not become the top of a repository: the person's settings have git run something
// there that stands already, and that nobody looked at since nothing followed it.
func (c *checker) judgeTop(top place) string {
	if c.past != nil || len(c.asked) == 0 {
		return ""
	}
	after := c.asked[len(c.asked)-1]
	own := *after
	own.out = newGuarded(nil)
	own.followed = map[string]string{}
	own.apply(after.everywhere, []string{after.files.path(top)})
	for _, list := range []map[place]string{own.out.files, own.out.trees} {
		for at, why := range list {
			if at.Within(folded(top)) && c.stood(top, at) {
				return "it makes " + string(top.Path) + " a repository of git's, where " + string(at.Path) + " stands: " + why
			}
		}
	}
	return ""
}

// stood tells that a file, or a folder with something in it, stands at a folded place below a folder before the set.
func (c *checker) stood(top, at place) bool {
	real := top
	rel, _ := below(at, folded(top))
	for part := range strings.SplitSeq(rel, "/") {
		names, err := c.roots[real.Root].Names(real.Path)
		i := slices.IndexFunc(names, func(name string) bool { return fsroot.Fold(name) == part })
		if err != nil || i < 0 {
			return false
		}
		real = real.Child(names[i])
	}
	e, err := c.before(real)
	if err != nil || e.Type != change.Dir {
		return err == nil && e.Type != change.None
	}
	names, _ := c.roots[real.Root].Names(real.Path)
	return len(names) > 0
}

// intoDependencies tells why a link waits that leads into a folder of dependencies from outside: there nobody opens an
// editor, an agent or a shell, and so settings are not looked at.
func (c *checker) intoDependencies(e edge) string {
	if e.will.Type != change.Link || c.past != nil {
		return ""
	}
	files := c.asked[len(c.asked)-1].files
	end, _, _ := files.resolve(files.path(e.place))
	p, inside := files.place(end)
	if !inside || !later.InDependencies(string(p.Path)) || files.look(end).Type == change.File {
		return ""
	}
	return "it leads into " + string(p.Path) + ", where settings of other programs are not looked at"
}
