package code

import (
	"context"
	"slices"
	"strings"
	"time"

	"helve/engine/code/internal/syntax"
)

// This file has what names alone do not say settled by somebody who knows a language whole.

const (
	// maxAsked bounds the places that one question asks a checker about: two per millisecond are usual.
	maxAsked = 400
	// maxAskedTime bounds the time that a question gives to a checker; it is never more than half of what is left.
	maxAskedTime = 3 * time.Second
	// maxAskedText is the largest file of which a checker is asked, in bytes.
	maxAskedText = 1 << 20
	// maxNamed bounds the places of one name in one definition.
	maxNamed = 24
)

// doubtful reports whether a name alone led to what a reference means.
func doubtful(targets []target) bool {
	return len(targets) > 0 && targets[0].sure.Level >= Unique
}

// settle asks the checker about those of list that are doubtful, and puts what it knows in place of their targets. What it
// does not know stays as it is. It tells whether anything was replaced.
func (r *resolver) settle(list []*mention) bool {
	if r.s.checker == nil || r.clock.look() {
		return false
	}
	var asked []*mention
	var numbers [][]int // of the places of each asked
	var places []Asked
	known := map[spot]int{} // several references of one line have the same places
	texts := map[int32][]byte{}
	for _, m := range list {
		f := r.s.files[m.file]
		if m.checked || !doubtful(m.targets) || !r.s.checker.Checks(f.lang) {
			continue
		}
		if r.asked >= maxAsked {
			break
		}
		m.checked = true
		text, ok := texts[m.file]
		if !ok {
			text = r.indexedText(m.file)
			texts[m.file] = text
		}
		on := r.placesOf(m, text)
		if len(on) == 0 {
			continue
		}
		var of []int
		for _, at := range on {
			k, ok := known[spot{m.file, at}]
			if !ok {
				k = len(places)
				known[spot{m.file, at}] = k
				places = append(places, Asked{Path: f.Path, Language: f.lang, Text: text, Position: at})
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
			m.targets = targets
			settled = true
		}
	}
	return settled
}

// spot is a place in a file.
type spot struct {
	file int32
	at   Position
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
func (r *resolver) ask(places []Asked) []Meaning {
	limit := maxAskedTime
	if end, ok := r.clock.ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/2)
	}
	ctx, cancel := context.WithTimeout(r.clock.ctx, limit)
	defer cancel()
	meanings := r.s.checker.Meanings(ctx, r.s.entries, places)
	if len(meanings) != len(places) {
		return make([]Meaning, len(places))
	}
	return meanings
}

// indexedText is the text of file n, nil where it is no longer what was indexed, or is too large.
func (r *resolver) indexedText(n int32) []byte {
	f := r.s.files[n]
	if f.Size > maxAskedText {
		return nil
	}
	src, err := r.s.text(r.clock.ctx, f.Path)
	if err != nil || digest(src) != f.digest {
		return nil
	}
	return src
}

// meanings are the definitions that the places of a mention mean together. false: one on the line of the mention is not
// known. Where only another one is not, what the mention may mean stays beside what is known.
func (r *resolver) meanings(m *mention, places []Asked, list []Meaning) ([]target, bool) {
	var out []target
	add := func(t target) {
		if !slices.ContainsFunc(out, func(o target) bool { return o.symbol == t.symbol }) {
			out = append(out, t)
		}
	}
	open := false
	for i, w := range list {
		defined, ok := r.meaning(m, w)
		switch {
		case !ok && places[i].Line+1 == int(m.line):
			return nil, false
		case !ok:
			open = true
		}
		for _, y := range defined {
			add(target{y, Confidence{Level: Exact, Checked: true}})
		}
	}
	if open {
		for _, t := range m.targets {
			add(t)
		}
	}
	return out, true
}

// meaning are the definitions that one place means; false: that is not known.
func (r *resolver) meaning(m *mention, w Meaning) ([]symbol, bool) {
	known := w.Known && len(w.At) == 0
	var out []symbol
	for _, at := range w.At {
		y, where := r.definedAt(m, at)
		switch where {
		case nowhere:
			return nil, false
		case elsewhere:
			known = true
		case within:
			known = true
			out = append(out, y)
		}
	}
	return out, known
}

// whereabouts say where a checker's definition is.
type whereabouts int

