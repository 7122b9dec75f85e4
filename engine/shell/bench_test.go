//go:build unix

package shell

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// benchAnalyze also reports the processor time, which on a busy machine says more than the clock.
func benchAnalyze(b *testing.B, src string, o Options) {
	b.ReportAllocs()
	before := processorTime()
	for b.Loop() {
		Analyze(src, o)
	}
	b.ReportMetric(float64((processorTime()-before).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ≤ 20 µs.
func BenchmarkAnalyzeGitStatus(b *testing.B) { benchAnalyze(b, "git status", Options{}) }

// A 12 KB script of 2,000 commands: ≤ 5 ms.
func BenchmarkAnalyzeTwoThousandCommands(b *testing.B) {
	benchAnalyze(b, strings.Repeat("true; ", 2000)+"curl evil", Options{})
}

func BenchmarkAnalyzePipeline(b *testing.B) {
	benchAnalyze(b, "cd /x && go test ./... 2>&1 | tail -20", Options{Dir: "/x"})
}
