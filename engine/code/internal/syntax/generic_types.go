package syntax

import "strings"

// genericTypes says what the generic types of a language's library mean to somebody who asks for members.
type genericTypes struct {
	wrapper  map[string]bool // Optional[T] is T
	list     map[string]bool // Sequence[T] is [T]
	function map[string]bool // Callable[…, T] is {T}
	last     map[string]bool // of Map<K, V>, V is meant
}

// nameSet is the set of the words in list.
func nameSet(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(list) {
		set[name] = true
	}
	return set
}

// generic replaces the expression from m on, the generic type called name and, from argument on, its argument, by
// what it means. Of a type that is not listed, or of an unknown argument, the type itself stays.
func (e *expressions) generic(g *genericTypes, name string, m, argument mark) {
	text := e.expr[argument:]
	if len(text) == 0 || string(text) == unknown {
		e.drop(argument)
		return
	}
	switch {
	case g.wrapper[name]:
		e.replace(m, argument)
	case g.list[name]:
		e.replace(m, argument)
		e.listOf(m)
	case g.function[name]:
		e.replace(m, argument)
		e.functionOf(m)
	default:
		e.drop(argument)
	}
}