const (
	nowhere   whereabouts = iota // nobody can say
	within                       // it is a definition of the index
	elsewhere                    // it is no definition of the index: a local name, a nameless type, a library
	beside                       // it may be the same as another place: an assignment to a field, say
)

// definedAt finds the definition of m whose name stands at a place. The place is believed only where the file is what was
// indexed and that name is written there.
func (r *resolver) definedAt(m *mention, at Definition) (symbol, whereabouts) {
	n := r.s.number(at.Path)
	if n < 0 {
		if installed(at.Path) {
			return symbol{}, elsewhere
		}
		return symbol{}, nowhere
	}
	text := r.indexedText(n)
	off, ok := offsetOf(text, at.Position)
	if !ok || text == nil || off > 0 && isNameByte(text[off-1]) {
		return symbol{}, nowhere
	}
	name := wordAt(text, off)
	y := symbol{n, -1}
	for i, d := range r.defsOf(n) {
		head := d.end
		if d.body < d.end && (d.kind.Callable() || d.kind.Type()) {
			head = d.body
		}
		if int(d.start) <= off && off < int(head) && r.s.lex.text(d.name) == name {
			y.def = int32(i) // the innermost comes last
		}
	}
	switch {
	case y.def < 0:
		return y, r.unlisted(m, n, at.Line+1, name)
	case r.declared(y):
		body, ok := r.bodyOf(y)
		if !ok {
			return y, nowhere
		}
		y = body
	}
	y = r.asCandidate(m, y)
	if !r.callsIt(m, y) {
		return y, nowhere
	}
	return y, within
}

// unlisted tells what it means that m is defined at a place of which the index has no definition: another than those that
// m may mean, unless one of these has further places in its file, or an import stands there, or the mention itself.
func (r *resolver) unlisted(m *mention, n int32, line int, name string) whereabouts {
	if name != r.s.lex.text(m.name) || family(r.s.files[n].lang) == syntax.C || n == m.file && line == int(m.line) {
		return nowhere // what means itself means nothing
	}
	for _, i := range r.s.importsOf(n) {
		if int(i.line) == line {
			return nowhere
		}
	}
	if r.s.files[n].lang == syntax.Go {
		return elsewhere // what Go declares has one place
	}
	for _, t := range m.targets {
		if t.file == n {
			return beside
		}
	}
	return elsewhere
}

// callsIt reports whether the name of the mention m may stand for y: it is y's own, or an import makes it that.
func (r *resolver) callsIt(m *mention, y symbol) bool {
	d := r.def(y)
	if d.kind == syntax.Constructor && d.parent >= 0 {
		d = r.def(symbol{y.file, d.parent})
	}
	return d.name == m.name || slices.Contains(r.aliases([]uint32{d.name}, m.file, d.name), m.name)
}

// declared reports whether y only declares, in C, what has its body elsewhere.
func (r *resolver) declared(y symbol) bool {
	d := r.def(y)
	return family(r.s.files[y.file].lang) == syntax.C && d.kind.Callable() && d.body >= d.end
}

// bodyOf is what has the body of a prototype of C or C++; false: nothing has it, or nobody can say what of several does.
func (r *resolver) bodyOf(prototype symbol) (symbol, bool) {
	d := r.def(prototype)
	same := r.s.versions(prototype)
	oneProgram := r.s.files[prototype.file].lang == syntax.C && d.parent < 0 // where a function's name is enough
	var found []symbol
	for _, y := range r.s.named(r.s.lex.text(d.name)) {
		o := r.def(y)
		plain := oneProgram && o.parent < 0 && o.owner == 0 && family(r.s.files[y.file].lang) == syntax.C
		if o.kind.Callable() && o.body < o.end && (plain || same(y)) {
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

// wordAt is the name that begins at an offset.
func wordAt(text []byte, off int) string {
	end := off
	for end < len(text) && isNameByte(text[end]) {
		end++
	}
	return string(text[off:end])
}

// asCandidate is the type of a constructor y where the mention m may mean that type: who calls a type uses it.
func (r *resolver) asCandidate(m *mention, y symbol) symbol {
	d := r.def(y)
	if d.kind != syntax.Constructor || d.parent < 0 {
		return y
	}
	owner := symbol{y.file, d.parent}
	for _, t := range m.targets {
		if t.symbol == owner {
			return owner
		}
	}
	return y
}
