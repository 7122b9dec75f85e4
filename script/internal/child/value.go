package child

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	starjson "go.starlark.net/lib/json"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"helve/engine/stub"
	"helve/script/internal/wire"
)

// maxDepth bounds how deep values nest that leave the script: one that holds itself has no end.
const maxDepth = 200

// A record is an object of JSON: a dict whose fields can be read with a dot, too. A field that is called as a method of
// dicts is read with brackets. One that its shape promises is there also where it was left out: with the value that
// being left out stands for.
type record struct {
	*starlark.Dict
	shape *stub.Shape // nil: nothing is promised
}

var (
	_ starlark.HasAttrs        = record{}
	_ starlark.HasSetKey       = record{}
	_ starlark.IterableMapping = record{}
	_ starlark.Comparable      = record{}
)

func (r record) Type() string { return "record" }

// Get is r["name"], and what in looks for.
func (r record) Get(key starlark.Value) (starlark.Value, bool, error) {
	v, found, err := r.Dict.Get(key)
	if found || err != nil {
		return v, found, err
	}
	name, ok := starlark.AsString(key)
	if !ok {
		return nil, false, nil
	}
	if kind, known := r.promised(name); known && kind != "" {
		return empty(kind), true, nil
	}
	return nil, false, nil
}

// promised is the kind of a field that may have been left out; "": it may be anything.
func (r record) promised(name string) (kind string, known bool) {
	if r.shape == nil {
		return "", false
	}
	field, known := r.shape.Fields[name]
	if field == nil {
		return "", known
	}
	return field.Kind, known
}

func (r record) Attr(name string) (starlark.Value, error) {
	if name == "get" {
		return starlark.NewBuiltin("get", r.getMethod), nil
	}
	v, err := r.Dict.Attr(name)
	if v != nil || err != nil {
		return v, err
	}
	v, found, err := r.Dict.Get(starlark.String(name))
	if found || err != nil {
		return v, err
	}
	kind, known := r.promised(name)
	if !known {
		return nil, r.noField(name)
	}
	return empty(kind), nil
}

// mostFields is how many fields an error names: as many as the records of the built-in tools have.
const mostFields = 24

// noField is the error of a field that there is not. It names those that there are.
func (r record) noField(name string) error {
	fields := map[string]bool{}
	for _, k := range r.Dict.Keys() {
		if s, ok := starlark.AsString(k); ok {
			fields[s] = true
		}
	}
	if r.shape != nil {
		for s := range r.shape.Fields {
			fields[s] = true
		}
	}
	names := slices.Sorted(maps.Keys(fields))
	if more := len(names) - mostFields; more > 0 {
		names = append(names[:mostFields], fmt.Sprintf("and %d more", more))
	}
	const words = "record has no .%s field or method; its fields: %s"
	return starlark.NoSuchAttrError(fmt.Sprintf(words, name, strings.Join(names, ", ")))
}

// getMethod is get(key, default=None), which knows of the fields that are promised.
func (r record) getMethod(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var key, otherwise starlark.Value
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &key, &otherwise); err != nil {
		return nil, err
	}
	v, found, err := r.Get(key)
	if found || err != nil {
		return v, err
	}
	if otherwise == nil {
		return starlark.None, nil
	}
	return otherwise, nil
}

// empty is the value of a field that was left out.
func empty(kind string) starlark.Value {
	switch kind {
	case "str":
		return starlark.String("")
	case "int":
		return starlark.MakeInt(0)
	case "float":
		return starlark.Float(0)
	case "bool":
		return starlark.False
	case "list":
		return starlark.NewList(nil)
	}
	return starlark.None
}

func (r record) AttrNames() []string {
	out := r.Dict.AttrNames()
	for _, k := range r.Dict.Keys() {
		if s, ok := k.(starlark.String); ok {
			out = append(out, string(s))
		}
	}
	slices.Sort(out)
	return out
}

// CompareSameType compares records as the dicts that they are.
func (r record) CompareSameType(op syntax.Token, other starlark.Value, depth int) (bool, error) {
	return r.Dict.CompareSameType(op, other.(record).Dict, depth)
}

// fromJSON is JSON as values of the script.
func fromJSON(t *starlark.Thread, raw json.RawMessage, shape *stub.Shape) (starlark.Value, error) {
	decode := starjson.Module.Members["decode"]
	v, err := starlark.Call(t, decode, starlark.Tuple{starlark.String(raw)}, nil)
	if err != nil {
		return nil, err
	}
	return records(v, shape)
}

