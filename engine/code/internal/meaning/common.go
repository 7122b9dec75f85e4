package meaning

import (
	"bytes"
	"strings"

	"helve/engine/code/internal/syntax"
)

// commonMember reports whether name is a method that the language's own types have: x.append says nothing about a
// class of the project when the type of x is unknown.
func commonMember(l syntax.Language, name string) bool {
	switch l {
	case syntax.Python:
		return pythonMembers[name]
	case syntax.JavaScript, syntax.TypeScript:
		return scriptMembers[name]
	case syntax.Java, syntax.Kotlin, syntax.CSharp:
		return objectMembers[name]
	case syntax.Rust:
		return rustMembers[name]
	case syntax.Ruby:
		return rubyMembers[name]
	}
	return false
}

// WordSet is the set of the words of a list.
func WordSet(list string) map[string]bool {
	m := make(map[string]bool, 1+strings.Count(list, " ")) // a map that grows would be half of the package's start
	for name := range strings.FieldsSeq(list) {
		m[name] = true
	}
	return m
}

var (
	pythonMembers = WordSet("append extend insert remove pop clear index count sort reverse copy keys values items get update " +
		"setdefault popitem add discard union join split rsplit strip lstrip rstrip replace find rfind " +
		"startswith endswith lower upper title format encode decode splitlines isdigit isalpha isspace read " +
		"write close readline readlines seek tell flush group groups match search sub start end partition " +
		"rpartition zfill isinstance hex translate ljust rjust center expandtabs capitalize swapcase fromkeys")
	scriptMembers = WordSet("map filter forEach push pop shift unshift slice splice concat join indexOf lastIndexOf includes find " +
		"findIndex some every reduce sort reverse keys values entries then catch finally toString valueOf " +
		"length split replace replaceAll trim charAt charCodeAt substring substr toLowerCase toUpperCase " +
		"startsWith endsWith match test exec call apply bind get set has add delete clear size hasOwnProperty " +
		"log error warn flat flatMap fill")
	objectMembers = WordSet("toString equals hashCode getClass length size isEmpty get set put add remove contains containsKey " +
		"values keySet entrySet iterator stream map filter collect forEach append charAt substring split trim " +
		"indexOf format getName close Add Remove Contains Count ToString Equals GetHashCode GetType Where " +
		"Select ToList First Any")
	rustMembers = WordSet("unwrap expect clone into from iter into_iter iter_mut map filter collect len is_empty push pop " +
		"insert remove get get_mut contains as_ref as_mut as_str to_string to_owned unwrap_or unwrap_or_else " +
		"unwrap_or_default ok err and_then or_else map_err extend next take cloned copied borrow borrow_mut " +
		"lock read write join split trim")
	rubyMembers = WordSet("each map select reject inject reduce size length empty? nil? to_s to_i to_a to_h to_sym first last " +
		"push pop shift join split strip gsub sub keys values merge include? key? new class is_a? respond_to? " +
		"send freeze dup call")
)

// GoNames are the names that Go gives a meaning of its own.
var GoNames = WordSet("any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune " +
	"string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag " +
	"len make max min new panic print println real recover init main")

// CountWords counts a name in a text, as a word.
func CountWords(src []byte, name string) int {
	n := 0
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte(name))
		if i < 0 {
			return n
		}
		i += at
		at = i + len(name)
		if (i == 0 || !IsNameByte(src[i-1])) && (at == len(src) || !IsNameByte(src[at])) {
			n++
		}
	}
}
