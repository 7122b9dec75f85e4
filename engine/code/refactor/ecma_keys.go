package refactor

import (
	"bytes"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file knows what the text around a name of JavaScript says of it. Where it says of what type a literal or a
// pattern is, its keys are members of that type. Elsewhere an object may be of any type.

// shorthand reports whether a reference stands for a property and its value at once: {name}.
func shorthand(f *scan, s *syntax.Site) bool {
	if s.Def >= 0 || s.Imported || s.Dots || s.Before != '{' && s.Before != ',' || s.After != '}' && s.After != ',' {
		return false
	}
	open := bracketAround(f.src, s.Start)
	if open < 0 || f.src[open] != '{' {
		return false
	}
	return !exports(f.src, open)
}

// exports reports whether the bracket at an offset opens the list of an import or export.
func exports(src []byte, open int) bool {
	switch nameBefore(src, open) {
	case "export", "import":
		return true
	case "type":
		head := bytes.TrimSuffix(bytes.TrimRight(src[:open], blanks), []byte("type"))
		word := nameBefore(head, len(head))
		return word == "export" || word == "import"
	}
	return false
}

// shortKey reports whether the key of a literal or pattern is a name at the same time: {name} and {name = 1}.
func shortKey(s *syntax.Site) bool {
	return (s.Before == '{' || s.Before == ',') && (s.After == '}' || s.After == ',' || s.After == '=')
}

// property reports whether a token of JavaScript names a property where no type says of what: in a literal, a pattern
// or an element of JSX.
func isProperty(f *scan, s *syntax.Site) bool {
	if s.Dots || s.Def >= 0 || f.src == nil {
		return false
	}
	end := s.Start + len(s.Name)
	after := bytes.TrimLeft(f.src[end:], " \t\r\n")
	if bytes.HasPrefix(after, []byte("={")) || bytes.HasPrefix(after, []byte("=\"")) {
		return true
	}
	if s.Before == '?' || len(after) == 0 || strings.IndexByte(":,}=(?;", after[0]) < 0 {
		return false
	}
	if s.Before != '{' && s.Before != ',' && !s.First {
		return false
	}
	open := bracketAround(f.src, s.Start)
	listed := len(s.Refs) == 0 || s.Before == '{' || s.Before == ','
	return open >= 0 && f.src[open] == '{' && listed && !exports(f.src, open)
}

// markup reports whether a file may hold elements of JSX.
func markup(path string) bool { return !bytes.HasSuffix([]byte(path), []byte("ts")) }

// isESModule reports whether a file has an import or export at the begin of a line, and does not export by assignment.
func isESModule(src []byte) bool {
	for line := range bytes.Lines(src) {
		if bytes.HasPrefix(line, []byte("import")) || bytes.HasPrefix(line, []byte("export")) {
			return !bytes.Contains(src, []byte("module.exports")) && !bytes.Contains(src, []byte("\nexport ="))
		}
	}
	return false
}

// ruleProperty rules on a key of a literal or a pattern.
func (l ecma) ruleProperty(p *judge, f *scan, s *syntax.Site) (ruling, string) {
	const why = "a property of an object has this name"
	if f.tokens == nil {
		f.tokens = tokensOf(p.x, p.file(f.file).Path, f.src)
	}
	k := &keyContext{tokens: f.tokens, p: p.subject, s: s, n: f.file}
	types := k.types(f.tokens.at(s.Start))
	if len(types) == 0 {
		return doubt, why
	}
	yes := 0
	for _, t := range types {
		w := p.r.MemberOf(t, p.oldName)
		known := w.Kind == meaning.SymbolValue
		switch {
		case !p.plainType(t), !known && l.inheritsUnknown(p.project, t):
			return doubt, why
		case known && p.among(w.Symbols) == doubt:
			return doubt, "it may mean several definitions"
		case known && p.among(w.Symbols) == meant:
			yes++
		}
	}
	what := counted(yes, len(types))
	if what == doubt {
		return doubt, "the value may be of several types"
	}
	return what, ""
}

// plainType reports whether a definition is a type whose members are those that are written in it and in its bases.
func (p *project) plainType(t store.DefID) bool {
	k := p.r.Def(t).Kind
	return k == syntax.Interface || k == syntax.Class
}

// typesOfValue are the types of the definitions that a value is.
func (p *project) typesOfValue(v meaning.Value) (types []store.DefID) {
	list, _ := surely(v)
	for _, y := range list {
		own := []store.DefID{y}
		if !p.r.Def(y).Kind.Type() {
			var ok bool
			if own, ok = surely(p.r.TypeOf(y)); !ok {
				return nil
			}
		}
		types = append(types, own...)
	}
	return types
}

// keyContext looks around a key.
type keyContext struct {
	*tokens
	p *subject
	s *syntax.Site
	n int32
}

// types are those of the literal or pattern that has the key at token i; none where the text does not say it.
func (k *keyContext) types(i int) []store.DefID {
	open := k.opening(i)
	if !k.is(open, "{") {
		return nil
	}
	end := k.closing(open)
	switch {
	case end < 0:
		return nil
	case k.is(end+1, ":") && k.is(open-1, "( , const let var"):
		typ, _ := k.typeAt(end + 2)
		return typ
	case k.is(end+1, "=") && k.is(open-1, "const let var"):
		return k.valueAt(end + 2)
	case k.is(end+1, "as satisfies"):
		typ, _ := k.typeAt(end + 2)
		return typ
	case k.is(open-1, "="):
		return k.annotation(open - 2)
	}
	return nil
}

// opening is the bracket that is open at token i, or -1.
func (k *keyContext) opening(i int) int {
	depth := 0
	for i--; i >= 0; i-- {
		if depth += k.turn(i); depth > 0 {
			return i
		}
	}
	return -1
}

// typeAt is the type whose name begins at token i and stands alone, and the token behind it.
func (k *keyContext) typeAt(i int) (types []store.DefID, end int) {
	if !k.name(i) {
		return nil, i
	}
	from := k.list[i].Start
	for i++; k.is(i, ".") && k.name(i+1); i += 2 {
	}
	name := string(k.src[from:k.list[i-1].End])
	if k.is(i, "<") {
		if i = k.angles(i) + 1; i == 0 {
			return nil, i
		}
	}
	if !k.is(i, ") , = ; } {") && !k.begins(i) || k.is(i, "| & [ extends") {
		return nil, i // a part of a larger type
	}
	types, _ = surely(k.p.r.Eval(name, k.n, k.s.From))
	return types, i
}

// begins reports whether a line begins with token i, or the text ends before it.
func (t *tokens) begins(i int) bool { return i >= len(t.list) || t.list[i].First }

// annotation is the type of what token i ends, if it is written: name: T. The first token of T is looked for backwards.
func (k *keyContext) annotation(i int) []store.DefID {
	for from := i; from > max(0, i-maxTypeTokens); from-- {
		switch {
		case k.is(from, ":"):
			named := k.word(from-1) || k.is(from-1, "?") && k.word(from-2)
			if !named || k.is(from-2, "case") || k.is(from-1, "default") {
				return nil
			}
			typ, end := k.typeAt(from + 1)
			if end != i+1 {
				return nil
			}
			return typ
		case k.is(from, "= ; { } ( ) , =>"):
			return nil
		}
	}
	return nil
}

// maxTypeTokens bounds a type before a value.
const maxTypeTokens = 40

// valueAt is the type of the value at token i, which has to be all that stands there: this, this.field, or a
// parameter whose type is written.
func (k *keyContext) valueAt(i int) []store.DefID {
	end := i + 1
	for ; k.is(end, ".") && k.word(end+1); end += 2 {
	}
	if !k.is(end, ";") && !k.begins(end) {
		return nil
	}
	switch {
	case k.is(i, "this"):
		class := k.p.class(store.At(k.n, k.s.From))
		if class.Def < 0 {
			return nil
		}
		if end == i+1 {
			return []store.DefID{class}
		}
		expr := k.p.spelled(k.p.r.Def(class).Name) + string(k.src[k.list[i+1].Start:k.list[end-1].End])
		return k.p.typesOfValue(k.p.r.Eval(expr, k.n, class.Def))
	case end == i+1 && k.name(i):
		return k.declared(i)
	}
	return nil
}

// declared is the written type of the parameter that the name at token i means, nil where it is something else.
func (k *keyContext) declared(i int) []store.DefID {
	name := k.text(i)
	for at := i - 1; at >= 0; at-- {
		if !k.bare(at) || k.text(at) != name {
			continue
		}
		open := k.opening(at)
		around := k.is(open, "(") && k.encloses(k.closing(open)+1, i) && !k.is(open-1, "if while for switch with")
		binds := k.is(at-1, "const let var function class catch") || k.is(at+1, "=>") ||
			k.is(at-1, "{ , [") && !k.is(open, "(")
		switch {
		case binds:
			return nil // or something that may bind it
		case !around:
			continue // it is used here, or in another list
		case !k.is(at-1, "( ,") || !k.is(at+1, ": ?"):
			return nil
		default:
			from := at + 2
			if k.is(at+1, "?") {
				from++
			}
			typ, end := k.typeAt(from)
			if !k.is(end, ") , =") {
				return nil
			}
			return typ
		}
	}
	return nil
}

// encloses reports whether the function whose list of parameters ends before token i has token j in its body.
func (k *keyContext) encloses(i, j int) bool {
	for ; i < j; i++ {
		switch {
		case k.is(i, "{"):
			return j < k.closing(i)
		case k.is(i, "; ) } ]"):
			return false
		}
	}
	return false
}
