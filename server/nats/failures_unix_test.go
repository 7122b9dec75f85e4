//go:build unix

package natsbus_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/tool"
)

// rounds is how often a worker is ended in a test; HELVE_BUS_ROUNDS makes it more.
func rounds(t testing.TB, usual int) int {
	word := os.Getenv("HELVE_BUS_ROUNDS")
	if word == "" {
		return usual
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		t.Fatalf("HELVE_BUS_ROUNDS=%q: want a number", word)
	}
	return n
}

// A process is a worker of its own.
type process struct {
	cmd      *exec.Cmd
	instance string
}

// startWorker starts this program as a worker that writes down what it does.
func startWorker(t testing.TB, url, record string) *process {
	t.Helper()
	return startWorkerWith(t, url, "HELVE_TEST_RECORD="+record)
}

func startWorkerWith(t testing.TB, url string, environ ...string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "HELVE_TEST_WORKER="+url)
	cmd.Env = append(cmd.Env, environ...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the worker did not start: %v", err)
	}
	p.instance = strings.TrimSpace(line)
	return p
}

func (p *process) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// kill ends the process and waits for its end. A second kill does nothing.
func (p *process) kill() {
	if p.cmd.ProcessState != nil {
		return
	}
	p.signal(syscall.SIGKILL)
	_ = p.cmd.Wait()
}

// A trouble is a pool under load whose workers are ended.
type trouble struct {
	t      *testing.T
	url    string
	nc     *nats.Conn // of the gateway, where it matters at which server that is
	record string
	kit    *tool.Kit

	mu      sync.Mutex
	results map[string]*tool.Result
	longest time.Duration // from the end of a worker to the word that an outcome is unknown
}

func newTrouble(t *testing.T) *trouble {
	b := startBroker(t)
	record := filepath.Join(t.TempDir(), "record")
	pool := join(t, b.URL(), "")
	tools := workTools(record)
	return &trouble{t: t, url: b.URL(), record: record, results: map[string]*tool.Result{},
		kit: gatewayKit(t, pool, tool.KitOptions{Policy: allowAll{}}, tools...)}
}

// calls makes n calls at once of a tool, and waits for them.
func (tr *trouble) calls(name, prefix string, n, take int, meanwhile func()) {
	var all sync.WaitGroup
	var ended time.Time
	var mu sync.Mutex
	for i := range n {
		all.Go(func() {
			id := fmt.Sprintf("%s-%d", prefix, i)
			args, _ := json.Marshal(workIn{N: id, Take: take})
			res, err := tr.kit.Call(tr.t.Context(), &tool.Call{Name: name, Args: args})
			if err != nil {
				tr.t.Errorf("%s: the host is stopped: %v", id, err)
				return
			}
			tr.mu.Lock()
			defer tr.mu.Unlock()
			tr.results[id] = res
			mu.Lock()
			defer mu.Unlock()
			if res.Err != nil && res.Err.Code == tool.OutcomeUnknown {
				tr.longest = max(tr.longest, time.Since(ended))
			}
		})
	}
	mu.Lock()
	ended = time.Now()
	mu.Unlock()
	meanwhile()
	mu.Lock()
	ended = time.Now()
	mu.Unlock()
	all.Wait()
}

// ran is how often each call ran.
func (tr *trouble) ran() map[string]int {
	b, err := os.ReadFile(tr.record)
	if err != nil && !os.IsNotExist(err) {
		tr.t.Fatal(err)
	}
	out := map[string]int{}
	for _, id := range strings.Fields(string(b)) {
		out[id]++
	}
	return out
}

// begun is how many calls have begun whose name begins so.
func (tr *trouble) begun(prefix string) int {
	n := 0
	for id := range tr.ran() {
		if strings.HasPrefix(id, prefix) {
			n++
		}
	}
	return n
}

