package drafting

import (
	"encoding/json"
	"fmt"
	"strings"
)

const (
	// Listed is how many calls a text for people or models names.
	Listed = 30
	// listedArgs is how much of their arguments it shows, in bytes.
	listedArgs = 120
)

// Turn is what records and the history call the end of a reply's calls.
const Turn = "turn"

// CallText is a call in a line.
func CallText(name string, raw json.RawMessage) string {
	args := string(raw)
	if len(args) > listedArgs {
		args = strings.ToValidUTF8(args[:listedArgs], "") + "…"
	}
	return name + " " + args
}

// About is what stands above a difference: who made which calls, and which one comes next that has to find the changes
// on disk; "": none does.
func About(who string, made []string, next string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s made %d calls", who, len(made))
	if more := len(made) - Listed; more > 0 {
		made = append(made[:Listed:Listed], fmt.Sprintf("and %d more", more))
	}
	b.WriteString(":\n  " + strings.Join(made, "\n  ") + "\n")
	if next != "" {
		b.WriteString("It goes on with a call that has to find the changes on disk:\n  " + next + "\n")
	}
	return b.String()
}

// Bounded is the beginning of a text.
func Bounded(text string, most int) string {
	if len(text) <= most {
		return strings.TrimSuffix(text, "\n")
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("…\n[%d more bytes]", len(text)-most)
}
