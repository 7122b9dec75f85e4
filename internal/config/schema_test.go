package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"helve/internal/config"
)

var update = flag.Bool("update", false, "write docs/config.schema.json")

const schemaFile = "../../docs/config.schema.json"

// generated is the schema that editors complete a configuration with.
func generated(t *testing.T) []byte {
	t.Helper()
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, RequiredFromJSONSchemaTags: true, Mapper: func(typ reflect.Type) *jsonschema.Schema {
		switch typ {
		case reflect.TypeFor[config.Setting]():
			return &jsonschema.Schema{Enum: []any{true, false, "allow", "ask", "approval", "deny"}}
		case reflect.TypeFor[config.Duration]():
			return &jsonschema.Schema{Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`, Examples: []any{"30s"}}
		case reflect.TypeFor[config.Rule]():
			one := func(word, what string) *jsonschema.Schema {
				props := jsonschema.NewProperties()
				props.Set(word, &jsonschema.Schema{Type: "string", Description: "tool:pattern that is " + what})
				return &jsonschema.Schema{Type: "object", Properties: props, Required: []string{word}, AdditionalProperties: jsonschema.FalseSchema}
			}
			return &jsonschema.Schema{OneOf: []*jsonschema.Schema{one("allow", "allowed without a question"), one("ask", "asked about"), one("deny", "refused")}}
		}
		return nil
	}}
	if err := r.AddGoComments("helve/internal/config", "."); err != nil {
		t.Fatal(err)
	}
	for of, text := range r.CommentMap {
		if strings.Count(filepath.Base(of), ".") < 2 { // a type: it is described where it is used
			delete(r.CommentMap, of)
			continue
		}
		r.CommentMap[of] = strings.ReplaceAll(text, "\n", " ")
	}
	s := r.Reflect(&config.Values{})
	s.Title = "helve configuration"
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(b, '\n')
}

func TestTheShippedSchemaIsThatOfTheTypes(t *testing.T) {
	got := generated(t)
	if *update {
		if err := os.WriteFile(schemaFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(have, got) {
		t.Errorf("%s is not what the types say (%v): go test ./internal/config -run Schema -update", filepath.Base(schemaFile), err)
	}
}

// What the loader takes the schema takes, and the other way round.
func TestSchemaAndLoaderAgree(t *testing.T) {
	doc, err := validator.UnmarshalJSON(bytes.NewReader(generated(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := validator.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{}`: true, greedy: true, `{"tools":{"a":"approval"}}`: true, `{"$schema":"x"}`: true, `{"clients":{"a":{"tools":{"@write":false}}}}`: true,
		`{"tool":{}}`: false, `{"tools":{"a":1}}`: false, `{"rules":[{}]}`: false, `{"rules":[{"allow":"a","deny":"b"}]}`: false, `{"mode":"x"}`: false,
		`{"discovery":{"timeout":30}}`: false, `{"discovery":{"timeout":"30"}}`: false, `{"limits":{"result_bytes":1}}`: false, `{"clients":{"a":{"nope":1}}}`: false,
	} {
		v, err := validator.UnmarshalJSON(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		bySchema := schema.Validate(v) == nil
		_, err = newHome(t).write(user, text).load(config.Options{})
		if bySchema != want || (err == nil) != want {
			t.Errorf("%.80s: schema takes it: %v, loader: %v, want %v", text, bySchema, err, want)
		}
	}
}
