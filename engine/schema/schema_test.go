package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type readIn struct {
	FilePath string `json:"file_path" jsonschema:"minLength=1,description=The file to read"`
	Offset   int    `json:"offset,omitempty" jsonschema:"minimum=0,default=0"`
	Limit    int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=10000,default=2000"`
}

type editIn struct {
	FilePath string  `json:"file_path"`
	Mode     string  `json:"mode,omitempty" jsonschema:"enum=plan,enum=ask,enum=auto"`
	Edits    []hunk  `json:"edits" jsonschema:"minItems=1"`
	Note     *string `json:"note"`
	Any      any     `json:"any,omitempty"`
}

type hunk struct {
	Old        string `json:"old_string" jsonschema_description:"Text to find, exactly, <tags> too"`
	New        string `json:"new_string"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"default=false"`
}

func mustFor[T any](t testing.TB) *Schema {
	t.Helper()
	s, err := For[T]()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustParse(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Parse(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("Parse(%s): %v", raw, err)
	}
	return s
}

// R4.4: one definition gives type, validation and JSON Schema without $ref.
func TestForReadsTagsInFieldOrder(t *testing.T) {
	got := string(mustFor[readIn](t).JSON())
	want := `{"type":"object","properties":{` +
		`"file_path":{"type":"string","description":"The file to read","minLength":1},` +
		`"offset":{"type":"integer","default":0,"minimum":0},` +
		`"limit":{"type":"integer","default":2000,"maximum":10000,"minimum":1}},` +
		`"required":["file_path"],"additionalProperties":false}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	nested := string(mustFor[*editIn](t).JSON())
	for _, part := range []string{
		`"required":["file_path","edits"]`, `"enum":["plan","ask","auto"]`, `"any":{}`,
		`"description":"Text to find, exactly, <tags> too"`, `"required":["old_string","new_string"],"additionalProperties":false`,
	} {
		if !strings.Contains(nested, part) {
			t.Errorf("no %s in %s", part, nested)
		}
	}
	for _, part := range []string{"$ref", "$schema", "$id", "$defs"} {
		if strings.Contains(nested, part) {
			t.Errorf("%s in %s", part, nested)
		}
	}
}

func TestCheckFillsDefaults(t *testing.T) {
	s := mustFor[readIn](t)
	for args, want := range map[string]string{
		`{"file_path":"a"}`:                        `{"file_path":"a","limit":2000,"offset":0}`,
		`{"file_path":"a","offset":0,"limit":1}`:   `{"file_path":"a","offset":0,"limit":1}`,
		`{"file_path":"a","offset":1.0,"limit":1}`: `{"file_path":"a","offset":1,"limit":1}`,
	} {
		got, err := s.Check(json.RawMessage(args))
		if err != nil || string(got) != want {
			t.Errorf("Check(%s)\n got %s, %v\nwant %s", args, got, err, want)
		}
	}
}

func TestCheckTellsEveryViolation(t *testing.T) {
	s := mustFor[editIn](t)
	_, err := s.Check(json.RawMessage(`{"mode":"pln","edits":[{"old_string":"a","new_string":"b"},{"old_string":1,"replaceAll":true,"replace_all":"yes"}],"x":1}`))
	want := "Parameter validation failed: " + strings.Join([]string{
		`edits[1].new_string: required, but missing: want string`,
		`edits[1].old_string: want string, got integer 1`,
		`edits[1].replaceAll: unknown property: known are old_string, new_string and replace_all`,
		`edits[1].replace_all: want boolean, got string "yes"`,
		`file_path: required, but missing: want string`,
		`mode: want one of "plan", "ask" or "auto", got string "pln"; did you mean "plan"?`,
		`x: unknown property: known are file_path, mode, edits, note and any`,
	}, "; ")
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}
