package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	rawjson "helve/internal/json"
)

// verdict judges any instance, not only objects: keyword by keyword, and fast.
func (f *compiled) verdict(t *testing.T, instance []byte) (valid, quick bool) {
	t.Helper()
	root, err := rawjson.Read(instance, MaxDepth)
	if err != nil {
		t.Fatalf("%s: %s", instance, err)
	}
	bad := f.validate(&root)
	if bad != nil && strings.Contains(bad.Error(), "send smaller") {
		t.Skip("too costly")
	}
	v := fast{Scanner: rawjson.Scanner{Src: instance, Max: MaxDepth}}
	return bad == nil, v.value(f.rule) && v.End()
}

// deny loads nothing: the library's own loader opens file:// references.
type deny struct{}

func (deny) Load(string) (any, error) { return nil, errors.New("refused") }

// plainLibrary compiles a schema as it is, for comparison.
func plainLibrary(raw []byte) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(deny{})
	if c.AddResource("helve:plain", doc) != nil {
		return nil
	}
	s, err := c.Compile("helve:plain")
	if err != nil {
		return nil
	}
	return s
}

// suiteFolder is where the module lies that has the suite: HELVE_JSONSCHEMA, or what the go command says.
func suiteFolder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("HELVE_JSONSCHEMA"); dir != "" {
		return dir
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	dir := strings.TrimSpace(string(out))
	if dir == "" {
		t.Skip("the suite is not in the module cache")
	}
	return dir
}

// The official JSON-Schema-Test-Suite comes with a module that the MCP SDK needs; where it is not in the module cache
// there is nothing to run. docs/decisions.md says how many of its cases are judged, and why the others are not.
func TestTheOfficialSuiteAgrees(t *testing.T) {
	dir := suiteFolder(t)
	for _, d := range []struct {
		name, uri   string
		all, judged int
	}{
		{"draft2020-12", "", 1099, 974},
		{"draft7", "http://json-schema.org/draft-07/schema#", 913, 836},
	} {
		files, _ := filepath.Glob(filepath.Join(dir, "jsonschema", "testdata", d.name, "*.json"))
		if len(files) == 0 {
			t.Fatalf("no files of %s", d.name)
		}
		total := suiteCount{}
		for _, f := range files {
			total.add(runSuite(t, f, d.uri))
		}
		t.Logf("%s: %d cases, %d judged (%d of the valid ones fast), %d with schemas that are refused or partly ignored",
			d.name, total.all, total.judged, total.quick, total.all-total.judged)
		if total.all != d.all || total.judged != d.judged {
			t.Errorf("%s: %d of %d cases judged; the documents say %d of %d",
				d.name, total.judged, total.all, d.judged, d.all)
		}
	}
}

type suiteCount struct{ all, judged, quick int }

