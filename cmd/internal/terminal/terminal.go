// Package terminal asks the person at a terminal and shows what happens there. Nothing that it shows steers the
// terminal: every text from outside goes through Text.
package terminal

import (
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"helve/internal/visible"
)

// The size of a terminal that does not say, as the first ones had it.
const (
	usualWidth  = 80
	usualHeight = 24
)

// A Terminal is where a person may be: standard input and error of a program, which need not be a terminal.
type Terminal struct {
	In      io.Reader // the keys
	Out     io.Writer // where questions stand
	Environ []string  // TERM, NO_COLOR and ACCESSIBLE count; the last of several
}

// Is tells whether something, a file above all, is a terminal.
func Is(f any) bool {
	file, ok := f.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Present tells whether somebody can be asked: what they type is read from a terminal and what they are shown is
// written to one.
func (t Terminal) Present() bool { return Is(t.In) && Is(t.Out) }

// Plain tells that questions are to be asked in lines, without moving the cursor: for screen readers, and terminals
// that cannot.
func (t Terminal) Plain() bool {
	return t.getenv("ACCESSIBLE") != "" || t.getenv("TERM") == "dumb"
}

// Painter colours what is shown here, if that is wanted.
func (t Terminal) Painter() Painter {
	return Painter{On: t.getenv("NO_COLOR") == "" && t.getenv("TERM") != "dumb" && Is(t.Out)}
}

// Width is how many cells a line has; 80 where nothing says so.
func (t Terminal) Width() int {
	w, _ := size(t.Out)
	return w
}

func (t Terminal) getenv(name string) string {
	for _, kv := range slices.Backward(t.Environ) {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}

// size is that of a terminal in cells and lines.
func size(f any) (width, height int) {
	file, ok := f.(*os.File)
	if !ok {
		return usualWidth, usualHeight
	}
	w, h, err := term.GetSize(int(file.Fd()))
	if err != nil || w <= 0 || h <= 0 {
		return usualWidth, usualHeight
	}
	return w, h
}

// Text makes text from outside safe to show: hidden characters are written out, tabs become four blanks.
func Text(s string) string {
	return strings.ReplaceAll(visible.Text(s), "\t", "    ")
}
