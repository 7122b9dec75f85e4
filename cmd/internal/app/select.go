package app

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"
)

// A menu is one question with its choices on a terminal: arrows (or j and k, or a number) move, Enter takes, the letter of a choice takes
// it at once, Escape and interrupt mean the first choice, which is no.
type menu struct {
	a       *app
	choices []choice
	at      int
	lines   int // that were drawn
}

// selectOne asks with a menu. A done ctx, a closed terminal or a terminal that cannot be set up is an error.
func (a *app) selectOne(ctx context.Context, in *os.File, title string, choices []choice) (string, error) {
	old, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return "no", err
	}
	defer term.Restore(int(in.Fd()), old)
	m := &menu{a: a, choices: choices}
	fmt.Fprintf(a.env.Stderr, "%s\r\n", a.painter().bold(title))
	m.draw(false)
	defer fmt.Fprint(a.env.Stderr, "\r\n")
	keys, failed := readKeys(in, m.ends)
	for {
		select {
		case <-ctx.Done():
			return "no", ctx.Err()
		case err := <-failed:
			return "no", err
		case key := <-keys:
			if value, done := m.press(key); done {
				return value, nil
			}
			m.draw(true)
		}
	}
}

// readKeys reads keys until the terminal closes. The goroutine ends with the next key after the question, or with the program: a
// read of a terminal cannot be given up.
func readKeys(in *os.File, ends func(string) bool) (<-chan string, <-chan error) {
	keys, failed := make(chan string), make(chan error, 1)
	go func() {
		buf := make([]byte, 64)
		for {
			n, err := in.Read(buf)
			if err != nil {
				failed <- err
				return
			}
			for typed := string(buf[:n]); typed != ""; {
				key := firstKey(typed)
				typed = typed[len(key):]
				keys <- key
				if ends(key) {
					return
				}
			}
		}
	}()
	return keys, failed
}

// firstKey is the first key of what came at once: an arrow is three bytes, Escape stands alone.
func firstKey(typed string) string {
	if len(typed) >= 3 && typed[0] == '\x1b' && (typed[1] == '[' || typed[1] == 'O') {
		return typed[:3]
	}
	return typed[:1]
}

// ends tells whether a key closes the question.
func (m *menu) ends(key string) bool {
	switch key {
	case "\r", "\n", "\x1b", "\x03", "\x04", "q":
		return true
	}
	return m.letter(key) >= 0
}

// letter is the choice that a letter takes, -1 for none.
func (m *menu) letter(key string) int {
	return slices.IndexFunc(m.choices, func(c choice) bool { return key != "" && strings.EqualFold(c.letter(), key) })
}

// press answers a key: the value that is taken, or a move.
func (m *menu) press(key string) (value string, done bool) {
	switch key {
	case "\r", "\n":
		return m.choices[m.at].value, true
	case "\x1b", "\x03", "\x04", "q": // Escape, interrupt, end of input
		return m.choices[0].value, true
	case "\x1b[A", "\x1bOA", "k", "\x10":
		m.at = max(m.at-1, 0)
	case "\x1b[B", "\x1bOB", "j", "\x0e":
		m.at = min(m.at+1, len(m.choices)-1)
	default:
		if i := m.letter(key); i >= 0 {
			return m.choices[i].value, true
		}
		if n := int(key[0] - '1'); len(key) == 1 && n >= 0 && n < len(m.choices) {
			m.at = n
		}
	}
	return "", false
}

// draw writes the choices; again writes over the last time. What was chosen from is shown whole, however narrow the terminal is: a long
// choice takes several lines.
func (m *menu) draw(again bool) {
	var b strings.Builder
	if again {
		fmt.Fprintf(&b, "\x1b[%dA\r\x1b[J", m.lines)
	}
	paint, room := m.a.painter(), max(width(m.a.env.Stderr)-3, 1) // two for the mark, one so that no line wraps by itself
	m.lines = 0
	line := func(mark, s string, as func(string) string) {
		for s != "" {
			part := fold(s, room)
			s = s[len(part):]
			b.WriteString(as(mark+part) + "\r\n")
			mark = "  "
			m.lines++
		}
	}
	for i, c := range m.choices {
		if i == m.at {
			line("> ", c.text(), paint.bold)
		} else {
			line("  ", c.text(), func(s string) string { return s })
		}
	}
	line("", "↑↓ move · Enter takes · Esc means no", paint.dim)
	fmt.Fprint(m.a.env.Stderr, b.String())
}
