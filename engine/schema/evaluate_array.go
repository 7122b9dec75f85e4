package schema

import (
	"bytes"
	"hash/maphash"
	"slices"

	rawjson "helve/internal/json"
)

// array judges by the keywords for arrays. items may be a list in older drafts, which
// additionalItems goes on from; in the latest one prefixItems is the list and items goes on.
func (e *evaluator) array(k, sch, n *node, s *spot, m marks) bool {
	switch k.Name {
	case "minItems", "maxItems":
		return e.length(k, len(n.Kids), "item", s)
	case "prefixItems":
		return e.leading(k, n, s, m)
	case "items":
		if k.Kind == rawjson.KindArray {
			return e.leading(k, n, s, m)
		}
		from := 0
		if list := sch.Get("prefixItems"); list != nil {
			from = len(list.Kids)
		}
		return e.rest(k, from, n, s, m)
	case "additionalItems":
		if list := sch.Get("items"); list != nil && list.Kind == rawjson.KindArray {
			return e.rest(k, len(list.Kids), n, s, m)
		}
	case "contains":
		return e.contains(k, sch, n, s, m)
	case "uniqueItems":
		return k.Text == "false" || e.distinct(n, s)
	}
	return true
}

// leading judges the first items, each by its own schema.
func (e *evaluator) leading(list, n *node, s *spot, m marks) bool {
	ok := true
	for i := range n.Kids[:min(len(n.Kids), len(list.Kids))] {
		m.set(i)
		if ok = e.schema(&list.Kids[i], &n.Kids[i], s.kid(n, i), nil) && ok; !ok && e.quiet {
			return false
		}
	}
	return ok
}

// rest judges the items from one on by one schema.
func (e *evaluator) rest(k *node, from int, n *node, s *spot, m marks) bool {
	if from >= len(n.Kids) {
		return true
	}
	if k.Kind == rawjson.KindFalse {
		return e.say(s, "%s too many", plural(len(n.Kids)-from, "item"))
	}
	ok := true
	for i := from; i < len(n.Kids); i++ {
		m.set(i)
		if ok = e.schema(k, &n.Kids[i], s.kid(n, i), nil) && ok; !ok && (e.quiet || e.over) {
			return false
		}
	}
	return ok
}

// contains counts the items of a kind. Since 2020 they count as judged.
func (e *evaluator) contains(k, sch, n *node, s *spot, m marks) bool {
	least, most := 1, len(n.Kids)
	if c, ok := count(sch.Get("minContains")); ok {
		least = c
	}
	if c, ok := count(sch.Get("maxContains")); ok {
		most = c
	}
	have := 0
	for i := range n.Kids {
		if e.silently(k, &n.Kids[i], nil) {
			have++
			if e.form.draft == draft2020 {
				m.set(i)
			}
		}
	}
	switch {
	case have < least && have == 0 && least == 1:
		return e.say(s, "no item is of the kind that one must be")
	case have < least:
		return e.say(s, "want at least %s of the required kind, got %d", plural(least, "item"), have)
	case have > most:
		return e.say(s, "want at most %s of the special kind, got %d", plural(most, "item"), have)
	}
	return true
}

// distinct wants items of which no two are equal.
func (e *evaluator) distinct(n *node, s *spot) bool {
	seed := maphash.MakeSeed()                                       // nobody outside can aim at collisions
	seen := make(map[uint64]int32, min(len(n.Kids), MaxArguments/2)) // hash of the item → the first that has it
	var key, other []byte
	for i := range n.Kids {
		key = n.Kids[i].AppendCanonical(key[:0], plainNumber)
		if !e.spend(len(key) / perStep) {
			return false
		}
		h := maphash.Bytes(seed, key)
		for first, ok := seen[h]; ok; first, ok = seen[h] {
			if other = n.Kids[first].AppendCanonical(other[:0], plainNumber); bytes.Equal(key, other) {
				return e.say(s, "items %d and %d are equal, want different ones", first, i)
			}
			h++ // two that differ share a hash: once in 2^64
		}
		seen[h] = int32(i)
	}
	return true
}

// unevaluated judges the kids that no other keyword of the schema has judged.
func (e *evaluator) unevaluated(sch, n *node, s *spot, m marks) bool {
	word := "unevaluatedItems"
	if n.Kind == rawjson.KindObject {
		word = "unevaluatedProperties"
	} else if n.Kind != rawjson.KindArray {
		return true
	}
	k := sch.Get(word)
	if k == nil {
		return true
	}
	if n.Kind == rawjson.KindArray && k.Kind == rawjson.KindFalse {
		if left := slices.Index(m, false); left >= 0 {
			return e.rest(k, left, n, s, nil)
		}
		return true
	}
	ok := true
	for i := range n.Kids {
		if m[i] {
			continue
		}
		m[i] = true
		ok = e.other(k, sch, n, i, s) && ok
	}
	return ok
}
