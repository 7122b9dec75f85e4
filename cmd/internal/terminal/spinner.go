package terminal

import (
	"fmt"
	"io"
	"time"
)

// A Spinner shows that something takes its time. A nil one shows nothing. It is used by one goroutine at a time.
type Spinner struct {
	To   io.Writer // a terminal
	quit chan struct{}
	done chan struct{}
}

// frames are the signs that take turns.
var frames = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// spinEvery is quick enough for the eye and slow enough for a remote terminal.
const spinEvery = 120 * time.Millisecond

// Start shows what is waited for, in one line. One that turns goes on as it is.
func (s *Spinner) Start(what string) {
	if s == nil || s.quit != nil {
		return
	}
	s.quit, s.done = make(chan struct{}), make(chan struct{})
	width, _ := size(s.To)
	room := max(width-3, 1) // beside the sign, a blank, and the last cell, where some terminals wrap
	go s.turn(Fit(what, room), s.quit, s.done)
}

func (s *Spinner) turn(what string, quit, done chan struct{}) {
	defer close(done)
	t := time.NewTicker(spinEvery)
	defer t.Stop()
	for i := 0; ; i++ {
		select {
		case <-quit:
			if i > 0 {
				fmt.Fprint(s.To, "\r\x1b[K")
			}
			return
		case <-t.C:
			fmt.Fprintf(s.To, "\r%s %s\x1b[K", frames[i%len(frames)], what)
		}
	}
}

// Stop clears the line. It returns when nothing is written any more.
func (s *Spinner) Stop() {
	if s == nil || s.quit == nil {
		return
	}
	close(s.quit)
	<-s.done
	s.quit = nil
}
