package child

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// formatText is format of a text: {}, {0}, {name}, {!r} and {:spec}. Of any other value it is that value's own.
func formatText(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	s, ok := args[0].(starlark.String)
	if !ok {
		return formatOther(t, args, kwargs)
	}
	f := fields{args: args[1:], named: kwargs, place: automatic}
	out, err := f.text(string(s), 0)
	if err != nil {
		return nil, err
	}
	return starlark.String(out), nil
}

// formatOther calls the method of a value that is no text.
func formatOther(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if has, ok := args[0].(starlark.HasAttrs); ok {
		method, err := has.Attr("format")
		if err != nil {
			return nil, err
		}
		if method != nil {
			return starlark.Call(t, method, args[1:], kwargs)
		}
	}
	return nil, fmt.Errorf("%s has no .format field or method", args[0].Type())
}

// How the fields of a text name their values by place.
const (
	automatic = iota // as they come; nothing was numbered yet
	counted          // as they come
	numbered         // by their numbers
)

// fields are the values for the fields of a text.
type fields struct {
	args  starlark.Tuple
	named []starlark.Tuple
	next  int
	place int
}

// text fills the fields of a text in. A spec may have fields of its own, which have none.
func (f *fields) text(format string, depth int) (string, error) {
	var out strings.Builder
	for format != "" {
		i := strings.IndexAny(format, "{}")
		if i < 0 {
			out.WriteString(format)
			break
		}
		out.WriteString(format[:i])
		brace, rest := format[i], format[i+1:]
		switch {
		case rest != "" && rest[0] == brace:
			out.WriteByte(brace)
			format = rest[1:]
			continue
		case brace == '}':
			return "", errors.New("format: single '}' in format")
		case depth > 1:
			return "", errors.New("format: fields nest too deeply")
		}
		end := closing(rest)
		if end < 0 {
			return "", errors.New("format: unmatched '{' in format")
		}
		text, err := f.one(rest[:end], depth)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		format = rest[end+1:]
	}
	return out.String(), nil
}

// closing is where the brace closes that was opened before a text; -1: nowhere.
func closing(text string) int {
	open := 1
	for i := range len(text) {
		switch text[i] {
		case '{':
			open++
		case '}':
			if open--; open == 0 {
				return i
			}
		}
	}
	return -1
}

// one is a field filled in.
func (f *fields) one(field string, depth int) (string, error) {
	name, how, _ := strings.Cut(field, ":")
	name, conversion, converted := strings.Cut(name, "!")
	v, err := f.value(name)
	if err != nil {
		return "", err
	}
	how, err = f.text(how, depth+1)
	if err != nil {
		return "", err
	}
	s, err := parseSpec(how)
	if err != nil {
		return "", err
	}
	switch {
	case !converted:
		return s.format(v)
	case conversion == "r":
		return s.format(starlark.String(v.String()))
	case conversion == "s":
		text, _ := spec{precision: -1}.text(v, 's') // without a bound nothing can fail
		return s.format(starlark.String(text))
	}
	return "", fmt.Errorf("format: unknown conversion %q", "!"+conversion)
}

// value is the value that a field names.
func (f *fields) value(name string) (starlark.Value, error) {
	if name == "" {
		if f.place == numbered {
			return nil, errors.New("format: cannot switch from manual field specification to automatic field numbering")
		}
		f.place = counted
		f.next++
		return f.at(f.next - 1)
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 0 {
		if f.place == counted {
			return nil, errors.New("format: cannot switch from automatic field numbering to manual field specification")
		}
		f.place = numbered
		return f.at(n)
	}
	for _, kv := range f.named {
		if string(kv[0].(starlark.String)) == name {
			return kv[1], nil
		}
	}
	switch {
	case strings.Contains(name, "."):
		return nil, fmt.Errorf("format: attribute syntax x.y is not supported in replacement fields: %s", name)
	case strings.Contains(name, "["):
		return nil, fmt.Errorf("format: element syntax a[i] is not supported in replacement fields: %s", name)
	}
	return nil, fmt.Errorf("format: keyword %s not found", name)
}

// at is a value by its place.
func (f *fields) at(i int) (starlark.Value, error) {
	if i >= len(f.args) {
		return nil, errors.New("format: tuple index out of range")
	}
	return f.args[i], nil
}
