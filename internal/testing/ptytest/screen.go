//go:build linux

package ptytest

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A screen is a terminal as far as command lines and their menus need one (ECMA-48, and the second
// screen of xterm). What scrolls away at its top stays in the text.
type screen struct {
	columns, height int
	main, second    grid
	other           bool   // the second screen is shown
	rest            string // of an escape sequence that is not whole
	last            rune   // what REP repeats
}

// A grid is what stands on a screen. A wide character takes two cells, the second of them 0.
type grid struct {
	lines    [][]rune
	row, col int
	top      int // the first line that is not scrolled away
	saved    [2]int
}

// grid is the one that is shown.
func (s *screen) grid() *grid {
	if s.other {
		return &s.second
	}
	return &s.main
}

// write takes what the program wrote, in pieces of any size.
func (s *screen) write(text string) {
	text = s.rest + text
	s.rest = ""
	for text != "" {
		n := s.next(text)
		if n == 0 {
			s.rest = text
			return
		}
		text = text[n:]
	}
}

// next does what the text begins with, and returns its length; 0: it is not whole.
func (s *screen) next(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	g := s.grid()
	switch {
	case !utf8.FullRuneInString(text):
		return 0
	case r == '\x1b':
		return s.escape(text)
	case r == '\r':
		g.col = 0
	case r == '\n':
		g.row++
		g.grow(s.height)
	case r == '\b':
		g.col = max(g.col-1, 0)
	case r == '\t':
		g.col = min(g.col/8*8+8, s.columns-1)
	case r >= ' ': // other controls show nothing
		s.put(r)
	}
	return size
}

// escape does what a sequence at the start of the text says, and returns its length; 0: it is not
// whole.
func (s *screen) escape(text string) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '[':
		return s.control(text)
	case ']', 'P', '_', '^', 'X': // a string, which ends with BEL or ST
		if i := strings.IndexByte(text, '\a'); i > 0 {
			return i + 1
		}
		if i := strings.Index(text, "\x1b\\"); i > 0 {
			return i + 2
		}
		return 0
	case 'M':
		g := s.grid()
		g.row = max(g.row-1, g.top)
	case '7':
		g := s.grid()
		g.saved = [2]int{g.row, g.col}
	case '8':
		g := s.grid()
		g.row, g.col = g.saved[0], g.saved[1]
	}
	return 2
}

// control does a control sequence (CSI). Its parameters end with the first letter.
func (s *screen) control(text string) int {
	end := strings.IndexFunc(text[2:], func(r rune) bool { return r >= '@' && r <= '~' })
	if end < 0 {
		return 0
	}
	params, final := text[2:2+end], text[2+end]
	// Menus draw on the second screen and leave the first as it was.
	if params == "?1049" && final == 'h' {
		s.other = true
		s.second = grid{}
	}
	if params == "?1049" && final == 'l' {
		s.other = false
	}
	if strings.ContainsAny(params, "?<=>!$ ") { // modes and reports
		return 2 + end + 1
	}
	first, second, _ := strings.Cut(params, ";")
	n, _ := strconv.Atoi(first) // 0: not given
	m, _ := strconv.Atoi(second)
	if !s.move(final, n, m) {
		s.edit(final, n)
	}
	return 2 + end + 1
}

// move does a control sequence that moves the cursor.
func (s *screen) move(final byte, n, m int) bool {
	g := s.grid()
	one := max(n, 1)
	switch final {
	case 'A', 'F':
		g.row = max(g.row-one, g.top)
	case 'B', 'E':
		g.row = min(g.row+one, g.top+s.height-1)
	case 'C':
		g.col = min(g.col+one, s.columns-1)
	case 'D':
		g.col = max(min(g.col, s.columns)-one, 0)
	case 'G', '`':
		g.col = min(one, s.columns) - 1
	case 'd':
		g.row = g.top + min(one, s.height) - 1
	case 'H', 'f':
		g.row = g.top + min(one, s.height) - 1
		g.col = min(max(m, 1), s.columns) - 1
	default:
		return false
	}
	if final == 'E' || final == 'F' {
		g.col = 0
	}
	g.grow(s.height)
	return true
}

// edit does a control sequence that changes what stands there. Its letters are those of ECMA-48: ED, EL, ECH, DCH, ICH,
// IL, DL and REP.
func (s *screen) edit(final byte, n int) {
	g := s.grid()
	g.grow(s.height)
	line := g.lines[g.row]
	one := max(n, 1)
	at := min(g.col, len(line))
	behind := min(at+one, len(line))
	switch final {
	case 'J':
		g.clear(n)
	case 'K':
		g.lines[g.row] = erased(line, at, n)
	case 'X':
		for i := at; i < behind; i++ {
			line[i] = ' '
		}
	case 'P':
		g.lines[g.row] = slices.Concat(line[:at], line[behind:])
	case '@':
		blanks := []rune(strings.Repeat(" ", one))
		g.lines[g.row] = slices.Concat(line[:at], blanks, line[at:])
	case 'L':
		g.lines = slices.Concat(g.lines[:g.row], make([][]rune, one), g.lines[g.row:])
	case 'M':
		next := min(g.row+one, len(g.lines))
		g.lines = slices.Concat(g.lines[:g.row], g.lines[next:])
		g.grow(s.height)
	case 'b':
		for range one {
			s.put(s.last)
		}
	}
}

// erased is a line without what is behind the cursor (0), before it (1), or all of it (2).
func erased(line []rune, at, what int) []rune {
	switch what {
	case 0:
		return line[:at]
	case 1:
		for i := range at {
			line[i] = ' '
		}
		return line
	}
	return nil
}

// clear erases what is below the cursor (0), above it (1), or all that is shown (2).
func (g *grid) clear(what int) {
	// Lines above the top have scrolled away: no program erases them.
	line := g.lines[g.row]
	at := min(g.col, len(line))
	if what != 1 {
		g.lines = g.lines[:g.row+1]
		line = erased(line, at, 0)
	}
	if what != 0 {
		for i := g.top; i < g.row; i++ {
			g.lines[i] = nil
		}
		line = erased(line, at, what)
	}
	g.lines[g.row] = line
}

// grow has the line of the cursor there be, and scrolls to it.
func (g *grid) grow(height int) {
	for len(g.lines) <= g.row {
		g.lines = append(g.lines, nil)
	}
	g.top = max(g.top, g.row-height+1)
}

// put writes one character where the cursor is, and moves it on.
func (s *screen) put(r rune) {
	g := s.grid()
	cells := ansi.StringWidth(string(r))
	if g.col+cells > s.columns { // it wraps only now: a full line may be followed by a line end
		g.row++
		g.col = 0
	}
	g.grow(s.height)
	if cells == 0 { // it belongs to the character before it
		return
	}
	line := g.lines[g.row]
	for len(line) < g.col+cells {
		line = append(line, ' ')
	}
	line[g.col] = r
	for i := 1; i < cells; i++ {
		line[g.col+i] = 0
	}
	g.lines[g.row] = line
	g.col += cells
	s.last = r
}

// String is all lines of the screen that is shown, those that scrolled away first.
func (s *screen) String() string {
	var out []string
	for _, l := range s.grid().lines {
		text := strings.ReplaceAll(string(l), "\x00", "")
		out = append(out, strings.TrimRight(text, " "))
	}
	return strings.Join(out, "\n")
}
