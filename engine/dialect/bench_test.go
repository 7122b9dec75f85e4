package dialect_test

import (
	"fmt"
	"testing"

	"helve/engine/dialect"
	"helve/engine/schema"
)

// twoHundred are tools as built-in and served ones are: the smaller ones of the servers, again and again.
func twoHundred(b *testing.B) []dialect.Tool {
	b.Helper()
	all := servers(b)
	var base []dialect.Tool
	for _, name := range []string{"filesystem", "memory", "everything", "playwright", "chrome-devtools", "gemini-cli"} {
		base = append(base, all[name]...)
	}
	var out []dialect.Tool
	for i := range 200 {
		t := base[i%len(base)]
		s, err := schema.Parse(t.Input.JSON())
		if err != nil {
			b.Fatal(err)
		}
		t.Name, t.Input = fmt.Sprintf("%s_%d", t.Name, i), s
		out = append(out, t)
	}
	return out
}

func BenchmarkDeclareCold(b *testing.B) {
	tools := twoHundred(b)
	for _, d := range dialect.Dialects() {
		b.Run(d.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				dialect.Declare(d, tools, dialect.Options{})
			}
		})
	}
}

func BenchmarkDeclareWarm(b *testing.B) {
	tools := twoHundred(b)
	var m dialect.Memory
	b.ReportAllocs()
	for b.Loop() {
		m.Declare(dialect.GeminiJSON, tools, dialect.Options{})
	}
}
