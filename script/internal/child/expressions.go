package child

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Regular expressions are RE2, as Go has them: they take time in proportion to the text, whatever it is.

// The flags, with Python's numbers.
const (
	flagIgnoreCase = 2
	flagMultiline  = 8
	flagDotAll     = 16
)

// expressionModule is re.
func expressionModule() *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: "re", Members: starlark.StringDict{
		"compile": starlark.NewBuiltin("re.compile", compileExpression),
		"escape":  starlark.NewBuiltin("re.escape", escape),
		"I":       starlark.MakeInt(flagIgnoreCase), "IGNORECASE": starlark.MakeInt(flagIgnoreCase),
		"M": starlark.MakeInt(flagMultiline), "MULTILINE": starlark.MakeInt(flagMultiline),
		"S": starlark.MakeInt(flagDotAll), "DOTALL": starlark.MakeInt(flagDotAll),
	}}
	for name, f := range expressionFunctions() {
		m.Members[name] = starlark.NewBuiltin("re."+name, func(
			t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
		) (starlark.Value, error) {
			return f(t, expressionCall{name: b.Name(), args: args, kwargs: kwargs})
		})
	}
	return m
}

// expressionFunctions are the functions of re, which are the methods of what re.compile brings, too.
func expressionFunctions() map[string]func(*starlark.Thread, expressionCall) (starlark.Value, error) {
	return map[string]func(*starlark.Thread, expressionCall) (starlark.Value, error){
		"findall":   findAll,
		"finditer":  findEach,
		"search":    search,
		"match":     match,
		"fullmatch": fullMatch,
		"sub":       substitute,
		"split":     split,
	}
}

// An expressionCall is one call of such a function.
type expressionCall struct {
	name   string
	of     *regexp.Regexp // of a method; nil: the pattern is the first argument
	args   starlark.Tuple
	kwargs []starlark.Tuple
}

// unpack reads the arguments: the pattern, what is given, and the flags.
func (c expressionCall) unpack(pairs ...any) (*regexp.Regexp, error) {
	if c.of != nil {
		return c.of, starlark.UnpackArgs(c.name, c.args, c.kwargs, pairs...)
	}
	var pattern starlark.Value
	flags := 0
	all := append([]any{"pattern", &pattern}, pairs...)
	all = append(all, "flags?", &flags)
	if err := starlark.UnpackArgs(c.name, c.args, c.kwargs, all...); err != nil {
		return nil, err
	}
	if e, ok := pattern.(*expression); ok {
		return e.of, nil
	}
	text, ok := starlark.AsString(pattern)
	if !ok {
		return nil, fmt.Errorf("%s: the pattern is a %s, and must be a text", c.name, pattern.Type())
	}
	return compile(c.name, text, flags)
}

// compile makes an expression of Python's words.
func compile(name, pattern string, flags int) (*regexp.Regexp, error) {
	mode := ""
	for flag, letter := range map[int]string{flagIgnoreCase: "i", flagMultiline: "m", flagDotAll: "s"} {
		if flags&flag != 0 {
			mode += letter
		}
	}
	if flags&^(flagIgnoreCase|flagMultiline|flagDotAll) != 0 {
		return nil, fmt.Errorf("%s: flags are re.I, re.M and re.S", name)
	}
	given := pattern
	pattern = strings.ReplaceAll(pattern, `\Z`, `\z`) // as Go calls the end of the text
	if mode != "" {
		pattern = "(?" + mode + ")" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err == nil {
		return re, nil
	}
	for _, sign := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.Contains(given, sign) {
			return nil, fmt.Errorf("%s: RE2 has no %s…): match more, and look at the rest in the script", name, sign)
		}
	}
	return nil, fmt.Errorf("%s: %w (RE2: no lookaround, no references back)", name, err)
}

func compileExpression(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var pattern string
	flags := 0
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &pattern, "flags?", &flags); err != nil {
		return nil, err
	}
	re, err := compile(b.Name(), pattern, flags)
	if err != nil {
		return nil, err
	}
	return &expression{re}, nil
}

func escape(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "pattern", &text); err != nil {
		return nil, err
	}
	return starlark.String(regexp.QuoteMeta(text)), nil
}

// An expression is what re.compile brings.
type expression struct{ of *regexp.Regexp }

var _ starlark.HasAttrs = (*expression)(nil)

func (e *expression) String() string        { return fmt.Sprintf("re.compile(%q)", e.of.String()) }
func (e *expression) Type() string          { return "re.Pattern" }
func (e *expression) Freeze()               {}
func (e *expression) Truth() starlark.Bool  { return true }
func (e *expression) Hash() (uint32, error) { return starlark.String(e.of.String()).Hash() }

func (e *expression) Attr(name string) (starlark.Value, error) {
	if name == "pattern" {
		return starlark.String(e.of.String()), nil
	}
	f := expressionFunctions()[name]
	if f == nil {
		return nil, nil
	}
	return starlark.NewBuiltin(name, func(
		t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		return f(t, expressionCall{name: b.Name(), of: e.of, args: args, kwargs: kwargs})
	}), nil
}

func (e *expression) AttrNames() []string {
	return append(slices.Sorted(maps.Keys(expressionFunctions())), "pattern")
}

// findAll is findall: the texts of the group, or of the whole where there is none; tuples where there are several.
func findAll(_ *starlark.Thread, c expressionCall) (starlark.Value, error) {
	found, err := c.all()
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	for _, m := range found {
		switch groups := m.groups(starlark.String("")); len(groups) {
		case 0:
			out = append(out, m.group(0))
		case 1:
			out = append(out, groups[0])
		default:
			out = append(out, groups)
		}
	}
	return starlark.NewList(out), nil
}

