package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"helve/tool"
)

// A rule is a Rule, compiled.
type rule struct {
	decision tool.Decision
	text     string
	at       Place
	layer    int
	sel      selector
	about    kinds // the kinds of effect that the pattern can mean
	reaches  kinds // those of other tools' effects that it means, too: what may not be read must not be written either
	all      bool  // no pattern, or one that every target matches
	whole    bool  // no pattern at all: the whole tool, whatever it does

	glob  globPattern
	words wordPattern
	host  string
}

// kinds is a set of tool.Kind.
type kinds uint8

func (k kinds) has(kind tool.Kind) bool { return k&(1<<kind) != 0 }

const (
	paths    = kinds(1<<tool.Read | 1<<tool.Write)
	writes   = kinds(1 << tool.Write)
	commands = kinds(1 << tool.Exec)
	hosts    = kinds(1 << tool.Net)
	anything = paths | commands | hosts | 1<<tool.State
)

// family is what the patterns of our own tools are about, and what they reach beyond their tool. Those of others are about whatever
// kind their effects are of.
var family = map[string]struct{ about, reaches kinds }{
	"read": {paths, paths}, "write": {paths, writes}, "edit": {paths, writes}, "multiedit": {paths, writes},
	"ls": {paths, 0}, "glob": {paths, 0}, "grep": {paths, 0},
	"fetch": {hosts, hosts}, "bash": {commands, commands},
	"@read": {paths, paths}, "@write": {paths, writes}, "@net": {hosts, hosts}, "@exec": {commands, commands},
}

// maxPattern bounds a pattern: longer than any path that a system takes.
const maxPattern = 4096

// compile understands tool:pattern.
func compile(r Rule, o Options) (rule, error) {
	name, pattern, _ := strings.Cut(r.Text, ":")
	c := rule{decision: r.Decision, text: r.Text, at: r.At, sel: newSelector(name), about: anything}
	pattern = strings.TrimSpace(pattern)
	switch {
	case c.sel.text == "":
		return c, errors.New("it names no tool: want tool:pattern")
	case len(r.Text) > maxPattern:
		return c, fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	key := c.sel.key
	if c.sel.kind == 'g' {
		key = "@" + key
	}
	if f, ok := family[key]; ok {
		c.about, c.reaches = f.about, f.reaches
	}
	if pattern == "" || pattern == "*" || pattern == "**" {
		c.all, c.whole = true, pattern == ""
		c.about = anything
		return c, nil
	}
	return c, c.compilePattern(pattern, o)
}

func (c *rule) compilePattern(pattern string, o Options) (err error) {
	if c.about&paths != 0 {
		c.glob, err = newGlob(pattern, c.decision != tool.Allow, o)
	}
	if c.about&commands != 0 && err == nil {
		c.words, err = newWords(pattern)
	}
	if c.about&hosts != 0 {
		c.host = cleanHost(pattern)
	}
	return err
}

// A globPattern matches paths.
type globPattern struct {
	text     string
	key      string // a name that every match has among its path's; "" for none
	prefix   string // what every match starts with, and ends with
	suffix   string
	absolute bool
	strict   bool // of a rule that takes rights away: it ignores case, and means what lies below, too
	folds    bool
	below    bool
	floats   bool // starts with **/: at home anywhere
}

func newGlob(pattern string, strict bool, o Options) (globPattern, error) {
	g := globPattern{strict: strict, folds: strict || o.Folds}
	pattern = strings.TrimPrefix(pattern, "./")
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		if o.Home == "" {
			return g, errors.New("~ means nothing here: there is no home directory")
		}
		pattern = path.Join(o.Home, rest)
	}
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return g, errors.New("a pattern has no ..: paths are compared as they really are, from the workspace's root")
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	if g.folds {
		pattern = fold(pattern)
	}
	g.text, g.absolute = pattern, absolute(pattern)
	if !doublestar.ValidatePattern(pattern) {
		return g, errors.New("it is no valid glob: check brackets and braces")
	}
	g.hints()
	return g, nil
}

