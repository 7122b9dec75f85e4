package search

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkAgainstRipgrep runs a resident engine and the programs that HELVE_RG names, separated by blanks, in turn,
// and reports the medians of the processor times and how many times more the first of the programs takes, the second,
// and so on: the time on the clock says on a busy machine what others do. HELVE_CORPUS is the tree, HELVE_BENCH_CACHE where its index may stay.
func BenchmarkAgainstRipgrep(b *testing.B) {
	rgs := strings.Fields(os.Getenv("HELVE_RG"))
	if len(rgs) == 0 {
		b.Skip("HELVE_RG names no ripgrep to compare with")
	}
	cache := os.Getenv("HELVE_BENCH_CACHE")
	if cache == "" {
		cache = b.TempDir()
	}
	e := resident(b, corpus(b), cache)
	if _, err := e.BuildIndex(context.Background(), nil); err != nil {
		b.Fatal(err)
	}
	for _, q := range []Query{
		{Patterns: []string{"PM_RESUME"}}, {Patterns: []string{"pm_resume"}, IgnoreCase: true}, {Patterns: []string{"PM_RESUME"}, Word: true},
		{Patterns: []string{`\w+_\w+_init\(void\)`}}, {Patterns: []string{"EXPORT_SYMBOL"}}, {Patterns: []string{"unsigned int"}},
		{Patterns: []string{"return"}}, {Patterns: []string{"zzyzxqq"}}, {Patterns: []string{`[A-Z]{5}\s+[a-z]{5}\s+[a-z]{5}`}},
	} {
		for _, limit := range []int{100, 0} {
			q.Limit, q.Sort = limit, map[bool]Sort{true: Newest}[limit > 0]
			name := map[bool]string{true: "newest100", false: "all"}[limit > 0]
			b.Run(q.Patterns[0]+map[bool]string{true: "/i"}[q.IgnoreCase]+map[bool]string{true: "/w"}[q.Word]+"/"+name, func(b *testing.B) { against(b, e, q, rgs) })
		}
	}
}

// against is one row: rounds of one search by each.
func against(b *testing.B, e *Engine, q Query, rgs []string) {
	const rounds = 7
	own, theirs := []float64{}, make([][]float64, len(rgs))
	lines := 0
	for b.Loop() {
		for range rounds {
			own = append(own, processorTime(b, func() {
				sum, err := e.Grep(context.Background(), q, func(*File) error { return nil })
				if err != nil {
					b.Fatal(err)
				}
				lines = sum.Lines
			}))
			for i, rg := range rgs {
				theirs[i] = append(theirs[i], milliseconds(runRipgrep(b, rg, e.tree.Root(), q)))
			}
		}
	}
	slices.Sort(own)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(own[len(own)/2], "ms")
	b.ReportMetric(float64(lines), "lines")
	for i, all := range theirs {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], fmt.Sprintf("rg%d-ms", i+1))
		b.ReportMetric(all[len(all)/2]/own[len(own)/2], fmt.Sprintf("times-rg%d", i+1))
	}
}

// processorTime is what this process takes for f, in milliseconds.
func processorTime(b *testing.B, f func()) float64 {
	began := taken(b)
	f()
	return milliseconds(taken(b) - began)
}

// taken is what this process took so far, without its children.
func taken(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// runRipgrep searches everything, as it must even for the newest hundred lines, and writes to a file. It returns the
// processor time of that.
func runRipgrep(b *testing.B, rg, dir string, q Query) time.Duration {
	out, err := os.Create(filepath.Join(os.TempDir(), "helve-bench-rg"))
	if err != nil {
		b.Fatal(err)
	}
	defer os.Remove(out.Name())
	defer out.Close()
	args := []string{"--no-config", "--no-heading", "-n", "-e", q.Patterns[0]}
	if q.IgnoreCase {
		args = append(args, "-i")
	}
	if q.Word {
		args = append(args, "-w")
	}
	cmd := exec.Command(rg, append(args, "./")...)
	cmd.Dir, cmd.Stdout = dir, out
	if err := cmd.Run(); cmd.ProcessState == nil { // status 1: nothing found
		b.Fatal(err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
