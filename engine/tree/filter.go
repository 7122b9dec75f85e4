package tree

import (
	"fmt"
	"strings"
)

// Filter chooses files by name. It is immutable.
type Filter struct {
	override *globSet // ripgrep's -g: stronger than ignore rules and dots
	include  *globSet // a plain choice among what is visible
	types    *globSet
	typed    bool
	without  func(path string) bool
}

// FilterSpec is what a Filter is made of. Globs are written as in a .gitignore, relative to the root; {a,b} may stand
// for a or b in them.
type FilterSpec struct {
	Globs    []string // show only these (or, with !, not these), even if rules or a dot hide them
	Include  []string // show only these (or, with !, not these) of the visible files
	Types    []string // names of file types, such as go, or all for every known one
	TypesNot []string

	// Without leaves out files, by their slash path, whatever else is said. It is called by several goroutines at
	// once. nil: none.
	Without func(path string) bool
}

const (
	maxBraces = 1000 // patterns that one {a,b} pattern may stand for
	maxGlobs  = 1000 // globs in one filter
)

// A FilterError says why a FilterSpec cannot be compiled: a file type that there is not, a glob that
// can never match, too many of them. Whoever wrote the spec can mend it.
type FilterError struct {
	Reason string // a sentence without its end, with what would be right
}

func (e *FilterError) Error() string { return "filter: " + e.Reason }

func filterErrorf(format string, args ...any) error {
	return &FilterError{fmt.Sprintf(format, args...)}
}

// NewFilter compiles a filter; nil if the spec asks for nothing. Its error is a *FilterError.
func NewFilter(spec FilterSpec) (*Filter, error) {
	override, err := newGlobSet(spec.Globs)
	if err != nil {
		return nil, err
	}
	include, err := newGlobSet(spec.Include)
	if err != nil {
		return nil, err
	}
	types, err := typeSet(spec.Types, spec.TypesNot)
	if err != nil {
		return nil, err
	}
	if override == nil && include == nil && types == nil && spec.Without == nil {
		return nil, nil
	}
	f := &Filter{
		override: override,
		include:  include,
		types:    types,
		typed:    len(spec.Types) > 0,
		without:  spec.Without,
	}
	return f, nil
}

// Overrides reports whether the filter may show what ignore rules hide.
func (f *Filter) Overrides() bool {
	return f != nil && f.override != nil && f.override.positive
}

// Match reports whether the filter shows the file at a slash path, ignore rules aside. A directory on the way that is
// hidden hides the file. A nil filter shows everything.
func (f *Filter) Match(path string) bool {
	if f == nil {
		return true
	}
	cut := strings.LastIndexByte(path, '/') + 1
	for i, c := range path[:cut] {
		if c != '/' {
			continue
		}
		up := strings.LastIndexByte(path[:i], '/') + 1
		if f.hides(path[:up], path[up:i], true) {
			return false
		}
	}
	return !f.hides(path[:cut], path[cut:], false)
}

// leavesOut reports whether Without names the file.
func (f *Filter) leavesOut(dir, name string, isDir bool) bool {
	return f != nil && f.without != nil && !isDir && f.without(dir+name)
}

// hides decides about one entry that no ignore rule hides.
func (f *Filter) hides(dir, name string, isDir bool) bool {
	hidden, _ := f.hidesBy(dir, name, isDir, nil)
	return hidden
}

// hidesBy is hides with a buffer, which is returned for the next call.
func (f *Filter) hidesBy(dir, name string, isDir bool, buf []byte) (bool, []byte) {
	v := undecided
	if f.override != nil {
		v, buf = f.override.decide(dir, name, isDir, buf)
	}
	if v == undecided {
		v, buf = f.decide(dir, name, isDir, buf)
	}
	// Without is asked last: rules that somebody else wrote take longer than globs.
	return v == ignored || f.leavesOut(dir, name, isDir), buf
}

// overrules reports whether a glob that is stronger than ignore rules hides the entry.
func (f *Filter) overrules(dir, name string, isDir bool) bool {
	if f == nil || f.override == nil {
		return false
	}
	v, _ := f.override.decide(dir, name, isDir, nil)
	return v == ignored
}

