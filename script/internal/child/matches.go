package child

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// matchMethods are those of a match.
var matchMethods = []string{"end", "group", "groupdict", "groups", "span", "start"}

func (m *matched) AttrNames() []string { return matchMethods }

func (m *matched) Attr(name string) (starlark.Value, error) {
	var f func(starlark.Tuple, []starlark.Tuple) (starlark.Value, error)
	switch name {
	case "group":
		f = m.groupMethod
	case "groups":
		f = m.groupsMethod
	case "groupdict":
		f = m.named
	case "start", "end", "span":
		f = func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return m.place(name, args, kwargs)
		}
	default:
		return nil, nil
	}
	return starlark.NewBuiltin(name, func(
		_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		return f(args, kwargs)
	}), nil
}

// groupMethod is group(), group(1), group("name") and group(1, 2).
func (m *matched) groupMethod(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(kwargs) > 0 {
		return nil, fmt.Errorf("group: takes numbers or names of groups by their place")
	}
	if len(args) == 0 {
		return m.group(0), nil
	}
	out := make(starlark.Tuple, len(args))
	for i, a := range args {
		n, err := m.number(a)
		if err != nil {
			return nil, err
		}
		out[i] = m.group(n)
	}
	if len(out) == 1 {
		return out[0], nil
	}
	return out, nil
}

func (m *matched) groupsMethod(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var missing starlark.Value = starlark.None
	if err := starlark.UnpackArgs("groups", args, kwargs, "default?", &missing); err != nil {
		return nil, err
	}
	return m.groups(missing), nil
}

// named is groupdict: the groups that have names.
func (m *matched) named(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var missing starlark.Value = starlark.None
	if err := starlark.UnpackArgs("groupdict", args, kwargs, "default?", &missing); err != nil {
		return nil, err
	}
	out := starlark.NewDict(m.re.NumSubexp())
	for n, name := range m.re.SubexpNames() {
		if name == "" {
			continue
		}
		v := m.group(n)
		if v == starlark.None {
			v = missing
		}
		if err := out.SetKey(starlark.String(name), v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// place is start, end and span of a group, in bytes as all places in texts; -1 of one that is not in the match.
func (m *matched) place(name string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key starlark.Value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(name, args, kwargs, "group?", &key); err != nil {
		return nil, err
	}
	n, err := m.number(key)
	if err != nil {
		return nil, err
	}
	from, to := starlark.MakeInt(m.at[2*n]), starlark.MakeInt(m.at[2*n+1])
	switch name {
	case "start":
		return from, nil
	case "end":
		return to, nil
	}
	return starlark.Tuple{from, to}, nil
}

// replaced is what stands in place of a match.
func (m *matched) replaced(t *starlark.Thread, with starlark.Value) (string, error) {
	if f, ok := with.(starlark.Callable); ok {
		v, err := starlark.Call(t, f, starlark.Tuple{m}, nil)
		if err != nil {
			return "", err
		}
		text, ok := starlark.AsString(v)
		if !ok {
			return "", fmt.Errorf("the function gives a %s, and must give a text", v.Type())
		}
		return text, nil
	}
	text, ok := starlark.AsString(with)
	if !ok {
		return "", fmt.Errorf("repl is a %s, and must be a text or a function", with.Type())
	}
	return m.expanded(text)
}

// expanded has the groups stand where a text names them: \1, \g<1>, \g<name>. \n and \t are what they are in a text.
func (m *matched) expanded(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, `\`)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, behind := groupName(rest)
		if name == "" {
			piece, behind := escaped(rest)
			out.WriteString(piece)
			text = behind
			continue
		}
		n, err := m.number(groupKey(name))
		if err != nil {
			return "", err
		}
		if s, ok := starlark.AsString(m.group(n)); ok { // else it is not in the match
			out.WriteString(s)
		}
		text = behind
	}
}

// groupName is the name of a group behind a backslash; "": there is none.
func groupName(text string) (name, rest string) {
	if inner, ok := strings.CutPrefix(text, "g<"); ok {
		if name, rest, ok := strings.Cut(inner, ">"); ok {
			return name, rest
		}
	}
	const mostDigits = 2 // Python has at most 99 groups
	i := 0
	for i < len(text) && i < mostDigits && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return text[:i], text[i:]
}

// groupKey is a group by its number or by its name.
func groupKey(name string) starlark.Value {
	if n, err := strconv.Atoi(name); err == nil {
		return starlark.MakeInt(n)
	}
	return starlark.String(name)
}

// escaped is what stands behind a backslash that names no group.
func escaped(text string) (piece, rest string) {
	if text == "" {
		return `\`, ""
	}
	switch text[0] {
	case 'n':
		return "\n", text[1:]
	case 't':
		return "\t", text[1:]
	case 'r':
		return "\r", text[1:]
	case '\\':
		return `\`, text[1:]
	}
	return `\`, text
}
