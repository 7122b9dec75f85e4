package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A list in a text is read whatever it begins with, and a text that only begins like one is left alone.
func TestATextThatSpellsAListIsReadAsIt(t *testing.T) {
	s, err := Parse(json.RawMessage(repairSchema))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`"counts":"[1,2]"`:        `"counts":[1,2]`,
		`"counts":"[ 1, 2 ]"`:     `"counts":[ 1, 2 ]`,
		`"counts":"[]"`:           `"counts":[]`,
		`"options":"{ }"`:         `"options":{ }`,
		`"names":"["`:             `"names":["["]`,
		`"names":""`:              `"names":[""]`,
		`"options":{"depth":"2"}`: `"options":{"depth":2}`,
	} {
		got, err := s.Mend(json.RawMessage(p(args)), Leeway{})
		if err != nil || string(got.Args) != p(want) {
			t.Errorf("%s: %s, %v, want %s", args, got.Args, err, p(want))
		}
	}
}

// A parameter is found in another spelling, also where the object takes names that nobody knows.
func TestAnotherSpellingIsFoundInAnOpenObject(t *testing.T) {
	const open = `{"type":"object","properties":{"file_path":{"type":"string"},"max":{"type":"integer"}},"required":["file_path"]}`
	s, err := Parse(json.RawMessage(open))
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"filePath":"a"}`:                 `{"file_path":"a"}`,
		`{"File-Path":"a","other":1}`:      `{"file_path":"a","other":1}`,
		`{"file_path":"a","filePath":"b"}`: `{"file_path":"a","filePath":"b"}`,
	} {
		got, err := s.Mend(json.RawMessage(args), Leeway{})
		if err != nil || string(got.Args) != want {
			t.Errorf("%s: %s, %v, want %s", args, got.Args, err, want)
		}
	}
}

// A keyword whose value means nothing is not checked, and the notes say so.
func TestAKeywordOfSchemasWithAnotherValueIsNotChecked(t *testing.T) {
	for text, noted := range map[string]bool{
		`{"type":"object","properties":{"a":{"anyOf":[]}}}`:               true,
		`{"type":"object","properties":{"a":{"anyOf":5}}}`:                true,
		`{"type":"object","properties":{"a":{"anyOf":{}}}}`:               true,
		`{"type":"object","properties":{"a":{"items":"x"}}}`:              true,
		`{"type":"object","properties":{"a":{"not":[]}}}`:                 true,
		`{"type":"object","properties":[]}`:                               true,
		`{"type":"object","dependentRequired":"a"}`:                       true,
		`{"type":"object","dependentRequired":["a"]}`:                     true,
		`{"type":"object","dependentRequired":{"a":"b"}}`:                 true,
		`{"type":"object","dependentRequired":{"b":["c"]}}`:               false,
		`{"type":"object","properties":{}}`:                               false,
		`{"type":"object","properties":{"a":{"anyOf":[{}]}}}`:             false,
		`{"type":"object","properties":{"a":{"items":true,"not":false}}}`: false,
	} {
		s, err := Parse(json.RawMessage(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, err := s.Check(json.RawMessage(`{"a":[1]}`)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := strings.Contains(strings.Join(s.Notes(), "\n"), "not checked"); got != noted {
			t.Errorf("%s: notes %q", text, s.Notes())
		}
	}
}

// Of two spellings of one parameter that is not there neither is the one that counts, and nothing is said to be there.
func TestTwoSpellingsOfOneParameterAreRefused(t *testing.T) {
	s := mustParse(t, `{"type":"object","properties":{"file_path":{"type":"string"}},"additionalProperties":false}`)
	for _, args := range []string{`{"filePath":"a","file-path":"b"}`, `{"FilePath":"a","filePath":"a","file-path":"b"}`} {
		for _, leeway := range []Leeway{{}, {Ignore: true}} {
			m, err := s.Mend(json.RawMessage(args), leeway)
			if err == nil || strings.Contains(err.Error(), "given as well") {
				t.Errorf("%s became %s, %v", args, m.Args, err)
			}
		}
	}
}

// Of many forms that a value has none of a few are told, and that there are others.
func TestAFewOfManyFormsAreTold(t *testing.T) {
	for n, more := range map[int]bool{3: false, 4: false, 5: true, 40: true} {
		var forms []string
		for i := range n {
			forms = append(forms, fmt.Sprintf(`{"type":"object","required":["k%d"]}`, i))
		}
		s := mustParse(t, `{"type":"object","properties":{"a":{"anyOf":[`+strings.Join(forms, ",")+`]}}}`)
		_, err := s.Check(json.RawMessage(`{"a":{}}`))
		if err == nil {
			t.Fatal("it is taken")
		}
		if told := strings.Count(err.Error(), "required"); told != min(n, 4) || strings.Contains(err.Error(), "…") != more {
			t.Errorf("%d forms: %d are told: %v", n, told, err)
		}
	}
}

// A list of lists of lists, for ever: one value is not read as one without end.
func TestAListOfItselfIsNotMadeOfOneValue(t *testing.T) {
	s := mustParse(t, `{"type":"object","properties":{"a":{"$ref":"#/$defs/l"}},"$defs":{"l":{"type":"array","items":{"$ref":"#/$defs/l"}}}}`)
	for _, args := range []string{`{"a":"x"}`, `{"a":5}`, `{"a":{}}`} {
		if m, err := s.Mend(json.RawMessage(args), Leeway{}); err == nil || len(err.Error()) > 2000 {
			t.Errorf("%s became %.100s, %v", args, m.Args, err)
		}
	}
	if m, err := s.Mend(json.RawMessage(`{"a":[[],[[]]]}`), Leeway{}); err != nil {
		t.Errorf("%s, %v", m.Args, err)
	}
}

// Where one alternative alone takes such a value, it is repaired as that one says.
func TestAValueIsRepairedAsItsOneAlternativeSays(t *testing.T) {
	for schema, cases := range map[string]map[string]string{
		`{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"null"}]}`:                                                   {`["1",2]`: `[1,2]`, `null`: `null`},
		`{"anyOf":[{"type":"object","properties":{"n":{"type":"integer"}}},{"type":"boolean"}]}`:                                    {`{"n":"1"}`: `{"n":1}`, `true`: `true`},
		`{"properties":{"n":{"type":"integer"}},"anyOf":[{"type":"object","properties":{"m":{"type":"integer"}}},{"type":"null"}]}`: {`{"n":"1"}`: `{"n":1}`},
	} {
		s := mustParse(t, `{"type":"object","properties":{"a":`+schema+`}}`)
		for value, want := range cases {
			m, err := s.Mend(json.RawMessage(`{"a":`+value+`}`), Leeway{})
			if err != nil || string(m.Args) != `{"a":`+want+`}` {
				t.Errorf("%s: %s became %s, %v; want %s", schema, value, m.Args, err, want)
			}
		}
	}
}
