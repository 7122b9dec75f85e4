package schema

import (
	"math/big"
	"slices"

	rawjson "helve/internal/json"
)

// types is a set of JSON types.
type types uint8

const (
	isNull types = 1 << iota
	isBool
	isInteger
	isNumber
	isText
	isArray
	isObject
)

var typeNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object"}

// typeOf is the type of that name in JSON Schema, none for an unknown one.
func typeOf(name string) types {
	if i := slices.Index(typeNames[:], name); i >= 0 {
		return 1 << i
	}
	return 0
}

// has says whether any of the wanted types is in the set. The empty set allows everything.
func (t types) has(want types) bool { return t == 0 || t&want != 0 }

// A rule is one schema, compiled. Where exact, it says all that the schema says and the fast
// validator may say yes. Where not, it is what repair and defaults may rely on, and the evaluator
// judges.
type rule struct {
	exact bool
	never bool // the schema false
	types types

	props      []prop // in the schema's order
	index      map[string]int
	closed     bool  // no other names
	additional *rule // for other names; nil: anything
	required   uint64
	defaults   []gapFill // by name

	items              *rule
	minItems, maxItems int // maxItems < 0: no bound

	enum             []node
	minimum, maximum *bound
	minRunes         int
	maxRunes         int     // < 0: no bound
	pattern          pattern // re nil: none

	either   []*rule // one of them at least …
	single   bool    // … and no second one
	only     *rule   // the schema is this one …
	nullable bool    // … or null
}

type prop struct {
	name     string
	rule     *rule
	required bool
	fallback string // its default, compact JSON; "" for none
}

// gapFill is a property with a default: where it is absent, `"name":value` is written.
type gapFill struct {
	prop int
	text string
}

// bound is a limit of a number: whole numbers are compared without big arithmetic.
type bound struct {
	rat   *big.Rat
	whole int64
	plain bool
}

// maxFast is how many properties an object may have for the fast validator: one bit each.
const maxFast = 64

// indexFrom is the number of properties from which a map finds names faster than comparing.
const indexFrom = 8

// find returns the position of the declared property, -1 for none.
func (r *rule) find(name string) int {
	if r.index != nil {
		if i, ok := r.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range r.props {
		if r.props[i].name == name {
			return i
		}
	}
	return -1
}

// plain follows wrappers ($ref, single allOf, nullable anyOf) to the rule itself.
func (r *rule) plain() (inner *rule, nullable bool) {
	for hops := 0; r != nil && r.only != nil && hops < maxSchemaDepth; hops++ {
		nullable = nullable || r.nullable
		r = r.only
	}
	return r, nullable
}

// wants returns the types that the rule allows, by type or else by its enum. 0 means any.
func (r *rule) wants() types {
	inner, nullable := r.plain()
	if inner == nil {
		return 0
	}
	t := inner.types
	if t == 0 {
		for i := range inner.enum {
			t |= typesOf(&inner.enum[i])
		}
	}
	if t == 0 {
		for _, e := range inner.either {
			et := e.wants()
			if et == 0 {
				return 0
			}
			t |= et
		}
	}
	if nullable && t != 0 {
		t |= isNull
	}
	return t
}

// typesOf are the types that a value has: a whole number has two.
func typesOf(n *node) types {
	switch n.Kind {
	case rawjson.KindNull:
		return isNull
	case rawjson.KindTrue, rawjson.KindFalse:
		return isBool
	case rawjson.KindNumber:
		if isWhole(n.Text) {
			return isInteger | isNumber
		}
		return isNumber
	case rawjson.KindString:
		return isText
	case rawjson.KindArray:
		return isArray
	}
	return isObject
}

// rational reads a number that passed the scanner's limits.
func rational(text string) (*big.Rat, bool) {
	if !rawjson.IsNumber(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// isWhole tells of a number without a fraction, however it is written: 10.0 and 1e3 are whole.
func isWhole(text string) bool {
	if isDigits(text) {
		return true
	}
	r, ok := rational(text)
	return ok && r.IsInt()
}
