package policy

import (
	"errors"
	"fmt"
	"strings"

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
	host  hostPattern
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

// family is what the patterns of our own tools are about, and what they reach beyond their tool. Those of others are
// about whatever kind their effects are of.
var family = map[string]struct{ about, reaches kinds }{
	"read":  {paths, paths},
	"@read": {paths, paths},

	"write":     {paths, writes},
	"edit":      {paths, writes},
	"multiedit": {paths, writes},
	"@write":    {paths, writes},

	"ls":   {paths, 0},
	"glob": {paths, 0},
	"grep": {paths, 0},

	"fetch": {hosts, hosts},
	"@net":  {hosts, hosts},

	"bash":  {commands, commands},
	"@exec": {commands, commands},
}

// maxPattern bounds a pattern, in bytes: longer than any path that a system takes.
const maxPattern = 4096

// compile understands tool:pattern.
func compile(r Rule, o Options) (rule, error) {
	name, pattern, _ := strings.Cut(r.Text, ":")
	pattern = strings.TrimSpace(pattern)
	c := rule{decision: r.Decision, text: r.Text, at: r.At}
	c.sel = newSelector(name)
	switch {
	case c.sel.text == "":
		return c, errors.New("it names no tool: want tool:pattern")
	case len(r.Text) > maxPattern:
		return c, fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	c.about = anything
	if f, ok := family[c.sel.id()]; ok {
		c.about, c.reaches = f.about, f.reaches
	}
	if pattern == "" || pattern == "*" || pattern == "**" {
		c.all = true
		c.whole = pattern == ""
		c.about = anything
		return c, nil
	}
	return c, c.compilePattern(pattern, o)
}

// compilePattern reads the pattern in each way that the rule's tool gives it a meaning.
func (c *rule) compilePattern(pattern string, o Options) (err error) {
	if c.about&paths != 0 {
		c.glob, err = newGlob(pattern, c.decision != tool.Allow, o)
	}
	if c.about&commands != 0 && err == nil {
		c.words, err = newWords(pattern)
	}
	if c.about&hosts != 0 {
		c.host = newHost(pattern)
	}
	return err
}

// meets tells whether the pattern has the question's command in it, or its effect if it has none. A question without a
// subject is about nobody's effect in particular.
func (c *rule) meets(q *question) bool {
	switch {
	case !c.about.has(q.effect.Kind):
		return false
	case c.opensWhole(q.subject):
		return q.command != nil || !q.leaves() || !q.subject.staysInside()
	case q.effect.Target == tool.AnyTarget:
		return c.decision != tool.Allow // unknown: denied and asked about, never allowed
	case q.touchesNothing():
		return c.all // a pattern is about something that is touched
	case q.command != nil:
		return c.meetsCommand(q.command)
	case c.all:
		return c.decision != tool.Allow || !q.leaves()
	case q.effect.Kind == tool.Net:
		return c.host.meets(cleanHost(q.effect.Target), c.decision != tool.Allow)
	}
	return c.glob.matches(&q.place)
}

// reachesTo tells that a rule on another tool is about the effect, too. What touches nothing has no target to share.
func (c *rule) reachesTo(q *question) bool {
	return c.reaches.has(q.effect.Kind) && !q.touchesNothing()
}

// opensWhole tells that the rule allows whatever a tool of ours does, known or not.
func (c *rule) opensWhole(u *subject) bool {
	return c.whole && c.decision == tool.Allow && u != nil && ours(u.spec)
}

func (c *rule) meetsCommand(cmd *tool.SimpleCommand) bool {
	switch {
	case c.decision != tool.Allow:
		return c.all || c.words.meets(cmd)
	case c.all:
		return cmd.Static && !cmd.Wrapped
	}
	return c.words.allows(cmd)
}

// passes tells why a rule that allows does not count, although it names the tool and is about what the call does; ""
// for all others.
func (c *rule) passes(hit reach, q *question) string {
	if hit != own || c.decision != tool.Allow || !c.about.has(q.effect.Kind) {
		return ""
	}
	if q.effect.Target == tool.AnyTarget {
		return "what the call will do is not known before it runs"
	}
	if q.command != nil {
		return c.passesCommand(q.command)
	}
	if c.all && q.leaves() {
		return q.place.text + " is outside the workspace, which a pattern must name"
	}
	return ""
}

func (c *rule) passesCommand(cmd *tool.SimpleCommand) string {
	switch {
	case !c.all && !c.words.meets(cmd):
		return ""
	case !cmd.Static:
		return "the words of the command are not known before it runs"
	case cmd.Wrapped:
		return "the command stands behind another one"
	}
	return ""
}

// Denies tells whether rules on our own tools deny a path, for those that look at many files in one call: grep leaves
// out what read:**/.env denies. kind is Read or Write; the target is written as in an Effect.
func (r *Rules) Denies(kind tool.Kind, target string) bool {
	if len(r.rules) == 0 {
		return false
	}
	q := question{effect: tool.Effect{Kind: kind, Target: target}, place: newPlace(target)}
	var buf [64]int32
	denied, layer := false, -1
	for _, i := range r.candidates(buf[:0], &q) {
		k := &r.rules[i]
		if !k.reaches.has(kind) || !k.meets(&q) {
			continue
		}
		if denied && k.layer != layer {
			return true // the last word of a layer was no
		}
		layer = k.layer
		denied = k.decision == tool.Deny
	}
	return denied
}

// DeniesSome tells whether Denies can say yes to any path at all.
func (r *Rules) DeniesSome(kind tool.Kind) bool {
	for i := range r.rules {
		k := &r.rules[i]
		if k.decision == tool.Deny && k.reaches.has(kind) {
			return true
		}
	}
	return false
}
