package syntax

import "bytes"

// This file reads what needs little: shell, Markdown, JSON, YAML, and the shape of unknown languages.

var shellDialect = *newShellDialect()

func newShellDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc: "function", wIf: "if then elif else fi", wFor: "for while until do done", wSwitch: "case esac in select", wReturn: "return exit break continue shift",
		wDecl: "local export declare readonly typeset", wUse: "source",
	}), "", "#\\\"'$<`")
	d.class['$'], d.class['-'] = cSpecial, cName
	d.slashes = false
	d.special = shellSpecial
	return d
}

// readShell defines functions and refers to the commands that begin a statement.
func (r *legacy) readShell() {
	r.lex(&shellDialect)
	r.shell(0, len(r.toks)-1)
}

func (r *legacy) shell(lo, hi int) {
	if !r.enter() {
		r.flat(lo, hi)
		return
	}
	defer r.leave()
	for i := lo; i < hi; {
		i = max(r.shellStep(i, hi), i+1)
	}
}

func (r *legacy) shellStep(i, hi int) int {
	t := r.tok(i)
	begins := t.nl || i == 0 || r.is(i-1, ';') || r.is(i-1, '|') || r.is(i-1, opLogic) || r.is(i-1, '(') || r.is(i-1, '{') || r.is(i-1, '&') ||
		r.is(i-1, '!') || r.is(i-1, '`') || r.word(i-1) == wIf || r.word(i-1) == wFor || r.is(i-1, ')')
	switch {
	case t.kind == tName && t.word == wFunc && r.name(i+1):
		return r.shellFunction(i+1, i, hi)
	case t.kind == tName && t.word == noWord && r.is(i+1, '(') && r.is(i+2, ')') && begins:
		return r.shellFunction(i, i, hi)
	case t.kind == tName && begins && (t.word == wUse || t.word == noWord && r.tok(i+1).kind != tEnd && string(r.text(i)) == "."):
		return r.shellSource(i, hi)
	case t.kind == tPunct && t.ch == '.' && begins:
		return r.shellSource(i, hi)
	case t.kind == tName && t.word == noWord && begins && !r.is(i+1, '=') && !r.is(i+1, opAssign):
		if !r.is(i+1, '/') || r.tok(i+1).start != t.end {
			r.referTo(r.sym(i), 0, Call, i)
		}
	case t.kind == tName && t.word == noWord && begins && r.is(i+1, '=') && r.tok(i+1).start == t.end && r.cur < 0:
		r.define(Variable, i, i)
	case t.kind == tPunct && (t.ch == '{' || t.ch == '('):
		end := r.close(i, hi)
		r.shell(i+1, end)
		return min(end+1, hi)
	}
	return i + 1
}

func (r *legacy) shellFunction(name, from, hi int) int {
	k := name + 1
	if r.is(k, '(') {
		k = r.after(k, hi)
	}
	if !r.is(k, '{') && !r.is(k, '(') {
		return k
	}
	d := r.define(Function, name, from)
	end := r.close(k, hi)
	r.signature(d, k)
	r.within(d, func() { r.shell(k+1, end) })
	end = min(end+1, hi)
	r.finish(d, end)
	return end
}

func (r *legacy) shellSource(i, hi int) int {
	t := r.tok(i + 1)
	if t.nl || i+1 >= hi {
		return i + 1
	}
	end := t.start
	for int(end) < len(r.src) && r.src[end] > ' ' && r.src[end] != ';' {
		end++
	}
	module := bytes.Trim(r.src[t.start:end], "\"'")
	r.rows.Imports = append(r.rows.Imports, ImportRow{Module: r.names.Intern(module), Name: r.names.InternString("*"), Line: r.lineOf(i)})
	for i < hi && !(r.tok(i + 1).nl) {
		i++
	}
	return i + 1
}

// maxSections bounds the outline of a file of prose or data.
const maxSections = 20_000

// lineRows cuts a file into lines and tells each where it begins.
func (r *legacy) lineRows(each func(line []byte, start, number int) bool) {
	start := 0
	for n := 1; start < len(r.src); n++ {
		end := len(r.src)
		if k := bytes.IndexByte(r.src[start:], '\n'); k >= 0 {
			end = start + k
		}
		if !each(bytes.TrimRight(r.src[start:end], "\r"), start, n) {
			return
		}
		start = end + 1
	}
}

