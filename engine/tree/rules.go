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

// affix is a rule for the beginning or the end of a name.
type affix struct {
	text string
	rule int32
	dir  bool
}

// glob is a rule that only a matcher can decide.
type glob struct {
	pattern  string
	head     string // literal beginning, compared first
	tail     string // and the literal end of the name
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
		r.neg = true
		p = p[1:]
	}
	s.addPattern(r, p)
}

// trimLine removes the carriage return and the blanks at the end that no backslash protects.
func trimLine(s string) string {
	s = strings.TrimSuffix(s, "\r")
	for strings.HasSuffix(s, " ") || strings.HasSuffix(s, "\t") {
		cut := s[:len(s)-1]
		slashes := len(cut) - len(strings.TrimRight(cut, `\`))
		if slashes%2 == 1 {
			return s
		}
		s = cut
	}
	return s
}

// addPattern adds a rule whose pattern, without the !, is p. A slash at its end means directories; one elsewhere ties
// it to the directory of the file, but for **/name, which is a name at any depth.
func (s *ruleSet) addPattern(r Rule, p string) {
	if strings.HasSuffix(p, "/") {
		r.dir = true
		p = p[:len(p)-1]
	}
	anchored := strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	rest, deep := strings.CutPrefix(p, "**/")
	if deep && !strings.Contains(rest, "/") {
		anchored = false
		p = rest
	}
	if p == "" {
		return
	}
	n := int32(len(s.rules))
	s.rules = append(s.rules, r)
	if anchored {
		s.addAnchored(p, n, r.dir)
	} else {
		s.addName(p, n, r.dir)
	}
}

// wildcards are the bytes that mean more than themselves in a pattern.
const wildcards = `*?[\`

// addAnchored sorts in a pattern of a whole path.
func (s *ruleSet) addAnchored(p string, n int32, dir bool) {
	meta := strings.IndexAny(p, wildcards)
	if meta < 0 {
		put(&s.path, p, n, dir)
		return
	}
	s.rest = append(s.rest, glob{pattern: p, head: p[:meta], tail: tailOf(p), rule: n, dir: dir, anchored: true})
}

// tailOf is what every name ends with that the pattern matches.
func tailOf(p string) string {
	return p[strings.LastIndexAny(p, wildcards+"]/")+1:]
}

// addName sorts in a pattern of a name, whatever directory it is in. The shapes that can be looked up come first, then
// those that are compared without a matcher.
func (s *ruleSet) addName(p string, n int32, dir bool) {
	meta := strings.IndexAny(p, wildcards)
	if meta < 0 {
		put(&s.exact, p, n, dir)
		s.first[p[0]>>6] |= 1 << (p[0] & 63)
		s.length |= 1 << (len(p) & 63)
		return
	}
	tail, isTail := strings.CutPrefix(p, "*")
	isTail = isTail && tail != "" && !strings.ContainsAny(tail, wildcards)
	switch {
	case isTail && tail[0] == '.' && !strings.Contains(tail[1:], "."):
		put(&s.ext, tail, n, dir)
	case isTail:
		s.suffix = append(s.suffix, affix{tail, n, dir})
	case meta == len(p)-1 && p[meta] == '*':
		s.prefix = append(s.prefix, affix{p[:meta], n, dir})
	default:
		s.rest = append(s.rest, glob{pattern: p, head: p[:meta], tail: tailOf(p), rule: n, dir: dir})
	}
}

// put notes a rule for a key. Of several the last one counts, for files the last that is not for directories alone.
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
// "a/b/"), or -1. The buffer serves to join the two without an allocation and is returned for the next call.
func (s *ruleSet) match(dir, name string, isDir bool, buf []byte) (int32, []byte) {
	best := s.matchName(name, isDir)
	if len(s.path) == 0 && len(s.rest) == 0 {
		return best, buf
	}
	buf = append(buf[:0], s.above...)
	buf = append(buf, dir[len(s.base):]...)
	buf = append(buf, name...)
	if len(s.path) > 0 {
		h, ok := s.path[string(buf)]
		if ok {
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

// matchName is the last rule for a name alone, -1 without one.
func (s *ruleSet) matchName(name string, isDir bool) int32 {
	best := int32(-1)
	if s.maybeExact(name) {
		h, ok := s.exact[name]
		if ok {
			best = h.of(isDir)
		}
	}
	if len(s.ext) > 0 {
		best = max(best, s.matchExt(name, isDir))
	}
	for i := range s.suffix {
		a := &s.suffix[i]
		if a.counts(best, isDir) && strings.HasSuffix(name, a.text) {
			best = a.rule
		}
	}
	for i := range s.prefix {
		a := &s.prefix[i]
		if a.counts(best, isDir) && strings.HasPrefix(name, a.text) {
			best = a.rule
		}
	}
	return best
}

// maybeExact tells by length and first byte whether it is worth asking the map: for most names it is not, and hashing
// one costs more than all else here.
func (s *ruleSet) maybeExact(name string) bool {
	c := name[0]
	return s.length>>(len(name)&63)&1 == 1 && s.first[c>>6]>>(c&63)&1 == 1
}

func (s *ruleSet) matchExt(name string, isDir bool) int32 {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return -1
	}
	h, ok := s.ext[name[dot:]]
	if !ok {
		return -1
	}
	return h.of(isDir)
}

// counts tells whether the rule would decide if it matched: a later one was not found yet, and it is for such entries.
func (a *affix) counts(best int32, isDir bool) bool {
	return a.rule > best && (isDir || !a.dir)
}

// match compares a name, or a whole path relative to the rules' directory if the pattern is one of a path.
func (g *glob) match(name string, path []byte, isDir bool) bool {
	if g.dir && !isDir {
		return false
	}
	if !strings.HasSuffix(name, g.tail) {
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
