// Package render says what results say of themselves: whether they are all of it, how much, and what changed.
package render

import (
	"fmt"
	"strings"
)

// Extent tells whether data is all that was asked for.
type Extent struct {
	Complete bool   `json:"complete" jsonschema:"description=All that was asked for is here"`
	Why      string `json:"why,omitempty" jsonschema:"description=Why it is not"`
}

// ExtentOf is the extent of data that these reasons cut; none: it is whole. Empty ones do not count.
func ExtentOf(reasons ...string) Extent {
	var why []string
	for _, r := range reasons {
		if r != "" {
			why = append(why, r)
		}
	}
	return Extent{Complete: len(why) == 0, Why: strings.Join(why, "; ")}
}

// Quantity is "1 replacement" or "2 replacements".
func Quantity(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Size is a number of bytes for people: three digits and a unit.
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n), 0
	for v >= 999.5 && unit < 4 {
		v, unit = v/1000, unit+1
	}
	if v < 9.95 {
		return fmt.Sprintf("%.1f %cB", v, " kMGT"[unit])
	}
	return fmt.Sprintf("%.0f %cB", v, " kMGT"[unit])
}