// section adds a heading or key of this level and ends those that it closes.
func (r *legacy) section(kind Kind, name []byte, level, start, end, line int, open *[]int) {
	for len(*open) > 0 {
		d := (*open)[len(*open)-1]
		if int(r.rows.Defs[d].Type) < level { // Type holds the level until the end
			break
		}
		r.closeSection(d, start, line-1)
		*open = (*open)[:len(*open)-1]
	}
	parent := int32(-1)
	if n := len(*open); n > 0 {
		parent = int32((*open)[n-1])
	}
	if len(name) > maxExpr {
		name = name[:maxExpr]
	}
	r.rows.Defs = append(r.rows.Defs, Def{Name: r.names.Intern(name), Kind: kind, Parent: parent, Type: Sym(level), Start: int32(start), End: int32(end),
		Body: int32(end), Line: int32(line), EndLine: int32(line)})
	*open = append(*open, len(r.rows.Defs)-1)
}

func (r *legacy) closeSection(d, end, line int) {
	def := &r.rows.Defs[d]
	def.End, def.EndLine = max(int32(end), def.Start), max(int32(line), def.Line)
	def.Body = min(def.Body, def.End)
}

// closeSections ends all sections and clears their levels.
func (r *legacy) closeSections(open []int) {
	for _, d := range open {
		r.closeSection(d, len(r.src), r.rows.Lines)
	}
	for d := range r.rows.Defs {
		r.rows.Defs[d].Type = 0
	}
}

// readMarkdown takes headings as sections; fenced code holds none.
func (r *legacy) readMarkdown() {
	var open []int
	var fence []byte
	var before []byte
	beforeStart := 0
	r.lineRows(func(line []byte, start, n int) bool {
		text := bytes.TrimLeft(line, " ")
		if mark := fenceOf(text); mark != nil {
			if fence == nil {
				fence = mark
			} else if bytes.HasPrefix(mark, fence) && len(bytes.TrimLeft(text, string(fence[:1]))) == 0 {
				fence = nil
			}
			before = nil
			return true
		}
		if fence != nil {
			return true
		}
		if level := headingLevel(text); level > 0 {
			name := bytes.TrimSpace(bytes.TrimRight(bytes.TrimSpace(text[level:]), "#"))
			r.section(Section, name, level, start, start+len(line), n, &open)
		} else if level := underline(text); level > 0 && len(bytes.TrimSpace(before)) > 0 {
			r.section(Section, bytes.TrimSpace(before), level, beforeStart, start+len(line), n-1, &open)
		}
		before, beforeStart = line, start
		return len(r.rows.Defs) < maxSections
	})
	r.closeSections(open)
}

func fenceOf(text []byte) []byte {
	n := 0
	for n < len(text) && (text[n] == '`' || text[n] == '~') && text[n] == text[0] {
		n++
	}
	if n < 3 {
		return nil
	}
	return text[:n]
}

func headingLevel(text []byte) int {
	n := 0
	for n < len(text) && text[n] == '#' {
		n++
	}
	if n == 0 || n > 6 || n < len(text) && text[n] != ' ' && text[n] != '\t' || n == len(text) {
		return 0
	}
	return n
}

func underline(text []byte) int {
	text = bytes.TrimSpace(text)
	if len(text) < 2 {
		return 0
	}
	for _, c := range text {
		if c != text[0] {
			return 0
		}
	}
	switch text[0] {
	case '=':
		return 1
	case '-':
		return 2
	}
	return 0
}

// maxKeyDepth is how deep keys of data count as an outline.
const maxKeyDepth = 4