// records makes records of all dicts in a value that JSON made.
func records(v starlark.Value, shape *stub.Shape) (starlark.Value, error) {
	if shape == nil {
		shape = &stub.Shape{}
	}
	switch v := v.(type) {
	case *starlark.List:
		for i := range v.Len() {
			x, err := records(v.Index(i), shape.Items)
			if err == nil {
				err = v.SetIndex(i, x)
			}
			if err != nil {
				return nil, err
			}
		}
	case *starlark.Dict:
		for _, item := range v.Items() {
			name, _ := starlark.AsString(item[0])
			x, err := records(item[1], shape.Fields[name])
			if err == nil {
				err = v.SetKey(item[0], x)
			}
			if err != nil {
				return nil, err
			}
		}
		return record{v, shape}, nil
	}
	return v, nil
}

// An encoder writes values of the script as JSON. Fields keep their order.
type encoder struct {
	b   bytes.Buffer
	max int // bytes; more are an error
}

// toJSON is a value as JSON of at most so many bytes.
func toJSON(v starlark.Value, most int) (json.RawMessage, error) {
	e := encoder{max: most}
	if err := e.value(v, 0); err != nil {
		return nil, err
	}
	return e.b.Bytes(), nil
}

func (e *encoder) value(v starlark.Value, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values nest deeper than %d, or a value holds itself", maxDepth)
	}
	if e.b.Len() > e.max {
		return fmt.Errorf("it is larger than %d bytes as JSON", e.max)
	}
	// What can be gone through by key is an object, whatever its type is called; only then come lists, since dicts
	// can be gone through, too.
	switch v := v.(type) {
	case starlark.NoneType:
		e.b.WriteString("null")
	case starlark.Bool:
		fmt.Fprint(&e.b, bool(v))
	case starlark.Int:
		e.b.WriteString(v.String())
	case starlark.Float:
		return e.number(float64(v))
	case starlark.String:
		return e.text(string(v))
	case starlark.Bytes:
		return e.text(string(v))
	case starlark.IterableMapping:
		return e.object(v, depth)
	case starlark.Iterable:
		return e.list(v, depth)
	default:
		return fmt.Errorf("a %s has no form in JSON", v.Type())
	}
	return nil
}

func (e *encoder) number(f float64) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("the number %v has no form in JSON", f)
	}
	b, err := json.Marshal(f)
	e.b.Write(b)
	return err
}

func (e *encoder) text(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("a text is not valid UTF-8")
	}
	if e.b.Len()+len(s) > e.max {
		return fmt.Errorf("it is larger than %d bytes as JSON", e.max)
	}
	enc := json.NewEncoder(&e.b)
	enc.SetEscapeHTML(false) // code is full of < and &
	err := enc.Encode(s)
	e.b.Truncate(e.b.Len() - 1) // the line end
	return err
}

func (e *encoder) object(m starlark.IterableMapping, depth int) error {
	e.b.WriteByte('{')
	for i, item := range m.Items() {
		key, ok := starlark.AsString(item[0])
		if !ok {
			return fmt.Errorf("the key %s is no text: objects of JSON have keys that are texts", item[0])
		}
		if i > 0 {
			e.b.WriteByte(',')
		}
		if err := e.text(key); err != nil {
			return err
		}
		e.b.WriteByte(':')
		if err := e.value(item[1], depth+1); err != nil {
			return err
		}
	}
	e.b.WriteByte('}')
	return nil
}

func (e *encoder) list(l starlark.Iterable, depth int) error {
	it := l.Iterate()
	defer it.Done()
	e.b.WriteByte('[')
	var x starlark.Value
	for i := 0; it.Next(&x); i++ {
		if i > 0 {
			e.b.WriteByte(',')
		}
		if err := e.value(x, depth+1); err != nil {
			return err
		}
	}
	e.b.WriteByte(']')
	return nil
}

// A failed value is what try_call gives for a call that failed.
func failed(f *wire.Failure) starlark.Value {
	d := starlark.NewDict(4)
	for _, field := range [][2]string{
		{"code", f.Code}, {"message", f.Message}, {"hint", f.Hint}, {"tool", f.Tool},
	} {
		d.SetKey(starlark.String(field[0]), starlark.String(field[1])) // a new dict takes every text
	}
	return record{Dict: d}
}
