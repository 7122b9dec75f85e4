package policy

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

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
		if strings.HasSuffix(rest, "/") {
			pattern += "/"
		}
	}
	pattern = o.inRoot(pattern)
	if slices.Contains(strings.Split(pattern, "/"), "..") {
		return g, errors.New("a pattern has no ..: paths are compared as they really are, from the workspace's root")
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	if !doublestar.ValidatePattern(pattern) {
		return g, errors.New("it is no valid glob: check brackets and braces")
	}
	if g.folds {
		pattern = foldPattern(pattern)
	}
	g.text, g.absolute = pattern, absolute(pattern)
	g.hints()
	return g, nil
}

// inRoot names a path in the workspace as targets do: from the first folder, and from //NAME in another one. Without it
// a rule about an absolute path would be about a file that no target ever names.
func (o Options) inRoot(pattern string) string {
	best := -1
	for i, root := range o.Roots {
		if o.below(pattern, root) && (best < 0 || len(root) > len(o.Roots[best])) {
			best = i
		}
	}
	if best < 0 {
		return pattern
	}
	root := o.Roots[best]
	rest := strings.TrimPrefix(pattern[len(root):], "/")
	if best > 0 {
		return "//" + path.Base(root) + "/" + rest
	}
	if rest == "" {
		return "**"
	}
	return rest
}

// below tells that a pattern begins with a folder's path.
func (o Options) below(pattern, root string) bool {
	if len(pattern) < len(root) {
		return false
	}
	head, rest := pattern[:len(root)], pattern[len(root):]
	same := head == root || o.Folds && strings.EqualFold(head, root)
	return same && (rest == "" || rest[0] == '/')
}

const (
	meta      = `*?[{\` // what is not itself in a glob
	wildcards = `*?]`   // what a run of plain characters can follow
)

// hints are what a look at the path can rule out quickly, for most rules do not mean most files.
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
	first := strings.IndexAny(g.text, meta)
	if first < 0 {
		g.prefix = g.text
		return
	}
	g.prefix = strings.TrimSuffix(g.text[:first], "/") // a/** means a, too
	if g.below || strings.HasSuffix(g.text, "**") {
		return
	}
	end := strings.LastIndexAny(g.text, wildcards) + 1
	g.suffix = strings.TrimPrefix(g.text[end:], "/")
}

// absolute tells that a path starts at a root, a drive's of Windows too.
func absolute(p string) bool {
	if strings.HasPrefix(p, "/") {
		return true
	}
	drive := len(p) > 1 && p[1] == ':'
	return drive && (len(p) == 2 || p[2] == '/')
}

// A place is an effect's target, prepared for comparison.
type place struct {
	text, folded string
	absolute     bool   // outside every root, or below another root than the first
	rest         string // folded, from the root on
}

func newPlace(target string) place {
	p := place{text: target, absolute: absolute(target)}
	otherRoot := strings.HasPrefix(target, "//") // //root/path
	if !otherRoot {
		p.text = path.Clean(target)
	}
	p.folded = fold(p.text)
	p.rest = p.folded
	if p.absolute {
		p.rest = strings.TrimLeft(p.folded, "/")
	}
	if otherRoot {
		_, p.rest, _ = strings.Cut(p.rest, "/")
	}
	return p
}

func (g *globPattern) matches(p *place) bool {
	text := p.text
	if g.folds {
		text = p.folded
	}
	if g.absolute != p.absolute {
		if !g.closes(p) {
			return false
		}
		text = p.rest
	}
	for {
		if g.matchesOne(text) {
			return true
		}
		parent := strings.LastIndexByte(text, '/')
		if !g.below || parent <= 0 {
			return false
		}
		text = text[:parent]
	}
}

// closes tells that a relative pattern means an absolute path: it may close there what has its name, and opens nothing.
func (g *globPattern) closes(p *place) bool {
	otherRoot := strings.HasPrefix(p.text, "//")
	return g.strict && p.absolute && (g.floats || otherRoot)
}

func (g *globPattern) matchesOne(text string) bool {
	if !strings.HasPrefix(text, g.prefix) || !strings.HasSuffix(text, g.suffix) {
		return false
	}
	ok, _ := doublestar.Match(g.text, text) // the pattern was found valid when it was read
	return ok
}
