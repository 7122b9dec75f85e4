package meaning

import "strconv"

// Level says how an edge was found.
type Level uint8

// The levels, from the surest down.
const (
	Exact       Level = iota // scope or type say so
	Imported                 // an import of the file says so
	SamePackage              // another file of the package defines it
	Unique                   // the only definition of that name that fits
	Ambiguous                // one of several that fit
)

// Confidence is how sure an edge is.
type Confidence struct {
	Level Level
	Of    int // for Ambiguous: how many definitions fit

	Checked bool // a Checker said it
}

// String is "checked", "exact", "import-resolved", "same package", "unique name" or "ambiguous(n)".
func (c Confidence) String() string {
	if c.Checked {
		return "checked"
	}
	switch c.Level {
	case Exact:
		return "exact"
	case Imported:
		return "import-resolved"
	case SamePackage:
		return "same package"
	case Unique:
		return "unique name"
	}
	return "ambiguous(" + strconv.Itoa(c.Of) + ")"
}

// Worse is the less sure of two.
func (c Confidence) Worse(d Confidence) Confidence {
	if d.Level > c.Level || d.Level == c.Level && (d.Of > c.Of || d.Checked) {
		return d
	}
	return c
}
