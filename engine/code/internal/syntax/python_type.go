package syntax

import (
	"sync"

	"helve/engine/code/internal/syntax/internal/lex"
)

// annotation reads a type and pushes it. Of A | B the first one counts that is known.
func (r *pythonReader) annotation() {
	m := r.top()
	if r.tok().Kind == lex.String {
		r.quotedType()
	} else {
		r.chain(true)
	}
	for r.skip('|') {
		if !r.known(m) {
			r.drop(m)
			r.chain(true)
			continue
		}
		next := r.top()
		r.chain(true)
		r.drop(next)
	}
}

// quotedType pushes the type in a string if it is a plain name, and refers to what the string names.
func (r *pythonReader) quotedType() {
	text := r.text()
	r.next()
	text = text[1:max(len(text)-1, 1)]
	r.chains(text, r.at-1, "")
	plain := len(text) > 0
	for _, c := range text {
		plain = plain && (c == '.' || r.lexer.Dialect.IsWord(c))
	}
	if !plain {
		r.pushUnknown()
		return
	}
	r.pushText(text)
}

// What the generic types of the library mean: the type of their argument, a list of it, or a function that returns
// it. Of those with keys, and of functions, the last argument is meant, else the first one.
var pythonGenerics = sync.OnceValue(func() *genericTypes {
	return &genericTypes{
		wrapper: nameSet("Optional Union Annotated Final ClassVar Type type Required NotRequired Awaitable"),
		list: nameSet("List list Sequence MutableSequence Iterable Iterator Set set FrozenSet frozenset Tuple tuple " +
			"Dict dict Mapping DefaultDict Deque deque Generator AsyncIterator AsyncIterable Collection"),
		function: nameSet("Callable"),
		last:     nameSet("Dict dict Mapping Callable DefaultDict"),
	}
})

// typeArgs reads the arguments in the brackets at the cursor, of the generic type from m on, which becomes what it
// means.
func (r *pythonReader) typeArgs(m mark) {
	name := lastName(r.expr[m:])
	argument := r.top()
	outer := r.open()
	for r.more() {
		comma := r.skip(',')
		if comma && pythonGenerics().last[name] {
			r.drop(argument)
		}
		at, other := r.at, r.top()
		r.annotation()
		r.past(at)
		if comma && !pythonGenerics().last[name] {
			r.drop(other)
		}
	}
	r.shut(outer)
	r.generic(pythonGenerics(), name, m, argument)
}
