package refactor

import (
	"fmt"
	"sort"
	"strings"
)

// signingFile is one file while its lists are rewritten.
type signingFile struct {
	*signing
	scan    *scan
	t       *tokens
	lists   []rewritten // in the order of the text
	dropped []lost
	calls   []int // offsets of calls that get new values
}

// rewritten is a list with its new items.
type rewritten struct {
	*brackets
	items []item
}

// item is one of a new list: a part of the text or, where that is empty, new text.
type item struct {
	piece
	text string
	key  string // what stands before it: the name of an argument in Python
}

// lost is an argument that no call passes any more.
type lost struct {
	piece
	line int
}

// edits makes those of the lists. What stands in a list is written with it.
func (g *signingFile) edits() {
	sort.SliceStable(g.lists, func(i, j int) bool { return g.lists[i].open < g.lists[j].open })
	for i, end := 0, 0; i < len(g.lists); i++ {
		l := &g.lists[i]
		if l.open < end {
			continue
		}
		end = l.end
		if text := g.write(i); text != string(g.t.src[l.open:l.end]) {
			g.scan.edits = append(g.scan.edits, TextEdit{l.open, l.end, text})
		}
	}
}

func (g *signingFile) unsure(line int, format string, args ...any) {
	g.signing.plan.unsure(g.scan, line, fmt.Sprintf(format, args...))
}

// add notes the new items of a list.
func (g *signingFile) add(line int, b *brackets, items []item) {
	if b.comments {
		g.unsure(line, "comments stand among these: nobody can say to what they belong")
		return
	}
	g.lists = append(g.lists, rewritten{b, items})
}

func (g *signingFile) lineAt(off int) int { return lineOf(g.t.src, off) }

func byStart(a, b piece) int { return a.from - b.from }

// throughType reports whether the receiver is an argument: T.method(t), (*T).method(t).
func (g *signingFile) throughType(at int) bool {
	if !g.t.is(at-1, ".") {
		return false
	}
	k := at - 2
	for g.t.is(k, ") ]") {
		k--
	}
	for _, y := range g.group {
		for _, t := range g.ownersOf(y) {
			for _, u := range append(g.r.Subtypes(t), t) {
				if g.t.is(k, g.spelled(g.r.Def(u).Name)) {
					return true
				}
			}
		}
	}
	return false
}

// write is the text of a list between its brackets. It stands in lines as it did.
func (g *signingFile) write(i int) string {
	l, src, between := &g.lists[i], g.t.src, ", "
	before, after := l.lead, ""
	if n := len(l.brackets.items); n > 0 {
		first, last := l.brackets.items[0], l.brackets.items[n-1]
		before, after = string(src[l.open:first.from]), string(src[last.end:l.end])
		if n > 1 {
			gap := string(src[first.end:l.brackets.items[1].from])
			if i := strings.IndexByte(gap, '\n'); i >= 0 && strings.TrimSpace(gap) == "," {
				between = "," + gap[i:]
			}
		}
	}
	if len(l.items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(before)
	for k, it := range l.items {
		if k > 0 {
			b.WriteString(between)
		}
		b.WriteString(it.key)
		if it.text != "" {
			b.WriteString(it.text)
		} else {
			g.copy(&b, it.piece, i+1)
		}
	}
	b.WriteString(after)
	return b.String()
}

// copy writes a part of the text, with the lists in it rewritten: these come behind the one that it is in.
func (g *signingFile) copy(b *strings.Builder, part piece, behind int) {
	at := part.from
	for i := behind; i < len(g.lists) && g.lists[i].open < part.end; i++ {
		if l := &g.lists[i]; l.open >= at && l.end <= part.end {
			b.Write(g.t.src[at:l.open])
			b.WriteString(g.write(i))
			at = l.end
		}
	}
	b.Write(g.t.src[at:part.end])
}

// drop notes what is passed for a parameter that goes. It refuses what does something besides giving a value.
func (g *signingFile) drop(line, k int, passed []piece, effect func(piece) string) {
	for _, a := range passed {
		if why := effect(a); why != "" {
			g.unsure(line, "what is passed for %s would go with it: %s", g.params[k].label(k), why)
		}
		g.dropped = append(g.dropped, lost{a, line})
	}
}
