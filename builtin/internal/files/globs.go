package files

import (
	"encoding/json"
	"errors"
	"strings"
)

// globs are patterns of files that are left out: one text, or a list of them. Each text may have several, with commas
// between them.
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
	for _, list := range g {
		for _, p := range severalGlobs(list) {
			if p == "" || strings.HasPrefix(p, "!") {
				return nil, errors.New("exclude: name what to leave out, such as *_test.go or vendor/**")
			}
			out = append(out, "!"+p)
		}
	}
	return out, nil
}

// severalGlobs are the globs of one text: models write *.go,*.txt for both. The whole stays among them, since a file's
// name may have a comma.
func severalGlobs(text string) []string {
	parts := splitGlobs(text)
	if len(parts) < 2 {
		return []string{text}
	}
	var out []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return append(out, strings.Join(parts, `\,`))
}

// splitGlobs cuts a text at the commas that are not in braces, in a class or behind a backslash.
func splitGlobs(text string) (parts []string) {
	braces, class, from := 0, false, 0
	lastBrace, lastBracket := strings.LastIndexByte(text, '}'), strings.LastIndexByte(text, ']')
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = i < lastBracket
		case c == ']':
			class = false
		case class: // what stands there means itself
		case c == '{' && i < lastBrace:
			braces++
		case c == '}':
			braces = max(braces-1, 0)
		case c == ',' && braces == 0:
			parts = append(parts, text[from:i])
			from = i + 1
		}
	}
	return append(parts, text[from:])
}
