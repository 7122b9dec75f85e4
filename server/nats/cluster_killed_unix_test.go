//go:build unix

package natsbus_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/testing/loopback"
	natspool "helve/source/nats"
	"helve/tool"
)

// A serving process is a server of NATS.
type serving struct {
	options brokerOptions
	cmd     *exec.Cmd
	stdin   io.Closer // it ends when this is closed: with the test at the latest
}

// start starts the server, and fixes where it listens.
func (s *serving) start() error {
	options, err := json.Marshal(s.options)
	if err != nil {
		return err
	}
	s.cmd = exec.Command(os.Args[0], "-test.run=^$")
	s.cmd.Env = append(os.Environ(), "HELVE_TEST_BROKER="+string(options))
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.kill()
		return fmt.Errorf("the server does not listen: %w", err)
	}
	words := strings.Fields(line)
	s.options.Addr = words[0]
	if len(words) > 1 {
		s.options.Cluster = words[1]
	}
	return nil
}

// kill ends it without a word to anybody. A second kill does nothing.
func (s *serving) kill() {
	if s.cmd == nil || s.cmd.Process == nil || s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGKILL)
	_ = s.stdin.Close()
	_ = s.cmd.Wait()
}

// startServers starts three servers of one cluster, each a process.
func startServers(t *testing.T) []*serving {
	t.Helper()
	var all []*serving
	var routes []string
	for i := range 3 {
		s := &serving{options: brokerOptions{Addr: loopback.Addr(), Name: fmt.Sprintf("s%d", i), Cluster: loopback.Addr(), Routes: routes}}
		if err := s.start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.kill)
		all, routes = append(all, s), append(slices.Clone(routes), s.options.Cluster)
	}
	for i, s := range all {
		s.options.Routes = slices.Concat(routes[:i], routes[i+1:])
	}
	return all
}

// urlsFrom are where clients find the servers, one of them first.
func urlsFrom(all []*serving, first int) string {
	var urls []string
	for i := range all {
		urls = append(urls, "nats://"+all[(first+i)%len(all)].options.Addr)
	}
	return strings.Join(urls, ",")
}

// unknownTime is how long a call may take after which its outcome is unknown, where that is measured.
const unknownTime = 2 * time.Second

// clusteredTrouble is a pool whose gateway and workers are at servers of a cluster.
func clusteredTrouble(t *testing.T, servers []*serving) (*trouble, *natspool.Pool) {
	t.Helper()
	nc, err := nats.Connect(urlsFrom(servers, 0), nats.DontRandomize(), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})) // that servers go is what is tested
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	p, err := natspool.Join(nc, natspool.Options{Pool: poolName, Workspace: workspaceName})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	record := filepath.Join(t.TempDir(), "record")
	return &trouble{t: t, nc: nc, record: record, results: map[string]*tool.Result{},
		kit: gatewayKit(t, p, tool.KitOptions{Policy: allowAll{}}, workTools(record)...)}, p
}

// soonKnown checks how long it took until an outcome was known to be unknown, where that is measured.
func (tr *trouble) soonKnown() {
	tr.t.Helper()
	if os.Getenv("HELVE_BUS_ROUNDS") != "" && tr.longest > unknownTime { // a machine that does other things is no measure
		tr.t.Errorf("an outcome was unknown after %v, want %v at most", tr.longest, unknownTime)
	}
}

// Between different servers of a cluster "nobody listens" may come before what a worker said.
func TestNoCallRunsTwiceWhenWorkersOfAClusterAreKilled(t *testing.T) {
	servers := startServers(t)
	tr, _ := clusteredTrouble(t, servers)
	startWorker(t, urlsFrom(servers, 1), tr.record)
	for i := range rounds(t, 4) {
		dies := startWorker(t, urlsFrom(servers, i%len(servers)), tr.record)
		tr.calls("work", fmt.Sprintf("killed%d", i), 6, 60, func() {
			time.Sleep(rand.N(50 * time.Millisecond))
			dies.kill()
		})
	}
	tr.noneTwice()
	tr.soonKnown()
}

// One server of three is killed every second while calls run, that of the gateway and those of the workers, and comes back.
func TestNoCallRunsTwiceWhenServersOfAClusterAreProcessesThatAreKilled(t *testing.T) {
	servers := startServers(t)
	tr, p := clusteredTrouble(t, servers)
	for i := range servers {
		startWorker(t, urlsFrom(servers, i), tr.record)
	}
	wait(t, "all workers are known", func() bool { return len(p.Members()) == len(servers) })
	over := make(chan struct{})
	var all sync.WaitGroup
	for who := range 8 {
		all.Go(func() { tr.callUntil(over, fmt.Sprintf("caller%d", who)) })
	}
	for i := range rounds(t, 4) {
		began := time.Now()
		s := servers[i%len(servers)]
		s.kill()
		time.Sleep(300 * time.Millisecond)
		wait(t, "the server listens again", func() bool { return s.start() == nil })
		time.Sleep(time.Until(began.Add(time.Second)))
	}
	close(over)
	all.Wait()
	tr.noneTwice()
	tr.soonKnown()
}

// The worker and the gateway's own server die together: what the silence of the worker means is known soon after the
// gateway is back at another server.
func TestNoCallRunsTwiceWhenAWorkerAndTheServerOfItsGatewayAreKilled(t *testing.T) {
	servers := startServers(t)
	tr, p := clusteredTrouble(t, servers)
	for i := range rounds(t, 2) {
		own := -1
		wait(t, "the gateway is at a server", func() bool {
			own = slices.IndexFunc(servers, func(s *serving) bool { return s.options.Addr == tr.nc.ConnectedAddr() })
			return own >= 0
		})
		dies := startWorker(t, urlsFrom(servers, i%len(servers)), tr.record)
		wait(t, "the worker is known", func() bool { return len(p.Members()) == 1 })
		const calls = 6
		prefix := fmt.Sprintf("both%d-", i)
		tr.calls("work", prefix, calls, 60_000, func() {
			wait(t, "all calls run", func() bool { return tr.begun(prefix) == calls })
			servers[own].kill()
			if i%2 == 0 {
				dies.kill()
			} else { // it may be only slow, for all that is known
				dies.signal(syscall.SIGSTOP)
			}
		})
		dies.kill()
		wait(t, "the server listens again", func() bool { return servers[own].start() == nil })
		wait(t, "the worker is forgotten", func() bool { return len(p.Members()) == 0 })
	}
	tr.noneTwice()
	tr.soonKnown()
}

// callUntil makes one call after another, and notes how long those took whose outcome is unknown.
func (tr *trouble) callUntil(over <-chan struct{}, prefix string) {
	for n := 0; ; n++ {
		select {
		case <-over:
			return
		default:
		}
		id := fmt.Sprintf("%s-%d", prefix, n)
		args, _ := json.Marshal(workIn{N: id, Take: 20})
		began := time.Now()
		res, err := tr.kit.Call(tr.t.Context(), &tool.Call{Name: "work", Args: args})
		if err != nil {
			tr.t.Errorf("%s: the host is stopped: %v", id, err)
			return
		}
		tr.mu.Lock()
		tr.results[id] = res
		if res.Err != nil && res.Err.Code == tool.OutcomeUnknown {
			tr.longest = max(tr.longest, time.Since(began))
		}
		tr.mu.Unlock()
	}
}
