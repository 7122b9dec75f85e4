package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	rawjson "helve/internal/json"
)

// keywordsOf are the keywords that a tag may give a type beside those of every type.
var keywordsOf = map[string][]string{
	"string":  {"minLength", "maxLength", "pattern", "format"},
	"integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	"number":  {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	"array":   {"minItems", "maxItems", "uniqueItems"},
}

// counted are the keywords whose value is how many there may be.
var counted = []string{"minLength", "maxLength", "minItems", "maxItems"}

// tag puts into the shape what a field's tags say of it, and tells whether they require it.
func (s *shape) tag(tag reflect.StructTag) (required bool, err error) {
	if _, ok := tag.Lookup("jsonschema_extras"); ok {
		return false, errors.New("jsonschema_extras: not supported")
	}
	s.description = tag.Get("jsonschema_description")
	text := tag.Get("jsonschema")
	switch {
	case text == "":
		return false, nil
	case !hasKeywords(text):
		s.description = text
		return false, nil
	}
	for _, part := range splitTag(text) {
		if part == "required" {
			required = true
			continue
		}
		if part == "nullable" {
			s.nullable = true
			continue
		}
		word, value, ok := strings.Cut(part, "=")
		if !ok {
			const bare = `jsonschema: %q is no keyword with a value (a comma in a value is written \\,)`
			return false, fmt.Errorf(bare, part)
		}
		if err := s.keyword(word, value); err != nil {
			return false, fmt.Errorf("jsonschema: %s=%s: %w", word, value, err)
		}
	}
	return required, nil
}

// hasKeywords tells the two forms of the tag apart: a list of keywords begins with one, word= or a bare word, as
// github.com/invopop/jsonschema reads it; all else is a description as a whole, as the official MCP SDK
// (github.com/google/jsonschema-go) reads it, which keeps word= at the beginning free for that.
func hasKeywords(text string) bool {
	first := splitTag(text)[0]
	if first == "required" || first == "nullable" {
		return true
	}
	word, _, valued := strings.Cut(first, "=")
	return valued && !strings.ContainsAny(word, " \t\n")
}

// splitTag splits at commas without a backslash before them.
func splitTag(text string) []string {
	var parts []string
	var part strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == ',':
			part.WriteByte(',')
			i++
		case text[i] == ',':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(text[i])
		}
	}
	return append(parts, part.String())
}

// keyword sets one keyword. Those of a list that are not about the list itself are about its items.
func (s *shape) keyword(word, value string) error {
	own := slices.Contains(keywordsOf[s.kind], word)
	switch {
	case word == "title":
		s.title = value
	case word == "description":
		s.description = value
	case own:
		return s.limit(word, value)
	case slices.Contains(remarks, word):
		return s.remark(word, value)
	case s.kind == "array" && word == "default":
		return s.appendDefault(value)
	case s.kind == "array" && s.items.kind == "array":
		return errors.New("a list of lists takes no keywords of its items")
	case s.kind == "array":
		return s.items.keyword(word, value)
	case word == "enum":
		v, err := s.value(value)
		s.enum = append(s.enum, v)
		return err
	case word == "default":
		v, err := s.value(value)
		s.fallback = v
		return err
	case word == "example":
		v, err := s.value(value)
		s.examples = append(s.examples, v)
		return err
	default:
		return fmt.Errorf("no keyword of %s", s.words())
	}
	return nil
}

// remarks are keywords about a value which judge none.
var remarks = []string{"deprecated", "readOnly", "writeOnly"}

func (s *shape) remark(word, value string) error {
	switch value {
	case "true":
		s.remarks = append(s.remarks, word)
	case "false": // as if it were not said
	default:
		return errors.New("want true or false")
	}
	return nil
}

// words names the shape in a message.
func (s *shape) words() string {
	switch {
	case s.own != "":
		return "a type that says its own schema"
	case s.kind == "":
		return "a value of any type"
	}
	return "type " + s.kind
}

// limit sets a keyword of the type after a look at its value.
func (s *shape) limit(word, value string) error {
	switch {
	case word == "pattern" && !checks(newPattern(value)):
		return errors.New("not one that Go can compile, or too costly")
	case word == "pattern" || word == "format":
		s.set(word, string(rawjson.AppendString(nil, value)))
	case word == "uniqueItems":
		if value != "true" {
			return errors.New("want true")
		}
		s.set(word, value)
	case slices.Contains(counted, word):
		if _, err := strconv.ParseUint(value, 10, 32); err != nil {
			return errors.New("want a whole number from 0")
		}
		s.set(word, value)
	default:
		n, err := tagNumber(value)
		if err != nil {
			return err
		}
		s.set(word, string(n))
	}
	return nil
}

// checks tells that validation will check the pattern.
func checks(p pattern) bool { return p.re != nil && p.weight <= maxProgram }

// appendDefault adds one item to a list's default.
func (s *shape) appendDefault(value string) error {
	v, err := s.items.value(value)
	if err != nil {
		return err
	}
	if s.fallback == nil {
		s.fallback = json.RawMessage("[" + string(v) + "]")
		return nil
	}
	s.fallback = append(s.fallback[:len(s.fallback)-1:len(s.fallback)-1], ","+string(v)+"]"...)
	return nil
}

// value reads a tag's text as a value of the shape.
func (s *shape) value(text string) (json.RawMessage, error) {
	switch s.kind {
	case "string":
		return rawjson.AppendString(nil, text), nil
	case "boolean":
		if text != "true" && text != "false" {
			return nil, errors.New("want true or false")
		}
		return json.RawMessage(text), nil
	case "integer", "number":
		n, err := tagNumber(text)
		if err == nil && s.kind == "integer" && strings.ContainsAny(text, ".eE") {
			err = errors.New("want a whole number")
		}
		return n, err
	}
	return nil, fmt.Errorf("a tag holds no value of %s", s.words())
}

// tagNumber is a text that JSON has for a number.
func tagNumber(text string) (json.RawMessage, error) {
	if !json.Valid([]byte(text)) || !strings.ContainsAny(text[:1], "-0123456789") {
		return nil, errors.New("want a number")
	}
	return json.RawMessage(text), nil
}
