package search

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// literals is a set of strings of which every match holds at least one.
type literals struct {
	set  []string
	fold bool // they may differ from the text in the case of ASCII letters
}

const (
	maxLiterals  = 24 // strings searched for at once
	maxClass     = 8  // characters of a bracket expression that are worth spelling out
	minLiteralPc = 24 // rarity (see rarity) below which searching for a literal finds too much to be of use
)

// required finds the rarest set of literals in a simplified tree, none if there is nothing to hold on to, and in all
// every set that it found: a match holds one of each.
func required(re *syntax.Regexp) (best literals, all []literals) {
	conjuncts(re, func(l literals) {
		if l.usable() {
			all = append(all, l)
			best = better(best, l)
		}
	})
	return best, all
}

// conjuncts calls add for sets of literals of which every match holds one of each; some of them are of no use.
func conjuncts(re *syntax.Regexp, add func(literals)) {
	add(exact(re))
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		conjuncts(re.Sub[0], add)
	case syntax.OpRepeat:
		if re.Min > 0 {
			conjuncts(re.Sub[0], add)
		}
	case syntax.OpConcat:
		concatConjuncts(re.Sub, add)
	case syntax.OpAlternate:
		add(requiredAny(re.Sub))
	case syntax.OpLiteral:
		foldedPieces(re, add)
	}
}

// concatConjuncts joins neighbours whose texts are known.
func concatConjuncts(subs []*syntax.Regexp, add func(literals)) {
	run := literals{set: []string{""}}
	for _, sub := range subs {
		next := exact(sub)
		if sub.Op == syntax.OpPlus {
			next = exact(sub.Sub[0])
		}
		joined := cross(run, next)
		switch {
		case next.set == nil:
			add(run)
			conjuncts(sub, add)
			run = literals{set: []string{""}}
		case joined.set == nil || sub.Op == syntax.OpPlus:
			add(run)
			add(joined)
			run = next
		default:
			run = joined
		}
	}
	add(run)
}

// requiredAny is the rarest set of which every match of an alternation holds one: each alternative has to have its own.
func requiredAny(subs []*syntax.Regexp) literals {
	var all literals
	for _, sub := range subs {
		one, _ := required(sub)
		if one.set == nil {
			return literals{}
		}
		all.set = append(all.set, one.set...)
		all.fold = all.fold || one.fold
	}
	return all
}

// exact returns all texts that the tree can match if they are few, else a nil set.
func exact(re *syntax.Regexp) literals {
	switch re.Op {
	case syntax.OpEmptyMatch,
		syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return literals{set: []string{""}}
	case syntax.OpCapture:
		return exact(re.Sub[0])
	case syntax.OpLiteral:
		return exactLiteral(re)
	case syntax.OpCharClass:
		return exactClass(re.Rune)
	case syntax.OpQuest:
		one := exact(re.Sub[0])
		if one.set != nil {
			one.set = append([]string{""}, one.set...)
		}
		return one
	case syntax.OpConcat:
		all := literals{set: []string{""}}
		for _, sub := range re.Sub {
			all = cross(all, exact(sub))
		}
		return all
	case syntax.OpAlternate:
		var all literals
		for _, sub := range re.Sub {
			one := exact(sub)
			if one.set == nil || len(all.set)+len(one.set) > maxLiterals {
				return literals{}
			}
			all.set = append(all.set, one.set...)
			all.fold = all.fold || one.fold
		}
		return all
	}
	return literals{}
}

// exactLiteral is the text itself. Without regard to case it must be one whose letters have two forms at most.
func exactLiteral(re *syntax.Regexp) literals {
	if re.Flags&syntax.FoldCase == 0 {
		return literals{set: []string{string(re.Rune)}}
	}
	fold := false
	for _, r := range re.Rune {
		if foldsBeyondASCII(r) {
			return literals{}
		}
		fold = fold || unicode.SimpleFold(r) != r
	}
	return literals{set: []string{string(re.Rune)}, fold: fold}
}

// foldsBeyondASCII reports whether ignoring the case of r means more than the other case of an ASCII letter: k is also
// the Kelvin sign, s the long s.
func foldsBeyondASCII(r rune) bool {
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f >= utf8.RuneSelf || r >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// foldedPieces cuts a literal whose case is ignored where it holds such a letter, and also tries it with the letter's
// forms spelled out.
func foldedPieces(re *syntax.Regexp, add func(literals)) {
	if re.Flags&syntax.FoldCase == 0 {
		return
	}
	from := 0
	for i := 0; i <= len(re.Rune); i++ {
		if i == len(re.Rune) || foldsBeyondASCII(re.Rune[i]) {
			add(literals{set: []string{string(re.Rune[from:i])}, fold: true})
			from = i + 1
		}
	}
	add(spelledOut(re.Rune))
}

// spelledOut is a literal with every form of the letters that have more than two.
func spelledOut(runes []rune) literals {
	all := literals{set: []string{""}}
	for _, r := range runes {
		one := literals{set: append([]string{string(r)}, formsBeyondASCII(r)...), fold: true}
		all = cross(all, one)
		if all.set == nil {
			break
		}
	}
	return all
}

// formsBeyondASCII are the other forms of a letter that ignoring the case of ASCII letters does not find.
func formsBeyondASCII(r rune) []string {
	var forms []string
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		if f >= utf8.RuneSelf || r >= utf8.RuneSelf {
			forms = append(forms, string(f))
		}
	}
	return forms
}

// exactClass spells out a small bracket expression. re.Rune holds pairs: first and last of each range.
func exactClass(pairs []rune) literals {
	var all literals
	for i := 0; i < len(pairs); i += 2 {
		first, last := pairs[i], pairs[i+1]
		if int(last-first)+len(all.set) >= maxClass {
			return literals{}
		}
		for r := first; r <= last; r++ {
			all.set = append(all.set, string(r))
		}
	}
	return all
}

// cross is every text of a followed by every text of b; none if they are too many.
func cross(a, b literals) literals {
	if a.set == nil || b.set == nil || len(a.set)*len(b.set) > maxLiterals {
		return literals{}
	}
	all := literals{fold: a.fold || b.fold}
	for _, x := range a.set {
		for _, y := range b.set {
			all.set = append(all.set, x+y)
		}
	}
	return all
}

// better returns the set that will turn up less often. Ones that are of no use count as none.
func better(a, b literals) literals {
	if !b.usable() || a.usable() && a.score() >= b.score() {
		return a
	}
	return b
}

// usable reports whether it pays to look for the set: each of its texts says something, and is rare enough.
func (l literals) usable() bool {
	return len(l.set) > 0 && !slices.Contains(l.set, "") && l.score() > 0
}

// score estimates how rare a set is: the rarity of its most frequent member, less what its number costs.
func (l literals) score() int {
	least := 1 << 20
	for _, s := range l.set {
		if strings.Contains(s, "\n") {
			return 0 // lines are looked at one by one
		}
		least = min(least, textRarity(s, l.fold))
	}
	return max(least-4*len(l.set)-minLiteralPc, 0)
}

// textRarity adds up the rarity of the bytes of s; a byte that follows another is on average half as surprising.
func textRarity(s string, fold bool) int {
	sum, top := 0, 0
	for i := range len(s) {
		r := rarity(s[i])
		if fold && isLetter(s[i]) {
			r = min(r, rarity(s[i]^0x20)) - 2
		}
		sum += r / 2
		top = max(top, r)
	}
	return sum + top/2
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
