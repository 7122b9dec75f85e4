package child

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// maxWidth bounds the width and the precision of a format: no line of text is wider, and a larger one would only fill
// the memory.
const maxWidth = 10_000

// The names of what stands in a script in place of % and of format. No script can write them.
const (
	percentName = "text left of %"
	formatName  = "format a text"
)

// formats has texts be formatted as Python does, with widths and precisions, which the interpreter's own % and format
// do not know.
func formats(f *syntax.File) {
	syntax.Walk(f, func(n syntax.Node) bool {
		switch e := n.(type) {
		case *syntax.BinaryExpr:
			if e.Op == syntax.PERCENT {
				e.X = callOf(percentName, e.X)
			}
		case *syntax.CallExpr:
			dot, ok := e.Fn.(*syntax.DotExpr)
			if ok && dot.Name.Name == "format" {
				e.Fn = &syntax.Ident{NamePos: dot.NamePos, Name: formatName}
				e.Args = append([]syntax.Expr{dot.X}, e.Args...)
			}
		}
		return true
	})
}

// callOf is a call of a function with one argument, in its place.
func callOf(name string, x syntax.Expr) *syntax.CallExpr {
	start, end := x.Span()
	return &syntax.CallExpr{
		Fn:     &syntax.Ident{NamePos: start, Name: name},
		Lparen: start,
		Args:   []syntax.Expr{x},
		Rparen: end,
	}
}

// formatting are the functions that formats puts into a script.
func formatting() starlark.StringDict {
	return starlark.StringDict{
		percentName: starlark.NewBuiltin("%", leftOfPercent),
		formatName:  starlark.NewBuiltin("format", formatText),
	}
}

// leftOfPercent is what stands left of %: a text becomes one that formats.
func leftOfPercent(
	_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple,
) (starlark.Value, error) {
	if s, ok := args[0].(starlark.String); ok {
		return template{s, string(s)}, nil
	}
	return args[0], nil
}

// A template is a text left of %.
type template struct {
	starlark.Value
	text string
}

var _ starlark.HasBinary = template{}

// Binary is the text with the values of y in it.
func (t template) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if op != syntax.PERCENT || side != starlark.Left {
		return nil, nil
	}
	p := percents{rest: t.text, from: y, args: starlark.Tuple{y}}
	if several, ok := y.(starlark.Tuple); ok {
		p.args = several
	}
	return p.text()
}

// percents is a text on its way through %.
type percents struct {
	out  strings.Builder
	rest string
	from starlark.Value // what stands right of %
	args starlark.Tuple // by place
	next int
}

// text fills the text in.
func (p *percents) text() (starlark.Value, error) {
	for {
		before, after, found := strings.Cut(p.rest, "%")
		p.out.WriteString(before)
		if !found {
			break
		}
		p.rest = after
		if err := p.one(); err != nil {
			return nil, err
		}
	}
	if _, byName := p.from.(starlark.Mapping); p.next < len(p.args) && !byName {
		return nil, errors.New("too many arguments for format string")
	}
	return starlark.String(p.out.String()), nil
}

// one formats what stands behind a %.
func (p *percents) one() error {
	if rest, ok := strings.CutPrefix(p.rest, "%"); ok {
		p.out.WriteByte('%')
		p.rest = rest
		return nil
	}
	var named starlark.Value
	if rest, ok := strings.CutPrefix(p.rest, "("); ok {
		key, behind, closed := strings.Cut(rest, ")")
		if !closed {
			return errors.New("incomplete format key")
		}
		v, err := byKey(p.from, key)
		if err != nil {
			return err
		}
		named, p.rest = v, behind
	}
	s, err := p.spec()
	if err != nil {
		return err
	}
	if named == nil {
		if named, err = p.take(); err != nil {
			return err
		}
	}
	text, err := s.format(named)
	p.out.WriteString(text)
	return err
}

// byKey is the value of a name in what stands right of %.
func byKey(from starlark.Value, key string) (starlark.Value, error) {
	m, ok := from.(starlark.Mapping)
	if !ok {
		return nil, fmt.Errorf("format requires a mapping, not a %s", from.Type())
	}
	v, found, err := m.Get(starlark.String(key))
	if err == nil && !found {
		err = fmt.Errorf("key not found: %s", key)
	}
	return v, err
}

// take is the next value.
func (p *percents) take() (starlark.Value, error) {
	if p.next >= len(p.args) {
		return nil, errors.New("not enough arguments for format string")
	}
	p.next++
	return p.args[p.next-1], nil
}

// spec reads flags, width, precision and kind.
func (p *percents) spec() (spec, error) {
	s := spec{precision: -1, percent: true}
	i := 0
	for ; i < len(p.rest) && strings.IndexByte("-+ #0", p.rest[i]) >= 0; i++ {
		s.flag(p.rest[i])
	}
	p.rest = p.rest[i:]
	width, err := p.number()
	if err != nil {
		return s, err
	}
	if width < 0 {
		s.align, width = '<', -width
	}
	s.width = width
	if rest, ok := strings.CutPrefix(p.rest, "."); ok {
		p.rest = rest
		if s.precision, err = p.number(); err != nil {
			return s, err
		}
	}
	p.rest = strings.TrimLeft(p.rest, "hlL") // lengths, which mean nothing in Python either
	if p.rest == "" {
		return s, errors.New("incomplete format")
	}
	kind, size := utf8.DecodeRuneInString(p.rest)
	s.kind, p.rest = kind, p.rest[size:]
	return s, s.bounded()
}

// flag notes a flag of %.
func (s *spec) flag(c byte) {
	switch c {
	case '-':
		s.align = '<'
	case '0':
		s.zero = true
	case '#':
		s.alternate = true
	case '+':
		s.sign = '+'
	case ' ':
		if s.sign == 0 {
			s.sign = ' '
		}
	}
}

// number reads a number, or takes it from the values where a star stands.
func (p *percents) number() (int, error) {
	if rest, ok := strings.CutPrefix(p.rest, "*"); ok {
		p.rest = rest
		v, err := p.take()
		if err != nil {
			return 0, err
		}
		n, err := starlark.AsInt32(v)
		if err != nil {
			return 0, fmt.Errorf("* wants an int: %w", err)
		}
		return n, nil
	}
	n, rest := leadingNumber(p.rest)
	p.rest = rest
	return n, nil
}

// leadingNumber is the number at the start of a text, 0 where there is none; one that is too large is cut to more than
// any bound.
func leadingNumber(text string) (n int, rest string) {
	i := 0
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	if i == 0 {
		return 0, text
	}
	n, err := strconv.Atoi(text[:i])
	if err != nil {
		n = maxWidth + 1
	}
	return n, text[i:]
}
