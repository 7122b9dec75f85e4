package configure

import (
	"fmt"
	"time"

	"helve/source/upstream"
)

// AwayText says of a server that it is away, since when, why, and when it is tried next.
func AwayText(a *upstream.Absence, name string) string {
	return a.Text(time.Now()) + " (helve mcp test " + name + " asks now)"
}

// FindingsText says what is wrong with definitions, the first of them whole.
func FindingsText(found []upstream.Finding, name string) string {
	text := "1 finding about its definitions"
	if len(found) > 1 {
		text = fmt.Sprintf("%d findings about its definitions", len(found))
	}
	return fmt.Sprintf("%s: %s: %s (helve mcp test %s)", text, found[0].Tool, found[0].Text, name)
}
