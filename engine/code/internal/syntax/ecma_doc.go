package syntax

import (
	"path"
	"strings"

	"helve/engine/code/internal/syntax/internal/lex"
)

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
