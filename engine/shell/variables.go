package shell

import (
	"maps"
	"slices"
)

// variables are what a script has set to constants, as far as it was read.
type variables struct {
	texts map[string]string
	lists map[string][]string // arrays, and the positional parameters as @
	oneOf map[string][]word   // the variables of the loops around, with the words that they go through
}

func newVariables() variables {
	return variables{texts: map[string]string{}, lists: map[string][]string{}, oneOf: map[string][]word{}}
}

// forget is for a variable whose value is not known any more.
func (v *variables) forget(name string) {
	delete(v.texts, name)
	delete(v.oneOf, name)
}

// setPositional keeps the words of set -- a b for $@ and $1.
func (v *variables) setPositional(a args) {
	i := slices.Index(a.texts, "--")
	if i < 0 {
		return
	}
	list := a.texts[i+1:]
	v.lists["@"] = slices.Clone(list)
	for n, text := range list[:min(9, len(list))] { // $10 is $1 and a 0
		v.texts[string(rune('1'+n))] = text
	}
}

// withPositional has a script judged that is given words: sh -c '"$@"' name rm -rf /
func (v *variables) withPositional(words []string, judge func()) {
	if len(words) == 0 {
		judge()
		return
	}
	texts, lists := v.texts, v.lists
	v.texts = maps.Clone(texts)
	v.lists = maps.Clone(lists)
	for i, w := range words[:min(len(words), 10)] { // $0 to $9
		v.texts[string(rune('0'+i))] = w
	}
	v.lists["@"] = words[1:]
	judge()
	v.texts, v.lists = texts, lists
}
