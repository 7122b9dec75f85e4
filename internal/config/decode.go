package config

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"helve/internal/names"
)

// A Problem is something wrong with a value.
type Problem struct {
	At      Place
	Key     string // where in the file: mcp_servers.github.timeout
	Text    string
	Unknown bool // no such key: a reader of tomorrow's file may go on
}

func (p *Problem) Error() string {
	s := p.At.String() + ": "
	if p.Key != "" && !p.Unknown {
		s += p.Key + ": "
	}
	return s + p.Text
}

// maxProblems is how many mistakes one reading reports: the rest is usually the same again.
const maxProblems = 20

// A decoder turns nodes into Values and notes what is wrong.
type decoder struct{ problems []*Problem }

func (d *decoder) bad(n *node, path, format string, args ...any) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, &Problem{At: n.at, Key: path, Text: fmt.Sprintf(format, args...)})
	}
}

func (d *decoder) want(n *node, path, what string) { d.bad(n, path, "want %s, got %s", what, n.what()) }

// decode fills v. tag is the jsonschema tag of the field that v is.
func (d *decoder) decode(n *node, v reflect.Value, path, tag string) {
	switch p := v.Addr().Interface().(type) {
	case *json.RawMessage:
		*p = n.json()
		return
	case json.Unmarshaler:
		if err := p.UnmarshalJSON(n.json()); err != nil {
			d.bad(n, path, "%s", err)
		}
		return
	case encoding.TextUnmarshaler:
		d.text(n, p, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(n, v.Elem(), path, tag)
	case reflect.Struct:
		d.object(n, v, path)
	case reflect.Map:
		d.mapping(n, v, path)
	case reflect.Slice:
		d.list(n, v, path)
	default:
		d.scalar(n, v, path, tag)
	}
}

func (d *decoder) text(n *node, p encoding.TextUnmarshaler, path string) {
	s, ok := n.str()
	if !ok {
		d.want(n, path, `a string like "30s"`)
		return
	}
	if err := p.UnmarshalText([]byte(s)); err != nil {
		d.bad(n, path, "%s", err)
	}
}

func (d *decoder) object(n *node, v reflect.Value, path string) {
	if n.kind != object {
		d.want(n, path, "an object")
		return
	}
	for _, f := range n.fields {
		i := fieldNamed(v.Type(), f.name)
		if i < 0 {
			d.unknown(f, v.Type(), path)
			continue
		}
		d.decode(f.val, v.Field(i), join(path, f.name), v.Type().Field(i).Tag.Get("jsonschema"))
	}
	if r, ok := v.Addr().Interface().(interface{ check() error }); ok {
		if err := r.check(); err != nil {
			d.bad(n, path, "%s", err)
		}
	}
}

func (d *decoder) unknown(f field, t reflect.Type, path string) {
	text := fmt.Sprintf("unknown key %q", shorten(join(path, f.name)))
	if near := names.Near(f.name, keys(t), 1); len(near) > 0 {
		text += fmt.Sprintf(": did you mean %q?", join(path, near[0]))
	}
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, &Problem{At: f.val.at, Key: join(path, f.name), Text: text, Unknown: true})
	}
}

func (d *decoder) mapping(n *node, v reflect.Value, path string) {
	if n.kind != object {
		d.want(n, path, "an object")
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.fields)))
	for _, f := range n.fields {
		el := reflect.New(v.Type().Elem()).Elem()
		d.decode(f.val, el, join(path, f.name), "")
		v.SetMapIndex(reflect.ValueOf(f.name), el)
	}
}

func (d *decoder) list(n *node, v reflect.Value, path string) {
	if n.kind != array {
		d.want(n, path, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
	for i, it := range n.items {
		d.decode(it, v.Index(i), path+"["+strconv.Itoa(i)+"]", "")
	}
}

func (d *decoder) scalar(n *node, v reflect.Value, path, tag string) {
	switch v.Kind() {
	case reflect.String:
		s, ok := n.str()
		if !ok {
			d.want(n, path, "a string")
			return
		}
		if words := tagged(tag, "enum"); len(words) > 0 && !slices.Contains(words, s) {
			d.bad(n, path, "want %s, got %q", alternatives(words), shorten(s))
		}
		v.SetString(s)
	case reflect.Bool:
		if n.text != "true" && n.text != "false" {
			d.want(n, path, "true or false")
		}
		v.SetBool(n.text == "true")
	case reflect.Int:
		i, err := strconv.Atoi(n.text)
		if err != nil {
			d.want(n, path, "a whole number")
			return
		}
		d.bounds(n, i, path, tag)
		v.SetInt(int64(i))
	}
}

func (d *decoder) bounds(n *node, i int, path, tag string) {
	for word, outside := range map[string]func(int) bool{"minimum": func(b int) bool { return i < b }, "maximum": func(b int) bool { return i > b }} {
		for _, s := range tagged(tag, word) {
			if b, err := strconv.Atoi(s); err == nil && outside(b) {
				d.bad(n, path, "%s %d, got %d", word, b, i)
			}
		}
	}
}

// tagged are the values of a word in a jsonschema tag.
func tagged(tag, word string) []string {
	var out []string
	for part := range strings.SplitSeq(tag, ",") {
		if v, ok := strings.CutPrefix(part, word+"="); ok {
			out = append(out, v)
		}
	}
	return out
}

func alternatives(words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

func fieldNamed(t reflect.Type, name string) int {
	for i := range t.NumField() {
		if keyOf(t.Field(i)) == name {
			return i
		}
	}
	return -1
}

func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func keys(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		out = append(out, keyOf(t.Field(i)))
	}
	return out
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// decodeValues reads a whole file's tree.
func decodeValues(n *node) (Values, []*Problem) {
	var v Values
	var d decoder
	d.decode(n, reflect.ValueOf(&v).Elem(), "", "")
	return v, d.problems
}

func (r *Rule) check() error {
	n := 0
	for _, s := range []string{r.Allow, r.Ask, r.Deny} {
		if s != "" {
			n++
		}
	}
	if n != 1 {
		return errors.New(`want exactly one of allow, ask and deny, like {"deny":"read:**/.env"}`)
	}
	return nil
}

func (h *Hook) check() error {
	if h.Command == "" || h.On == "" {
		return errors.New(`want "on" and "command"`)
	}
	return nil
}

func (s *Server) check() error {
	if s.Command != "" && s.URL != "" {
		return errors.New("want a command or a url, not both")
	}
	return nil
}
