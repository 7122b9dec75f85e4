package schema

import (
	"math/big"
	"strconv"

	rawjson "helve/internal/json"
)

// fast validates over the bytes. It says yes or "not sure", never no: what it does not accept, the
// evaluator judges and explains. So it has to be sound and may be incomplete.
type fast struct {
	rawjson.Scanner
	steps int
	gaps  []gap
}

// A gap is an object that lacks properties which have defaults.
type gap struct {
	rule  *rule
	have  uint64
	at    int // where its closing brace is
	empty bool
}

// stepsPerByte bounds what alternatives inside alternatives may cost.
const stepsPerByte = 8

// value reads one value and says whether it surely satisfies the rule. nil asks for nothing but
// JSON.
func (f *fast) value(r *rule) bool {
	if r == nil {
		return f.Skip()
	}
	f.steps += 1 + len(r.enum)/16
	switch {
	case !f.affordable(), !r.exact || r.never:
		return false
	case r.only != nil:
		if r.nullable && f.Peek() == 'n' {
			_, ok := f.Word()
			return ok
		}
		return f.value(r.only)
	}
	f.Space()
	start := f.Pos
	if !f.shape(r) {
		return false
	}
	return r.either == nil || f.anyOf(r.either, start)
}

// affordable ends the quick way where alternatives in alternatives read the same bytes again and
// again: the evaluator counts its steps, too, and says so in words.
func (f *fast) affordable() bool { return f.steps <= min(64+stepsPerByte*len(f.Src), maxEvaluations) }

// anyOf reads the value at start again, by the first alternative that accepts it.
func (f *fast) anyOf(rules []*rule, start int) bool {
	end, gaps := f.Pos, len(f.gaps)
	for _, r := range rules {
		f.Pos = start
		depth, why, at := f.Depth, f.Why, f.At
		ok := f.value(r)
		f.gaps = f.gaps[:gaps] // whose defaults they are is not certain
		f.Depth, f.Why, f.At = depth, why, at
		if ok && f.Pos == end {
			return true
		}
	}
	return false
}

// shape reads a value by its first byte. Objects and arrays with an enum are rare and compared by
// the evaluator.
func (f *fast) shape(r *rule) bool {
	switch f.Peek() {
	case '{':
		return r.types.has(isObject) && r.enum == nil && f.object(r)
	case '[':
		return r.types.has(isArray) && r.enum == nil && f.array(r)
	case '"':
		return r.types.has(isText) && f.string(r)
	case 't', 'f', 'n':
		return f.literal(r)
	}
	return f.numeric(r)
}

// literal reads true, false or null.
func (f *fast) literal(r *rule) bool {
	start := f.Pos
	k, ok := f.Word()
	if !ok {
		return false
	}
	want := isBool
	if k == rawjson.KindNull {
		want = isNull
	}
	return r.types.has(want) && r.lists(k, f.Src[start:f.Pos])
}

// lists says whether the enum, if there is one, has the literal in this very spelling.
func (r *rule) lists(k rawjson.Kind, text []byte) bool {
	if r.enum == nil {
		return true
	}
	for i := range r.enum {
		if r.enum[i].Kind == k && r.enum[i].Text == string(text) {
			return true
		}
	}
	return false
}

// string reads a text without copying it. One that is written with escapes is not compared with an
// enum or a pattern here: they mean the text that it spells.
func (f *fast) string(r *rule) bool {
	raw, escaped, ok := f.Text()
	if !ok {
		return false
	}
	if r.minRunes > 0 || r.maxRunes >= 0 {
		n := rawjson.Runes(raw, escaped)
		if n < r.minRunes || r.maxRunes >= 0 && n > r.maxRunes {
			return false
		}
	}
	if r.enum != nil && (escaped || !r.lists(rawjson.KindString, raw)) {
		return false
	}
	if r.pattern.re == nil {
		return true
	}
	f.steps += r.pattern.cost(len(raw))
	return !escaped && f.affordable() && r.pattern.re.Match(raw)
}

// numeric reads a number. An enum has to spell it alike: 1.0 and 1 are equal to the evaluator.
func (f *fast) numeric(r *rule) bool {
	raw, plain, ok := f.Number()
	switch {
	case !ok:
		return false
	case !plain && !r.types.has(isNumber): // 1.0 may be an integer: the evaluator knows
		return false
	case !r.types.has(isNumber | isInteger), !r.lists(rawjson.KindNumber, raw):
		return false
	case r.minimum != nil && r.minimum.compare(raw, plain) > 0:
		return false
	}
	return r.maximum == nil || r.maximum.compare(raw, plain) >= 0
}

// compare returns the sign of bound minus number.
func (b *bound) compare(raw []byte, plain bool) int {
	if plain && b.plain && len(raw) <= 18 { // below 10^18: fits int64
		v, _ := strconv.ParseInt(string(raw), 10, 64)
		switch {
		case b.whole < v:
			return -1
		case b.whole > v:
			return 1
		}
		return 0
	}
	v, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		return 0
	}
	return b.rat.Cmp(v)
}

// array reads items, each by the one rule that they share.
func (f *fast) array(r *rule) bool {
	n := 0
	again, ok := f.Enter(']')
	for again && ok {
		if !f.value(r.items) {
			return false
		}
		n++
		again, ok = f.More(']')
	}
	return ok && n >= r.minItems && (r.maxItems < 0 || n <= r.maxItems)
}

// object reads members in any order: one bit each for those that the rule declares, a set for the
// others, so that a name that comes twice is found either way. Names with escapes are left to the
// evaluator, for two spellings of one name must not count as two.
func (f *fast) object(r *rule) bool {
	var have uint64
	var others *rawjson.Names
	again, ok := f.Enter('}')
	empty := !again
	for again && ok {
		raw, escaped, good := f.Key()
		if !good || escaped {
			return false
		}
		i := r.find(string(raw))
		switch {
		case i >= 0:
			if have&(1<<i) != 0 || !f.value(r.props[i].rule) {
				return false
			}
			have |= 1 << i
		case r.closed:
			return false
		default:
			if others == nil {
				others = new(rawjson.Names)
			}
			if !others.Add(raw, false) || !f.value(r.additional) {
				return false
			}
		}
		again, ok = f.More('}')
	}
	if !ok || have&r.required != r.required {
		return false
	}
	f.note(r, have, empty)
	return true
}

// note remembers where defaults are to be filled in. Nothing is written before the whole is valid.
func (f *fast) note(r *rule, have uint64, empty bool) {
	for _, d := range r.defaults {
		if have&(1<<d.prop) == 0 {
			f.gaps = append(f.gaps, gap{rule: r, have: have, at: f.Pos - 1, empty: empty})
			return
		}
	}
}

// fill writes the defaults into the gaps. Gaps stand in the order of their closing braces.
func (f *fast) fill() []byte {
	if len(f.gaps) == 0 {
		return f.Src
	}
	extra := 0
	for _, g := range f.gaps {
		for _, d := range g.rule.defaults {
			extra += len(d.text) + 1
		}
	}
	if extra > MaxArguments {
		return f.Src
	}
	out, last := make([]byte, 0, len(f.Src)+extra), 0
	for _, g := range f.gaps {
		out = append(out, f.Src[last:g.at]...)
		last = g.at
		empty := g.empty
		for _, d := range g.rule.defaults {
			if g.have&(1<<d.prop) != 0 {
				continue
			}
			if !empty {
				out = append(out, ',')
			}
			empty = false
			out = append(out, d.text...)
		}
	}
	return append(out, f.Src[last:]...)
}
