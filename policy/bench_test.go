package policy_test

import (
	"fmt"
	"testing"

	"helve/policy"
	"helve/tool"
)

// manyRules are four layers of 250 rules each: names, floating globs, extensions, commands, hosts.
func manyRules() []policy.Layer {
	words := []string{"allow", "ask", "deny"}
	var layers []policy.Layer
	for l := range 4 {
		var lines []string
		for i := range 50 {
			n := l*50 + i
			lines = append(lines,
				fmt.Sprintf("%s edit:pkg%d/**", words[n%3], n),
				fmt.Sprintf("%s read:**/secret%d.txt", words[n%3], n),
				fmt.Sprintf("%s write:**/*.ext%d", words[n%3], n),
				fmt.Sprintf("%s bash:tool%d run *", words[n%3], n),
				fmt.Sprintf("%s fetch:*.host%d.dev", words[n%3], n))
		}
		layers = append(layers, layer(fmt.Sprint("l", l), lines...))
	}
	return layers
}

func BenchmarkJudgeThousandRules(b *testing.B) {
	r := rules(b, asking, manyRules()...)
	for name, j := range map[string]*tool.Job{
		"edit": job(edit, "pkg77/internal/deep/er/file.go"), "bash": job(bash, "tool77 run ./..."), "fetch": job(fetch, "www.host77.dev"), "read": job(read, "a/b/c/d.go"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Judge(j)
			}
		})
	}
}

func thousandTools() []*tool.Spec {
	var out []*tool.Spec
	for i := range 1000 {
		out = append(out, mcp(fmt.Sprint("server", i%20), fmt.Sprint("tool_", i)))
	}
	return out
}

// 1,000 tools through 1,000 switches and rules.
func listed() (policy.Layer, []policy.Layer) {
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("mcp__server%d/tool_%d = %s", i%20, i, []string{"false", "ask", "true"}[i%3]))
	}
	return layer("user", lines...), manyRules()
}

func BenchmarkListThousandToolsWarm(b *testing.B) {
	user, more := listed()
	r := rules(b, asking, append(more, user)...)
	specs := thousandTools()
	for _, s := range specs {
		r.Lists(s)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range specs {
			r.Lists(s)
		}
	}
}

func BenchmarkListThousandToolsCold(b *testing.B) {
	user, more := listed()
	layers := append(more, user)
	specs := thousandTools()
	b.ReportAllocs()
	for b.Loop() {
		r := rules(b, asking, layers...)
		for _, s := range specs {
			r.Lists(s)
		}
	}
}

// A kit without rules: against a policy that says yes to everything.
func BenchmarkNoRules(b *testing.B) {
	j := job(read, "a.go")
	r := rules(b, asking)
	b.Run("judge", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Judge(j)
		}
	})
	b.Run("list", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.Lists(read)
		}
	})
}
