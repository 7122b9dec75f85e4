package terminal

import "io"

// A Spinner shows that something takes its time. A nil one shows nothing. It is used by one goroutine at a time.
type Spinner struct {
	To   io.Writer // a terminal
	area Area
}

// Start shows what is waited for, in one line.
func (s *Spinner) Start(what string) {
	if s == nil {
		return
	}
	s.area.To = s.To
	s.area.Show(func(sign string) []string { return []string{sign + " " + what} })
}

// Stop clears the line. It returns when nothing is written any more.
func (s *Spinner) Stop() {
	if s != nil {
		s.area.Clear()
	}
}
