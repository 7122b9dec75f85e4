package refactor

import "helve/engine/code/internal/syntax"

// A ruling is what became of a token.
type ruling int

const (
	other ruling = iota // it means something else
	meant               // it means the definition
	doubt               // nobody can say
)

// A ruled place is one on which a ruling was made.
type ruled struct {
	*syntax.Site
	in   *scan
	what ruling
	why  string // of a doubt
}
