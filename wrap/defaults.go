package wrap

import (
	"encoding/json"
	"errors"
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
		param = rawjson.Set(param, "default", o.Value)
		params = rawjson.Set(params, o.Key, param)
	}
	spec.Input, err = schema.Parse(rawjson.Set(in, "properties", params))
	if err != nil {
		return nil, err
	}
	return defaulted{t, &spec}, nil
}

// takes says what is wrong with a value for a parameter. The parameter is checked alone: the others may be required.
func takes(key string, param, value json.RawMessage) error {
	alone := rawjson.Set([]byte(`{"type":"object"}`), "properties", member(key, param))
	one, err := schema.Parse(alone)
	if err != nil {
		return err
	}
	_, err = one.Check(member(key, value))
	if err == nil {
		return nil
	}
	// The words are for a model's call; this is a person's configuration.
	return errors.New(strings.TrimPrefix(err.Error(), "Parameter validation failed: "))
}

// member is an object with one member.
func member(key string, value json.RawMessage) json.RawMessage {
	one := rawjson.Member{Key: key, Value: value}
	return rawjson.Join([]rawjson.Member{one})
}

func parameters(params json.RawMessage) string {
	all, _ := rawjson.Object(params) // a schema's own: it was read before
	names := make([]string, len(all))
	for i, m := range all {
		names[i] = m.Key
	}
	return strings.Join(names, ", ")
}
