package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// doubling is an allOf chain that evaluates 2^n schemas.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"$defs":{"d0":{"type":"integer"}`)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, `,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i-1, i-1)
	}
	fmt.Fprintf(&b, `},"properties":{"a":{"$ref":"#/$defs/d%d"}}}`, n)
	return b.String()
}

func nested(open, end string, n int) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }

// R1.27: hostile schemas are refused before anything is compiled from them.
func TestParseRefusesHostileSchemas(t *testing.T) {
	for name, c := range map[string]struct{ schema, want string }{
		"itself":         {`{"$ref":"#"}`, "leads back to itself"},
		"itself, typed":  {`{"type":"object","$ref":"#"}`, "leads back to itself"},
		"two in a ring":  {`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, "leads back to itself"},
		"ring in anyOf":  {`{"$defs":{"a":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`, "leads back to itself"},
		"ring by anchor": {`{"$defs":{"a":{"$anchor":"x","not":{"$ref":"#x"}}},"$ref":"#x"}`, "leads back to itself"},
		"ring outside":   {`{"weird":{"if":{"$ref":"#/weird"}},"properties":{"a":{"$ref":"#/weird"}}}`, "leads back to itself"},
		"dynamic ring":   {`{"$dynamicAnchor":"m","allOf":[{"$dynamicRef":"#m"}]}`, "leads back to itself"},
		"allOf doubling": {doubling(22), "expands to more than"},
		"remote":         {`{"$ref":"http://x/"}`, "not local"},
		"file":           {`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "not local"},
		"metaschema":     {`{"$ref":"http://json-schema.org/draft-07/schema#"}`, "not local"},
		"deep":           {nested(`{"items":`, `}`, 70), "nested more than"},
		"large":          {`{"description":"` + strings.Repeat("x", MaxSchema) + `"}`, "at most"},
		"many":           {`{"anyOf":[` + strings.Repeat(`{},`, 5000) + `{}]}`, "more than 4000 subschemas"},
		"not JSON":       {`{"type":}`, "byte 8"},
		"two":            {`{} {}`, "a second value"},
		"duplicate":      {`{"type":"object","type":"string"}`, `duplicate key "type"`},
		"huge number":    {`{"minimum":1e999999}`, "out of range"},
	} {
		_, err := Parse(json.RawMessage(c.schema))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestParseTakesWhatIsNoObjectForAnyObject(t *testing.T) {
	for _, raw := range []string{"", "null", " ", "true", "[]", `"x"`, "3"} {
		s := mustParse(t, raw)
		if got := string(s.JSON()); got != `{"type":"object"}` {
			t.Errorf("Parse(%q).JSON() = %s", raw, got)
		}
		if _, err := s.Check(json.RawMessage(`{"a":1}`)); err != nil {
			t.Errorf("Parse(%q).Check: %v", raw, err)
		}
	}
}

func TestParseKeepsTheOrderAndDropsTheSpace(t *testing.T) {
	s := mustParse(t, " {\n \"type\" : \"object\", \"properties\": {\"z\":{\"description\":\"a \\\" b\"},  \"a\":{}} }\n")
	if got, want := string(s.JSON()), `{"type":"object","properties":{"z":{"description":"a \" b"},"a":{}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	other := mustParse(t, `{"properties":{"a":{},"z":{"description":"a \u0022 b"}},"type":"object"}`)
	if s.Digest() != other.Digest() {
		t.Error("digests differ for one schema in two orders")
	}
}

func TestRecursiveSchemasThatGoDeeperWork(t *testing.T) {
	s := mustParse(t, `{"type":"object","properties":{"c":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false}`)
	if _, err := s.Check(json.RawMessage(`{"c":[{"c":[]},{}]}`)); err != nil {
		t.Error(err)
	}
	_, err := s.Check(json.RawMessage(`{"c":[{"c":[{"d":1}]}]}`))
	if want := `Parameter validation failed: c[0].c[0].d: unknown property: known are c`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A schema that doubles at each level of the arguments passes any look at one place; the meter stops it.
func TestBranchingRecursionIsCutOff(t *testing.T) {
	s := mustParse(t, `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`)
	if _, err := s.Check(json.RawMessage(`{"a":{"a":{}}}`)); err != nil {
		t.Error(err)
	}
	_, err := s.Check(json.RawMessage(nested(`{"a":`, `}`, 40)[:5*40] + "1" + strings.Repeat("}", 40)))
	if err == nil || !strings.Contains(err.Error(), "send smaller or flatter arguments") {
		t.Errorf("got %v", err)
	}
}

func TestSloppySchemasValidateAsFarAsTheyMeanSomething(t *testing.T) {
	s := mustParse(t, `{"type":"object","$schema":"https://example.com/x","properties":{
		"a":{"type":"string","pattern":"(?=x)y"},
		"b":{"type":"strnig","minimum":"1"},
		"c":{"$ref":"#/$defs/gone"},
		"d":{"type":"integer","required":true},
		"e":3},
		"patternProperties":{"^(?!x)":{"type":"string"}},
		"additionalProperties":false}`)
	want := []string{
		`/: $schema "https://example.com/x" is not known, read as draft 2020-12`,
		`/patternProperties/^(?!x): pattern "^(?!x)" is not one that Go can compile, not checked`,
		`/properties/a/pattern: pattern "(?=x)y" is not one that Go can compile, not checked`,
		`/properties/b/minimum: string "1" is not a value for it, not checked`,
		`/properties/b/type: string "strnig" is not a value for it, not checked`,
		`/properties/c/$ref: leads nowhere, not checked`,
		`/properties/d/required: boolean true is not a value for it, not checked`,
		`/properties/e: is not a schema, anything is accepted there`,
	}
	if got := s.Notes(); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("notes\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	if _, err := s.Check(json.RawMessage(`{"a":"q","b":1,"c":[],"e":null,"free":1}`)); err != nil {
		t.Error(err)
	}
	if _, err := s.Check(json.RawMessage(`{"d":"q"}`)); err == nil {
		t.Error("a string for an integer passed")
	}
}

func TestArgumentsThatAreNotJSONSayWhere(t *testing.T) {
	s := mustParse(t, "")
	for args, want := range map[string]string{
		`{"a":1`:                        "byte 6: it ends where ',' or '}' should follow",
		`{"a" 1}`:                       "byte 5: want ':' after a property name, got '1'",
		`{"a":1}{"b":2}`:                "byte 7: a second value follows the first: send one object",
		`{"a":1,"a":2}`:                 `byte 7: duplicate key "a"`,
		`{"a":"\d"}`:                    "byte 6: invalid escape",
		`{"a":"\ud800"}`:                "byte 6: invalid escape",
		"{\"a\":\"\xff\"}":              "byte 6: text that is not valid UTF-8",
		"{\"a\":\"x\ny\"}":              "byte 7: raw control character",
		`{"a":NaN}`:                     "byte 5: want a value, got 'N'",
		`{"a":1e9999}`:                  "byte 5: number \"1e9999\" is out of range",
		`{"a":"x`:                       "byte 5: a string is not closed",
		`[1]`:                           "want an object like",
		`"x"`:                           "want an object like",
		nested(`{"a":`, `}`, 10000):     "nested more than 512 deep",
		nested(`[`, `]`, 10000):         "nested more than 512 deep",
		`{"a":` + nested(`[`, `]`, 600): "nested more than 512 deep",
	} {
		_, err := s.Check(json.RawMessage(args))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check(%.40s): got %v, want %q", args, err, want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("Check(%.40s): %d bytes of message", args, len(err.Error()))
		}
	}
	big := `{"a":"` + strings.Repeat("x", 10<<20) + `"}`
	if _, err := s.Check(json.RawMessage(big)); err != nil {
		t.Errorf("10 MB of text: %v", err)
	}
	if _, err := s.Check(json.RawMessage(big + big + big + big)); err == nil {
		t.Error("40 MB passed")
	}
}

func TestEmptyArgumentsAreAnEmptyObject(t *testing.T) {
	s := mustParse(t, "")
	for _, args := range []string{"", " \n", "null", " null "} {
		if got, err := s.Check(json.RawMessage(args)); err != nil || string(got) != "{}" {
			t.Errorf("Check(%q) = %s, %v", args, got, err)
		}
	}
	var none *Schema
	if got, err := none.Check(nil); err != nil || string(got) != "{}" {
		t.Errorf("nil schema: %s, %v", got, err)
	}
}

// Draft 4 wants a name at least among the required ones; later drafts take none.
func TestAnEmptyRequiredIsToldWhereItIsAFault(t *testing.T) {
	for draft, told := range map[string]bool{"http://json-schema.org/draft-04/schema#": true, "https://json-schema.org/draft/2020-12/schema": false} {
		s := mustParse(t, `{"$schema":"`+draft+`","type":"object","required":[]}`)
		if notes := strings.Join(s.Notes(), "\n"); strings.Contains(notes, "required") != told {
			t.Errorf("%s: %q", draft, notes)
		}
	}
}

// An enum of nothing would take no value at all: it is told and not checked, one of a single value is.
func TestAnEmptyEnumIsTold(t *testing.T) {
	for enum, taken := range map[string]bool{`[]`: true, `["b"]`: false, `["a"]`: true, `{}`: true} {
		s := mustParse(t, `{"type":"object","properties":{"x":{"enum":`+enum+`}}}`)
		if told := len(s.Notes()) > 0; told != (enum == `[]` || enum == `{}`) {
			t.Errorf("enum %s: notes %q", enum, s.Notes())
		}
		if _, err := s.Check(json.RawMessage(`{"x":"a"}`)); (err == nil) != taken {
			t.Errorf("enum %s: %v", enum, err)
		}
	}
}
