//go:build linux

package ptytest

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A screen is a terminal as far as command lines need one: it grows downwards and never scrolls.
type screen struct {
	columns  int
	lines    [][]rune
	row, col int
	rest     string // of an escape sequence that is not whole
}

func (s *screen) write(text string) {
	text = s.rest + text
	s.rest = ""
	for text != "" {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case !utf8.FullRuneInString(text):
			s.rest = text
			return
		case r == '\x1b':
			n := s.escape(text)
			if n == 0 {
				s.rest = text
				return
			}
			text = text[n:]
			continue
		case r == '\r':
			s.col = 0
		case r == '\n':
			s.row++
		case r == '\b':
			s.col = max(s.col-1, 0)
		case r >= ' ':
			s.put(r)
		}
		text = text[size:]
	}
}

// escape does what a sequence at the start of the text says, and returns its length; 0: it is not whole.
func (s *screen) escape(text string) int {
	if len(text) < 2 {
		return 0
	}
	if text[1] != '[' {
		return 2
	}
	end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' })
	if end < 0 {
		return 0
	}
	n, err := strconv.Atoi(text[2 : 2+end])
	if err != nil {
		n = 0
	}
	switch text[2+end] {
	case 'A':
		s.row = max(s.row-max(n, 1), 0)
	case 'B':
		s.row += max(n, 1)
	case 'K':
		s.grow()
		if n == 2 {
			s.lines[s.row] = nil
		} else {
			s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
		}
	case 'J':
		s.grow()
		s.lines = s.lines[:s.row+1]
		s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
	}
	return 2 + end + 1
}

func (s *screen) grow() {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
}

func (s *screen) put(r rune) {
	if s.col >= s.columns {
		s.row, s.col = s.row+1, 0
	}
	s.grow()
	line := s.lines[s.row]
	for len(line) <= s.col {
		line = append(line, ' ')
	}
	line[s.col] = r
	s.lines[s.row] = line
	s.col++
}

func (s *screen) String() string {
	var out []string
	for _, l := range s.lines {
		out = append(out, strings.TrimRight(string(l), " "))
	}
	return strings.Join(out, "\n")
}
