package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	// plainLines is how much of a preview is printed before a question in lines: what is longer scrolls away before it
	// is read.
	plainLines = 200
	// plainWidth is how much of one line is, in bytes.
	plainWidth = 4 << 10
	// maxAnswer bounds what is typed as an answer, in bytes: a terminal hands over a line at a time, and no more than 4
	// KiB of it.
	maxAnswer = 8 << 10
	// tries is how often an answer may make no sense.
	tries = 3
)

// askLines asks without moving the cursor.
func (t Terminal) askLines(ctx context.Context, q Question) (Answer, error) {
	in := bufio.NewReaderSize(t.In, maxAnswer)
	hidden := t.printShort(q)
	for left := tries; left > 0; {
		t.printChoices(q, hidden > 0)
		line, err := t.readLine(ctx, in)
		if err != nil || line.over {
			return Answer{}, err
		}
		n := number(line.text)
		switch {
		case n == len(q.Choices)+1 && hidden > 0:
			fmt.Fprintln(t.Out, Text(q.Preview))
			t.printHead(q)
			hidden = 0
		case n < 1 || n > len(q.Choices):
			left--
		case q.Choices[n-1].Whole && hidden > 0:
			fmt.Fprintf(t.Out, "Not all of it was shown yet: %d shows it.\n", len(q.Choices)+1)
		case q.Choices[n-1].Note != "":
			return t.askNote(ctx, in, q.Choices[n-1])
		default:
			return Answer{Value: q.Choices[n-1].Value}, nil
		}
	}
	return Answer{}, nil
}

// number is what a line chooses; 0: nothing that makes sense. Enter alone is the first choice.
func number(line string) int {
	if line == "" {
		return 1
	}
	n, err := strconv.Atoi(line)
	if err != nil {
		return 0
	}
	return n
}

// askNote asks for the words that go with an answer.
func (t Terminal) askNote(ctx context.Context, in *bufio.Reader, c Choice) (Answer, error) {
	fmt.Fprintf(t.Out, "%s ", Text(c.Note))
	line, err := t.readLine(ctx, in)
	if err != nil || line.over {
		return Answer{}, err
	}
	return Answer{Value: c.Value, Note: line.text}, nil
}

// printShort prints the question as far as it is short, and returns how many lines of its preview are hidden.
func (t Terminal) printShort(q Question) (hidden int) {
	fmt.Fprintln(t.Out)
	t.printHead(q)
	text := strings.TrimSuffix(q.Preview, "\n")
	if text == "" {
		return 0
	}
	paint, printed := t.Painter(), 0
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case printed == plainLines:
			hidden++
			continue
		case len(line) > plainWidth:
			hidden++
			line = strings.ToValidUTF8(line[:plainWidth], "") + " …"
		}
		printed++
		line = Text(line)
		if q.Diff {
			line = paint.DiffLine(line)
		}
		fmt.Fprintln(t.Out, line)
	}
	if hidden > 0 {
		fmt.Fprintf(t.Out, "… %d lines are hidden, or a part of them\n", hidden)
	}
	fmt.Fprintln(t.Out)
	if printed > usualHeight { // the title has scrolled away
		t.printHead(q)
	}
	return hidden
}

func (t Terminal) printHead(q Question) {
	paint := t.Painter()
	fmt.Fprintln(t.Out, paint.Bold(Text(q.Title)))
	for _, n := range q.Notes {
		fmt.Fprintln(t.Out, paint.Dim(Text(n)))
	}
	fmt.Fprintln(t.Out)
}

func (t Terminal) printChoices(q Question, hidden bool) {
	fmt.Fprintln(t.Out, Text(q.Ask))
	for i, c := range q.Choices {
		fmt.Fprintf(t.Out, "%d. %s\n", i+1, Text(oneLine(c.Label)))
	}
	if hidden {
		fmt.Fprintf(t.Out, "%d. Show all of it\n", len(q.Choices)+1)
	}
	fmt.Fprint(t.Out, "Number (Enter means 1): ")
}

// A typed is a line that somebody typed.
type typed struct {
	text string
	over bool // there is none: the input has ended
}

// readLine waits for a line, as long as ctx lasts.
func (t Terminal) readLine(ctx context.Context, in *bufio.Reader) (typed, error) {
	for f, ok := t.In.(*os.File); ok && in.Buffered() == 0; {
		ready, err := ready(ctx, f, time.Second)
		if err != nil && err != io.EOF {
			return typed{}, err
		}
		if ready || err == io.EOF {
			break
		}
	}
	line, err := in.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return typed{}, fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	case err != nil && err != io.EOF:
		return typed{}, err
	}
	return typed{text: strings.TrimSpace(string(line)), over: len(line) == 0}, nil
}
