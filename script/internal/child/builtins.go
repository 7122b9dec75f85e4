package child

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	starjson "go.starlark.net/lib/json"
	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"
)

// modules are what scripts have beside the tools. None knows of the time, or of chance.
func modules() starlark.StringDict {
	out := starlark.StringDict{
		"json":     jsonModule(),
		"math":     starmath.Module,
		"re":       expressionModule(),
		"csv":      tableModule(),
		"datetime": momentModule(),
		"sum":      starlark.NewBuiltin("sum", sum),
		"round":    starlark.NewBuiltin("round", round),
		"min":      starlark.NewBuiltin("min", least),
		"max":      starlark.NewBuiltin("max", least),
	}
	return out
}

// jsonModule is Starlark's own, with the names that Python has for the same.
func jsonModule() *starlarkstruct.Module {
	m := &starlarkstruct.Module{Name: "json", Members: starlark.StringDict{}}
	for name, v := range starjson.Module.Members {
		m.Members[name] = v
	}
	m.Members["loads"] = m.Members["decode"]
	m.Members["dumps"] = starlark.NewBuiltin("dumps", dumps)
	return m
}

// dumps is json.dumps(x, indent=None, …). What sorts keys or separates is taken and says nothing: keys are sorted.
func dumps(
	t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var x, indent, ignored starlark.Value
	err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "indent?", &indent,
		"sort_keys?", &ignored, "ensure_ascii?", &ignored, "default?", &ignored)
	if err != nil {
		return nil, err
	}
	text, err := starlark.Call(t, starjson.Module.Members["encode"], starlark.Tuple{x}, nil)
	if err != nil || indent == nil || indent == starlark.None {
		return text, err
	}
	blanks := indent
	if n, err := starlark.AsInt32(indent); err == nil {
		if n < 0 || n > maxIndent {
			return nil, fmt.Errorf("dumps: indent %d: at most %d", n, maxIndent)
		}
		blanks = starlark.String(fmt.Sprintf("%*s", n, ""))
	}
	return starlark.Call(t, starjson.Module.Members["indent"], starlark.Tuple{text},
		[]starlark.Tuple{{starlark.String("indent"), blanks}})
}

// maxIndent bounds the blanks of json.dumps: deep values are indented often.
const maxIndent = 16

// sum is sum(list, start=0).
func sum(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var list starlark.Iterable
	var total starlark.Value = starlark.MakeInt(0)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "iterable", &list, "start?", &total); err != nil {
		return nil, err
	}
	it := list.Iterate()
	defer it.Done()
	var x starlark.Value
	for it.Next(&x) {
		next, err := starlark.Binary(syntax.PLUS, number(total), number(x))
		if err != nil {
			return nil, fmt.Errorf("sum: %w", err)
		}
		total = next
	}
	return total, nil
}

// number has True count as 1: [ok for …] is summed up to count.
func number(v starlark.Value) starlark.Value {
	b, ok := v.(starlark.Bool)
	switch {
	case !ok:
		return v
	case bool(b):
		return starlark.MakeInt(1)
	}
	return starlark.MakeInt(0)
}

// round is round(x, digits=None): to the nearest, halves to the even one.
func round(
	_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var x, digits starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "number", &x, "ndigits?", &digits); err != nil {
		return nil, err
	}
	if n, ok := x.(starlark.Int); ok && (digits == nil || digits == starlark.None) {
		return n, nil
	}
	f, ok := starlark.AsFloat(x)
	if !ok {
		return nil, fmt.Errorf("round: want a number, not a %s", x.Type())
	}
	if digits == nil || digits == starlark.None {
		return starlark.NumberToInt(starlark.Float(math.RoundToEven(f)))
	}
	n, err := starlark.AsInt32(digits)
	if err != nil {
		return nil, fmt.Errorf("round: ndigits: %w", err)
	}
	if n < 0 {
		unit := math.Pow10(-max(n, -maxDigits))
		return sameKind(x, math.RoundToEven(f/unit)*unit)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return x, nil
	}
	f, err = strconv.ParseFloat(strconv.FormatFloat(f, 'f', min(n, maxDigits), 64), 64)
	if err != nil {
		return nil, err
	}
	return sameKind(x, f)
}

// maxDigits is more than a float has on either side of its point.
const maxDigits = 308

// sameKind is a number as an int, where the one that it was made of is one.
func sameKind(x starlark.Value, f float64) (starlark.Value, error) {
	if _, ok := x.(starlark.Int); ok {
		return starlark.NumberToInt(starlark.Float(f))
	}
	return starlark.Float(f), nil
}

// least is min and max: those of the language, with default for a list with nothing in it.
func least(
	t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var empty starlark.Value
	var rest []starlark.Tuple
	for _, kv := range kwargs {
		if kv[0] == starlark.String("default") {
			empty = kv[1]
			continue
		}
		rest = append(rest, kv)
	}
	if empty != nil {
		if len(args) != 1 {
			return nil, errors.New(b.Name() + ": default goes with one list")
		}
		list, ok := args[0].(starlark.Iterable)
		if !ok {
			return nil, fmt.Errorf("%s: want a list, not a %s", b.Name(), args[0].Type())
		}
		it := list.Iterate()
		var x starlark.Value
		some := it.Next(&x)
		it.Done()
		if !some {
			return empty, nil
		}
	}
	return starlark.Call(t, starlark.Universe[b.Name()], args, rest)
}
