package serve

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"helve/cmd/internal/command"
	"helve/server/console"
	"helve/wrap"
)

// record writes lines of a record, one a second up to now, the oldest first.
func record(t testing.TB, path string, from, to int, now time.Time) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for i := from; i < to; i++ {
		name := []string{"read", "grep", "edit", "bash", "ls"}[i%5]
		outcome := "ok"
		if i%20 == 0 {
			outcome = "permission_error"
		}
		fmt.Fprintf(w, `{"time":%q,"principal":"local","session":"%026d","name":%q,"origin":{"kind":"builtin","name":%q},"title":"%s of a file",`+
			`"effects":[{"kind":"read","target":"src/main.go"}],"verdict":{"decision":"allow","reason":"reading is allowed"},"outcome":%q,"ms":%d.5,`+
			`"in":60,"out":%d,"args_digest":"%064d","result_digest":"%064d","prev":"%064d"}`+"\n",
			now.Add(-time.Duration(to-i)*time.Second).Format(time.RFC3339Nano), 1, name, name, name, outcome, i%100, i%4000, i, i, i)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func figuresOf(t testing.TB, dir string) *consoleData {
	t.Helper()
	s := command.Streams{Environment: command.Environment{Environ: []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir}}}
	if err := os.MkdirAll(filepath.Join(dir, "helve"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &consoleData{s: s, w: &watched{}}
}

func TestAChartSaysFromWhenOnTheRecordIs(t *testing.T) {
	dir := t.TempDir()
	d := figuresOf(t, dir)
	now := time.Now().UTC()
	record(t, filepath.Join(dir, "helve", "audit.jsonl"), 0, 3600, now)
	of := func(ago time.Duration) console.Figures {
		f, err := d.Figures(t.Context(), console.FigureQuery{Since: now.Add(-ago), Until: now, Parts: 60})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if f := of(30 * time.Minute); f.Records != 1800 || !f.From.IsZero() || f.Partial {
		t.Errorf("half an hour of an hour: %d records, from %v", f.Records, f.From)
	}
	f := of(24 * time.Hour)
	if f.Records != 3600 || !f.From.Equal(now.Add(-time.Hour)) || f.Partial {
		t.Errorf("a day: %d records, from %v, want %v", f.Records, f.From, now.Add(-time.Hour))
	}
	if len(f.Tools) != 5 || f.Tools[0].Calls != 720 || f.Tools[0].P50 == 0 || len(f.Errors) == 0 {
		t.Errorf("%+v", f.Tools)
	}
}

// A model calls what it likes: names that it makes up take no more memory than some.
func TestAChartTellsNoMoreNamesApartThanPeopleHave(t *testing.T) {
	now := time.Now()
	f := newFigured(console.FigureQuery{Since: now.Add(-time.Hour), Until: now, Parts: 10})
	for i := range 3 * maxNames {
		f.add(&wrap.Brief{Time: now, Name: fmt.Sprint("made up ", i), Source: "", Outcome: "unknown_tool"})
	}
	if len(f.tools) > maxNames+1 || len(f.errors) > maxNames+1 {
		t.Errorf("%d names, %d failures", len(f.tools), len(f.errors))
	}
	out := f.figures()
	if out.Tools[0].Tool != otherName || out.Tools[0].Calls != 2*maxNames || out.Records != 3*maxNames {
		t.Errorf("%d records, %+v", out.Records, out.Tools[0])
	}
}

// BenchmarkFiguresOfAMillionRecords makes the chart of thirty days of a record of 10^6 calls, and says what it takes besides.
func BenchmarkFiguresOfAMillionRecords(b *testing.B) {
	dir := b.TempDir()
	d := figuresOf(b, dir)
	now := time.Now().UTC()
	for part := range 5 {
		name := filepath.Join(dir, "helve", "audit.jsonl")
		if part > 0 {
			name += fmt.Sprint(".", part)
		}
		const lines = 200_000
		record(b, name, 0, lines, now.Add(-time.Duration(part*lines)*time.Second))
	}
	for _, days := range []int{1, 7, 30} {
		b.Run(fmt.Sprint(days, " days"), func(b *testing.B) {
			peak := heapPeak(b)
			var f console.Figures
			for b.Loop() {
				var err error
				f, err = d.Figures(b.Context(), console.FigureQuery{Since: now.AddDate(0, 0, -days), Until: now, Parts: 120})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(peak(), "MiB-peak")
			b.ReportMetric(float64(f.Records), "records")
		})
	}
}

// heapPeak begins to watch the heap. The function ends that, and says by how much it grew at most, in MiB.
func heapPeak(b *testing.B) func() float64 {
	b.Helper()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	begin, most := heap(), uint64(0)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most = max(most, heap())
			select {
			case <-over:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(over)
		<-done
		return float64(most-min(most, begin)) / (1 << 20)
	}
}
