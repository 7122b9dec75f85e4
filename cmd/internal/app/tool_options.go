package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/tool"
)

// A preset is a tool whose parameters have other defaults. They stand in its schema: what the model reads, what the policy judges and what
// runs agree.
type preset struct {
	tool.Tool
	spec *tool.Spec
}

func (p preset) Spec() *tool.Spec { return p.spec }

// preset gives tools the defaults that the configuration's tool_options say. A server goes on without one that is wrong.
func (a *app) preset(h *house, tools []tool.Tool) ([]tool.Tool, error) {
	for _, name := range slices.Sorted(maps.Keys(h.set.ToolOptions)) {
		i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Spec().Name == name })
		if i < 0 {
			a.note("warning: tool_options: there is no built-in tool %q: ignored", printable(name))
			continue
		}
		made, err := defaults(tools[i], h.set.ToolOptions[name])
		switch {
		case err == nil:
			tools[i] = made
		case a.tolerant:
			a.note("warning: tool_options.%s: %s: ignored", name, printable(err.Error()))
		default:
			return nil, usage("%s: tool_options.%s: %s", h.set.At("tool_options", name), name, printable(err.Error()))
		}
	}
	return tools, nil
}

// defaults is t with defaults for some of its parameters, each of which it would take from a caller, too.
func defaults(t tool.Tool, options json.RawMessage) (tool.Tool, error) {
	chosen, err := rawjson.Object(options)
	if err != nil {
		return nil, fmt.Errorf(`want an object like {"timeout":60000}`)
	}
	spec := *t.Spec()
	in := spec.Input.JSON()
	params := rawjson.Get(in, "properties")
	for _, o := range chosen {
		param := rawjson.Get(params, o.Key)
		if param == nil {
			return nil, fmt.Errorf("there is no parameter %q: %s has %s", o.Key, spec.Name, parameters(params))
		}
		if err := takes(o.Key, param, o.Value); err != nil {
			return nil, err
		}
		params = rawjson.Set(params, o.Key, rawjson.Set(param, "default", o.Value))
	}
	spec.Input, err = schema.Parse(rawjson.Set(in, "properties", params))
	return preset{t, &spec}, err
}

// takes says what is wrong with a value for a parameter.
func takes(key string, param, value json.RawMessage) error {
	one, err := schema.Parse(rawjson.Set([]byte(`{"type":"object"}`), "properties", rawjson.Join([]rawjson.Member{{Key: key, Value: param}})))
	if err != nil {
		return err
	}
	if _, err = one.Check(rawjson.Join([]rawjson.Member{{Key: key, Value: value}})); err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "Parameter validation failed: "))
	}
	return nil
}

func parameters(params json.RawMessage) string {
	all, _ := rawjson.Object(params) // a schema's own: it was read before
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Key
	}
	return strings.Join(names, ", ")
}
