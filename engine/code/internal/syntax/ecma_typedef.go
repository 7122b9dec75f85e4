package syntax

import (
	"bytes"
	"path"
	"strings"

	"helve/engine/code/internal/syntax/internal/lex"
)

// A docMember is a member of a type that a comment defines, and where in the text of its tag it stands.
type docMember struct {
	name, typ  string
	start, end int
}

// typedefs reads the comments that name a type of another module, and those that define one:
//
//	@typedef {import("m").T} U
//	@typedef {object} U      @property {T} name
//	@typedef {{name: T}} U
//	@typedef {A | B} U
func (r *ecmaReader) typedefs() {
	tag := []byte("@typedef")
	for at := 0; ; {
		n := bytes.Index(r.src[at:], tag)
		if n < 0 {
			return
		}
		at += n
		start, end := r.commentAround(at)
		typ, local := docTyped(r.src[at+len(tag) : end])
		module, member, imports := importedType(typ)
		switch {
		case local == "":
		case imports:
			r.importType(module, member, local, r.searchLine(int32(at)))
		case start >= 0:
			r.defineTypedef(local, typ, start, at+len(tag), end)
		}
		at += len(tag)
	}
}

// commentAround is where the /** … */ around the tag at begins, and where what says of that tag ends: at the end of the
// comment, or at the next tag that defines a type. start is -1 where no such comment stands around it.
func (r *ecmaReader) commentAround(at int) (start, end int) {
	first := max(0, at-maxDoc)
	before := r.src[first:at]
	start = bytes.LastIndex(before, []byte("/**"))
	if start >= 0 && bytes.Contains(before[start+len("/**"):], []byte("*/")) {
		start = -1
	}
	if start >= 0 {
		start += first
	}
	rest := r.src[at:min(len(r.src), at+maxDoc)]
	if n := bytes.Index(rest, []byte("*/")); n >= 0 {
		rest = rest[:n]
	}
	for _, tag := range []string{"@typedef", "@callback"} {
		if n := bytes.Index(rest[1:], []byte(tag)); n >= 0 {
			rest = rest[:n+1]
		}
	}
	return start, at + len(rest)
}

// defineTypedef defines a type with the members that it writes out, or that tags below name: from is where the text
// of its tag begins in the comment from start to end.
func (r *ecmaReader) defineTypedef(name, typ string, start, from, end int) {
	outer := r.cur
	r.cur = noDef
	d := r.defineComment(Alias, name, typ, start, end)
	text := docComment(r.src[from:end])
	if n := bytes.IndexByte(text, '\n'); n >= 0 {
		r.def(d).Body = int32(from + n)
	}
	r.cur = d
	members := text.properties
	if strings.HasPrefix(typ, "{") {
		members = text.written
	}
	for m := range members {
		r.defineComment(Field, m.name, m.typ, from+m.start, from+m.end)
	}
	r.cur = outer
}

// defineComment defines what stands in a comment from start to end.
func (r *ecmaReader) defineComment(kind Kind, name, typ string, start, end int) int32 {
	r.rows.Defs = append(r.rows.Defs, Def{
		Name: r.names.InternString(name), Kind: kind, Parent: r.cur, Type: r.docType(typ, ecmaDocTypes(), ""),
		Start: int32(start), End: int32(end), Body: int32(end), Line: r.searchLine(int32(start)), EndLine: r.searchLine(int32(end)),
	})
	return int32(len(r.rows.Defs) - 1)
}

// written are the members of a type that is written out: {{a: A, b?: B}}.
func (d docComment) written(yield func(docMember) bool) {
	open := bytes.Index(d, []byte("{{"))
	if open < 0 {
		return
	}
	at := open + len("{{")
	end := at - 1 + docTypeEnd(d[at-1:]) - 1
	if end < at || d[end] != '}' {
		return
	}
	for part := range splitDoc(strings.ReplaceAll(string(d[at:end]), ";", ","), ',') {
		name, typ, typed := strings.Cut(part, ":")
		name = strings.TrimSuffix(strings.Trim(name, " \t\r\n*"), "?")
		m := docMember{name, strings.TrimSpace(typ), at + strings.Index(part, name), at + len(part)}
		if at += len(part) + 1; typed && name != "" && docWord([]byte(name)) == name && !yield(m) {
			return
		}
	}
}

