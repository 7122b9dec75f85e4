package config

import (
	"encoding"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"helve/internal/json"
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
type decoder struct {
	places   *places
	problems []*Problem
}

// decode reads a whole file's tree, or what several were merged into.
func (p *places) decode(n *json.Node) (Values, []*Problem) {
	var v Values
	d := decoder{places: p}
	d.decode(n, reflect.ValueOf(&v).Elem(), "", "")
	return v, d.problems
}

// note keeps a problem, and goes on: whoever mends a file wants to know all that is wrong with it.
func (d *decoder) note(p *Problem) {
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, p)
	}
}

func (d *decoder) bad(n *json.Node, path, format string, args ...any) {
	d.note(&Problem{At: d.places.of(n), Key: path, Text: fmt.Sprintf(format, args...)})
}

func (d *decoder) want(n *json.Node, path, wanted string) {
	d.bad(n, path, "want %s, got %s", wanted, what(n))
}

// decode fills v. tag is the jsonschema tag of the field that v is. A type that reads its own JSON
// or text does so: its words about what is wrong are better than ours.
func (d *decoder) decode(n *json.Node, v reflect.Value, path, tag string) {
	switch p := v.Addr().Interface().(type) {
	case *stdjson.RawMessage:
		*p = n.AppendCompact(nil)
		return
	case stdjson.Unmarshaler:
		err := p.UnmarshalJSON(n.AppendCompact(nil))
		if err != nil {
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

// text fills a type that is a string in JSON, such as a Duration: a number would leave its unit
// open.
func (d *decoder) text(n *json.Node, p encoding.TextUnmarshaler, path string) {
	if !n.IsString() {
		d.want(n, path, `a string like "30s"`)
		return
	}
	err := p.UnmarshalText([]byte(n.Text))
	if err != nil {
		d.bad(n, path, "%s", err)
	}
}

// object fills a struct by the json tags of its fields. What must hold between fields, the struct's
// own check says.
func (d *decoder) object(n *json.Node, v reflect.Value, path string) {
	if n.Kind != json.KindObject {
		d.want(n, path, "an object")
		return
	}
	for i := range n.Kids {
		f := &n.Kids[i]
		at := fieldNamed(v.Type(), f.Name)
		if at < 0 && path == "" && slices.Contains(d.places.further, f.Name) {
			continue
		}
		if at < 0 {
			d.unknown(f, v.Type(), path)
			continue
		}
		tag := v.Type().Field(at).Tag.Get("jsonschema")
		d.decode(f, v.Field(at), join(path, f.Name), tag)
	}
	r, ok := v.Addr().Interface().(interface{ check() error })
	if !ok {
		return
	}
	if err := r.check(); err != nil {
		d.bad(n, path, "%s", err)
	}
}

// unknown tells of a key that means nothing, with the key that may have been meant: a misspelt rule
// would else pass in silence.
func (d *decoder) unknown(f *json.Node, t reflect.Type, path string) {
	key := join(path, f.Name)
	said := fmt.Sprintf("unknown key %q", shorten(key))
	if near := names.Near(f.Name, keys(t), 1); len(near) > 0 {
		said += fmt.Sprintf(": did you mean %q?", join(path, near[0]))
	}
	d.note(&Problem{At: d.places.of(f), Key: key, Text: said, Unknown: true})
}

// mapping fills a map. Its keys are names of the user's, so that none is unknown.
func (d *decoder) mapping(n *json.Node, v reflect.Value, path string) {
	if n.Kind != json.KindObject {
		d.want(n, path, "an object")
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.Kids)))
	for i := range n.Kids {
		f := &n.Kids[i]
		el := reflect.New(v.Type().Elem()).Elem()
		d.decode(f, el, join(path, f.Name), "")
		v.SetMapIndex(reflect.ValueOf(f.Name), el)
	}
}

func (d *decoder) list(n *json.Node, v reflect.Value, path string) {
	if n.Kind != json.KindArray {
		d.want(n, path, "a list")
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Kids), len(n.Kids)))
	for i := range n.Kids {
		item := fmt.Sprintf("%s[%d]", path, i)
		d.decode(&n.Kids[i], v.Index(i), item, "")
	}
}

// scalar fills what is neither a list nor an object. A value that is wrong is noted and stays zero,
// or what it was: a caller that has problems uses none of the values.
func (d *decoder) scalar(n *json.Node, v reflect.Value, path, tag string) {
	switch v.Kind() {
	case reflect.String:
		if !n.IsString() {
			d.want(n, path, "a string")
			return
		}
		words := tagged(tag, "enum")
		if len(words) > 0 && !slices.Contains(words, n.Text) {
			d.bad(n, path, "want %s, got %q", alternatives(words), shorten(n.Text))
		}
		v.SetString(n.Text)
	case reflect.Bool:
		if !n.Kind.IsBool() {
			d.want(n, path, "true or false")
		}
		v.SetBool(n.Kind == json.KindTrue)
	case reflect.Int:
		i, ok := whole(n)
		if !ok {
			d.want(n, path, "a whole number")
			return
		}
		d.bounds(n, i, path, tag)
		v.SetInt(int64(i))
	}
}

// bounds checks a number against the minimum and the maximum of its tag, which are constants of
// ours.
func (d *decoder) bounds(n *json.Node, i int, path, tag string) {
	for _, s := range tagged(tag, "minimum") {
		if least, err := strconv.Atoi(s); err == nil && i < least {
			d.bad(n, path, "minimum %d, got %d", least, i)
		}
	}
	for _, s := range tagged(tag, "maximum") {
		if most, err := strconv.Atoi(s); err == nil && i > most {
			d.bad(n, path, "maximum %d, got %d", most, i)
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

// alternatives are words as a sentence lists them. "" is allowed beside them and says nothing.
func alternatives(words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	if len(words) == 1 {
		return words[0]
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// fieldNamed is the index of the field that a key fills, -1 if there is none.
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

// keys are what an object of this type may have.
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

// A rule with two words would be read by its order, which JSON does not have.
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

// Neither of the two is required: a layer may name a server that a lower one describes.
func (s *Server) check() error {
	if s.Command != "" && s.URL != "" {
		return errors.New("want a command or a url, not both")
	}
	return nil
}
