package natsbus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"helve/tool"
)

const (
	// soakShort is for how long the test runs unless HELVE_SOAK says otherwise:
	// HELVE_SOAK=30m go test -run Soaked -timeout 1h -v ./server/nats
	soakShort = 5 * time.Second
	// soakFirst is how many calls come first: by then a worker keeps as many ends of runs as it ever does.
	soakFirst = 5000
	// soakGrowth is by how much a worker may be larger in the last quarter than in the second, in KiB: a few results of 8
	// MiB are garbage at any time. A leak of a hundred bytes a call comes to that within minutes.
	soakGrowth = 24 << 10
)

// A worker that works for long stays as it was, in memory and descriptors, with conversations that come and go, calls that
// read, change and are given up, and large results.
func TestASoakedWorkerStaysFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	lasts := soakShort
	if s := os.Getenv("HELVE_SOAK"); s != "" {
		var err error
		if lasts, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	b := startBroker(t)
	w := startWorkerWith(t, b.URL(), "HELVE_TEST_IDLE=1", "HELVE_TEST_SLOTS=8")
	kit := gatewayKit(t, join(t, b.URL(), ""), tool.KitOptions{Policy: allowAll{}}, idleTools()...)
	var calls atomic.Int64
	some := func() {
		at(200, 16, func(i int) {
			calls.Add(1)
			s := &tool.Session{ID: fmt.Sprint(i)}
			defer s.Close()
			name := []string{"reads", "writes", "writes", "sleeps"}[i%4]
			if i == 100 {
				name = "shows"
			}
			if res := call(t, kit, s, name, `{}`); res.Err != nil {
				t.Errorf("%s: %v", name, res.Err)
			}
		})
	}
	for calls.Load() < soakFirst {
		some()
	}
	var memory, files [4][]int
	var heap [4]int // of the gateway and the server of the bus
	began := time.Now()
	for quarter := range 4 {
		until := began.Add(lasts * time.Duration(quarter+1) / 4)
		for again := true; again; again = time.Now().Before(until) {
			some()
			memory[quarter] = append(memory[quarter], residentOf(t, w.cmd.Process.Pid))
			files[quarter] = append(files[quarter], descriptorsOf(t, w.cmd.Process.Pid))
		}
		heap[quarter] = heapInUse()
	}
	t.Logf("%d calls in %v: a worker of %.1f MiB in the second quarter, %.1f in the last; %d and %d descriptors; %.1f and %.1f MiB here", calls.Load(),
		time.Since(began).Round(time.Second), float64(least(memory[1]))/1024, float64(least(memory[3]))/1024, least(files[1]), least(files[3]),
		float64(heap[1])/1024, float64(heap[3])/1024)
	if least(memory[3]) > least(memory[1])+soakGrowth || least(files[3]) > least(files[1])+4 {
		t.Errorf("it grows: %d KiB, then %d; %d descriptors, then %d", least(memory[1]), least(memory[3]), least(files[1]), least(files[3]))
	}
	if heap[3] > heap[1]+soakGrowth {
		t.Errorf("the gateway grows: %d KiB, then %d", heap[1], heap[3])
	}
}

// heapInUse is what this process still uses of its memory, in KiB.
func heapInUse() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc >> 10)
}

// least is the least of some samples: what a collector leaves from one moment to the next is not growth.
func least(samples []int) int { return slices.Min(samples) }

// residentOf is what a process has in memory, in KiB.
func residentOf(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	words := strings.Fields(after)
	if len(words) == 0 {
		t.Fatalf("no VmRSS in %s", status)
	}
	n, err := strconv.Atoi(words[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func descriptorsOf(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "fd"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
