package policy

import (
	"path"
	"slices"
	"strings"

	"helve/tool"
)

// An index finds the rules that may match a target, so that a thousand of them cost a call little more than ten.
type index struct {
	segments map[string]numbers // by a name in the path, folded
	globs    numbers            // the rest of those on paths
	programs map[string]numbers // by the name of the program
	words    numbers            // the rest of those on commands
	byHost   map[string]numbers // by the name without a port
	hosts    numbers            // the rest of those on hosts
}

// numbers are rules by their place in Rules.rules.
type numbers []int32

func (x *index) add(i int, c *rule) {
	n := int32(i)
	if x.segments == nil {
		x.segments = map[string]numbers{}
		x.programs = map[string]numbers{}
		x.byHost = map[string]numbers{}
	}
	if c.about&paths != 0 {
		x.addPath(n, c)
	}
	if c.about&commands != 0 {
		x.addCommand(n, c)
	}
	if c.about&hosts != 0 {
		x.addHost(n, c)
	}
}

func (x *index) addPath(n int32, c *rule) {
	if c.all || c.glob.key == "" {
		x.globs = append(x.globs, n)
		return
	}
	key := fold(c.glob.key)
	x.segments[key] = append(x.segments[key], n)
}

func (x *index) addCommand(n int32, c *rule) {
	if c.all || len(c.words.words) == 0 {
		x.words = append(x.words, n)
		return
	}
	program := path.Base(c.words.words[0])
	x.programs[program] = append(x.programs[program], n)
}

func (x *index) addHost(n int32, c *rule) {
	if c.all || strings.Contains(c.host.text, "*") {
		x.hosts = append(x.hosts, n)
		return
	}
	name, _, _ := strings.Cut(c.host.text, ":")
	x.byHost[name] = append(x.byHost[name], n)
}

// candidates are the rules that may have the question's target in them, in their order, appended to out.
func (r *Rules) candidates(out numbers, q *question) numbers {
	x, c := &r.index, q.command
	switch {
	case q.effect.Target == tool.AnyTarget, c != nil && c.Program == "":
		return r.everything(out)
	case c != nil:
		out = x.ofCommand(out, c)
	case q.effect.Kind == tool.Net:
		out = x.ofHost(out, cleanHost(q.effect.Target))
	default:
		out = x.ofPath(out, &q.place)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// everything is for what is not known before it runs: any rule may mean it.
func (r *Rules) everything(out numbers) numbers {
	for i := range r.rules {
		out = append(out, int32(i))
	}
	return out
}

func (x *index) ofPath(out numbers, p *place) numbers {
	out = append(out, x.globs...)
	for s := range strings.SplitSeq(p.folded, "/") {
		out = append(out, x.segments[s]...)
	}
	return out
}

func (x *index) ofCommand(out numbers, c *tool.SimpleCommand) numbers {
	out = append(out, x.words...)
	out = append(out, x.programs[c.Program]...)
	if len(c.Words) == 0 {
		return out
	}
	if written := path.Base(c.Words[0]); written != c.Program {
		out = append(out, x.programs[written]...)
	}
	return out
}

func (x *index) ofHost(out numbers, host string) numbers {
	name, _, _ := strings.Cut(host, ":")
	out = append(out, x.hosts...)
	return append(out, x.byHost[name]...)
}
