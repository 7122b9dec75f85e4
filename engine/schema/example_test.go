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
