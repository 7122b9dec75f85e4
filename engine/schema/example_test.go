package schema_test

import (
	"encoding/json"
	"fmt"

	"helve/engine/schema"
)

type search struct {
	Pattern string   `json:"pattern" jsonschema:"description=What to look for"`
	Paths   []string `json:"paths,omitempty"`
	Limit   int      `json:"limit,omitempty" jsonschema:"minimum=1,default=100"`
}

func ExampleSchema_Check() {
	s, err := schema.For[search]()
	if err != nil {
		panic(err)
	}
	args, _ := s.Check(json.RawMessage(`{"pattern":"TODO"}`))
	fmt.Println(string(args))
	_, err = s.Check(json.RawMessage(`{"patern":"TODO","limit":"10"}`))
	fmt.Println(err)
	// Output:
	// {"pattern":"TODO","limit":100}
	// Parameter validation failed: limit: want integer, got string "10"; patern: unknown property; did you mean pattern? Known are pattern, paths and limit; pattern: required, but missing: want string
}

// Another agent's words are data: a name, a unit, a list for two parameters. What nobody translates is refused.
func ExampleSchema_Mend() {
	s, err := schema.Parse(json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
		"command":{"type":"string"},"timeout":{"type":"integer"},"from":{"type":"integer"},"to":{"type":"integer"}}}`))
	if err != nil {
		panic(err)
	}
	others := schema.Leeway{
		Names: map[string]string{"cmd": "command"},
		Spellings: map[string]schema.Spelling{
			"timeout_seconds": {To: "timeout", Times: 1000},
			"range":           {Each: []string{"from", "to"}},
		},
	}
	m, err := s.Mend(json.RawMessage(`{"cmd":"make","timeout_seconds":1.5,"range":[3,9],"reason":"why not"}`), others)
	fmt.Println(string(m.Args), err)
	for _, n := range m.Notes {
		fmt.Println(n)
	}
	_, err = s.Mend(json.RawMessage(`{"command":"make","range":[3],"dry_run":true}`), others)
	fmt.Println(err)
	others.Ignore = true
	m, err = s.Mend(json.RawMessage(`{"command":"make","dry_run":true}`), others)
	fmt.Println(string(m.Args), m.Ignored, err)
	// Output:
	// {"command":"make","timeout":1500,"from":3,"to":9} <nil>
	// timeout: given as "timeout_seconds", read as 1500
	// from: given as "range", read as 3
	// to: given as "range", read as 9
	// command: given as "cmd"
	// Parameter validation failed: dry_run: unknown property: known are command, timeout, from and to; range: want an array of from and to, got array of 1 item
	// {"command":"make"} [dry_run] <nil>
}

// A schema from elsewhere is guarded before anything is compiled from it.
func ExampleParse() {
	_, err := schema.Parse(json.RawMessage(`{"$ref":"https://example.com/schema.json"}`))
	fmt.Println(err)
	s, err := schema.Parse(json.RawMessage(`{"properties":{"size":{"enum":["s","m","l"],"description":"How large"}}}`))
	fmt.Println(s.Properties()[0].Name, s.Properties()[0].Description, err)
	// Output:
	// schema: refused: $ref "https://example.com/schema.json" is not local: put the definition into the schema itself
	// size How large <nil>
}

func ExampleSchema_Repair() {
	s, err := schema.For[search]()
	if err != nil {
		panic(err)
	}
	args, notes, err := s.Repair(json.RawMessage(`{'query': '\d+', 'paths': 'src', 'limit': '10',}`), map[string]string{"query": "pattern"})
	fmt.Println(string(args), err)
	for _, n := range notes {
		fmt.Println(n)
	}
	// Output:
	// {"pattern":"\\d+","paths":["src"],"limit":10} <nil>
	// single quotes read as double quotes
	// backslashes kept where they begin no JSON escape
	// trailing comma removed
	// pattern: given as "query"
	// paths: one value read as a list of it
	// limit: "10" read as 10
}