const meta = `*?[{\`

// hints are what a look at the path can rule out quickly.
func (g *globPattern) hints() {
	g.floats = strings.HasPrefix(g.text, "**/")
	if strings.ContainsAny(g.text, `{\`) {
		return
	}
	segments := strings.Split(g.text, "/")
	last := segments[len(segments)-1]
	g.below = g.strict && !strings.ContainsAny(last, meta)
	for _, s := range segments {
		if s != "" && !strings.ContainsAny(s, meta) {
			g.key = s
		}
	}
	if i := strings.IndexAny(g.text, meta); i < 0 {
		g.prefix = g.text
	} else {
		g.prefix = strings.TrimSuffix(g.text[:i], "/") // a/** means a, too
		if !g.below && !strings.HasSuffix(g.text, "**") {
			g.suffix = g.text[strings.LastIndexAny(g.text, `*?]`)+1:]
			g.suffix = strings.TrimPrefix(g.suffix, "/")
		}
	}
}

// fold is the form in which paths are compared where case does not count.
func fold(s string) string { return strings.ToLower(s) }

func absolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':' && (len(p) == 2 || p[2] == '/')
}

// A place is an effect's target, prepared for comparison.
type place struct {
	text, folded string
	absolute     bool // outside every root, or below another root than the first
	rest         string
}

func newPlace(target string) place {
	p := place{text: target, absolute: absolute(target)}
	if clean := path.Clean(target); !strings.HasPrefix(target, "//") && clean != target {
		p.text = clean
	}
	p.folded = fold(p.text)
	p.rest = p.folded
	if p.absolute {
		p.rest = strings.TrimLeft(p.folded, "/")
		if strings.HasPrefix(target, "//") { // //root/path
			_, p.rest, _ = strings.Cut(p.rest, "/")
		}
	}
	return p
}

func (g *globPattern) matches(p *place) bool {
	text := p.text
	if g.folds {
		text = p.folded
	}
	if g.absolute != p.absolute {
		// A relative rule never opens what is outside; it may close what has its name there.
		if !g.strict || !p.absolute || !g.floats && !strings.HasPrefix(p.text, "//") {
			return false
		}
		text = p.rest
	}
	for {
		if g.matchesOne(text) {
			return true
		}
		i := strings.LastIndexByte(text, '/')
		if !g.below || i <= 0 {
			return false
		}
		text = text[:i]
	}
}

func (g *globPattern) matchesOne(text string) bool {
	if !strings.HasPrefix(text, g.prefix) || !strings.HasSuffix(text, g.suffix) {
		return false
	}
	ok, _ := doublestar.Match(g.text, text)
	return ok
}

// cleanHost is a host's name as it is compared.
func cleanHost(h string) string {
	h = strings.ToLower(strings.TrimSpace(h))
	if _, after, ok := strings.Cut(h, "://"); ok {
		h, _, _ = strings.Cut(after, "/")
	}
	return strings.TrimSuffix(h, ".")
}

// matchesHost compares names: *.example.com means all below, a name without a port every port.
func matchesHost(pattern, host string) bool {
	if pattern == host {
		return true
	}
	bare := host
	if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.HasSuffix(host, "]") && !strings.Contains(pattern, ":") {
		bare = strings.TrimSuffix(host[:i], ".")
	}
	if below, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(bare, "."+below)
	}
	return pattern == bare || strings.Contains(pattern, "*") && wild(pattern, bare)
}

// A wordPattern matches commands by their words.
type wordPattern struct {
	words []string
	rest  bool // ends in *: more words may follow
}

func newWords(pattern string) (wordPattern, error) {
	words, quoted, err := splitWords(pattern)
	if err != nil {
		return wordPattern{}, err
	}
	w := wordPattern{words: words}
	if n := len(words) - 1; n > 0 && words[n] == "*" && !quoted[n] {
		w.words, w.rest = words[:n], true
	}
	return w, nil
}

// allows tells that the command has exactly these words. What is hidden behind another command, or known only at run time, never has.
func (w wordPattern) allows(c *tool.SimpleCommand) bool {
	if !c.Static || c.Wrapped || len(w.words) > len(c.Words) || !w.rest && len(w.words) != len(c.Words) {
		return false
	}
	for i, want := range w.words {
		if want != c.Words[i] && (i == 0 || !strings.Contains(want, "*") || !wild(want, c.Words[i])) {
			return false
		}
	}
	return len(w.words) > 0
}

// meets tells that the command may have these words: wherever it stands, by its program's bare name too, with whatever words are
// not known. One word alone means the program with any arguments.
func (w wordPattern) meets(c *tool.SimpleCommand) bool {
	if len(w.words) == 0 || c.Program == "" && len(c.Words) == 0 {
		return true
	}
	program := path.Base(w.words[0])
	if c.Program != "" && c.Program != program && c.Words[0] != w.words[0] {
		return false
	}
	if !c.Static || len(w.words) == 1 {
		return true
	}
	if len(w.words) > len(c.Words) || !w.rest && len(w.words) != len(c.Words) {
		return false
	}
	for i, want := range w.words[1:] {
		if have := c.Words[i+1]; want != have && !(strings.Contains(want, "*") && wild(want, have)) {
			return false
		}
	}
	return true
}

// An index finds the rules that may match a target.
type index struct {
	segments map[string][]int32 // by a name in the path, folded
	globs    []int32            // the rest of those on paths
	programs map[string][]int32
	words    []int32
	byHost   map[string][]int32
	hosts    []int32
}

func (x *index) add(i int, c *rule) {
	n := int32(i)
	if x.segments == nil {
		x.segments, x.programs, x.byHost = map[string][]int32{}, map[string][]int32{}, map[string][]int32{}
	}
	if c.about&paths != 0 {
		if c.all || c.glob.key == "" {
			x.globs = append(x.globs, n)
		} else {
			x.segments[fold(c.glob.key)] = append(x.segments[fold(c.glob.key)], n)
		}
	}
	if c.about&commands != 0 {
		if c.all || len(c.words.words) == 0 {
			x.words = append(x.words, n)
		} else {
			p := path.Base(c.words.words[0])
			x.programs[p] = append(x.programs[p], n)
		}
	}
	if c.about&hosts != 0 {
		if c.all || strings.Contains(c.host, "*") {
			x.hosts = append(x.hosts, n)
		} else {
			bare, _, _ := strings.Cut(c.host, ":")
			x.byHost[bare] = append(x.byHost[bare], n)
		}
	}
}
