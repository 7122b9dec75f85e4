package app

import (
	"fmt"
	"io"
	"time"
)

// A spinner shows on a terminal that something takes its time. A nil one shows nothing. It is used by one goroutine at a time.
type spinner struct {
	w    io.Writer
	quit chan struct{}
	done chan struct{}
}

var frames = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// spinEvery is quick enough for the eye and slow enough for a remote terminal.
const spinEvery = 120 * time.Millisecond

// start shows what is waited for, in one line. One that turns goes on as it is.
func (s *spinner) start(what string) {
	if s == nil || s.quit != nil {
		return
	}
	s.quit, s.done = make(chan struct{}), make(chan struct{})
	go s.turn(fit(what, max(width(s.w)-3, 1)), s.quit, s.done) // the sign, a blank, and the last cell, where some terminals wrap
}

func (s *spinner) turn(what string, quit, done chan struct{}) {
	defer close(done)
	t := time.NewTicker(spinEvery)
	defer t.Stop()
	for i := 0; ; i++ {
		select {
		case <-quit:
			if i > 0 {
				fmt.Fprint(s.w, "\r\x1b[K")
			}
			return
		case <-t.C:
			fmt.Fprintf(s.w, "\r%s %s\x1b[K", frames[i%len(frames)], what)
		}
	}
}

// stop clears the line. It returns when nothing is written any more.
func (s *spinner) stop() {
	if s == nil || s.quit == nil {
		return
	}
	close(s.quit)
	<-s.done
	s.quit = nil
}
