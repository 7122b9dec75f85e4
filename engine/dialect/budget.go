package dialect

import (
	"fmt"
	"slices"

	rawjson "helve/internal/json"
)

// A weight is what a strict schema costs of what its provider allows.
type weight struct {
	properties, optional int
	unions               int // places with alternatives, lists of types among them
	listed               int // values of enums
	letters              int // of names and listed values
	longest              int // letters of the longest list of more than manyListed values
}

// What OpenAI takes in one strict schema (its guide to structured outputs).
const (
	openAIProperties = 5_000
	openAIListed     = 1_000
	openAILetters    = 120_000
	manyListed       = 250 // a list of more values has a limit of its own
	openAILongest    = 15_000
)

// What Anthropic takes in one request, over all its strict tools (its guide to structured outputs).
const (
	anthropicTools    = 20
	anthropicOptional = 24
	anthropicUnions   = 16
)

// weigh adds a declared schema to the weight.
func (w *weight) weigh(n *node) {
	if t := n.Get("type"); n.Get("anyOf") != nil || t != nil && t.Kind == rawjson.KindArray {
		w.unions++
	}
	if list := n.Get("enum"); list != nil { // quotes count too, as what is sent has them
		letters := 0
		for i := range list.Kids {
			letters += spelled(&list.Kids[i])
		}
		w.listed += len(list.Kids)
		w.letters += letters
		if len(list.Kids) > manyListed {
			w.longest = max(w.longest, letters)
		}
	}
	if props := n.Get("properties"); props != nil {
		w.properties += len(props.Kids)
		w.optional += len(props.Kids) - len(kidsOf(n.Get("required")))
		for i := range props.Kids {
			w.letters += len(props.Kids[i].Name)
			w.weigh(&props.Kids[i])
		}
	}
	if items := n.Get("items"); items != nil {
		w.weigh(items)
	}
	for _, list := range []*node{n.Get("anyOf"), n.Get("$defs")} {
		for i := range kidsOf(list) {
			w.weigh(&list.Kids[i])
		}
	}
}

// spelled is how long a value is as it is written.
func spelled(n *node) int {
	if n.Raw != "" {
		return len(n.Raw)
	}
	return len(n.String())
}

// tooMuch says what one strict schema has more of than the dialect takes, "" for nothing.
func (d Dialect) tooMuch(w weight) string {
	if base := d.base(); base != OpenAI && base != Responses {
		return ""
	}
	limits := []struct {
		have, most int
		what       string
	}{
		{w.properties, openAIProperties, "properties"},
		{w.listed, openAIListed, "listed values"},
		{w.letters, openAILetters, "letters of names and listed values"},
		{w.longest, openAILongest, "letters in one list of values"},
	}
	for _, l := range limits {
		if l.have > l.most {
			return fmt.Sprintf("%d %s, at most %d are taken", l.have, l.what, l.most)
		}
	}
	return ""
}

// A budget is what strict tools of one request may still cost. The zero value has no limits.
type budget struct {
	limited          bool
	tools            int // strict ones
	optional, unions int // as a weight has them, over all tools
}

// budget is that of an empty request. OpenAI counts for each schema: see tooMuch.
func (d Dialect) budget() budget {
	if d.base() != Anthropic {
		return budget{}
	}
	return budget{
		limited:  true,
		tools:    anthropicTools,
		optional: anthropicOptional,
		unions:   anthropicUnions,
	}
}

// Why a tool is not strict beside the others of its request.
const (
	surplusTools    = "the request has %d strict tools already"
	surplusOptional = "its %d optional parameters are too many for the request, whose strict tools may have %d"
	surplusUnions   = "its %d parameters with alternatives are too many for the request, whose strict tools may have %d"
)

// spend takes a strict tool into the request. The reason says why it cannot be strict there.
func (b *budget) spend(w weight) (reason string) {
	switch {
	case !b.limited:
		return ""
	case b.tools == 0:
		return fmt.Sprintf(surplusTools, anthropicTools)
	case w.optional > b.optional:
		return fmt.Sprintf(surplusOptional, w.optional, anthropicOptional)
	case w.unions > b.unions:
		return fmt.Sprintf(surplusUnions, w.unions, anthropicUnions)
	}
	b.tools--
	b.optional -= w.optional
	b.unions -= w.unions
	return ""
}

// limit declares without strictness what the provider does not take as strict in one request. Tools that ask for
// strictness themselves come first, then those that stand first.
func (s *Set) limit(a *arena) {
	left := s.Dialect.budget()
	if !left.limited {
		return
	}
	places := make([]int, len(s.tools))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(i, j int) int { return rank(s.tools[i]) - rank(s.tools[j]) })
	for _, i := range places {
		c := &s.done[i]
		c.surplus = "" // of another set, where there was less room or more
		if !c.strict {
			continue
		}
		c.surplus = left.spend(c.weight)
		if c.surplus != "" && c.loose == nil {
			loose := convertPlain(s.Dialect.base(), s.tools[i], a)
			c.loose = &loose
		}
	}
}

// rank is where a tool stands in the order of who may be strict.
func rank(t Tool) int {
	if t.Strict {
		return 0
	}
	return 1
}

// declared is the conversion that counts in this set.
func (c conversion) declared(tool string) conversion {
	if c.surplus == "" {
		return c
	}
	out := *c.loose
	why := Loss{tool, "", "declared without strict: " + c.surplus}
	out.losses = append([]Loss{why}, out.losses...)
	return out
}
