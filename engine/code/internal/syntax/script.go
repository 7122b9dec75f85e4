package syntax

import "strings"

// scriptReader reads JavaScript and TypeScript, with and without JSX.
type scriptReader struct {
	curly
	class   int32
	members map[int64]int32 // fields by class and name: one is defined where it is first assigned
}

var (
	scriptDialect  = *newScriptDialect("`#", scriptSpecial)
	elementDialect = *newScriptDialect("`#<", elementSpecial)
)

func newScriptDialect(special string, f func(*lexer, int) int) *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "function", wClass: "class", wEnum: "enum", wVar: "var", wConst: "const", wLet: "let", wIf: "if", wElse: "else",
		wFor: "for", wWhile: "while", wDo: "do", wSwitch: "switch", wCase: "case", wDefault: "default", wReturn: "return yield",
		wBreak: "break continue debugger", wImport: "import", wExport: "export", wExtends: "extends",
		wNew: "new", wThis: "this", wSuper: "super", wAwait: "await", wIn: "in instanceof", wTry: "try",
		wCatch: "catch", wFinally: "finally", wThrow: "throw", wDel: "delete typeof void",
		wValue: "null undefined true false NaN Infinity",
	}), "'\"", special)
	d.regex = true
	d.special = f
	return d
}

func (r *legacy) readScript(path string) {
	d := &elementDialect
	if strings.HasSuffix(path, ".ts") || strings.HasSuffix(path, ".mts") || strings.HasSuffix(path, ".cts") {
		d = &scriptDialect
	}
	r.lex(d)
	s := &scriptReader{curly: curly{legacy: r, angles: d == &scriptDialect || strings.HasSuffix(path, "x"), lines: true}, class: -1, members: map[int64]int32{}}
	s.local, s.nested = s.localDeclaration, s.insideBody
	s.scan(0, len(r.toks)-1, true)
}

// localDeclaration reads const, let, var and what begins with import and export.
func (r *scriptReader) localDeclaration(i, hi int) int {
	switch r.word(i) {
	case wConst, wLet, wVar:
		return r.declaration(i, i, hi)
	case wImport:
		return r.imports(i, hi)
	case wExport:
		return r.export(i, hi)
	case wThis:
		return r.fieldAssigned(i, hi)
	}
	if r.name(i) && r.is(i+1, '.') && r.cur < 0 {
		return r.memberAssigned(i, hi)
	}
	return i
}

// declaration reads what const, let or var at i declares; from is where the text of it begins.
func (r *scriptReader) declaration(i, from, hi int) int {
	if r.word(i) == wConst && r.word(i+1) == wEnum {
		return r.enum(i+1, from, hi)
	}
	return r.variables(i, from, hi)
}

// export reads what is exported from elsewhere; the word itself says nothing about structure.
func (r *scriptReader) export(i, hi int) int {
	k := i + 1
	if r.soft(k, "type") && r.is(k+1, '{') {
		k++
	}
	switch {
	case r.is(k, '*'):
		row := ImportRow{Name: r.names.InternString("*"), Line: r.lineOf(i)}
		k++
		if r.word(k) == noWord && r.soft(k, "as") {
			row.Local = r.sym(k + 1)
			k += 2
		}
		if r.soft(k, "from") {
			row.Module = r.quoted(k + 1)
			r.rows.Imports = append(r.rows.Imports, row)
			return k + 2
		}
	case r.is(k, '{'):
		end := r.after(k, hi)
		if r.soft(end, "from") {
			r.importNames(k, hi, r.quoted(end+1))
			return end + 2
		}
	}
	return i + 1
}

func (r *scriptReader) imports(i, hi int) int {
	k, from := i+1, i
	if r.is(k, '(') || r.is(k, '.') { // import("m") and import.meta
		return i
	}
	if r.soft(k, "type") && (r.name(k+1) && !r.soft(k+1, "from") || r.is(k+1, '{') || r.is(k+1, '*')) {
		k++
	}
	end := k
	for end < hi && end < k+4096 && r.tok(end).kind != tString && !r.is(end, ';') && !(r.tok(end).nl && end > k && r.word(end) == wImport) {
		end++
	}
	module := r.quoted(end)
	if module == 0 {
		return i + 1
	}
	add := func(name string, local Sym) {
		r.rows.Imports = append(r.rows.Imports, ImportRow{Module: module, Name: r.names.InternString(name), Local: local, Line: r.lineOf(from)})
	}
	if k == end {
		add("", 0)
	}
	for k < end {
		switch {
		case r.is(k, '{'):
			r.importNames(k, hi, module)
			k = r.after(k, hi)
		case r.is(k, '*'):
			add("*", r.sym(k+2))
			k += 3
		case r.tok(k).kind == tName && !r.soft(k, "from") && !r.soft(k, "require"):
			if r.is(k+1, '=') {
				add("*", r.sym(k))
			} else {
				add("default", r.sym(k))
			}
			k++
		default:
			k++
		}
	}
	return end + 1
}

