package syntax

import (
	"bytes"
	"strings"
	"sync"
)

// A docComment is the text of a /** … */ before a declaration. Where a language does not declare types, it may say
// them.
//
//	@param {T} a    @returns {T}    @type {T}        JavaScript
//	@param T $a     @return T       @var T [$a]      PHP
type docComment []byte

// maxDoc bounds a comment that is looked into, in bytes.
const maxDoc = 32 << 10

// docBefore is the last such comment between the token at p and the one before it, nil where there is none.
func (r *reader) docBefore(p pos) docComment {
	from, to := int32(0), r.token(p).Start
	if p > 0 {
		from = r.token(p - 1).End
	}
	if to-from < int32(len("/***/")) {
		return nil
	}
	gap := r.src[max(from, to-maxDoc):to]
	open := bytes.LastIndex(gap, []byte("/**"))
	if open < 0 {
		return nil
	}
	gap = gap[open+len("/**"):]
	end := bytes.Index(gap, []byte("*/"))
	if end < 0 {
		return nil
	}
	return docComment(gap[:end])
}

// tag is the type that a tag of one of these names gives to what is called name; "" as name asks for the first such
// tag. A tag "var" of PHP counts where it names no variable, too.
func (d docComment) tag(name string, tags ...string) string {
	for rest := []byte(d); ; {
		at := bytes.IndexByte(rest, '@')
		if at < 0 {
			return ""
		}
		rest = rest[at+1:]
		word := docWord(rest)
		for _, t := range tags {
			if word != t {
				continue
			}
			typ, named := docTyped(rest[len(word):])
			unnamed := t == "var" && (named == "" || named[0] != '$')
			if typ != "" && (name == "" || named == name || unnamed) {
				return typ
			}
		}
	}
}

// docWord is the name at the beginning of a text.
func docWord(text []byte) string {
	n := 0
	for n < len(text) && isDocName(text[n]) {
		n++
	}
	return string(text[:n])
}

func isDocName(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// docTyped takes "{T} name", "T $name" and "T" apart.
func docTyped(text []byte) (typ, name string) {
	text = bytes.TrimLeft(text, " \t")
	end := docTypeEnd(text)
	typ = string(text[:end])
	if inner, braces := strings.CutPrefix(typ, "{"); braces {
		typ = strings.TrimSuffix(inner, "}")
	}
	text = bytes.TrimLeft(text[end:], " \t[&.")
	name = docWord(text)
	if len(name) < len(text) && (text[len(name)] == '.' || text[len(name)] == '[') {
		name = "" // a member of a parameter
	}
	return typ, name
}

// docTypeEnd is where a type ends: at a blank outside of brackets.
func docTypeEnd(text []byte) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '{', '(', '<', '[':
			depth++
		case '}', ')', '>', ']':
			if isArrow(text, i) {
				continue
			}
			depth--
			if depth == 0 && c == '}' {
				return i + 1
			}
		case '\n':
			if depth == 0 {
				return i
			}
		case ' ', '\t':
			if depth <= 0 {
				return i
			}
		}
	}
	return len(text)
}

// isArrow reports whether the > at i is that of a function's type: (a: A) => B.
func isArrow[T string | []byte](text T, i int) bool {
	return text[i] == '>' && i > 0 && text[i-1] == '='
}

// docTypes are what type names of a language's comments mean.
type docTypes struct {
	none  map[string]bool // types of the language itself, of whose members nothing is known
	lists map[string]bool // beside curlyGenerics
	this  map[string]bool // the class around
}

