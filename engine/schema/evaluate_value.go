package schema

import (
	"math/big"
	"strconv"
	"unicode/utf8"
)

// number judges by the keywords for numbers. Draft 4 writes exclusive bounds as booleans beside the bound.
func (e *evaluator) number(k, sch, n *node, s *spot) bool {
	switch k.name {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
	default:
		return true
	}
	if k.kind != numberKind {
		return true
	}
	bound, ok1 := rational(k.text)
	have, ok2 := rational(n.text)
	if !ok1 || !ok2 {
		return true
	}
	sign, name := have.Cmp(bound), k.name
	if x := sch.get("exclusiveM" + name[1:]); x != nil && x.kind == boolKind && x.text == "true" {
		name = x.name
	}
	switch {
	case name == "minimum" && sign < 0:
		return e.say(s, "want at least %s, got %s", decimal(bound), clip(n.text))
	case name == "maximum" && sign > 0:
		return e.say(s, "want at most %s, got %s", decimal(bound), clip(n.text))
	case name == "exclusiveMinimum" && sign <= 0:
		return e.say(s, "want more than %s, got %s", decimal(bound), clip(n.text))
	case name == "exclusiveMaximum" && sign >= 0:
		return e.say(s, "want less than %s, got %s", decimal(bound), clip(n.text))
	case name == "multipleOf" && !new(big.Rat).Quo(have, bound).IsInt():
		return e.say(s, "want a multiple of %s, got %s", decimal(bound), clip(n.text))
	}
	return true
}

// decimal writes a bound as a person would.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// text judges by the keywords for strings.
func (e *evaluator) text(k, n *node, s *spot) bool {
	switch k.name {
	case "minLength", "maxLength":
		return e.length(k, utf8.RuneCountInString(n.text), "character", s)
	case "pattern":
		if !e.matches(k.text, n.text) {
			return !e.over && e.say(s, "want text that matches %s, got %s", quote(k.text), quote(n.text))
		}
	}
	return true
}

// matches says whether a pattern of the schema matches, and pays for it.
func (e *evaluator) matches(pattern, text string) bool {
	p := e.form.patterns[pattern]
	return e.spend(p.cost(len(text))) && p.re.MatchString(text)
}

// length judges a size by a min… or max… keyword.
func (e *evaluator) length(k *node, have int, unit string, s *spot) bool {
	want, _ := count(k)
	switch least := k.name[:3] == "min"; {
	case least && have < want:
		return e.say(s, "want at least %s, got %d", plural(want, unit), have)
	case !least && have > want:
		return e.say(s, "want at most %s, got %d", plural(want, unit), have)
	}
	return true
}

// same says whether two values are equal: numbers by value, objects without regard to order.
func (e *evaluator) same(x, y *node) bool {
	if x.kind != y.kind || len(x.kids) != len(y.kids) {
		return false
	}
	switch x.kind {
	case numberKind:
		return x.text == y.text || plainNumber(x.text) == plainNumber(y.text)
	case arrayKind:
		for i := range x.kids {
			if !e.spend(1) || !e.same(&x.kids[i], &y.kids[i]) {
				return false
			}
		}
		return true
	case objectKind:
		for i := range x.kids {
			other := y.get(x.kids[i].name)
			if !e.spend(1+len(y.kids)/16) || other == nil || !e.same(&x.kids[i], other) {
				return false
			}
		}
		return true
	}
	return x.text == y.text
}

// plainNumber writes equal numbers alike.
func plainNumber(text string) string {
	if text[0] != '-' && digits([]byte(text)) == len(text) {
		return text
	}
	r, ok := rational(text)
	if !ok {
		return text
	}
	return r.RatString()
}
