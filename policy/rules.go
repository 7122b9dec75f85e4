package policy

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"helve/internal/names"
	"helve/tool"
)

// A Place is where something is written, for people who want to change it.
type Place struct {
	Layer string // "" means that of the Layer in which it stands
	File  string // "" for flags and defaults
	Line  int    // from 1; 0 beside a File of ""
}

func (p Place) String() string {
	if p.File == "" {
		return p.Layer
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// A Setting is what a switch says. The zero value is the strictest.
type Setting uint8

const (
	Off     Setting = iota // not offered
	Denied                 // offered, and refused
	Asked                  // offered, and asked about
	On                     // offered
	Allowed                // offered, and not asked about
)

var settingNames = [...]string{"false", "deny", "ask", "true", "allow"}

func (s Setting) String() string {
	if int(s) < len(settingNames) {
		return settingNames[s]
	}
	return "setting(" + strconv.Itoa(int(s)) + ")"
}

// ParseSetting reads true, false, allow, ask or deny.
func ParseSetting(s string) (Setting, error) {
	for i, n := range settingNames {
		if s == n {
			return Setting(i), nil
		}
	}
	return Off, fmt.Errorf("setting %q: want true, false, allow, ask or deny", s)
}

// A Switch sets tools by name, in any spelling, by wildcard (mcp__github/*) or by group (@write).
type Switch struct {
	Name string
	To   Setting
	At   Place

	// Of, if it is not nil, tells which tools are meant; Name is then what explanations call the rule, and Reason why
	// it holds. It is pure, and asked once for each tool.
	Of     func(*tool.Spec) bool
	Reason string
}

// A Name is one entry of a list of tools: a name in any spelling, a wildcard or a group.
type Name struct {
	Name string
	At   Place
}

// A Rule judges effects. Text is tool:pattern. The tool may be a name, a wildcard or a group. Patterns are globs for
// paths, words for commands, names for hosts.
//
// Without a pattern a rule means whatever the tool does. One that allows one of our own tools so counts also where it
// is not known what the call will do, as the word of a Switch does; our file tools still stay inside the workspace.
// What another's tool will do is never known: a rule does not allow it, a Switch can.
type Rule struct {
	Decision tool.Decision
	Text     string
	At       Place
}

// A Layer is what one file says, or the flags.
type Layer struct {
	Name     string
	Tightens bool // it may only take rights away: managed, or of a workspace that is not trusted
	Switches []Switch
	Disabled []Name // off, whatever a switch says
	Allowed  []Name // when not empty nothing else is offered
	Rules    []Rule // the last match counts
}

// Options are what rules need beside their layers. The zero value plans.
type Options struct {
	Mode   Mode
	ModeAt Place
	table  *modesTable // what becomes of acts; nil: modeTable

	Protected []string // our own tools that no switch and no list of disabled ones takes away
	Own       []string // names and aliases of our own tools: as a bare name they never mean another's

	Trusted func(source string) bool // of an MCP server or a pool, by tool.Origin.Source; nil: none is
	Home    string                   // what ~ means in a pattern
	Roots   []string                 // the workspace's folders, absolute, with slashes: what lies in one is named from there
	Folds   bool                     // the file system takes names that differ in case for one
	Guarded []string                 // targets that no tool writes: configuration, grants, trust, state

	// Asking are targets that no tool writes since they have another program ask us, and Alone its folders, which are
	// neither written nor moved, while other things in them may change.
	Asking, Alone []string

	// ReadOnly says why nothing in the workspace may be changed, by none of our tools and whatever rules say. "": it
	// may.
	ReadOnly string

	// Foreign says that the tools are those of another program, judged as ours are: they read outside the workspace, are
	// asked about what they write there, and never write what has that program ask us.
	Foreign bool

	// Private is a folder outside the workspace of which confined commands have one of their own, absolute with slashes:
	// the sandbox holds what they write there. "": there is none.
	Private string

	// Secret tells of a path, from the workspace's root, whether it may hold secrets: it is read and written with
	// approval only. It is pure. nil: the built-in list, which docs/security.md describes.
	Secret func(target string) bool
}

// Rules are a Policy. They never change and are safe for concurrent use.
type Rules struct {
	o         Options
	layers    []layer
	rules     []rule // of all layers, in their order
	index     index
	protected map[string]bool
	own       map[string]bool

	seen  atomic.Pointer[sync.Map] // *tool.Spec → *subject
	count atomic.Int64
}

var _ tool.Policy = (*Rules)(nil)

// layer is a Layer, compiled.
type layer struct {
	name     string
	tightens bool
	switches table
	disabled table
	allowed  table
}

// New compiles layers, highest first. The error names every rule that cannot be understood, with its place; the rules
// beside it lack those.
func New(o Options, layers ...Layer) (*Rules, error) {
	r := &Rules{o: o, protected: foldedSet(o.Protected), own: foldedSet(o.Own)}
	var errs []error
	for i, l := range layers {
		r.layers = append(r.layers, compileLayer(l))
		for _, text := range l.Rules {
			text.At = text.At.in(l)
			err := r.addRule(i, text)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: rule %q: %w", text.At, text.Text, err))
			}
		}
	}
	r.seen.Store(&sync.Map{})
	return r, errors.Join(errs...)
}

// compileLayer is a layer without its rules, which all layers keep in one list.
func compileLayer(l Layer) layer {
	c := layer{name: l.Name, tightens: l.Tightens}
	for _, s := range l.Switches {
		s.At = s.At.in(l)
		c.switches.add(s)
	}
	for _, n := range l.Disabled {
		c.disabled.add(Switch{Name: n.Name, To: Off, At: n.At.in(l)})
	}
	for _, n := range l.Allowed {
		c.allowed.add(Switch{Name: n.Name, To: Allowed, At: n.At.in(l)})
	}
	return c
}

// in is the place in a layer, if it does not say so itself.
func (p Place) in(l Layer) Place {
	p.Layer = cmp.Or(p.Layer, l.Name)
	return p
}

func (r *Rules) addRule(layer int, text Rule) error {
	c, err := compile(text, r.o)
	if err != nil {
		return err
	}
	c.layer = layer
	r.index.add(len(r.rules), &c)
	r.rules = append(r.rules, c)
	return nil
}

func foldedSet(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, n := range list {
		out[names.Fold(n)] = true
	}
	return out
}

// verdict is a denial, question or permission with its place.
func verdict(d tool.Decision, reason, rule string, at Place) tool.Verdict {
	return tool.Verdict{
		Decision: d,
		Reason:   reason,
		Rule:     rule,
		Layer:    at.Layer,
		File:     at.File,
		Line:     at.Line,
	}
}

// Under are the same rules in another mode: what would be decided if the person had chosen that one.
func (r *Rules) Under(m Mode) *Rules {
	under := &Rules{
		o:         r.o,
		layers:    r.layers,
		rules:     r.rules,
		index:     r.index,
		protected: r.protected,
		own:       r.own,
	}
	under.o.Mode = m
	under.seen.Store(&sync.Map{}) // what is offered depends on the mode
	return under
}
