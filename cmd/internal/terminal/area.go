package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// An Area is the last lines of a terminal, drawn over and over: what happens at the moment. A nil one shows nothing.
// While it stands nothing else may be written to the terminal. It is used by one goroutine at a time.
type Area struct {
	To io.Writer // a terminal

	mu    sync.Mutex
	view  View
	frame int
	drawn int           // lines on the terminal
	quit  chan struct{} // closed to end the drawing; nil: nothing is drawn
	done  chan struct{} // closed when it has ended
}

// A View is what an Area shows: safe text, a line each. sign is one that turns. It is called from another goroutine.
type View func(sign string) []string

// frames are the signs that take turns.
var frames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// drawEvery is quick enough for the eye and slow enough for a remote terminal.
const drawEvery = 120 * time.Millisecond

// Show shows what the view says from a moment later on: what takes no time is not worth the flicker. An Area that
// stands already goes on with the new view.
func (a *Area) Show(v View) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.view = v
	if a.quit != nil {
		return
	}
	a.frame = 0
	a.quit, a.done = make(chan struct{}), make(chan struct{})
	go a.turn(a.quit, a.done)
}

func (a *Area) turn(quit, done chan struct{}) {
	defer close(done)
	t := time.NewTicker(drawEvery)
	defer t.Stop()
	for {
		select {
		case <-quit:
			return
		case <-t.C:
			a.draw()
		}
	}
}

// draw draws over what was drawn before.
func (a *Area) draw() {
	a.mu.Lock()
	defer a.mu.Unlock()
	width, height := size(a.To)
	lines := a.view(frames[a.frame%len(frames)])
	lines = lines[:min(len(lines), max(height-1, 1))] // what scrolls away cannot be drawn over
	a.frame++
	var b strings.Builder
	b.WriteString(a.top())
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(Fit(l, max(width-1, 1))) // in the last cell some terminals wrap
		b.WriteString("\x1b[K")
	}
	b.WriteString("\x1b[J")
	a.drawn = len(lines)
	fmt.Fprint(a.To, b.String())
}

// top moves to the beginning of what is drawn.
func (a *Area) top() string {
	if a.drawn <= 1 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", a.drawn-1)
}

// Clear takes the area off the terminal. It returns when nothing is drawn any more.
func (a *Area) Clear() {
	if a == nil {
		return
	}
	a.mu.Lock()
	quit, done := a.quit, a.done
	a.quit = nil
	a.mu.Unlock()
	if quit == nil {
		return
	}
	close(quit)
	<-done
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.drawn > 0 {
		fmt.Fprint(a.To, a.top()+"\x1b[J")
	}
	a.drawn = 0
}
