package schema

import (
	"math/big"
	"strconv"
	"unicode/utf8"

	rawjson "helve/internal/json"
)

// number judges by the keywords for numbers. Draft 4 writes exclusive bounds as booleans beside the
// bound.
func (e *evaluator) number(k, sch, n *node, s *spot) bool {
	switch k.Name {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
	default:
		return true
	}
	if k.Kind != rawjson.KindNumber {
		return true
	}
	bound, ok1 := rational(k.Text)
	have, ok2 := rational(n.Text)
	if !ok1 || !ok2 {
		return true
	}
	sign, name := have.Cmp(bound), k.Name
	if x := sch.Get("exclusiveM" + name[1:]); x != nil && x.Kind == rawjson.KindTrue {
		name = x.Name
	}
	switch {
	case name == "minimum" && sign < 0:
		return e.say(s, "want at least %s, got %s", decimal(bound), clip(n.Text))
	case name == "maximum" && sign > 0:
		return e.say(s, "want at most %s, got %s", decimal(bound), clip(n.Text))
	case name == "exclusiveMinimum" && sign <= 0:
		return e.say(s, "want more than %s, got %s", decimal(bound), clip(n.Text))
	case name == "exclusiveMaximum" && sign >= 0:
		return e.say(s, "want less than %s, got %s", decimal(bound), clip(n.Text))
	case name == "multipleOf" && !new(big.Rat).Quo(have, bound).IsInt():
		return e.say(s, "want a multiple of %s, got %s", decimal(bound), clip(n.Text))
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
	switch k.Name {
	case "minLength", "maxLength":
		return e.length(k, utf8.RuneCountInString(n.Text), "character", s)
	case "pattern":
		if !e.matches(k.Text, n.Text) {
			return !e.over && e.say(s, "want text that matches %s, got %s", quote(k.Text), quote(n.Text))
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
	switch least := k.Name[:3] == "min"; {
	case least && have < want:
		return e.say(s, "want at least %s, got %d", plural(want, unit), have)
	case !least && have > want:
		return e.say(s, "want at most %s, got %d", plural(want, unit), have)
	}
	return true
}

// same says whether two values are equal: numbers by value, objects without regard to order.
func (e *evaluator) same(x, y *node) bool {
	if x.Kind != y.Kind || len(x.Kids) != len(y.Kids) {
		return false
	}
	switch x.Kind {
	case rawjson.KindNumber:
		return x.Text == y.Text || plainNumber(x.Text) == plainNumber(y.Text)
	case rawjson.KindArray:
		for i := range x.Kids {
			if !e.spend(1) || !e.same(&x.Kids[i], &y.Kids[i]) {
				return false
			}
		}
		return true
	case rawjson.KindObject:
		for i := range x.Kids {
			other := y.Get(x.Kids[i].Name)
			if !e.spend(1+len(y.Kids)/16) || other == nil || !e.same(&x.Kids[i], other) {
				return false
			}
		}
		return true
	}
	return x.Text == y.Text
}

// plainNumber writes equal numbers alike.
func plainNumber(text string) string {
	if text[0] != '-' && isDigits(text) {
		return text
	}
	r, ok := rational(text)
	if !ok {
		return text
	}
	return r.RatString()
}