// decide asks include and types.
func (f *Filter) decide(dir, name string, isDir bool, buf []byte) (verdict, []byte) {
	v := undecided
	for _, s := range [...]*globSet{f.include, f.types} {
		if s == nil || isDir && s == f.types { // a directory has no type, whatever it is called
			continue
		}
		v, buf = s.decide(dir, name, isDir, buf)
		if v == ignored {
			return ignored, buf
		}
	}
	return v, buf
}

// globSet is a list of globs of which the last that matches decides. Once it has one without !, files that match none
// are left out; directories are gone through, as files below them may match.
type globSet struct {
	rules    *ruleSet
	positive bool
}

// newGlobSet compiles a list of globs; nil if it is empty.
func newGlobSet(globs []string) (*globSet, error) {
	if len(globs) > maxGlobs {
		return nil, filterErrorf("%d globs: at most %d", len(globs), maxGlobs)
	}
	s := &globSet{rules: &ruleSet{}}
	for i, g := range globs {
		pattern, negated := strings.CutPrefix(g, "!")
		if pattern == "" || len(pattern) > maxRuleLine {
			return nil, filterErrorf("glob %.40q: empty or longer than %d bytes", g, maxRuleLine)
		}
		if err := checkGlob(pattern); err != nil {
			return nil, err
		}
		list, err := expandBraces(pattern)
		if err != nil {
			return nil, err
		}
		r := Rule{File: "glob", Line: i + 1, Text: g, neg: negated}
		for _, p := range list {
			s.rules.addPattern(r, p)
		}
		s.positive = s.positive || !negated
	}
	if len(s.rules.rules) == 0 {
		return nil, nil
	}
	return s, nil
}

// decide turns the words of ignore files around: what a glob without ! matches is what the caller wants to see.
func (s *globSet) decide(dir, name string, isDir bool, buf []byte) (verdict, []byte) {
	n, buf := s.rules.match(dir, name, isDir, buf)
	switch {
	case n >= 0 && s.rules.rules[n].neg:
		return ignored, buf
	case n >= 0:
		return shown, buf
	case s.positive && !isDir:
		return ignored, buf
	}
	return undecided, buf
}

// checkGlob rejects what can never match, because whoever wrote it meant something else.
func checkGlob(p string) error {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
			if i == len(p) {
				return filterErrorf("glob %q: backslash at the end: write \\\\ for a backslash", p)
			}
		case '[':
			n, _ := matchClass(p[i:], 0)
			if n == 0 {
				return filterErrorf("glob %q: %.40q is never closed: write \\[ for a bracket", p, p[i:])
			}
			i += n - 1
		}
	}
	return nil
}

// expandBraces turns a{b,c}d into abd and acd, nested ones too. A brace that is never closed stands for itself.
func expandBraces(p string) ([]string, error) {
	open, parts, end := findBraces(p)
	if parts == nil {
		return []string{p}, nil
	}
	var list []string
	for _, part := range parts {
		more, err := expandBraces(p[:open] + part + p[end:])
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
		if len(list) > maxBraces {
			return nil, filterErrorf("glob %.40q: its braces stand for more than %d patterns", p, maxBraces)
		}
	}
	return list, nil
}

// findBraces finds the first complete brace group: where it opens, its alternatives, and where it ends. Braces and
// commas in a class such as [{,}] and behind a backslash mean themselves; those of inner groups are left to a further
// expansion.
func findBraces(p string) (open int, parts []string, end int) {
	depth, from := 0, 0
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\':
			i++
		case c == '[':
			n, _ := matchClass(p[i:], 0)
			i += max(n-1, 0)
		case c == '{':
			depth++
			if depth == 1 {
				open, from, parts = i, i+1, nil
			}
		case c == ',' && depth == 1:
			parts = append(parts, p[from:i])
			from = i + 1
		case c == '}' && depth == 1:
			return open, append(parts, p[from:i]), i + 1
		case c == '}' && depth > 1:
			depth--
		}
	}
	return 0, nil, 0
}