// noneTwice checks that no call ran twice, and that each is told as it was.
func (tr *trouble) noneTwice() {
	tr.t.Helper()
	ran := tr.ran()
	counts := map[string]int{}
	for id, res := range tr.results {
		n := ran[id]
		switch {
		case n > 1:
			tr.t.Errorf("%s ran %d times", id, n)
		case res.Err == nil:
			counts["done"]++
			if n != 1 {
				tr.t.Errorf("%s is said to be done and ran %d times", id, n)
			}
		case res.Err.Code == tool.OutcomeUnknown:
			counts["unknown"]++
		case n > 0:
			tr.t.Errorf("%s ran, and is said to have failed: %v", id, res.Err)
		default:
			counts["failed without having run"]++
		}
	}
	tr.t.Logf("%d calls: %v; an unknown outcome was said after %v at most", len(tr.results), counts, tr.longest.Round(time.Millisecond))
}

func TestNoCallRunsTwiceWhenItsWorkerIsKilled(t *testing.T) {
	tr := newTrouble(t)
	startWorker(t, tr.url, tr.record)
	for i := range rounds(t, 8) {
		dies := startWorker(t, tr.url, tr.record)
		tr.calls("work", fmt.Sprintf("killed%d", i), 6, 60, func() {
			time.Sleep(rand.N(50 * time.Millisecond))
			dies.kill()
		})
	}
	tr.noneTwice()
}

func TestNoCallRunsTwiceWhenItsWorkerIsKilledAsItBegins(t *testing.T) {
	tr := newTrouble(t)
	startWorker(t, tr.url, tr.record)
	for i := range rounds(t, 8) {
		dies := startWorker(t, tr.url, tr.record)
		tr.calls("work", fmt.Sprintf("early%d", i), 16, 10, func() {
			time.Sleep(rand.N(4 * time.Millisecond))
			dies.kill()
		})
	}
	tr.noneTwice()
}

func TestCallsThatOnlyReadAreAllAnsweredWhenWorkersAreKilled(t *testing.T) {
	tr := newTrouble(t)
	startWorker(t, tr.url, tr.record)
	for i := range rounds(t, 5) {
		dies := startWorker(t, tr.url, tr.record)
		tr.calls("look", fmt.Sprintf("read%d", i), 6, 40, func() {
			time.Sleep(rand.N(40 * time.Millisecond))
			dies.kill()
		})
	}
	for id, res := range tr.results {
		if res.Err != nil {
			t.Errorf("%s: %v", id, res.Err)
		}
	}
}

// A worker that stands still has what it was given when it goes on: nothing of that may run that was answered otherwise.
func TestAWorkerThatStoodStillRunsNothingThatWasAnsweredOtherwise(t *testing.T) {
	tr := newTrouble(t)
	startWorker(t, tr.url, tr.record)
	for i := range rounds(t, 3) {
		stands := startWorker(t, tr.url, tr.record)
		tr.calls("work", fmt.Sprintf("still%d", i), 12, 20, func() {
			time.Sleep(rand.N(15 * time.Millisecond))
			stands.signal(syscall.SIGSTOP)
		})
		told := tr.ran()
		stands.signal(syscall.SIGCONT)
		time.Sleep(300 * time.Millisecond) // what it was given would run now
		for id, n := range tr.ran() {
			res := tr.results[id]
			if n > told[id] && res != nil && (res.Err == nil || res.Err.Code != tool.OutcomeUnknown) {
				t.Errorf("%s was answered, and ran when its worker went on: %v", id, res.Err)
			}
		}
		stands.kill()
	}
	tr.noneTwice()
}

func TestNoCallFailsWhenAWorkerIsAskedToEnd(t *testing.T) {
	tr := newTrouble(t)
	startWorker(t, tr.url, tr.record)
	for i := range rounds(t, 5) {
		ends := startWorker(t, tr.url, tr.record)
		tr.calls("work", fmt.Sprintf("ended%d", i), 6, 40, func() {
			time.Sleep(rand.N(40 * time.Millisecond))
			ends.signal(syscall.SIGTERM)
			_ = ends.cmd.Wait()
		})
	}
	for id, res := range tr.results {
		if res.Err != nil {
			t.Errorf("%s: %v", id, res.Err)
		}
	}
	tr.noneTwice()
}
