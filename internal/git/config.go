// Package git reads what git writes: settings, indexes, the files by which a folder names its repository, and objects.
// What is dangerous in them others judge.
package git

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// A Setting is one value of git's configuration.
type Setting struct {
	Section, Sub, Key string // section and key in lower case
	Value             string
	Bare              bool // a key without a value, which is true
	HasSub            bool // also one that is empty
}

// Name is the setting's key as git writes it.
func (s Setting) Name() string {
	switch {
	case s.Section == "": // git reads it and has no use for it
		return s.Key
	case !s.HasSub:
		return s.Section + "." + s.Key
	}
	return s.Section + "." + s.Sub + "." + s.Key
}

// errConfig wraps what git could not read either, or would read otherwise than this reader.
var errConfig = errors.New("it cannot be read")

// ParseConfig reads a file of git's configuration as git does: "[section]" or "[section "subsection"]", then keys
// with or without a value, one a line but for lines that a backslash joins. Where git would take a text for something
// else than this reader does, a setting could go unseen; so what is not understood is an error, and
// TestConfigurationsAreRead… compares the two. It follows no include.
func ParseConfig(text []byte) ([]Setting, error) {
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%w: it holds a NUL byte, where git ends a value", errConfig)
	}
	p := &configParser{text: bytes.TrimPrefix(text, []byte("\ufeff"))}
	var out []Setting
	for {
		c, more := p.next()
		switch {
		case !more:
			return out, nil
		case c == '\n', isBlank(c):
		case c == '#', c == ';':
			p.skipLine()
		case c == '[':
			if err := p.header(); err != nil {
				return nil, err
			}
		default:
			s, err := p.setting(c)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
}

// A configParser reads byte by byte: git's form has no lines before continuations are joined.
type configParser struct {
	text         []byte
	at           int
	section, sub string
	hasSub       bool
}

// next is the next byte; the end of a line is \n, however it is written.
func (p *configParser) next() (byte, bool) {
	if p.at >= len(p.text) {
		return 0, false
	}
	c := p.text[p.at]
	p.at++
	if c == '\r' && p.at < len(p.text) && p.text[p.at] == '\n' {
		p.at++
		return '\n', true
	}
	return c, true
}

// skipLine goes behind the end of the line: what a comment says ends there, whatever it holds.
func (p *configParser) skipLine() {
	for {
		c, more := p.next()
		if !more || c == '\n' {
			return
		}
	}
}

// fail is what is wrong where the parser stands.
func (p *configParser) fail(what string) error {
	line := 1 + bytes.Count(p.text[:p.at], []byte("\n"))
	return fmt.Errorf("%w: line %d: %s", errConfig, line, what)
}

// header reads a section's name, behind its bracket.
func (p *configParser) header() error {
	var name strings.Builder
	p.sub, p.hasSub = "", false
	for {
		c, more := p.next()
		switch {
		case !more || c == '\n':
			return p.fail("a section without an end")
		case c == ']':
			p.section = strings.ToLower(name.String())
			p.splitSection()
			return nil
		case isBlank(c):
			p.section = strings.ToLower(name.String())
			return p.subsection()
		case !IsNameByte(c) && c != '.':
			return p.fail("a section's name")
		}
		name.WriteByte(c)
	}
}

// splitSection takes the old form, [section.sub], in which case does not matter.
func (p *configParser) splitSection() {
	section, sub, found := strings.Cut(p.section, ".")
	if found {
		p.section, p.sub, p.hasSub = section, sub, true
	}
}

// subsection reads a name between quotation marks, and the end of the header.
func (p *configParser) subsection() error {
	c, more := p.next()
	for more && isBlank(c) {
		c, more = p.next()
	}
	if c != '"' {
		return p.fail("a subsection's name")
	}
	var sub strings.Builder
	for {
		c, more := p.next()
		switch {
		case !more || c == '\n':
			return p.fail("a subsection without an end")
		case c == '"':
			p.sub, p.hasSub = sub.String(), true
			if c, more = p.next(); !more || c != ']' {
				return p.fail("a section without an end")
			}
			return nil
		case c == '\\':
			if c, more = p.next(); !more || c == '\n' {
				return p.fail("a subsection without an end")
			}
		}
		sub.WriteByte(c)
	}
}

// setting reads a key, of which the first byte was read, and its value.
func (p *configParser) setting(c byte) (Setting, error) {
	if !isLetter(c) {
		return Setting{}, p.fail("neither a section nor a key")
	}
	var key strings.Builder
	more := true
	for more && IsNameByte(c) {
		key.WriteByte(c)
		c, more = p.next()
	}
	s := Setting{Section: p.section, Sub: p.sub, HasSub: p.hasSub}
	s.Key = strings.ToLower(key.String())
	for more && isBlank(c) {
		c, more = p.next()
	}
	switch {
	case !more || c == '\n':
		s.Bare = true
		return s, nil
	case c != '=':
		return Setting{}, p.fail("a key without =")
	}
	var err error
	s.Value, err = p.value()
	return s, err
}

// value reads to the end of the line: blanks at both ends are dropped, comments, quotation marks and escapes are taken
// out, and a backslash at the end goes on with the next line.
func (p *configParser) value() (string, error) {
	var out strings.Builder
	blanks, quoted := "", false
	for {
		c, more := p.next()
		switch {
		case !more || c == '\n':
			if quoted {
				return "", p.fail("a value without an end")
			}
			return out.String(), nil
		case isBlank(c) && !quoted:
			if out.Len() > 0 {
				blanks += string(c)
			}
			continue
		case (c == '#' || c == ';') && !quoted:
			p.skipLine()
			return out.String(), nil
		}
		out.WriteString(blanks)
		blanks = ""
		if c == '"' {
			quoted = !quoted
			continue
		}
		if c == '\\' {
			var err error
			if c, more, err = p.escape(); err != nil {
				return "", err
			}
			if !more {
				continue
			}
		}
		out.WriteByte(c)
	}
}

// escape is the byte that a backslash stands for; none where it joins two lines.
func (p *configParser) escape() (c byte, some bool, err error) {
	c, more := p.next()
	switch {
	case !more:
		return 0, false, p.fail("a value without an end")
	case c == '\n':
		return 0, false, nil
	case c == 'n':
		return '\n', true, nil
	case c == 't':
		return '\t', true, nil
	case c == 'b':
		return '\b', true, nil
	case c == '"' || c == '\\':
		return c, true, nil
	}
	return 0, false, p.fail("an escape that git does not know")
}

// isBlank reports what git's own isspace takes for space, but for the end of a line.
func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r'
}

func isLetter(c byte) bool {
	lower := c | 0x20
	return 'a' <= lower && lower <= 'z'
}

// IsNameByte reports a byte of a section's name or a key.
func IsNameByte(c byte) bool {
	digit := '0' <= c && c <= '9'
	return digit || isLetter(c) || c == '-'
}
