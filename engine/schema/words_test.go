package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// Every keyword is explained in words that say what to write instead.
func TestEveryKeywordIsExplained(t *testing.T) {
	for _, c := range []struct{ schema, args, want string }{
		{`{"properties":{"a":{"type":["string","null"]}}}`, `{"a":[1,2]}`, `a: want null or string, got array of 2 items`},
		{`{"properties":{"a":{"type":"integer"}}}`, `{"a":1.5}`, `a: want integer, got number 1.5`},
		{`{"properties":{"a":{"const":"x"}}}`, `{"a":"y"}`, `a: want "x", got string "y"`},
		{`{"properties":{"a":{"enum":[1,null,"x"]}}}`, `{"a":true}`, `a: want one of 1, null or "x", got boolean true`},
		{`{"properties":{"a":{"minimum":1}}}`, `{"a":0}`, `a: want at least 1, got 0`},
		{`{"properties":{"a":{"maximum":1.5}}}`, `{"a":2}`, `a: want at most 1.5, got 2`},
		{`{"properties":{"a":{"exclusiveMinimum":0}}}`, `{"a":0}`, `a: want more than 0, got 0`},
		{`{"properties":{"a":{"exclusiveMaximum":9}}}`, `{"a":9}`, `a: want less than 9, got 9`},
		{`{"properties":{"a":{"multipleOf":5}}}`, `{"a":7}`, `a: want a multiple of 5, got 7`},
		{`{"properties":{"a":{"minLength":1}}}`, `{"a":""}`, `a: want at least 1 character, got 0`},
		{`{"properties":{"a":{"maxLength":2}}}`, `{"a":"日本語"}`, `a: want at most 2 characters, got 3`},
		{`{"properties":{"a":{"pattern":"^a"}}}`, `{"a":"b"}`, `a: want text that matches "^a", got "b"`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`, `{"a":1}`, `a: want more than 1, got 1`},
		{`{"properties":{"a":{"prefixItems":[true],"items":false}}}`, `{"a":[1,2,3]}`, `a: 2 items too many`},
		{`{"allOf":[{"properties":{"name":true}}],"properties":{"size":true},"unevaluatedProperties":false}`, `{"name":1,"sise":2}`, `sise: unknown property; did you mean size? Known are size`},
		{`{"properties":{"a":{"prefixItems":[true],"unevaluatedItems":false}}}`, `{"a":[1,2]}`, `a: 1 item too many`},
		{`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, `b: required, but missing`},
		{`{"properties":{"a":{"minItems":1}}}`, `{"a":[]}`, `a: want at least 1 item, got 0`},
		{`{"properties":{"a":{"maxItems":1}}}`, `{"a":[1,2]}`, `a: want at most 1 item, got 2`},
		{`{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,2,1]}`, `a: items 0 and 2 are equal, want different ones`},
		{`{"properties":{"a":{"contains":{"type":"string"}}}}`, `{"a":[1]}`, `a: no item is of the kind that one must be`},
		{`{"properties":{"a":{"contains":true,"minContains":2}}}`, `{"a":[1]}`, `a: want at least 2 items of the required kind, got 1`},
		{`{"properties":{"a":{"contains":true,"maxContains":1}}}`, `{"a":[1,2]}`, `a: want at most 1 item of the special kind, got 2`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[true],"additionalItems":false}}}`, `{"a":[1,2]}`, `a: 1 item too many`},
		{`{"minProperties":2}`, `{"a":1}`, `want at least 2 properties, got 1`},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, `want at most 1 property, got 2`},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `property name "ab" is not allowed`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `b: required together with "a", but missing`},
		{`{"dependencies":{"a":["b"]}}`, `{"a":1}`, `b: required together with "a", but missing`},
		{`{"properties":{"a":false}}`, `{"a":1}`, `a: not allowed here`},
		{`{"not":{"required":["a"]}}`, `{"a":1}`, `has a form that the schema rules out`},
		{`{"additionalProperties":false}`, `{"a":1}`, `a: unknown property: none is taken here`},
		{`{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"a":"x"}`, `a: want integer or null, got string "x"`},
		{`{"properties":{"a":{"anyOf":[{"type":"string"},{"type":"object","required":["k"]}]}}}`, `{"a":{}}`, `a.k: required, but missing`},
		{`{"properties":{"a":{"oneOf":[{"type":"integer"},{"minimum":1}]}}}`, `{"a":2}`, `a: matches two of the allowed forms (1 and 2), want exactly one`},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, `matches none of the 2 allowed forms: a: required, but missing | b: required, but missing`},
		{`{"$defs":{"x":{"type":"string"}},"properties":{"a":{"allOf":[{"$ref":"#/$defs/x"},{"minLength":3}]}}}`, `{"a":1}`, `a: want string, got integer 1`},
		{`{"properties":{"a.b":{"items":{"type":"string"}}}}`, `{"a.b":["x",1]}`, `["a.b"][1]: want string, got integer 1`},
		{`{"properties":{"a":{"type":"string"}}}`, `{"a":{"b":1}}`, `a: want string, got object`},
	} {
		s := mustParse(t, c.schema)
		_, err := s.Check(json.RawMessage(c.args))
		if want := "Parameter validation failed: " + c.want; err == nil || err.Error() != want {
			t.Errorf("%s with %s:\n got %v\nwant %s", c.schema, c.args, err, want)
		}
	}
}

func TestManyViolationsAreCountedNotListed(t *testing.T) {
	s := mustParse(t, `{"properties":{"a":{"items":{"type":"string"}}}}`)
	_, err := s.Check(json.RawMessage(`{"a":[` + strings.Repeat("1,", 29) + `1]}`))
	bad, ok := err.(*Invalid)
	if !ok || len(bad.Violations) != 20 || bad.More != 10 || !strings.HasSuffix(bad.Error(), "; and 10 more") {
		t.Errorf("got %v", err)
	}
}

func TestMessagesStayShortWhateverTheArguments(t *testing.T) {
	long := strings.Repeat("日", 1<<20)
	s := mustParse(t, `{"properties":{"a":{"enum":["x","y"]},"n":{"type":"string"},"d":{"$ref":"#"}},"additionalProperties":false}`)
	for _, args := range []string{
		fmt.Sprintf(`{"a":%q}`, long), fmt.Sprintf(`{%q:1}`, long), fmt.Sprintf(`{"a":%q,"b":1}`, long),
		`{"n":` + strings.Repeat("9", 900) + `}`, strings.Repeat(`{"d":`, 300) + `{"x":1}` + strings.Repeat("}", 300),
	} {
		_, err := s.Check(json.RawMessage(args))
		if err == nil || len(err.Error()) > 1200 || !utf8.ValidString(err.Error()) {
			t.Errorf("%.40s: %d bytes: %.400v", args, len(fmt.Sprint(err)), err)
		}
		if _, _, err := s.Repair(json.RawMessage(args), nil); err != nil && len(err.Error()) > 1200 {
			t.Errorf("Repair(%.40s): %d bytes", args, len(err.Error()))
		}
	}
}

func TestNearestKnowsSlipsAndSpellings(t *testing.T) {
	known := []string{"file_path", "replace_all", "old_string", "new_string", "limit", "id"}
	for name, want := range map[string]string{
		"filePath": "file_path", "FILE-PATH": "file_path", "file_pth": "file_path", "replaceAll": "replace_all",
		"limt": "limit", "lmiit": "limit", "old_strnig": "old_string", "x": "", "explanation": "", "ix": "", "ID": "id", "": "",
		strings.Repeat("limit", 100): "",
	} {
		if got := nearest(name, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestPropertiesTellWhatUsageNeeds(t *testing.T) {
	s := mustParse(t, `{"$defs":{"P":{"type":"string","description":"a path"}},"properties":{
		"z":{"$ref":"#/$defs/P"},
		"a":{"type":"array","items":{"type":"string"},"default":[ "x" ]},
		"m":{"anyOf":[{"type":"integer"},{"type":"null"}],"description":"how many"},
		"e":{"enum":["p", 1]},
		"l":{"type":["string","array"]}},"required":["z"]}`)
	want := []Property{
		{Name: "z", Type: "string", Types: []string{"string"}, Description: "a path", Required: true},
		{Name: "a", Type: "string[]", Types: []string{"array"}, Default: json.RawMessage(`["x"]`)},
		{Name: "m", Type: "integer or null", Types: []string{"integer", "null"}, Description: "how many"},
		{Name: "e", Type: "any", Enum: []json.RawMessage{json.RawMessage(`"p"`), json.RawMessage(`1`)}},
		{Name: "l", Type: "string or array", Types: []string{"string", "array"}},
	}
	if diff := cmp.Diff(want, s.Properties()); diff != "" {
		t.Error(diff)
	}
}
