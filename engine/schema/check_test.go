package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestDefaultsReachNestedObjectsAndBreakNothing(t *testing.T) {
	for _, c := range []struct{ name, schema, args, want string }{
		{"nested", `{"properties":{"o":{"properties":{"d":{"default":1}}}}}`, `{"o":{}}`, `{"o":{"d":1}}`},
		{"in a list", `{"properties":{"l":{"items":{"properties":{"d":{"default":"x"},"e":{}}}}}}`, `{"l":[{}, {"e":1},{"d":2}]}`, `{"l":[{"d":"x"}, {"e":1,"d":"x"},{"d":2}]}`},
		{"by reference", `{"$defs":{"x":{"properties":{"d":{"default":1}}}},"properties":{"o":{"$ref":"#/$defs/x"}}}`, `{"o":{}}`, `{"o":{"d":1}}`},
		{"an object", `{"properties":{"o":{"default":{"a": [ 1 ]}}}}`, ` { } `, ` { "o":{"a":[1]}} `},
		{"none for an absent object", `{"properties":{"o":{"properties":{"d":{"default":1}}}}}`, `{}`, `{}`},
		{"null says nothing", `{"properties":{"d":{"default":null}}}`, `{}`, `{}`},
		{"of the wrong type", `{"properties":{"d":{"type":"string","default":1}}}`, `{}`, `{}`},
		{"where alternatives leave it open", `{"properties":{"o":{"anyOf":[{"properties":{"d":{"default":1}}},{"type":"integer"}]}}}`, `{"o":{}}`, `{"o":{}}`},
		{"where it would break another rule", `{"properties":{"a":{"default":1},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"b":1}`, `{"b":1}`},
		{"beside rules for the library", `{"properties":{"a":{"default":1},"n":{"type":"integer"}},"minProperties":1}`, `{"n":2.0}`, `{"n":2,"a":1}`},
		{"names in need of escapes", `{"properties":{"a\"b":{"default":"c\"d"}}}`, `{}`, `{"a\"b":"c\"d"}`},
	} {
		got, err := mustParse(t, c.schema).Check(json.RawMessage(c.args))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s\n got %s, %v\nwant %s", c.name, c.args, got, err, c.want)
		}
	}
}

func TestCheckNeverChangesItsInput(t *testing.T) {
	s := mustFor[readIn](t)
	args := make(json.RawMessage, 0, 1000)
	args = append(args, `{"file_path":"a","offset":1.0}`...)
	before := string(args[:cap(args)])
	if _, err := s.Check(args); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Repair(args, nil); err != nil {
		t.Fatal(err)
	}
	if after := string(args[:cap(args)]); after != before {
		t.Errorf("%q became %q", before, after)
	}
}

// R1.27: patterns and enums of a hostile schema cannot make long arguments cost minutes.
func TestCostlyKeywordsAreCutOff(t *testing.T) {
	long := strings.Repeat("a", 8<<20)
	for name, c := range map[string]struct{ schema, args, want string }{
		"a pattern":          {`{"properties":{"a":{"pattern":"(?:a?){300}(?:a*){200}$"}}}`, fmt.Sprintf(`{"a":%q}`, long), "send smaller"},
		"a pattern of names": {`{"patternProperties":{"(?:a?){300}(?:a*){200}$":{}}}`, fmt.Sprintf(`{%q:1}`, long), "send smaller"},
		"an enum":            {`{"properties":{"a":{"items":{"enum":["b` + strings.Repeat(`","`, 20000) + `"]}}}}`, `{"a":[` + strings.Repeat(`"c",`, 1<<16) + `1]}`, "a[0]: want one of"},
		"chains in depth":    {deepSchema(), strings.Repeat(`{"a":`, 500) + "{}" + strings.Repeat("}", 500), "send smaller"},
	} {
		_, err := mustParse(t, c.schema).Check(json.RawMessage(c.args))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	if notes := mustParse(t, `{"properties":{"a":{"pattern":"(a{1000}){3}"}}}`).Notes(); len(notes) != 1 || !strings.Contains(notes[0], "not checked") {
		t.Errorf("a pattern of 3000 instructions: %q", notes)
	}
	if _, err := mustParse(t, `{"properties":{"a":{"pattern":"^[^\\u0000]*$"}}}`).Check(json.RawMessage(fmt.Sprintf(`{"a":%q}`, long))); err != nil {
		t.Errorf("an everyday pattern: %v", err)
	}
}

// deepSchema asks for objects in objects, each judged by a chain of a thousand references.
func deepSchema() string {
	var b strings.Builder
	b.WriteString(`{"minProperties":0,"$defs":{"d0":{"properties":{"a":{"$ref":"#/$defs/d1000"}}}`)
	for i := 1; i <= 1000; i++ {
		fmt.Fprintf(&b, `,"d%d":{"minProperties":0,"$ref":"#/$defs/d%d"}`, i, i-1)
	}
	b.WriteString(`},"$ref":"#/$defs/d1000"}`)
	return b.String()
}

func TestManyItemsAreToldApart(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"a":[[0],1.0`)
	for i := range 100_000 {
		fmt.Fprintf(&b, `,[%d]`, i+1)
	}
	_, err := mustParse(t, `{"properties":{"a":{"uniqueItems":true}}}`).Check(json.RawMessage(b.String() + `,1]}`))
	if err == nil || !strings.Contains(err.Error(), "items 1 and 100002 are equal") {
		t.Errorf("got %v", err)
	}
}

func TestSchemasAreSafeForConcurrentUse(t *testing.T) {
	s := mustParse(t, repairSchema)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				own := mustParse(t, fmt.Sprintf(`{"properties":{"a":{"multipleOf":%d}}}`, i*j+1))
				for _, s := range []*Schema{s, own} {
					s.Digest()
					s.Properties()
					s.Notes()
					_, _ = s.Check(json.RawMessage(`{"file_path":"a","x":1}`))
					_, _, _ = s.Repair(json.RawMessage(`{"path":"a"}`), repairAliases)
				}
			}
		})
	}
	wg.Wait()
}

func TestEqualSchemasShareOneBoundedCache(t *testing.T) {
	var c cache
	first := c.get(mustParse(t, `{"type":"object","properties":{}}`))
	if second := c.get(mustParse(t, ` {"properties":{}, "type":"object"}`)); second != first {
		t.Error("two spellings of one schema are compiled twice")
	}
	for i := range 2 * maxCompiled {
		c.get(mustParse(t, fmt.Sprintf(`{"minProperties":%d}`, i)))
	}
	if len(c.forms) != maxCompiled || len(c.order) != maxCompiled {
		t.Errorf("%d forms, %d in order, want %d", len(c.forms), len(c.order), maxCompiled)
	}
}

// The common call costs a handful of allocations: the waist has 40 for all that it does.
func TestCheckOfACommonCallHardlyAllocates(t *testing.T) {
	for name, c := range map[string]struct {
		s    *Schema
		args string
		max  float64
	}{
		"one string":   {mustFor[oneString](t), `{"text":"hello"}`, 1},
		"two defaults": {mustFor[readIn](t), `{"file_path":"a"}`, 3},
		"nested":       {mustFor[editIn](t), `{"file_path":"a","edits":[{"old_string":"a","new_string":"b"}]}`, 3},
	} {
		args := json.RawMessage(c.args)
		if n := testing.AllocsPerRun(100, func() { _, _ = c.s.Check(args) }); n > c.max {
			t.Errorf("%s: %v allocations, want at most %v", name, n, c.max)
		}
	}
}
