package refactor

import (
	"bytes"
	"strings"

	"helve/engine/code/internal/store"
)

// This file finds values that may be of several types: A | B. An index knows one of these types only.

// unions tells whether types that have the renamed member stand in unions, and others that have one of that name.
type unions struct {
	own, others        map[string]bool // names of types
	ownSeen, otherSeen bool
}

// unionsOf are nil where no value may be of two types that have the member.
func (p *subject) unionsOf() *unions {
	if !p.lang.imports() || !p.member {
		return nil
	}
	u := &unions{own: map[string]bool{}, others: map[string]bool{}}
	for _, y := range p.r.Tree.Named(p.old) {
		f := p.file(y.File)
		if store.Family(f.Lang) != p.family || !p.r.IsMember(y.File, p.r.Def(y)) {
			continue
		}
		into := u.others
		if p.in[y] {
			into = u.own
		}
		for _, t := range p.ownersOf(y) {
			for _, sub := range append(p.r.Subtypes(t), t) {
				into[p.spelled(p.r.Def(sub).Name)] = true
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
