package dialect_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helve/engine/dialect"
)

// These are the targets' keyword rules as their documentation and the official Go libraries state them, written down a second time and
// independently of the conversion: what a provider would refuse, a checker here refuses.

type checker struct {
	keywords []string // all that may stand in a schema
	schema   func(c *checker, n map[string]any, at string)
	bad      []string
}

func (c *checker) say(at, format string, args ...any) {
	c.bad = append(c.bad, at+": "+fmt.Sprintf(format, args...))
}

func (c *checker) walk(v any, at string) {
	n, ok := v.(map[string]any)
	if !ok {
		c.say(at, "is %T, not a schema", v)
		return
	}
	for k := range n {
		if !slices.Contains(c.keywords, k) {
			c.say(at, "keyword %s", k)
		}
	}
	c.schema(c, n, at)
	if props, ok := n["properties"].(map[string]any); ok {
		for name, p := range props {
			c.walk(p, at+"/properties/"+name)
		}
	}
	for _, k := range []string{"items", "additionalProperties"} {
		if sub, ok := n[k].(map[string]any); ok {
			c.walk(sub, at+"/"+k)
		}
	}
	for _, k := range []string{"anyOf", "prefixItems"} {
		list, _ := n[k].([]any)
		for i, sub := range list {
			c.walk(sub, fmt.Sprintf("%s/%s/%d", at, k, i))
		}
	}
	if defs, ok := n["$defs"].(map[string]any); ok {
		for name, d := range defs {
			c.walk(d, at+"/$defs/"+name)
		}
	}
}

func typesOf(n map[string]any) []string {
	switch t := n["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, v := range t {
			out = append(out, v.(string))
		}
		return out
	}
	return nil
}

// consistent are rules that hold everywhere: required names exist, lists have items, enums are not empty.
func consistent(c *checker, n map[string]any, at string) {
	props, _ := n["properties"].(map[string]any)
	required, _ := n["required"].([]any)
	for _, r := range required {
		if _, ok := props[r.(string)]; !ok {
			c.say(at, "required %v is not a property", r)
		}
	}
	if e, ok := n["enum"].([]any); ok && len(e) == 0 {
		c.say(at, "an empty enum")
	}
	if slices.Contains(typesOf(n), "array") && n["items"] == nil && n["prefixItems"] == nil {
		c.say(at, "a list without items")
	}
}

var common = []string{"type", "description", "properties", "required", "items", "enum", "anyOf"}

func openAIStrict(c *checker, n map[string]any, at string) {
	consistent(c, n, at)
	if at == "" && (n["anyOf"] != nil || n["type"] != "object") {
		c.say(at, "the root must be an object")
	}
	if n["type"] == nil && n["anyOf"] == nil && n["$ref"] == nil {
		c.say(at, "no type")
	}
	if slices.Contains(typesOf(n), "object") {
		props, _ := n["properties"].(map[string]any)
		required, _ := n["required"].([]any)
		if n["additionalProperties"] != false {
			c.say(at, "an open object")
		}
		if len(props) != len(required) {
			c.say(at, "%d of %d properties required", len(required), len(props))
		}
		if d := strings.Count(at, "/properties/"); d > 9 {
			c.say(at, "%d deep", d)
		}
	}
	if f, ok := n["format"].(string); ok && !slices.Contains([]string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}, f) {
		c.say(at, "format %s", f)
	}
}

func anthropicStrict(c *checker, n map[string]any, at string) {
	consistent(c, n, at)
	if _, list := n["type"].([]any); list {
		c.say(at, "a list of types")
	}
	if n["type"] == nil && n["anyOf"] == nil {
		c.say(at, "no type")
	}
	if n["type"] == "object" && n["additionalProperties"] != false {
		c.say(at, "an open object")
	}
	if m, ok := n["minItems"].(float64); ok && m > 1 {
		c.say(at, "minItems %v", m)
	}
	keys(c, n, at, `^[a-zA-Z0-9_.-]{1,64}$`)
}

func keys(c *checker, n map[string]any, at, pattern string) {
	props, _ := n["properties"].(map[string]any)
	for name := range props {
		if !regexp.MustCompile(pattern).MatchString(name) {
			c.say(at, "the name %q", name)
		}
	}
}

