package later

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"helve/internal/fsroot"
)

// text has files that programs run or obey later, in whatever folder they lie: who opens, or works in, that folder has
// them run. One a line: a path, a directory if it ends in a slash, "*" for anything in a name, and after a space what
// follows. Sources stand in later_test.go, of what was added since its table was.
//
//go:embed later.txt
var text string

// A File is a path that programs run or obey later.
type File struct {
	// Path is slash-separated; a directory with all that is in it if it ends in a slash. It may have several parts, and
	// one "*" in each for anything there.
	Path string
	// Why says who does what with it, in the third person: "direnv runs it".
	Why string
}

// A List finds files by their paths. It does not change.
type List struct {
	byName map[string][]known // by the first part, folded
	byForm []known            // those with a "*" in the first part
	count  int
}

// A known is a file of a list, its parts folded.
type known struct {
	parts []string
	why   string
}

// Default is the list of later.txt.
var Default = sync.OnceValue(func() *List { return New(parse(text)...) })

// New makes a list.
func New(files ...File) *List {
	l := &List{byName: map[string][]known{}, count: len(files)}
	for _, f := range files {
		k := known{split(strings.TrimSuffix(f.Path, "/")), f.Why}
		if strings.Contains(k.parts[0], "*") {
			l.byForm = append(l.byForm, k)
			continue
		}
		l.byName[k.parts[0]] = append(l.byName[k.parts[0]], k)
	}
	return l
}

func parse(text string) []File {
	var out []File
	for line := range strings.Lines(text) {
		at, why, _ := strings.Cut(strings.TrimSpace(line), " ")
		if at != "" && at != "#" {
			out = append(out, File{at, strings.TrimSpace(why)})
		}
	}
	return out
}

// split is a path's parts, folded: what any file system takes for .envrc counts.
func split(path string) []string { return strings.Split(fsroot.Fold(path), "/") }

// dependencies are folders that a package manager fills and in which nobody opens an editor, an agent or a shell:
// what is published there is the code of others, with their settings in it.
var dependencies = []string{"node_modules", "bower_components", "site-packages", "vendor"}

// IsDependencies reports the name of a folder that a package manager fills.
func IsDependencies(name string) bool { return slices.Contains(dependencies, name) }

// InDependencies reports a path in a folder that a package manager fills.
func InDependencies(path string) bool { return slices.ContainsFunc(split(path), IsDependencies) }

// Why tells who runs or obeys a path, or a directory that it lies in, wherever that lies; "" if nobody does. The path
// is relative to a workspace.
func (l *List) Why(path string) string {
	parts := split(path)
	for i, name := range parts {
		for _, lines := range [][]known{l.byName[name], l.byForm} {
			for j := range lines {
				if lines[j].begins(parts[i:]) {
					return lines[j].why
				}
			}
		}
		if slices.Contains(dependencies, name) {
			return ""
		}
	}
	return ""
}

// begins tells whether the parts of a path begin with those of a line.
func (k *known) begins(parts []string) bool {
	return len(parts) >= len(k.parts) && slices.EqualFunc(k.parts, parts[:len(k.parts)], fits)
}

// fits tells whether a name is what a line has there, "*" being anything.
func fits(want, name string) bool {
	before, after, any := strings.Cut(want, "*")
	return name == want || any && len(name) >= len(want)-1 &&
		strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

// Len is how many files the list names.
func (l *List) Len() int { return l.count }
