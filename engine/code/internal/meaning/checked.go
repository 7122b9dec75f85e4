package meaning

import (
	"context"
	"slices"
	"strings"
	"time"

	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file has what names alone do not say settled by somebody who knows a language whole.

const (
	// maxAsked bounds the places that one question asks a checker about: two per millisecond are usual.
	maxAsked = 400
	// maxAskedTime bounds the time that a question gives to a checker; it is never more than half of what is left.
	maxAskedTime = 3 * time.Second
	// MaxAskedText is the largest file of which a checker is asked, in bytes.
	MaxAskedText = 1 << 20
	// maxNamed bounds the places of one name in one definition.
	maxNamed = 24
)

// checking settles what names alone do not say.
type checking struct {
	*evaluator
	dispatch *dispatch
	ahead    *ahead
	asked    int // places that a checker was asked about
}

// doubtful reports whether a name alone led to what a reference means.
func doubtful(targets []Target) bool {
	return len(targets) > 0 && targets[0].Sure.Level >= Unique
}

// Settle asks the checker about those of list that are doubtful, and puts what it knows in place of their targets.
// What it does not know stays as it is. It tells whether anything was replaced.
func (r *checking) Settle(list []*Mention) bool {
	if r.Tree.Checker == nil || r.Clock.Look() {
		return false
	}
	var asked []*Mention
	var numbers [][]int // of the places of each asked
	var places []store.Asked
	known := map[spot]int{} // several references of one line have the same places
	texts := map[int32][]byte{}
	for _, m := range list {
		f := r.Tree.Files[m.File]
		if m.checked || !doubtful(m.Targets) || !r.Tree.Checker.Checks(f.Lang) {
			continue
		}
		if r.asked >= maxAsked {
			break
		}
		m.checked = true
		text, ok := texts[m.File]
		if !ok {
			text = r.indexedText(m.File)
			texts[m.File] = text
		}
		on := r.placesOf(m, text)
		if len(on) == 0 {
			continue
		}
		var of []int
		for _, at := range on {
			k, ok := known[spot{m.File, at}]
			if !ok {
				k = len(places)
				known[spot{m.File, at}] = k
				places = append(places, store.Asked{Path: f.Path, Language: f.Lang, Text: text, Position: at})
				r.asked++
			}
			of = append(of, k)
		}
		asked, numbers = append(asked, m), append(numbers, of)
	}
	if len(places) == 0 {
		return false
	}
	meanings := r.ask(places)
	settled := false
	for i, m := range asked {
		targets, ok := r.meanings(m, pick(places, numbers[i]), pick(meanings, numbers[i]))
		if ok {
			m.Targets = targets
			settled = true
		}
	}
	return settled
}

// spot is a place in a file.
type spot struct {
	file int32
	at   store.Position
}

// pick are the items of list with these numbers.
func pick[T any](list []T, numbers []int) []T {
	var out []T
	for _, k := range numbers {
		out = append(out, list[k])
	}
	return out
}

// ask gives the checker a part of the time that is left. There are as many answers as places.
func (r *checking) ask(places []store.Asked) []store.Meaning {
	limit := maxAskedTime
	if end, ok := r.Clock.Context.Deadline(); ok {
		limit = min(limit, time.Until(end)/2)
	}
	ctx, cancel := context.WithTimeout(r.Clock.Context, limit)
	defer cancel()
	meanings := r.Tree.Checker.Meanings(ctx, r.Tree.Entries, places)
	if len(meanings) != len(places) {
		return make([]store.Meaning, len(places))
	}
	return meanings
}

// indexedText is the text of file n, nil where it is no longer what was indexed, or is too large.
func (r *checking) indexedText(n int32) []byte {
	f := r.Tree.Files[n]
	if f.Size > MaxAskedText {
		return nil
	}
	src, err := r.Tree.Text(r.Clock.Context, f.Path)
	if err != nil || store.Digest(src) != f.Digest {
		return nil
	}
	return src
}

// meanings are the definitions that the places of a mention mean together. false: one on the line of the mention is not
// known. Where only another one is not, what the mention may mean stays beside what is known.
func (r *checking) meanings(m *Mention, places []store.Asked, list []store.Meaning) ([]Target, bool) {
	var out []Target
	add := func(t Target) {
		if !slices.ContainsFunc(out, func(o Target) bool { return o.DefID == t.DefID }) {
			out = append(out, t)
		}
	}
	open := false
	for i, w := range list {
		defined, ok := r.meaning(m, w)
		switch {
		case !ok && places[i].Line+1 == int(m.Line):
			return nil, false
		case !ok:
			open = true
		}
		for _, y := range defined {
			add(Target{y, Confidence{Level: Exact, Checked: true}})
		}
	}
	if open {
		for _, t := range m.Targets {
			add(t)
		}
	}
	return out, true
}

// meaning are the definitions that one place means; false: that is not known.
func (r *checking) meaning(m *Mention, w store.Meaning) ([]store.DefID, bool) {
	known := w.Known && len(w.At) == 0
	var out []store.DefID
	for _, at := range w.At {
		y, where := r.DefinedAt(m, at)
		switch where {
		case DefinedNowhere:
			return nil, false
		case DefinedElsewhere:
			known = true
		case DefinedWithin:
			known = true
			out = append(out, y)
		}
	}
	return out, known
}

// whereabouts say where a checker's definition is.
type whereabouts int

const (
	DefinedNowhere   whereabouts = iota // nobody can say
	DefinedWithin                       // it is a definition of the index
	DefinedElsewhere                    // it is no definition of the index: a local name, a nameless type, a library
	beside                              // it may be the same as another place: an assignment to a field, say
)

// DefinedAt finds the definition of m whose name stands at a place. The place is believed only where the file is what
// was indexed and that name is written there.
func (r *checking) DefinedAt(m *Mention, at store.Definition) (store.DefID, whereabouts) {
	n := r.Tree.Number(at.Path)
	if n < 0 {
		if installed(at.Path) {
			return store.DefID{}, DefinedElsewhere
		}
		return store.DefID{}, DefinedNowhere
	}
	text := r.indexedText(n)
	off, ok := offsetOf(text, at.Position)
	if !ok || text == nil || off > 0 && IsNameByte(text[off-1]) {
		return store.DefID{}, DefinedNowhere
	}
	name := WordAt(text, off)
	y := store.At(n, -1)
	for i, d := range r.DefsOf(n) {
		head := d.End
		if d.Body < d.End && (d.Kind.Callable() || d.Kind.Type()) {
			head = d.Body
		}
		if int(d.Start) <= off && off < int(head) && r.Tree.Lex.Text(d.Name) == name {
			y.Def = int32(i) // the innermost comes last
		}
	}
	switch {
	case y.Def < 0:
		return y, r.unlisted(m, n, at.Line+1, name)
	case r.declared(y):
		body, ok := r.bodyOf(y)
		if !ok {
			return y, DefinedNowhere
		}
		y = body
	}
	y = r.asCandidate(m, y)
	if !r.callsIt(m, y) {
		return y, DefinedNowhere
	}
	return y, DefinedWithin
}

// unlisted tells what it means that m is defined at a place of which the index has no definition: another than those
// that m may mean, unless one of these has further places in its file, or an import stands there, or the mention
// itself.
func (r *checking) unlisted(m *Mention, n int32, line int, name string) whereabouts {
	if name != r.Tree.Lex.Text(m.Name) || r.traits(n).Headers || n == m.File && line == int(m.Line) {
		return DefinedNowhere // what means itself means nothing
	}
	for _, i := range r.Tree.ImportsOf(n) {
		if int(i.Line) == line {
			return DefinedNowhere
		}
	}
	if r.rules(n).onePlace {
		return DefinedElsewhere
	}
	for _, t := range m.Targets {
		if t.File == n {
			return beside
		}
	}
	return DefinedElsewhere
}

// callsIt reports whether the name of the mention m may stand for y: it is y's own, or an import makes it that.
func (r *checking) callsIt(m *Mention, y store.DefID) bool {
	d := r.Def(y)
	if d.Kind == syntax.Constructor && d.Parent >= 0 {
		d = r.Def(store.At(y.File, d.Parent))
	}
	return d.Name == m.Name || slices.Contains(r.dispatch.aliases([]uint32{d.Name}, m.File, d.Name), m.Name)
}

// declared reports whether y only declares what has its body elsewhere.
func (r *checking) declared(y store.DefID) bool {
	d := r.Def(y)
	return r.traits(y.File).Headers && d.Kind.Callable() && d.Body >= d.End
}

// bodyOf is what has the body of a prototype; false: nothing has it, or nobody can say what of several
// does.
func (r *checking) bodyOf(prototype store.DefID) (store.DefID, bool) {
	d := r.Def(prototype)
	same := r.Tree.Versions(prototype)
	oneProgram := r.rules(prototype.File).oneProgram && d.Parent < 0
	var found []store.DefID
	for _, y := range r.Tree.Named(r.Tree.Lex.Text(d.Name)) {
		o := r.Def(y)
		plain := oneProgram && o.Parent < 0 && o.Owner == 0 && r.traits(y.File).Headers
		if o.Kind.Callable() && o.Body < o.End && (plain || same(y)) {
			found = append(found, y)
		}
	}
	if len(found) != 1 {
		return prototype, false
	}
	return found[0], true
}

// installed reports whether a path is that of a library that was installed into the tree.
func installed(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		switch part {
		case "node_modules", "site-packages", "dist-packages", "typeshed-fallback":
			return true
		}
	}
	return false
}

// WordAt is the name that begins at an offset.
func WordAt(text []byte, off int) string {
	end := off
	for end < len(text) && IsNameByte(text[end]) {
		end++
	}
	return string(text[off:end])
}

// asCandidate is the type of a constructor y where the mention m may mean that type: who calls a type uses it.
func (r *checking) asCandidate(m *Mention, y store.DefID) store.DefID {
	d := r.Def(y)
	if d.Kind != syntax.Constructor || d.Parent < 0 {
		return y
	}
	owner := store.At(y.File, d.Parent)
	for _, t := range m.Targets {
		if t.DefID == owner {
			return owner
		}
	}
	return y
}