func gemini(c *checker, n map[string]any, at string) {
	consistent(c, n, at)
	t, single := n["type"].(string)
	if n["type"] != nil && !single {
		c.say(at, "a list of types")
	}
	if t == "" && n["anyOf"] == nil {
		c.say(at, "no type")
	}
	if t == "null" {
		c.say(at, "type null")
	}
	if n["anyOf"] != nil && n["default"] != nil {
		c.say(at, "default beside anyOf")
	}
	list, _ := n["enum"].([]any)
	for _, v := range list {
		if _, ok := v.(string); !ok || t != "string" {
			c.say(at, "enum value %v of type %s", v, t)
		}
	}
	if props, _ := n["properties"].(map[string]any); t == "object" && len(props) == 0 {
		c.say(at, "an object without properties")
	}
	if f, ok := n["format"].(string); ok && !slices.Contains([]string{"enum", "date-time", "float", "double", "int32", "int64"}, f) {
		c.say(at, "format %s", f)
	}
	keys(c, n, at, `^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
}

func geminiJSON(c *checker, n map[string]any, at string) {
	consistent(c, n, at)
	list, _ := n["enum"].([]any)
	for _, v := range list {
		switch v.(type) {
		case string, float64, nil:
		default:
			c.say(at, "enum value %v", v)
		}
	}
	keys(c, n, at, `^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
}

func ollama(c *checker, n map[string]any, at string) {
	consistent(c, n, at)
	if n["required"] != nil && at != "" {
		c.say(at, "required")
	}
}

// rooted are the rules of the forms that take JSON Schema.
func rooted(c *checker, n map[string]any, at string) {
	if at == "" && (n["type"] != "object" || n["anyOf"] != nil || n["oneOf"] != nil || n["allOf"] != nil) {
		c.say(at, "the root must be a plain object")
	}
	if slices.Contains(typesOf(n), "array") && n["items"] == nil {
		c.say(at, "a list without items")
	}
}

func checkerOf(d dialect.Dialect) *checker {
	switch d {
	case dialect.OpenAIStrict, dialect.ResponsesStrict:
		return &checker{schema: openAIStrict, keywords: append(slices.Clone(common), "additionalProperties", "$ref", "$defs", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems")}
	case dialect.AnthropicStrict:
		return &checker{schema: anthropicStrict, keywords: append(slices.Clone(common), "additionalProperties", "pattern", "format", "minItems")}
	case dialect.Gemini:
		return &checker{schema: gemini, keywords: append(slices.Clone(common), "nullable", "default", "format", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties")}
	case dialect.GeminiJSON:
		return &checker{schema: geminiJSON, keywords: append(slices.Clone(common), "format", "minimum", "maximum", "minItems", "maxItems", "additionalProperties", "prefixItems")}
	case dialect.Ollama:
		return &checker{schema: ollama, keywords: common}
	}
	return nil
}

// refusals are what the target would refuse in a declaration.
func refusals(t *testing.T, d dialect.Dialect, decl dialect.Declaration) []string {
	t.Helper()
	var name string
	var m map[string]json.RawMessage
	if err := json.Unmarshal(decl.JSON, &m); err != nil {
		t.Fatalf("%s: %s: %v", d, decl.JSON, err)
	}
	if f := m["function"]; f != nil {
		m = nil
		if err := json.Unmarshal(f, &m); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal(m["name"], &name); err != nil {
		t.Fatal(err)
	}
	var bad []string
	pattern := `^[a-zA-Z0-9_-]{1,64}$`
	if d == dialect.Gemini || d == dialect.GeminiJSON {
		pattern = `^[A-Za-z_][a-zA-Z0-9_.:-]{0,127}$`
	}
	if !regexp.MustCompile(pattern).MatchString(name) {
		bad = append(bad, "name "+name)
	}
	var params any
	for _, k := range []string{"parameters", "parametersJsonSchema", "input_schema", "inputSchema"} {
		if raw := m[k]; raw != nil {
			if err := json.Unmarshal(raw, &params); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
		}
	}
	c := checkerOf(d)
	if c == nil || (d == dialect.OpenAIStrict || d == dialect.ResponsesStrict || d == dialect.AnthropicStrict) && !decl.Strict {
		c = &checker{}
		rooted(c, params.(map[string]any), "")
		return append(bad, c.bad...)
	}
	if params == nil && d == dialect.Gemini {
		return bad
	}
	if d == dialect.Ollama {
		ollamaWalk(c, params, "")
	} else {
		c.walk(params, "")
	}
	return append(bad, c.bad...)
}

// ollamaWalk stops below items: that is any JSON on its side.
func ollamaWalk(c *checker, v any, at string) {
	n := v.(map[string]any)
	for k := range n {
		if !slices.Contains(c.keywords, k) {
			c.say(at, "keyword %s", k)
		}
	}
	ollama(c, n, at)
	props, _ := n["properties"].(map[string]any)
	for name, p := range props {
		ollamaWalk(c, p, at+"/properties/"+name)
	}
	list, _ := n["anyOf"].([]any)
	for i, p := range list {
		ollamaWalk(c, p, fmt.Sprintf("%s/anyOf/%d", at, i))
	}
}
