package refactor

import (
	"bytes"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file finds values that may be of several types: A | B. An index knows one of these types only.

// unions tells whether types that have the renamed member stand in unions, and others that have one of that name.
type unions struct {
	own, others        map[string]bool // names of types
	ownSeen, otherSeen bool
}

// unionsOf are nil where no value may be of two types that have the member.
func (p *renaming) unionsOf() *unions {
	if p.lang == syntax.Go || !p.member {
		return nil
	}
	u := &unions{own: map[string]bool{}, others: map[string]bool{}}
	for _, y := range p.r.Tree.Named(p.old) {
		f := p.r.Tree.Files[y.File]
		if store.Family(f.Lang) != p.lang || !p.r.IsMember(y.File, p.r.Def(y)) {
			continue
		}
		into := u.others
		if p.in[y] {
			into = u.own
		}
		for _, t := range p.ownersOf(y) {
			for _, sub := range append(p.r.Subtypes(t), t) {
				into[p.r.Tree.Lex.Text(p.r.Def(sub).Name)] = true
			}
		}
	}
	if len(u.others) == 0 {
		return nil
	}
	return u
}

// mixed reports whether a value may be of two types that have the member, of which only one is renamed.
func (u *unions) mixed() bool { return u != nil && u.ownSeen && u.otherSeen }

// look looks for the types in the unions of a text. Comments count: types may stand there.
func (u *unions) look(src []byte) {
	if u == nil || u.mixed() {
		return
	}
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], '|')
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		if at < len(src) && (src[at] == '|' || src[at] == '=') {
			at++
			continue
		}
		u.note(nameBefore(src, i))
		u.note(nameBehind(src, at))
	}
	for at := 0; ; { // of Python
		i := bytes.Index(src[at:], []byte("Union["))
		if i < 0 {
			return
		}
		at += i + len("Union[")
		end := bytes.IndexByte(src[at:], ']')
		for _, word := range strings.FieldsFunc(string(src[at:at+max(end, 0)]), func(c rune) bool { return strings.ContainsRune("[], .\n\r\t\"'", c) }) {
			u.note(word)
		}
	}
}

func (u *unions) note(name string) {
	u.ownSeen = u.ownSeen || u.own[name]
	u.otherSeen = u.otherSeen || u.others[name]
}

const blanks = " \t\r\n"

// nameBefore is the name that ends before an offset; what it has in brackets is passed over.
func nameBefore(src []byte, end int) string {
	text := bytes.TrimRight(src[max(0, end-maxUnion):end], blanks)
	for depth := 0; len(text) > 0; text = text[:len(text)-1] {
		switch text[len(text)-1] {
		case '>', ']', ')':
			depth++
		case '<', '[', '(':
			depth--
		default:
			if depth > 0 {
				continue
			}
			from := len(text)
			for from > 0 && meaning.IsNameByte(text[from-1]) {
				from--
			}
			return string(text[from:])
		}
		if depth < 0 {
			break
		}
	}
	return ""
}

// maxUnion bounds how far from a | its type is looked for, in bytes.
const maxUnion = 400

// nameBehind is the name behind an offset, the last of several with dots between.
func nameBehind(src []byte, from int) string {
	text := bytes.TrimLeft(src[from:min(len(src), from+maxUnion)], blanks)
	for {
		name := meaning.WordAt(text, 0)
		text = text[len(name):]
		if len(text) == 0 || text[0] != '.' || name == "" {
			return name
		}
		text = text[1:]
	}
}

// several turns what is said of values of a union into doubts: it is said of one of their types. What an object has
// itself is of one type.
func (p *renaming) several() {
	if !p.unions.mixed() {
		return
	}
	for i := range p.rulings {
		r := &p.rulings[i]
		key := p.lang == syntax.JavaScript && p.property(r.in, r.Site)
		if !r.Dots && !key || r.Def >= 0 || r.what == doubt {
			continue
		}
		switch nameBefore(r.in.src, r.Start-1) {
		case "this", "self", "super":
		default:
			r.what, r.why = doubt, "the value may be of several types"
		}
	}
}
