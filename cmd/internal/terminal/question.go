package terminal

import (
	"context"
	"os"
	"strings"
)

// A Question is asked of a person before something happens.
type Question struct {
	Title   string   // what would happen, in a few words
	Notes   []string // what else to know, above all why it is asked, a line each
	Preview string   // what would happen, in full; "": there is nothing beyond the title
	Diff    bool     // Preview is a unified diff
	Ask     string   // the question itself, as "Allow this?"
	Choices []Choice // the first is where the cursor stands, so it is the careful one
}

// A Choice is one answer.
type Choice struct {
	Label  string
	Value  string
	Letter string // the key that takes it at once; "": none
	Whole  bool   // it can be taken only after all of the title, the notes and the preview was on the screen
	Note   string // asks for a line of words to go with the answer; "": none are wanted
}

// An Answer is what the person said. Value is that of the choice, "" where they said no without choosing: by Esc, by
// Ctrl-C, or by closing the input of a question that is asked in lines.
type Answer struct {
	Value string
	Note  string // what they typed at Choice.Note

	// Interrupted tells that they pressed Ctrl-C. Where questions are asked in lines it is a signal instead.
	Interrupted bool
}

// Ask asks and waits for the answer. What was typed before the question stood on the screen is no answer to it. The
// error is ctx's, or says that the terminal is gone. The choices' Value must not be empty. One question is asked at a
// time.
func (t Terminal) Ask(ctx context.Context, q Question) (Answer, error) {
	if in, ok := t.In.(*os.File); ok {
		if err := quiet(ctx, in); err != nil {
			return Answer{}, err
		}
		if !t.Plain() {
			return t.askMenu(ctx, in, q)
		}
	}
	return t.askLines(ctx, q)
}

// text is a choice as it is shown.
func (c Choice) text() string {
	label := Text(oneLine(c.Label))
	if c.Letter == "" {
		return label
	}
	return label + " (" + c.Letter + ")"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
