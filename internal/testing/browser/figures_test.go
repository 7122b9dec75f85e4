package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The figures of docs/console.md: go test . -run '^$' -bench . -benchtime 1x

// BenchmarkAnEventReachesThePage measures how long it takes from the end of a call to its row on an open page.
func BenchmarkAnEventReachesThePage(b *testing.B) {
	chromium(b)
	c := serve(b)
	p := c.open()
	p.view("calls", "No call yet")
	// Each row that says ok is noted with the time at which it stood there.
	eval[bool](p, `(() => {
		window.seen = {}
		const look = () => { for (const r of document.querySelectorAll('tr.row')) {
			const t = r.querySelector('.what').innerText
			if (!window.seen[t] && r.querySelector('.state.ok')) window.seen[t] = Date.now()
		} }
		new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
		return true
	})()`)
	const calls = 40
	var took []float64
	for b.Loop() {
		took = took[:0]
		for i := range calls {
			file := fmt.Sprintf("f%d-%d.txt", b.N, i)
			if err := os.WriteFile(filepath.Join(c.dir, file), []byte("x\n"), 0o600); err != nil {
				b.Fatal(err)
			}
			c.call("read", map[string]any{"file_path": file})
			ended := time.Now().UnixMilli()
			var seen float64
			c.wait("the row", func() bool {
				seen = eval[float64](p, fmt.Sprintf(`window.seen['read %s'] || 0`, file))
				return seen > 0
			})
			took = append(took, max(0, seen-float64(ended)))
			time.Sleep(150 * time.Millisecond) // one event by itself, as a person causes them
		}
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "ms/half")
	b.ReportMetric(took[len(took)*95/100], "ms/95%")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkThePageWhileAThousandCallsASecondPass measures what a page costs, in cores: the browser's processes, all of them.
func BenchmarkThePageWhileAThousandCallsASecondPass(b *testing.B) {
	chromium(b)
	c := serve(b)
	p := c.open()
	p.view("calls", "No call yet")
	browser := chromedp.FromContext(p.ctx).Browser.Process().Pid
	const wanted, workers = 1000, 32
	for b.Loop() {
		before, own := cpu(b, browser), cpu(b, c.pid)
		began := time.Now()
		ctx, stop := context.WithTimeout(b.Context(), 8*time.Second)
		var calls sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for range workers {
			calls.Go(func() {
				tick := time.NewTicker(time.Second * workers / wanted)
				defer tick.Stop()
				for ctx.Err() == nil {
					<-tick.C
					c.call("read", map[string]any{"file_path": "src/main.go"})
					mu.Lock()
					made++
					mu.Unlock()
				}
			})
		}
		calls.Wait()
		stop()
		seconds := time.Since(began).Seconds()
		b.ReportMetric(float64(made)/seconds, "calls/s")
		b.ReportMetric((cpu(b, browser)-before)/seconds, "cores-page")
		b.ReportMetric((cpu(b, c.pid)-own)/seconds, "cores-helve")
		b.ReportMetric(0, "ns/op")
		p.view("calls", strconv.Itoa(made/1000))
	}
	if said := p.text(); !strings.Contains(said, "came and went too quickly") {
		b.Logf("no call was lost")
	}
}

// cpu is what a process and those below it have used, in seconds.
func cpu(b *testing.B, of int) float64 {
	b.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	parent, used := map[int]int{}, map[int]float64{}
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil { // it has ended
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		rest := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // a name may hold spaces
		const ticks = 100                                                                 // a second, on every Linux that Go knows
		user, _ := strconv.ParseFloat(rest[11], 64)
		system, _ := strconv.ParseFloat(rest[12], 64)
		parent[pid], _ = strconv.Atoi(rest[1])
		used[pid] = (user + system) / ticks
	}
	sum := 0.0
	for pid, seconds := range used {
		for at := pid; at > 1; at = parent[at] {
			if at == of {
				sum += seconds
				break
			}
		}
	}
	return sum
}
