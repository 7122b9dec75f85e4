package neighbours

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"helve/internal/testing/loopback"
)

var (
	seed    = flag.Uint64("seed", 1, "what is done, and in which order, goes by it")
	minutes = flag.Float64("minutes", 0.3, "for how long")
	rounds  = flag.Int("rounds", 0, "so many rounds, however long that takes; 0: as many as fit into the time")
	known   = flag.String("known", "", "promises that do not hold yet, by name, with commas: broken, they are told and fail nothing")
	binary  = flag.String("helve", "", "the helve that is tried (an older one, too); it is built if there is none")
)

const (
	// insideVariable says, with the place of everything, that this process is the first of its own namespaces.
	insideVariable = "HELVE_NEIGHBOURS"
	// addrVariable is an address for the bus. Inside, numbers of processes are no longer those of the machine.
	addrVariable = "HELVE_NEIGHBOURS_BUS"
)

// What one part does stops no other. Everything happens in namespaces of its own, so that whatever is left over is
// seen, and nothing outlives the test, however it ends.
func TestWhatOnePartDoesStopsNoOther(t *testing.T) {
	if top := os.Getenv(insideVariable); top != "" {
		run(t, top)
		return
	}
	if testing.Short() {
		return // linking helve takes seconds
	}
	top := t.TempDir()
	exe := *binary
	if exe == "" {
		exe = build(t, top)
	}
	exe, err := filepath.Abs(exe)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.run", "^" + t.Name() + "$", "-test.timeout", "0", "-helve", exe}
	if testing.Verbose() {
		args = append(args, "-test.v")
	}
	args = append(args, "-known", *known, "-seed", fmt.Sprint(*seed), "-minutes", fmt.Sprint(*minutes), "-rounds", fmt.Sprint(*rounds))
	inside := exec.Command("/proc/self/exe", args...)
	inside.Env = append(os.Environ(), insideVariable+"="+top, addrVariable+"="+loopback.Addr())
	inside.SysProcAttr = apart()
	inside.Stdout, inside.Stderr = os.Stdout, os.Stderr
	err = inside.Run()
	if inside.Process == nil {
		t.Skipf("a namespace for processes does not work here: %v", err)
	}
	if err != nil {
		t.Errorf("%v; see above", err)
	}
}

// apart is a process that is the first of its own, with mounts of its own, and ends with this one.
func apart() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS}
	if os.Getuid() == 0 {
		return attr
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	return attr
}

func build(t *testing.T, top string) string {
	t.Helper()
	exe := filepath.Join(top, "bin", "helve")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", exe, "helve/cmd/helve")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as what is shipped
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// run deals the blows of the seed, and asks after each one what must hold.
func run(t *testing.T, top string) {
	w := newWorld(t, top)
	began := time.Now()
	more := func(n int) bool {
		if *rounds > 0 {
			return n <= *rounds
		}
		return time.Since(began).Minutes() < *minutes
	}
	for n := 1; more(n); n++ {
		r := planned(*seed, n)
		w.round = r
		w.play(r)
		w.ask()
		if t.Failed() {
			t.Fatalf("the same order again: scripts/neighbours -seed %d -rounds %d; what happened:\n%s",
				*seed, n, strings.Join(w.story, "\n"))
		}
	}
	w.end()
	t.Logf("seed %d: %d rounds in %v; %s", *seed, w.round.n, time.Since(began).Round(time.Second), w.counted())
	for name, rounds := range w.broken {
		t.Logf("known: %s, in rounds %v", name, slices.Compact(rounds))
	}
}