var (
	ecmaDocTypes = sync.OnceValue(func() *docTypes {
		return &docTypes{
			none: nameSet("any unknown number Number string String boolean Boolean bool never object Object symbol Symbol bigint BigInt " +
				"function Function null undefined void true false int integer float Array"),
			this: nameSet("this"),
		}
	})
	phpDocTypes = sync.OnceValue(func() *docTypes {
		return &docTypes{
			none: nameSet("int integer string bool boolean float double array mixed void object callable iterable never null false true " +
				"resource scalar numeric list class-string positive-int non-empty-string array-key"),
			lists: nameSet("array list iterable non-empty-array non-empty-list Traversable Generator Iterator IteratorAggregate"),
			this:  nameSet("self static this"),
		}
	})
)

// docType is the expression of a type as a comment writes it: its first alternative of which anything is known. this
// is the class around; 0: nothing is known.
func (r *reader) docType(text string, g *docTypes, this string) Sym {
	if text == "" {
		return 0
	}
	m := r.top()
	r.pushDocType(text, g, this, 0)
	return r.pop(m)
}

// maxDocDepth bounds how deep brackets in a type are looked into.
const maxDocDepth = 8

func (r *reader) pushDocType(text string, g *docTypes, this string, depth int) {
	m := r.top()
	for part := range splitDoc(text, '|') {
		r.drop(m)
		r.pushDocPart(strings.TrimSpace(part), g, this, depth)
		if r.known(m) {
			return
		}
	}
}

// pushDocPart pushes one alternative of a type.
func (r *reader) pushDocPart(text string, g *docTypes, this string, depth int) {
	text = strings.TrimLeft(text, "?!.*")
	text = strings.TrimRight(text, "=?!")
	m := r.top()
	inner, isList := strings.CutSuffix(text, "[]")
	bracket := strings.IndexByte(text, '<')
	switch {
	case depth > maxDocDepth || text == "":
		r.pushUnknown()
	case isList:
		r.pushDocPart(inner, g, this, depth+1)
		r.listOf(m)
	case text[0] == '(' && text[len(text)-1] == ')':
		r.pushDocType(text[1:len(text)-1], g, this, depth+1)
	case bracket > 0 && text[len(text)-1] == '>':
		r.pushDocGeneric(strings.TrimSuffix(text[:bracket], "."), text[bracket+1:len(text)-1], g, this, depth)
	default:
		r.pushDocName(text, g, this)
	}
}

// pushDocGeneric pushes name<arguments>: of a list its last argument counts, of a mere wrapper its first.
func (r *reader) pushDocGeneric(name, arguments string, g *docTypes, this string, depth int) {
	isList := g.lists[name] || curlyGenerics().list[name]
	if !isList && !curlyGenerics().wrapper[name] {
		r.pushDocName(name, g, this)
		return
	}
	last := ""
	for part := range splitDoc(arguments, ',') {
		if last = part; !isList {
			break
		}
	}
	m := r.top()
	r.pushDocType(last, g, this, depth+1)
	if isList {
		r.listOf(m)
	}
}

// pushDocName pushes the name of a type, a.b or \a\b, of which the last part counts in PHP.
func (r *reader) pushDocName(name string, g *docTypes, this string) {
	name = name[strings.LastIndexByte(name, '\\')+1:]
	if g.this[strings.TrimPrefix(name, "$")] && this != "" {
		r.pushString(this)
		return
	}
	if name == "" || g.none[name] || name[0] >= '0' && name[0] <= '9' {
		r.pushUnknown()
		return
	}
	for i := range len(name) {
		if !isDocName(name[i]) && (name[i] != '.' || i == 0 || i == len(name)-1) {
			r.pushUnknown()
			return
		}
	}
	r.pushString(name)
}

// splitDoc are the parts of a text between separators that stand outside of brackets.
func splitDoc(text string, separator byte) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		depth, from := 0, 0
		for i := range len(text) {
			switch c := text[i]; c {
			case '{', '(', '<', '[':
				depth++
			case '}', ')', '>', ']':
				if !isArrow(text, i) {
					depth--
				}
			case separator:
				if depth == 0 {
					if !yield(text[from:i]) {
						return
					}
					from = i + 1
				}
			}
		}
		yield(text[from:])
	}
}
