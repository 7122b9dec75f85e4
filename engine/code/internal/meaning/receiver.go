package meaning

import "strings"

// This file reads the names of receivers of unknown type: what a value is called often says of which type it is.

const (
	// minHint is the length from which a receiver's name says anything: i and x do not.
	minHint = 2
	// minPrefix and minSuffix are the lengths from which a name is short for that of a type.
	minPrefix = 3
	minSuffix = 4
	// maxHumps bounds the words of a receiver's name that are looked at, from its end.
	maxHumps = 4
)

// itself are names of values that are of the type around, most of the time: those that it is compared with.
var itself = WordSet("other that another rhs")

// receiverName is the last name of an expression, as types may be called: of a call without the get before it, of an
// element without the s of many.
func receiverName(expr string) string {
	expr = expr[strings.LastIndexAny(expr, ".?")+1:]
	name := strings.TrimRight(expr, "()[]0123456789")
	switch {
	case strings.HasSuffix(expr, "[]"):
		name = singular(name)
	case strings.Contains(expr, "("):
		name = strings.TrimPrefix(name, "get")
	}
	return strings.Trim(name, "_$")
}

// singular is the name of one of several.
func singular(name string) string {
	if one, ok := strings.CutSuffix(name, "ies"); ok {
		return one + "y"
	}
	return strings.TrimSuffix(name, "s")
}

// typeNames are the names of types that a receiver's may stand for, the likeliest first: DurationSubscriber and
// Subscriber of durationSubscriber, OgrField and Field of ogr_field.
func typeNames(hint string) []string {
	words := humps(hint)
	words = words[max(0, len(words)-maxHumps):]
	var list []string
	for i := range words {
		list = append(list, strings.Join(words[i:], ""))
	}
	return list
}

// humps are the words of a name, each with a capital letter.
func humps(name string) []string {
	var words []string
	from := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != '_' && (!isUpper(name[i]) || isUpper(name[i-1])) {
			continue
		}
		if word := strings.Trim(name[from:i], "_"); word != "" {
			words = append(words, capital(word))
		}
		from = i
	}
	return words
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// capital is a word with a capital letter, where it is one of ASCII.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// abbreviates reports whether a receiver's name is that of a type but for capitals and digits, or short for it: re of
// RE2, dep of Dependency. What a name leaves out is no word of its own: call is not short for CallExecutionError.
func abbreviates(hint, name string) bool {
	hint = strings.ReplaceAll(hint, "_", "")
	if strings.EqualFold(hint, strings.TrimRight(name, "0123456789")) {
		return true
	}
	if len(hint) < minPrefix || len(name) <= len(hint) || !strings.EqualFold(hint, name[:len(hint)]) {
		return false
	}
	rest := name[len(hint):]
	return strings.ToLower(rest) == rest
}

// endsAs reports whether the name of a type ends with the receiver's: ChunkGroup of group.
func endsAs(hint, name string) bool {
	return len(hint) >= minSuffix && strings.HasSuffix(name, capital(hint))
}