func (c *suiteCount) add(d suiteCount) {
	c.all, c.judged, c.quick = c.all+d.all, c.judged+d.judged, c.quick+d.quick
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

func runSuite(t *testing.T, file, uri string) (n suiteCount) {
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(raw, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		n.all += len(g.Tests)
		if uri != "" {
			g.Schema = bytes.Replace(g.Schema, []byte("{"), []byte(`{"$schema":"`+uri+`",`), 1)
			g.Schema = bytes.Replace(g.Schema, []byte(",}"), []byte("}"), 1)
			if bytes.Count(g.Schema, []byte(`"$schema"`)) != 1 {
				continue
			}
		}
		s, err := Parse(g.Schema)
		if err != nil || s.raw == nil || len(s.Notes()) > 0 {
			continue
		}
		n.add(g.judge(t, filepath.Base(file), s))
	}
	return n
}

func (g *suiteGroup) judge(t *testing.T, file string, s *Schema) (n suiteCount) {
	form := s.compile()
	for _, c := range g.Tests {
		if p := (rawjson.Scanner{Src: c.Data, Max: MaxDepth}); !p.Skip() || !p.End() {
			continue // stricter than encoding/json on purpose
		}
		valid, quick := form.verdict(t, c.Data)
		n.judged++
		if quick && c.Valid {
			n.quick++
		}
		if valid != c.Valid || quick && !c.Valid {
			t.Errorf("%s: %s: %s: schema %s, data %s: evaluated %v, fast %v, want %v", file, g.Description, c.Description, s.JSON(), c.Data, valid, quick, c.Valid)
		}
	}
	return n
}

var schemaSeeds = []string{
	`{"type":"object"}`, repairSchema, smallForeign,
	`{"type":"object","properties":{"c":{"type":"array","items":{"$ref":"#"}},"n":{"oneOf":[{"type":"null"},{"$ref":"#/properties/c"}]}},"additionalProperties":false}`,
	`{"properties":{"a":{"type":["integer","null"],"minimum":-3,"maximum":1e3},"b":{"enum":["x",1,null,true]},"c":{"const":"x"}},"required":["a"]}`,
	`{"properties":{"a":{"anyOf":[{"type":"string","minLength":2},{"type":"array","items":{"type":"string","pattern":"^a"},"minItems":1,"maxItems":2}]}}}`,
	`{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"integer"},{"type":"object","properties":{"k":{"type":"string","default":"d"}}}]}},"additionalProperties":{"type":"integer"}}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"p":{"type":"string","maxLength":3}},"properties":{"a":{"$ref":"#/definitions/p","maxLength":1},"b":{"items":[{"type":"string"}],"additionalItems":false}},"dependencies":{"a":["b"]}}`,
	`{"$defs":{"p":{"$anchor":"x","type":"string"}},"properties":{"a":{"$ref":"#x"},"b":{"allOf":[{"$ref":"#/$defs/p"}],"default":"q"}},"patternProperties":{"^z":{"type":"integer"}},"additionalProperties":false}`,
	`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"properties":{"c":false}},"unevaluatedProperties":true,"dependentRequired":{"x":["y"]}}`,
	`{"properties":{"a":{"prefixItems":[{"type":"string"}],"items":{"type":"integer"},"uniqueItems":true,"contains":{"const":3}},"b":{"multipleOf":0.5,"exclusiveMinimum":0}},"minProperties":1}`,
}

var argumentSeeds = []string{
	`{}`, `{"a":1}`, `{"a":"x","b":[1,"2"]}`, `{"a":null,"b":"x"}`, `{"file_path":"a","limit":10,"edits":[{"old":"x"}]}`,
	`{"c":[{"c":[]},{"n":null}]}`, `{"a":["ab"],"b":1.0}`, `{"a":{"k":"é\u00e9"}}`, `{"a":1e2,"b":true,"c":"x"}`, `{"z1":1,"b":"q","x":1}`,
}

// Whatever the fast validator accepts, the evaluator accepts; and that one's verdict is the one of another
// implementation of JSON Schema.
func FuzzVerdictsAgreeWithAnotherImplementation(f *testing.F) {
	for _, s := range schemaSeeds {
		for _, a := range argumentSeeds {
			f.Add(s, a)
		}
	}
	f.Fuzz(func(t *testing.T, rawSchema, args string) {
		s, err := Parse(json.RawMessage(rawSchema))
		if err != nil {
			return
		}
		if p := (rawjson.Scanner{Src: []byte(args), Max: 64}); !p.Skip() || !p.End() {
			return
		}
		form := s.compile()
		valid, quick := form.verdict(t, []byte(args))
		if quick && !valid {
			t.Errorf("fast accepts, the evaluator refuses: schema %s, arguments %s", s.JSON(), args)
		}
		plain := plainLibrary(s.JSON())
		if plain == nil || len(form.notes) > 0 || strings.Contains(rawSchema, "id") || strings.Contains(rawSchema, `\`) || strings.Contains(rawSchema, "$vocab") || strings.Contains(rawSchema, "format") {
			return
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
		if err != nil {
			t.Fatal(err)
		}
		if want := plain.Validate(v) == nil; want != valid {
			t.Errorf("the verdict is %v, the other one differs: schema %s, cleaned %s, arguments %s", valid, s.JSON(), form.clean.AppendJSON(nil), args)
		}
	})
}

// Check never panics, and what it returns passes again.
func FuzzCheck(f *testing.F) {
	for _, s := range schemaSeeds {
		for _, a := range argumentSeeds {
			f.Add(s, a)
		}
	}
	f.Add(`{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nested(`{"a":`, `}`, 8))
	f.Fuzz(func(t *testing.T, rawSchema, args string) {
		s, err := Parse(json.RawMessage(rawSchema))
		if err != nil {
			return
		}
		s.Properties()
		got, err := s.Check(json.RawMessage(args))
		if err != nil {
			if bad, ok := err.(*Invalid); !ok || len(bad.Violations) == 0 {
				t.Fatalf("%v is no list of violations", err)
			}
			return
		}
		if _, err := s.Check(got); err != nil || !json.Valid(got) {
			t.Fatalf("schema %s: %s became %s: %v", rawSchema, args, got, err)
		}
	})
}
