package tree

import (
	"fmt"
	"sort"
)

// Hidden says how many files one rule, or one reason, keeps out of sight.
type Hidden struct {
	Rule   *Rule  // nil when it was not a rule
	Reason string // for people: "by .gitignore:159 (/*)", "by a leading dot"
	Files  int
}

// hiddenKey says who hides an entry: a rule, or if that is nil a reason.
type hiddenKey struct {
	rule   *Rule
	reason reason
}

type reason uint8

const (
	byRule   reason = iota
	byDot           // its name begins with a dot
	byName          // Options.Skip
	byFilter        // the caller asked for other files
)

// hiddenCount counts files. Its zero value is empty.
type hiddenCount struct{ by map[hiddenKey]int }

func (c *hiddenCount) inc(k hiddenKey) { c.plus(k, 1) }

func (c *hiddenCount) plus(k hiddenKey, n int) {
	if c.by == nil {
		c.by = map[hiddenKey]int{}
	}
	c.by[k] += n
}

func (c *hiddenCount) add(other *hiddenCount) {
	for k, n := range other.by {
		c.plus(k, n)
	}
}

// sorted lists who hides most first; the words break ties, so that the order is always the same.
func (c *hiddenCount) sorted() []Hidden {
	var list []Hidden
	for k, n := range c.by {
		h := Hidden{Rule: k.rule, Reason: k.String(), Files: n}
		list = append(list, h)
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		return a.Files > b.Files || a.Files == b.Files && a.Reason < b.Reason
	})
	return list
}

func (k hiddenKey) String() string {
	switch {
	case k.rule != nil:
		return fmt.Sprintf("by %s:%d (%s)", k.rule.File, k.rule.Line, k.rule.Text)
	case k.reason == byDot:
		return "by a leading dot"
	case k.reason == byName:
		return "in directories that are always skipped"
	}
	return "by a filter"
}

// countHidden counts an excluded file, or has a hidden directory's files counted.
func (l *lister) countHidden(d *Dir, t task, name string, isDir bool, by hiddenKey) {
	switch {
	case !isDir && l.wanted(d.Path, name):
		l.count.inc(by)
	case isDir && t.depth+1 < maxDepth:
		l.next = append(l.next, t.hiddenBelow(name, &by, d))
	}
}

// hiddenBelow is the task to count what is in a subdirectory that is not listed.
func (t *task) hiddenBelow(name string, by *hiddenKey, d *Dir) task {
	return task{path: d.Path + name + "/", depth: t.depth + 1, hidden: by}
}

// wanted reports whether the caller's filter would show the file if no rule hid it.
func (l *lister) wanted(dir, name string) bool {
	f := l.w.opt.Filter
	if f == nil {
		return true
	}
	var v verdict
	v, l.join = f.decide(dir, name, false, l.join)
	return v != ignored
}

// countAll counts what lies in a hidden directory to the one who hides it.
func (l *lister) countAll(d *Dir, t task) {
	l.w.looked.Add(int64(len(l.entries)))
	for i := range l.entries {
		e := &l.entries[i]
		if e.kind == Unknown {
			e.kind = d.handle.kind(e.name)
		}
		switch {
		case e.kind == Regular && l.wanted(d.Path, e.name):
			l.count.inc(*t.hidden)
		case e.kind == Directory && t.depth+1 < maxDepth:
			l.next = append(l.next, t.hiddenBelow(e.name, t.hidden, d))
		}
	}
}
