package later

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"helve/internal/fsroot"
)

//go:embed later.txt
var text string

// A File is a path that programs run or obey later.
type File struct {
	// Path is slash-separated; a directory with all that is in it if it ends in a slash. A path of several parts, or
	// "*" and the end of a name, is one as well.
	Path string
	// Why says who does what with it, in the third person: "direnv runs it".
	Why string
}

// A List finds files by their paths. It does not change.
type List struct {
	byName map[string][]known // by the first part, folded
	byEnd  []known            // those of "*"
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
		if end, ok := strings.CutPrefix(k.parts[0], "*"); ok {
			k.parts[0] = end
			l.byEnd = append(l.byEnd, k)
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
		for _, k := range l.byName[name] {
			if len(parts)-i >= len(k.parts) && slices.Equal(parts[i:i+len(k.parts)], k.parts) {
				return k.why
			}
		}
		for _, k := range l.byEnd {
			if strings.HasSuffix(name, k.parts[0]) {
				return k.why
			}
		}
		if slices.Contains(dependencies, name) {
			return ""
		}
	}
	return ""
}

// Len is how many files the list names.
func (l *List) Len() int { return l.count }
