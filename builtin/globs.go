package builtin

import (
	"encoding/json"
	"errors"
	"strings"
)

// globs are patterns of files that are left out: one text, or a list of them.
type globs []string

// JSONSchema is the schema of the parameter.
func (globs) JSONSchema() string { return `{"type":["string","array"],"items":{"type":"string"}}` }

// UnmarshalJSON reads either form. An empty text is no pattern.
func (g *globs) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*g = nil
		if one != "" {
			*g = globs{one}
		}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(g))
}

// negated are the globs as a filter takes them beside those that it wants.
func (g globs) negated() ([]string, error) {
	var out []string
	for _, p := range g {
		if p == "" || strings.HasPrefix(p, "!") {
			return nil, errors.New("exclude: name what to leave out, such as *_test.go or vendor/**")
		}
		out = append(out, "!"+p)
	}
	return out, nil
}