// importNames reads {a, b as c}.
func (r *scriptReader) importNames(i, hi int, module Sym) {
	end := r.close(i, hi)
	for k := i + 1; k < end; k++ {
		if r.soft(k, "type") && r.tok(k+1).kind == tName {
			k++
		}
		if r.tok(k).kind != tName {
			continue
		}
		row := ImportRow{Module: module, Name: r.sym(k), Local: r.sym(k), Line: r.lineOf(k)}
		if r.soft(k+1, "as") {
			row.Local = r.sym(k + 2)
			k += 2
		}
		r.rows.Imports = append(r.rows.Imports, row)
	}
}

// variables reads "const a: T = x, {b, c} = y". At the top they are definitions.
func (r *scriptReader) variables(i, from, hi int) int {
	constant := r.word(i) == wConst
	for i++; i < hi; {
		if r.is(i, '{') || r.is(i, '[') {
			i = r.destructured(i, hi)
		} else if r.tok(i).kind == tName {
			i = r.variable(i, from, hi, constant)
		} else {
			return i
		}
		if !r.is(i, ',') {
			return i
		}
		i++
		from = i
	}
	return i
}

// destructured binds the names in {a, b: c} = x at i.
func (r *scriptReader) destructured(i, hi int) int {
	end := r.close(i, hi)
	lo := i + 1
	i = min(end+1, hi)
	if r.is(i, ':') {
		start := len(r.expr)
		i = r.typ(i+1, hi)
		r.expr = r.expr[:start]
	}
	start := len(r.expr)
	required := Sym(0)
	if r.is(i, '=') {
		if r.soft(i+1, "require") && r.is(i+2, '(') {
			required = r.quoted(i + 3)
		}
		i = r.expression(i+1, hi)
	} else if r.soft(i, "of") {
		i = r.expression(i+1, hi)
	}
	value := r.pop(start)
	for k := lo; k < end; k++ {
		if !r.name(k) || r.is(k+1, ':') {
			continue
		}
		if required != 0 {
			name := r.sym(k)
			if r.is(k-1, ':') {
				name = r.sym(k - 2)
			}
			r.rows.Imports = append(r.rows.Imports, ImportRow{Module: required, Name: name, Local: r.sym(k), Line: r.lineOf(k)})
			continue
		}
		r.bindMember(k, lo, value)
		if r.is(k+1, '=') {
			k++
			for k < end && !r.is(k, ',') {
				if r.is(k, '(') || r.is(k, '{') || r.is(k, '[') {
					k = r.close(k, end)
				}
				k++
			}
		}
	}
	return i
}

// bindMember binds the name at k to the member of value that it comes from.
func (r *scriptReader) bindMember(k, lo int, value Sym) {
	if value == 0 || !r.is(lo-1, '{') {
		r.bind(r.sym(k), 0)
		return
	}
	name := k
	if r.is(k-1, ':') && k-2 >= lo {
		name = k - 2
	}
	start := len(r.expr)
	r.push(value)
	r.expr = append(append(r.expr, '.'), r.text(name)...)
	r.bind(r.sym(k), r.pop(start))
}

// variable reads one name with its type and value.
func (r *scriptReader) variable(i, from, hi int, constant bool) int {
	name := i
	top := r.cur < 0 || r.rows.Defs[r.cur].Kind == Module
	i++
	start := len(r.expr)
	if r.is(i, '!') {
		i++
	}
	if r.is(i, ':') {
		i = r.typ(i+1, hi)
	}
	t := r.pop(start)
	kind := Variable
	if constant {
		kind = Constant
	}
	if r.soft(i, "of") || r.word(i) == wIn { // for (const x of xs)
		i = r.expression(i+1, hi)
		if r.known(start) {
			r.expr = append(r.expr, "[]"...)
		}
		r.bind(r.sym(name), r.pop(start))
		return i
	}
	if !r.is(i, '=') {
		if top {
			d := r.define(kind, name, from)
			r.rows.Defs[d].Type = t
			r.finish(d, i)
		} else {
			r.bind(r.sym(name), t)
		}
		return i
	}
	if r.soft(i+1, "require") && r.is(i+2, '(') && r.is(i+4, ')') && !r.is(i+5, '.') {
		r.rows.Imports = append(r.rows.Imports, ImportRow{Module: r.quoted(i + 3), Name: r.names.InternString("*"), Local: r.sym(name), Line: r.lineOf(i)})
		return i + 5
	}
	if f := r.functionValue(i+1, hi); f {
		return r.namedFunction(Function, name, from, i+1, hi)
	}
	if !top {
		i = r.expression(i+1, hi)
		if v := r.pop(start); t == 0 && v != r.sym(name) {
			t = v
		}
		r.bind(r.sym(name), t)
		return i
	}
	d := r.define(kind, name, from)
	r.within(d, func() { i = r.expression(i+1, hi) })
	if v := r.pop(start); t == 0 && v != r.sym(name) {
		t = v
	}
	r.rows.Defs[d].Type = t
	r.finish(d, i)
	return i
}
