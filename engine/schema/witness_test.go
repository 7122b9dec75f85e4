package schema

import (
	"encoding/json"
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