// findEach is finditer, as a list.
func findEach(_ *starlark.Thread, c expressionCall) (starlark.Value, error) {
	found, err := c.all()
	if err != nil {
		return nil, err
	}
	var out []starlark.Value
	for _, m := range found {
		out = append(out, m)
	}
	return starlark.NewList(out), nil
}

// all are the matches in the text that is given.
func (c expressionCall) all() ([]*matched, error) {
	var text string
	re, err := c.unpack("string", &text)
	if err != nil {
		return nil, err
	}
	var out []*matched
	for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
		out = append(out, &matched{re: re, text: text, at: at})
	}
	return out, nil
}

func search(_ *starlark.Thread, c expressionCall) (starlark.Value, error) {
	return c.first(func(*regexp.Regexp) string { return "" })
}

func match(_ *starlark.Thread, c expressionCall) (starlark.Value, error) {
	return c.first(func(re *regexp.Regexp) string { return `\A(?:` + re.String() + `)` })
}

func fullMatch(_ *starlark.Thread, c expressionCall) (starlark.Value, error) {
	return c.first(func(re *regexp.Regexp) string { return `\A(?:` + re.String() + `)\z` })
}

// first is the first match, or None. bound ties the expression to the ends of the text; "" leaves it as it is.
func (c expressionCall) first(bound func(*regexp.Regexp) string) (starlark.Value, error) {
	var text string
	re, err := c.unpack("string", &text)
	if err != nil {
		return nil, err
	}
	if tied := bound(re); tied != "" {
		if re, err = regexp.Compile(tied); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	at := re.FindStringSubmatchIndex(text)
	if at == nil {
		return starlark.None, nil
	}
	return &matched{re: re, text: text, at: at}, nil
}

// substitute is sub: with a text in which \1 and \g<name> are groups, or with a function of each match.
func substitute(t *starlark.Thread, c expressionCall) (starlark.Value, error) {
	var text string
	var with starlark.Value
	count := 0
	re, err := c.unpack("repl", &with, "string", &text, "count?", &count)
	if err != nil {
		return nil, err
	}
	if count <= 0 {
		count = -1
	}
	var out strings.Builder
	end := 0
	for _, at := range re.FindAllStringSubmatchIndex(text, count) {
		m := &matched{re: re, text: text, at: at}
		out.WriteString(text[end:at[0]])
		piece, err := m.replaced(t, with)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		out.WriteString(piece)
		end = at[1]
	}
	out.WriteString(text[end:])
	return starlark.String(out.String()), nil
}

// split is split: with the groups between the pieces, as in Python.
func split(_ *starlark.Thread, c expressionCall) (starlark.Value, error) {
	var text string
	most := 0
	re, err := c.unpack("string", &text, "maxsplit?", &most)
	if err != nil {
		return nil, err
	}
	if most <= 0 {
		most = -1
	}
	var out []starlark.Value
	end := 0
	for _, at := range re.FindAllStringSubmatchIndex(text, most) {
		m := &matched{re: re, text: text, at: at}
		out = append(out, starlark.String(text[end:at[0]]))
		out = append(out, m.groups(starlark.None)...)
		end = at[1]
	}
	return starlark.NewList(append(out, starlark.String(text[end:]))), nil
}

// A matched is a match in a text.
type matched struct {
	re   *regexp.Regexp
	text string
	at   []int // pairs of places: of the whole, then of each group; -1: it is not in the match
}

var (
	_ starlark.HasAttrs = (*matched)(nil)
	_ starlark.Mapping  = (*matched)(nil)
)

func (m *matched) String() string        { return fmt.Sprintf("<re.Match %q>", m.text[m.at[0]:m.at[1]]) }
func (m *matched) Type() string          { return "re.Match" }
func (m *matched) Freeze()               {}
func (m *matched) Truth() starlark.Bool  { return true }
func (m *matched) Hash() (uint32, error) { return 0, errors.New("unhashable type: re.Match") }

// Get is m[1] and m["name"].
func (m *matched) Get(key starlark.Value) (starlark.Value, bool, error) {
	n, err := m.number(key)
	if err != nil {
		return nil, false, err
	}
	return m.group(n), true, nil
}

// number is that of a group.
func (m *matched) number(key starlark.Value) (int, error) {
	n := -1
	if name, ok := starlark.AsString(key); ok {
		n = m.re.SubexpIndex(name)
	} else if i, err := starlark.AsInt32(key); err == nil {
		n = i
	}
	if n < 0 || n > m.re.NumSubexp() {
		return 0, fmt.Errorf("the expression has no group %s", key)
	}
	return n, nil
}

// group is the text of a group, or None.
func (m *matched) group(n int) starlark.Value {
	if m.at[2*n] < 0 {
		return starlark.None
	}
	return starlark.String(m.text[m.at[2*n]:m.at[2*n+1]])
}

// groups are the texts of all groups; missing stands for one that is not in the match.
func (m *matched) groups(missing starlark.Value) starlark.Tuple {
	out := make(starlark.Tuple, 0, m.re.NumSubexp())
	for n := 1; n <= m.re.NumSubexp(); n++ {
		v := m.group(n)
		if v == starlark.None {
			v = missing
		}
		out = append(out, v)
	}
	return out
}
