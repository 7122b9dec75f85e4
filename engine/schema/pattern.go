package schema

import (
	"regexp"
	"regexp/syntax"
)

// A pattern is a regular expression and what a letter costs it at worst.
type pattern struct {
	re     *regexp.Regexp
	weight int // instructions
}

// newPattern compiles an expression; re is nil where Go cannot.
func newPattern(text string) pattern {
	if len(text) > maxPattern {
		return pattern{}
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{}
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return pattern{}
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return pattern{}
	}
	return pattern{re: re, weight: len(prog.Inst)}
}

// cost is the number of evaluations that matching a text counts for.
func (p pattern) cost(length int) int { return length * p.weight / perStep }
