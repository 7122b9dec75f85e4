package wrap

import (
	"encoding/json"
	"fmt"
	"strings"

	"helve/engine/schema"
	rawjson "helve/internal/json"
	"helve/tool"
)

// defaulted is a tool whose parameters have other defaults.
type defaulted struct {
	tool.Tool
	spec *tool.Spec
}

func (d defaulted) Spec() *tool.Spec { return d.spec }

// Defaults is t with other defaults for some of its parameters: options is an object like {"timeout":60000}. They stand
// in the tool's schema, so that what the model reads, what the policy judges and what runs agree. Options that the tool
// would not take from a caller are an error.
func Defaults(t tool.Tool, options json.RawMessage) (tool.Tool, error) {
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
	if err != nil {
		return nil, err
	}
	return defaulted{t, &spec}, nil
}

// takes says what is wrong with a value for a parameter.
func takes(key string, param, value json.RawMessage) error {
	properties := rawjson.Join([]rawjson.Member{{Key: key, Value: param}})
	one, err := schema.Parse(rawjson.Set([]byte(`{"type":"object"}`), "properties", properties))
	if err != nil {
		return err
	}
	_, err = one.Check(rawjson.Join([]rawjson.Member{{Key: key, Value: value}}))
	if err != nil {
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
