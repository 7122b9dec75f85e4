package dialect_test

import (
	"encoding/json"
	"fmt"

	"helve/engine/dialect"
	"helve/engine/schema"
)

// One tool in two dialects: what the second does not take is said in the description or otherwise, what cannot be said is reported, and
// a call comes back as the tool's own schema wants it.
func ExampleDeclare() {
	input, err := schema.Parse(json.RawMessage(`{"type":"object","properties":{
		"level":{"type":"integer","enum":[1,2,3]},
		"labels":{"type":"object","additionalProperties":{"type":"string"}},
		"limit":{"type":"integer","multipleOf":5}
	},"required":["level"]}`))
	if err != nil {
		panic(err)
	}
	tools := []dialect.Tool{{Name: "search", Description: "Searches.", Input: input}}

	set := dialect.Declare(dialect.Gemini, tools, dialect.Options{})
	for _, d := range set.Declarations {
		fmt.Println(string(d.JSON))
	}
	for _, l := range set.Losses() {
		fmt.Printf("%s %s: %s\n", l.Tool, l.Pointer, l.What)
	}
	name, args := set.Call("search", json.RawMessage(`{"level":"2","labels":"{\"a\":\"b\"}"}`))
	fmt.Println(name, string(args))
	// Output:
	// {"name":"search","description":"Searches.","parameters":{"type":"object","properties":{"level":{"type":"string","enum":["1","2","3"]},"labels":{"type":"string","description":"(an object, written as JSON text; its members are of type string)"},"limit":{"type":"integer","description":"(a multiple of 5)"}},"required":["level"]}}
	// search /properties/labels: an object without known members: declared as JSON text
	// search /properties/limit/multipleOf: in the description
	// search {"level":2,"labels":{"a":"b"}}
}

// The answers of one turn go back in the provider's own form.
func ExampleResults() {
	for _, m := range dialect.Results(dialect.Anthropic, []dialect.Answer{{ID: "toolu_1", Name: "search", Parts: []dialect.Part{dialect.Text("nothing found")}, Failed: true}}) {
		fmt.Println(string(m))
	}
	// Output: {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"nothing found"}],"is_error":true}]}
}
