package config_test

import (
	"fmt"
	"strings"
	"testing"

	"helve/internal/config"
)

// What a start costs: four files with some hundred values each.
func BenchmarkLoadFourFiles(b *testing.B) {
	var j, t strings.Builder
	j.WriteString("{\n// comment\n\"tools\": {")
	t.WriteString("[tools]\n")
	for i := range 100 {
		fmt.Fprintf(&j, "\n  \"mcp__server%d/tool\": false,", i)
		fmt.Fprintf(&t, "\"mcp__other%d/tool\" = \"ask\"\n", i)
	}
	j.WriteString("},\n\"rules\": [")
	for i := range 100 {
		fmt.Fprintf(&j, "\n  {\"deny\": \"read:dir%d/**\"},", i)
		fmt.Fprintf(&t, "[[rules]]\nask = \"edit:dir%d/**\"\n", i)
	}
	j.WriteString("]}\n")
	h := newHome(b).write(user, j.String(), project, j.String(), "work/.helve/config.local.toml", t.String(), "work/.mcp-codebase-index.toml", `disabled_tools = ["a", "b"]`)
	b.ReportAllocs()
	for b.Loop() {
		h.mustLoad(config.Options{Trusted: trusted})
	}
}

func BenchmarkLoadNothing(b *testing.B) {
	h := newHome(b)
	b.ReportAllocs()
	for b.Loop() {
		h.mustLoad(config.Options{})
	}
}
