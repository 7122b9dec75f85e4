package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	fault "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// An explainer turns the library's errors into our own words.
type explainer struct {
	root  *node // the arguments
	clean *node // the schema
	found []Violation
	more  int // not collected
}

func (f *compiled) explain(root *node, err error) *Invalid {
	e := &explainer{root: root, clean: f.clean}
	var bad *jsonschema.ValidationError
	if !errors.As(err, &bad) {
		return invalid("%v", err)
	}
	e.tell(bad)
	slices.SortFunc(e.found, func(x, y Violation) int {
		return cmp.Or(cmp.Compare(x.Path, y.Path), cmp.Compare(x.Message, y.Message))
	})
	e.found = slices.Compact(e.found)
	more := max(0, len(e.found)-maxViolations)
	return &Invalid{Violations: e.found[:len(e.found)-more], More: more + e.more}
}

// place returns the value that an error is about, and its path.
func (e *explainer) place(loc []string) (*node, string) {
	n, path := e.root, ""
	for _, name := range loc {
		if i, err := strconv.Atoi(name); err == nil && n.kind == arrayKind && i < len(n.kids) {
			n, path = &n.kids[i], stepItem(path, i)
			continue
		}
		sub := n.get(name)
		if sub == nil {
			break
		}
		n, path = sub, step(path, name)
	}
	return n, path
}

func (e *explainer) add(path, format string, args ...any) {
	if len(e.found) >= maxFound {
		e.more++
		return
	}
	e.found = append(e.found, Violation{Path: shortPath(path), Message: fmt.Sprintf(format, args...)})
}

func (e *explainer) tell(err *jsonschema.ValidationError) {
	n, path := e.place(err.InstanceLocation)
	switch k := err.ErrorKind.(type) {
	case *fault.Schema, *fault.Group, *fault.Reference, *fault.AllOf:
		for _, c := range err.Causes {
			e.tell(c)
		}
	case *fault.AnyOf:
		e.alternatives(err, n, path)
	case *fault.OneOf:
		if len(k.Subschemas) > 1 {
			e.add(path, "matches two of the allowed forms (%d and %d), want exactly one", k.Subschemas[0]+1, k.Subschemas[1]+1)
			return
		}
		e.alternatives(err, n, path)
	case *fault.Type:
		e.add(path, "want %s, got %s", list(k.Want, "or"), describe(n))
	case *fault.Enum:
		e.enum(path, k.Want, n)
	case *fault.Const:
		e.enum(path, []any{k.Want}, n)
	default:
		e.tellObject(err, n, path)
	}
}

func (e *explainer) tellObject(err *jsonschema.ValidationError, n *node, path string) {
	switch k := err.ErrorKind.(type) {
	case *fault.Required:
		for _, name := range k.Missing {
			e.add(step(path, name), "required, but missing%s", e.wanted(err.SchemaURL, name))
		}
	case *fault.AdditionalProperties:
		for _, name := range k.Properties {
			e.add(step(path, name), "unknown property%s", e.known(err.SchemaURL, name, n))
		}
	case *fault.PropertyNames:
		e.add(path, "property name %s is not allowed", quote(k.Property))
	case *fault.DependentRequired:
		e.dependent(path, k.Prop, k.Missing)
	case *fault.Dependency:
		e.dependent(path, k.Prop, k.Missing)
	case *fault.MinProperties:
		e.add(path, "want at least %s, got %d", plural(k.Want, "property"), k.Got)
	case *fault.MaxProperties:
		e.add(path, "want at most %s, got %d", plural(k.Want, "property"), k.Got)
	default:
		e.tellValue(err, n, path)
	}
}

func (e *explainer) tellValue(err *jsonschema.ValidationError, n *node, path string) {
	switch k := err.ErrorKind.(type) {
	case *fault.Minimum:
		e.add(path, "want at least %s, got %s", decimal(k.Want), clip(n.text))
	case *fault.Maximum:
		e.add(path, "want at most %s, got %s", decimal(k.Want), clip(n.text))
	case *fault.ExclusiveMinimum:
		e.add(path, "want more than %s, got %s", decimal(k.Want), clip(n.text))
	case *fault.ExclusiveMaximum:
		e.add(path, "want less than %s, got %s", decimal(k.Want), clip(n.text))
	case *fault.MultipleOf:
		e.add(path, "want a multiple of %s, got %s", decimal(k.Want), clip(n.text))
	case *fault.MinLength:
		e.add(path, "want at least %s, got %d", plural(k.Want, "character"), k.Got)
	case *fault.MaxLength:
		e.add(path, "want at most %s, got %d", plural(k.Want, "character"), k.Got)
	case *fault.Pattern:
		e.add(path, "want text that matches %s, got %s", quote(k.Want), quote(k.Got))
	case *fault.Format:
		e.add(path, "want text of the format %s, got %s", k.Want, describe(n))
	default:
		e.tellArray(err, path)
	}
}

func (e *explainer) tellArray(err *jsonschema.ValidationError, path string) {
	switch k := err.ErrorKind.(type) {
	case *fault.MinItems:
		e.add(path, "want at least %s, got %d", plural(k.Want, "item"), k.Got)
	case *fault.MaxItems:
		e.add(path, "want at most %s, got %d", plural(k.Want, "item"), k.Got)
	case *fault.AdditionalItems:
		e.add(path, "%s too many", plural(k.Count, "item"))
	case *fault.UniqueItems:
		e.add(path, "items %d and %d are equal, want different ones", k.Duplicates[0], k.Duplicates[1])
	case *fault.Contains:
		e.add(path, "no item is of the kind that one must be")
	case *fault.MinContains:
		e.add(path, "want at least %s of the required kind, got %d", plural(k.Want, "item"), len(k.Got))
	case *fault.MaxContains:
		e.add(path, "want at most %s of the special kind, got %d", plural(k.Want, "item"), len(k.Got))
	case *fault.FalseSchema:
		e.add(path, "not allowed here")
	case *fault.Not:
		e.add(path, "has a form that the schema rules out")
	default:
		e.add(path, "does not match the schema")
	}
}

func (e *explainer) dependent(path, given string, missing []string) {
	for _, name := range missing {
		e.add(step(path, name), "required together with %s, but missing", quote(given))
	}
}

// decimal writes a bound as a person would.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func (e *explainer) enum(path string, want []any, n *node) {
	words, texts := make([]string, len(want)), make([]string, 0, len(want))
	for i, w := range want {
		words[i] = literal(w)
		if s, ok := w.(string); ok {
			texts = append(texts, s)
		}
	}
	one := "one of "
	if len(words) == 1 {
		one = ""
	}
	hint := ""
	if n.kind == stringKind && len(words) > 1 {
		if near := nearest(n.text, texts); near != "" {
			hint = "; did you mean " + quote(near) + "?"
		}
	}
	e.add(path, "want %s%s, got %s%s", one, list(words, "or"), describe(n), hint)
}

// literal shows a value of an enum.
func literal(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return clip(string(b))
}