// properties are the members that tags name: @property {T} name. What is a member of one of them (a.b) is left out.
func (d docComment) properties(yield func(docMember) bool) {
	for at := 0; ; {
		n := bytes.IndexByte(d[at:], '@')
		if n < 0 {
			return
		}
		at += n + 1
		word := docWord(d[at:])
		if word != "property" && word != "prop" {
			continue
		}
		typ, name := docTyped(d[at+len(word):])
		end := len(d)
		if n := bytes.IndexByte(d[at:], '\n'); n >= 0 {
			end = at + n
		}
		if name != "" && !yield(docMember{name, typ, at - 1, end}) {
			return
		}
	}
}

// docOf is the comment before the token at from, in JavaScript, which has no other way to say types.
func (r *ecmaReader) docOf(from pos) docComment {
	if !r.documented {
		return nil
	}
	for from > 0 && r.beforeDefinition(r.token(from-1)) {
		from--
	}
	return r.docBefore(from)
}

// beforeDefinition reports whether t is a word that may stand between a comment and what it is about.
func (r *ecmaReader) beforeDefinition(t *lex.Token) bool {
	if t.Word == lex.Export || t.Word == lex.Default {
		return true
	}
	switch string(r.src[t.Start:t.End]) {
	case "async", "get", "set", "static":
		return true
	}
	return false
}

// documentedType is the type that a comment gives to what is called name; 0: none.
func (r *ecmaReader) documentedType(d docComment, name string, tags ...string) Sym {
	if d == nil {
		return 0
	}
	text := d.tag(name, tags...)
	if module, member, ok := importedType(text); ok {
		return r.typeImport(module, member)
	}
	return r.docType(text, ecmaDocTypes(), r.this)
}

// parameterType is what a comment says of the parameter at p.
func (r *ecmaReader) parameterType(d docComment, p pos) Sym {
	return r.documentedType(d, string(r.textAt(p)), "param", "arg", "argument")
}

// importedType takes import("m").T apart, also behind typeof: of a class as a value its members count, too.
func importedType(text string) (module, member string, ok bool) {
	text = strings.TrimPrefix(strings.TrimLeft(strings.TrimSpace(text), "?!"), "typeof ")
	text, ok = strings.CutPrefix(text, "import(")
	if !ok || len(text) < 2 {
		return "", "", false
	}
	module, rest, ok := strings.Cut(text[1:], text[:1])
	if !ok || module == "" {
		return "", "", false
	}
	member, ok = strings.CutPrefix(strings.TrimSpace(rest), ")")
	return module, docWord([]byte(strings.TrimPrefix(member, "."))), ok
}

// typeImport imports what a comment takes out of a module, once, and is the name that it has in the file.
func (r *ecmaReader) typeImport(module, member string) Sym {
	local := member
	if local == "" {
		local = docWord([]byte(strings.TrimSuffix(path.Base(module), path.Ext(module))))
	}
	if local == "" {
		return 0
	}
	key := module + "#" + member
	if !r.imports[key] {
		if r.imports == nil {
			r.imports = map[string]bool{}
		}
		r.imports[key] = true
		r.importType(module, member, local, r.lineOf(r.at))
	}
	return r.names.InternString(local)
}

func (r *ecmaReader) importType(module, member, local string, line int32) {
	row := ImportRow{
		Module: r.names.InternString(module),
		Name:   r.names.InternString(member),
		Local:  r.names.InternString(local),
		Line:   line,
	}
	if member == "" {
		row.Name = r.star()
	}
	r.rows.Imports = append(r.rows.Imports, row)
}
