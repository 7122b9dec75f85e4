// Package secrets knows by their names which files usually hold passwords, tokens and keys. One list serves all who
// ask: file tools before they read, searches that leave such files out, sandboxes that hide them, the history that does
// not keep their content. Names are all that it looks at: it does no I/O.
package secrets

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"helve/internal/sections"
)

//go:embed secrets.txt
var text string

// lists are the sections of secrets.txt.
var lists = sync.OnceValue(func() map[string][]string { return sections.Read(text) })

// Places are the paths of a home, which begin with ~/, and of the system that no command may see.
func Places() []string { return slices.Clone(lists()["places"]) }

const (
	// maxPatterns bounds the patterns of a configuration: each is asked about every file of a search.
	maxPatterns = 200
	// maxPattern bounds one, in bytes: longer than any path that a system takes.
	maxPattern = 4096
)

// A List tells which files may hold secrets. It is immutable; a nil List is the built-in one.
type List struct {
	more    []extra
	version string
}

// An extra is a pattern of a configuration.
type extra struct {
	glob string // for doublestar, in lower case
	not  bool   // what it means holds no secrets
}

// New adds patterns to the built-in list: globs for paths from the workspace's root, where one without a slash means
// that name in every directory, and one with a slash at its end all that is in such a directory. Behind a ! stands what
// holds no secrets. The last pattern that matches decides. The error says which pattern is none.
func New(patterns []string) (*List, error) {
	if len(patterns) > maxPatterns {
		return nil, fmt.Errorf("%d patterns: at most %d", len(patterns), maxPatterns)
	}
	l := &List{version: versionOf(patterns)}
	for _, p := range patterns {
		e, err := newExtra(p)
		if err != nil {
			return nil, fmt.Errorf("pattern %.60q: %w", p, err)
		}
		l.more = append(l.more, e)
	}
	return l, nil
}

// Version names what the list decides by: two lists of one program that have the same tell the same.
func (l *List) Version() string {
	if l == nil || l.version == "" {
		return versionOf(nil)
	}
	return l.version
}

func versionOf(patterns []string) string {
	h := sha256.New()
	for _, p := range append([]string{text}, patterns...) {
		fmt.Fprintf(h, "%d %s\n", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func newExtra(pattern string) (extra, error) {
	glob, not := strings.CutPrefix(pattern, "!")
	glob = strings.ToLower(strings.TrimPrefix(glob, "./"))
	bare := strings.Trim(glob, "/")
	switch {
	case bare == "":
		return extra{}, errors.New("it means no file")
	case len(pattern) > maxPattern:
		return extra{}, fmt.Errorf("it is longer than %d bytes", maxPattern)
	case strings.HasPrefix(glob, "~"):
		return extra{}, errors.New("it is about files of the workspace; sandbox.masked hides others from commands")
	}
	if strings.HasSuffix(glob, "/") {
		glob = bare + "/**"
		if !strings.Contains(bare, "/") {
			glob = "**/" + glob
		}
	} else if !strings.Contains(bare, "/") {
		glob = "**/" + bare
	}
	glob = strings.TrimPrefix(glob, "/")
	if !doublestar.ValidatePattern(glob) {
		return extra{}, errors.New("it is no valid glob: check brackets and braces")
	}
	return extra{glob, not}, nil
}

// Has tells whether a file may hold secrets. Its path has slashes; it may be relative or absolute, and also be a
// directory's.
func (l *List) Has(file string) bool {
	file = lower(strings.TrimSuffix(file, "/"))
	if l != nil {
		for _, e := range slices.Backward(l.more) {
			ok, _ := doublestar.Match(e.glob, strings.TrimLeft(file, "/")) // was found valid when it was read
			if ok {
				return !e.not
			}
		}
	}
	return builtIn(file)
}

// lower is the name without regard to case. Most names have no capital, and cost no memory so.
func lower(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' || s[i] >= 0x80 {
			return strings.ToLower(s)
		}
	}
	return s
}

// builtIn asks the built-in list about a path in lower case.
func builtIn(file string) bool {
	t := tables()
	name := path.Base(file)
	switch {
	case t.directory(file):
		return true
	case t.harmless.has(name):
		return false
	case t.names.has(name), t.below(file):
		return true
	}
	return t.keys.has(name) && !t.fixture(file)
}

// table is the built-in list, prepared.
type table struct {
	names, keys, harmless nameSet

	dirs     map[string]bool // names of directories
	paths    []string        // of more than one name, at the end of a path; with a slash at its end a directory
	fixtures map[string]bool
}

var tables = sync.OnceValue(func() *table {
	t := &table{
		keys:     newNameSet(lists()["keys"]),
		harmless: newNameSet(lists()["harmless"]),
		dirs:     map[string]bool{},
		fixtures: map[string]bool{},
	}
	var names []string
	for _, n := range lists()["names"] {
		dir, isDir := strings.CutSuffix(n, "/")
		switch {
		case strings.Contains(dir, "/"):
			t.paths = append(t.paths, n)
		case isDir:
			t.dirs[dir] = true
		default:
			names = append(names, n)
		}
	}
	t.names = newNameSet(names)
	for _, n := range lists()["fixtures"] {
		t.fixtures[n] = true
	}
	return t
})

// directory tells that the path is, or lies in, a directory that holds secrets.
func (t *table) directory(file string) bool {
	for name := range strings.SplitSeq(file, "/") {
		if t.dirs[name] {
			return true
		}
	}
	return false
}

// fixture tells that the path lies in a directory of examples or tests.
func (t *table) fixture(file string) bool {
	for name := range strings.SplitSeq(path.Dir(file), "/") {
		if t.fixtures[name] {
			return true
		}
	}
	return false
}

// below tells that the path ends in one of more than one name, or lies in such a directory.
func (t *table) below(file string) bool {
	if !strings.Contains(file, "/.") { // all of them have a name that begins with a dot, and most files have none
		file = strings.TrimPrefix(file, "/")
		if !strings.HasPrefix(file, ".") {
			return false
		}
	}
	whole := "/" + file + "/"
	return slices.ContainsFunc(t.paths, func(p string) bool {
		if strings.HasSuffix(p, "/") {
			return strings.Contains(whole, "/"+p)
		}
		return strings.HasSuffix(whole, "/"+p+"/")
	})
}

// A nameSet matches names by patterns, whole names and endings first, since they are nearly all.
type nameSet struct {
	whole   map[string]bool
	endings map[string]bool // with their dot: .key
	others  []wild
}

// A wild is a pattern with what every match begins and ends with.
type wild struct{ pattern, begin, end string }

func newNameSet(patterns []string) nameSet {
	s := nameSet{whole: map[string]bool{}, endings: map[string]bool{}}
	for _, p := range patterns {
		ending, begins := strings.CutPrefix(p, "*")
		switch {
		case !strings.Contains(p, "*"):
			s.whole[p] = true
		case begins && strings.LastIndexByte(ending, '.') == 0 && !strings.Contains(ending, "*"):
			s.endings[ending] = true
		default:
			first, last := strings.IndexByte(p, '*'), strings.LastIndexByte(p, '*')
			s.others = append(s.others, wild{p, p[:first], p[last+1:]})
		}
	}
	return s
}

func (s *nameSet) has(name string) bool {
	if s.whole[name] || s.endings[path.Ext(name)] {
		return true
	}
	return slices.ContainsFunc(s.others, func(w wild) bool {
		if !strings.HasPrefix(name, w.begin) || !strings.HasSuffix(name, w.end) {
			return false
		}
		ok, _ := path.Match(w.pattern, name) // a test reads all patterns
		return ok
	})
}
