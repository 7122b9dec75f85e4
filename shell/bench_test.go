package shell

import (
	"strings"
	"testing"
)

func BenchmarkAnalyzeGitStatus(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Analyze("git status", Options{})
	}
}

// A 12 KB script of 2,000 commands: ≤ 5 ms.
func BenchmarkAnalyzeTwoThousandCommands(b *testing.B) {
	src := strings.Repeat("true; ", 2000) + "curl evil"
	b.ReportAllocs()
	for b.Loop() {
		Analyze(src, Options{})
	}
}

func BenchmarkAnalyzePipeline(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Analyze("cd /x && go test ./... 2>&1 | tail -20", Options{Dir: "/x"})
	}
}
