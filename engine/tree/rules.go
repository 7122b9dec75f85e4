package tree

import (
	"bytes"
	"strings"
)

// Rule is one line of an ignore file.
type Rule struct {
	File string // as a person would name it: relative to the root where it lies below, else absolute
	Line int    // from 1
	Text string // the pattern as written
	neg  bool   // !pattern
	dir  bool   // pattern/
}

const (
	// maxRules bounds one ignore file; the largest seen in the wild has some thousands.
	maxRules = 100_000
	// maxRuleLine bounds one line: no path is longer than PATH_MAX on any system helve runs on.
	maxRuleLine = 4096
)

// ruleSet is one ignore file, its patterns sorted by shape so that almost every name is decided by a few look-ups
// instead of a pattern at a time. Numbers are indexes into rules: the highest that matches decides.
type ruleSet struct {
	base   string // directory that patterns are relative to, as a prefix of paths: "" or "a/b/"
	above  string // for a file above the root: what lies between, as a prefix
	rules  []Rule
	exact  map[string]hit // name, no wildcard
	ext    map[string]hit // *.ext
	path   map[string]hit // a/b, no wildcard
	prefix []affix        // name*
	suffix []affix        // *name
	rest   []glob
	first  [4]uint64 // first bytes of the names in exact
	length uint64    // their lengths, modulo 64
}

// hit is the last rule for a key: among those for any kind, and among all, which concerns directories.
type hit struct{ file, dir int32 }

type affix struct {
	text string
	rule int32
	dir  bool
}

type glob struct {
	pattern  string
	head     string // literal beginning, compared first
	rule     int32
	dir      bool
	anchored bool
}

// parseRules reads an ignore file. Lines that can match nothing are dropped, as git does.
func parseRules(file, base, above string, data []byte) *ruleSet {
	s := &ruleSet{base: base, above: above}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := 1; len(data) > 0 && len(s.rules) < maxRules; line++ {
		text, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		if len(text) <= maxRuleLine {
			s.add(file, line, string(text))
		}
	}
	return s
}

// add parses one line in the syntax of gitignore.
func (s *ruleSet) add(file string, line int, text string) {
	text = trimLine(text)
	if text == "" || text[0] == '#' {
		return
	}
	r := Rule{File: file, Line: line, Text: text}
	p := text
	if p[0] == '!' {
		r.neg, p = true, p[1:]
	}
	s.addPattern(r, p)
}

// trimLine removes the carriage return and the blanks at the end that no backslash protects.
func trimLine(s string) string {
	s = strings.TrimSuffix(s, "\r")
	for strings.HasSuffix(s, " ") || strings.HasSuffix(s, "\t") {
		cut := s[:len(s)-1]
		if n := len(cut) - len(strings.TrimRight(cut, `\`)); n%2 == 1 {
			return s
		}
		s = cut
	}
	return s
}

func (s *ruleSet) addPattern(r Rule, p string) {
	if strings.HasSuffix(p, "/") {
		r.dir, p = true, p[:len(p)-1]
	}
	anchored := strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	if rest, ok := strings.CutPrefix(p, "**/"); ok && !strings.Contains(rest, "/") {
		anchored, p = false, rest
	}
	if p == "" {
		return
	}
	n := int32(len(s.rules))
	s.rules = append(s.rules, r)
	s.classify(p, n, r.dir, anchored)
}

func (s *ruleSet) classify(p string, n int32, dir, anchored bool) {
	meta := strings.IndexAny(p, `*?[\`)
	plainTail := meta == 0 && p[0] == '*' && len(p) > 1 && !strings.ContainsAny(p[1:], `*?[\`)
	switch {
	case meta < 0 && anchored:
		put(&s.path, p, n, dir)
	case meta < 0:
		put(&s.exact, p, n, dir)
		s.first[p[0]>>6] |= 1 << (p[0] & 63)
		s.length |= 1 << (len(p) & 63)
	case !anchored && plainTail && p[1] == '.' && strings.IndexByte(p[2:], '.') < 0:
		put(&s.ext, p[1:], n, dir)
	case !anchored && plainTail:
		s.suffix = append(s.suffix, affix{p[1:], n, dir})
	case !anchored && meta == len(p)-1 && p[meta] == '*':
		s.prefix = append(s.prefix, affix{p[:meta], n, dir})
	default:
		s.rest = append(s.rest, glob{p, p[:meta], n, dir, anchored})
	}
}

func put(m *map[string]hit, key string, n int32, dir bool) {
	if *m == nil {
		*m = map[string]hit{}
	}
	h, ok := (*m)[key]
	if !ok {
		h.file = -1
	}
	if !dir {
		h.file = n
	}
	h.dir = n
	(*m)[key] = h
}

func (h hit) of(isDir bool) int32 {
	if isDir {
		return h.dir
	}
	return h.file
}

// match returns the index of the rule that decides about the entry name of the directory dir (a prefix: "" or
// "a/b/"), or
// -1. The buffer serves to join the two without an allocation and is returned for the next call.
func (s *ruleSet) match(dir, name string, isDir bool, buf []byte) (int32, []byte) {
	best := s.matchName(name, isDir)
	if len(s.path) == 0 && len(s.rest) == 0 {
		return best, buf
	}
	buf = append(append(append(buf[:0], s.above...), dir[len(s.base):]...), name...)
	if len(s.path) > 0 {
		if h, ok := s.path[string(buf)]; ok {
			best = max(best, h.of(isDir))
		}
	}
	for i := len(s.rest) - 1; i >= 0 && s.rest[i].rule > best; i-- {
		if s.rest[i].match(name, buf, isDir) {
			return s.rest[i].rule, buf
		}
	}
	return best, buf
}

func (s *ruleSet) matchName(name string, isDir bool) int32 {
	best := int32(-1)
	if c := name[0]; s.length>>(len(name)&63)&1 == 1 && s.first[c>>6]>>(c&63)&1 == 1 {
		if h, ok := s.exact[name]; ok {
			best = h.of(isDir)
		}
	}
	if len(s.ext) > 0 {
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			if h, ok := s.ext[name[dot:]]; ok {
				best = max(best, h.of(isDir))
			}
		}
	}
	for i := range s.suffix {
		if a := &s.suffix[i]; a.rule > best && (isDir || !a.dir) && strings.HasSuffix(name, a.text) {
			best = a.rule
		}
	}
	for i := range s.prefix {
		if a := &s.prefix[i]; a.rule > best && (isDir || !a.dir) && strings.HasPrefix(name, a.text) {
			best = a.rule
		}
	}
	return best
}

func (g *glob) match(name string, path []byte, isDir bool) bool {
	if g.dir && !isDir {
		return false
	}
	if !g.anchored {
		return strings.HasPrefix(name, g.head) && wildmatch(g.pattern, name)
	}
	if len(path) < len(g.head) || string(path[:len(g.head)]) != g.head {
		return false
	}
	return wildmatch(g.pattern, path)
}