// readYAML takes keys as an outline by their indentation.
func (r *legacy) readYAML() {
	var open []int
	block := -1 // the indentation of a key whose value is a text of several lines
	r.lineRows(func(line []byte, start, n int) bool {
		text := bytes.TrimLeft(line, " ")
		indent := len(line) - len(text)
		if len(text) == 0 || text[0] == '#' || block >= 0 && indent > block {
			return true
		}
		block = -1
		for bytes.HasPrefix(text, []byte("- ")) {
			text, indent = text[2:], indent+2
		}
		key, rest, ok := yamlKey(text)
		if !ok || indent > 2*maxKeyDepth {
			return true
		}
		r.section(Key, key, indent+1, start, start+len(line), n, &open)
		if rest = bytes.TrimSpace(rest); len(rest) > 0 && (rest[0] == '|' || rest[0] == '>') {
			block = indent
		}
		return len(r.rows.Defs) < maxSections
	})
	r.closeSections(open)
}

func yamlKey(text []byte) (key, rest []byte, ok bool) {
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') {
		if k := bytes.IndexByte(text[1:], text[0]); k > 0 && k+2 < len(text) && text[k+2] == ':' {
			return text[1 : k+1], text[k+3:], true
		}
		return nil, nil, false
	}
	for k, c := range text {
		if c == ':' && (k+1 == len(text) || text[k+1] == ' ') {
			return text[:k], text[k+1:], k > 0
		}
		if c == '{' || c == '[' || c == '"' || c == '#' {
			return nil, nil, false
		}
	}
	return nil, nil, false
}

var jsonDialect = *newJSONDialect()

func newJSONDialect() *dialect {
	d := newDialect(words(nil), "\"", "")
	d.special = func(_ *lexer, i int) int { return i }
	return d
}

// readJSON takes keys as an outline.
func (r *legacy) readJSON() {
	r.lex(&jsonDialect)
	r.object(0, len(r.toks)-1, 0)
}

func (r *legacy) object(lo, hi, level int) {
	for i := lo; i < hi && len(r.rows.Defs) < maxSections; i++ {
		t := r.tok(i)
		if t.kind == tString && r.is(i+1, ':') && level < maxKeyDepth && i+1 < hi {
			d := r.defineNamed(Key, r.quoted(i), i, i)
			k := i + 2
			if r.is(k, '{') || r.is(k, '[') {
				r.within(d, func() { r.object(k+1, r.close(k, hi), level+1) })
				i = r.close(k, hi)
			} else {
				i = k
			}
			r.finish(d, min(i+1, hi))
			continue
		}
		if t.kind == tPunct && (t.ch == '{' || t.ch == '[') && level < maxKeyDepth {
			next := level
			if t.ch == '[' {
				next++
			}
			r.object(i+1, r.close(i, hi), next)
			i = r.close(i, hi)
		}
	}
}

var genericDialect = *newGenericDialect()

func newGenericDialect() *dialect {
	d := newDialect(words(map[word]string{
		wFunc:  "function func fun fn def sub proc procedure defun method",
		wClass: "class struct interface trait enum object module protocol type record message service contract entity",
	}), "\"", "")
	d.special = func(_ *lexer, i int) int { return i }
	return d
}

// readGeneric guesses: a word such as function or class, then a name. References are names before brackets.
func (r *legacy) readGeneric() {
	r.lex(&genericDialect)
	r.rows.Generic = true
	for i := 0; i < len(r.toks)-1; i++ {
		if !r.name(i) {
			continue
		}
		w := r.word(i - 1)
		switch {
		case i > 0 && w == wFunc && !r.tok(i).nl:
			r.guess(Function, i)
		case i > 0 && w == wClass && !r.tok(i).nl:
			r.guess(Class, i)
		case r.is(i+1, '('):
			r.referTo(r.sym(i), 0, Call, i)
		}
	}
}

// guess defines the name at i up to the end of the block that follows on its line or the next.
func (r *legacy) guess(kind Kind, i int) {
	d := r.define(kind, i, i-1)
	end := i + 1
	for k := i + 1; k < len(r.toks)-1 && k < i+64; k++ {
		if r.is(k, '(') || r.is(k, '[') {
			k = r.close(k, len(r.toks)-1)
			continue
		}
		if r.is(k, '{') {
			r.signature(d, k)
			end = r.after(k, len(r.toks)-1)
			break
		}
		if r.tok(k).nl {
			break
		}
	}
	r.finish(d, end)
}
