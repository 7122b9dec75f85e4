package proc

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// holdFile holds a file in memory that has no name, and is mapped nowhere.
func holdFile() {
	if _, err := fileInMemory(150); err != nil {
		panic(err)
	}
	time.Sleep(ample)
}

// fileInMemory is such a file of so many MiB.
func fileInMemory(size int) (fd int, err error) {
	fd, err = unix.MemfdCreate("held", 0)
	if err != nil {
		return 0, err
	}
	piece := make([]byte, 1<<20)
	for range size {
		if _, err := unix.Write(fd, piece); err != nil {
			return fd, err
		}
	}
	return fd, nil
}

func TestATreeThatUsesTooMuchIsEnded(t *testing.T) {
	const hold = `x=$(head -c 40000000 /dev/zero | tr '\0' x); sleep 120`
	for name, c := range map[string]struct {
		bounds Bounds
		line   string
		want   string
	}{
		"memory of many":   {Bounds{Memory: 100 << 20}, `for i in 1 2 3 4; do (` + hold + `) & done; wait`, "of memory together, more than the 100 MiB that they may"},
		"memory of one":    {Bounds{Memory: 30 << 20}, hold, "more than the 30 MiB that they may"},
		"left its session": {Bounds{Memory: 30 << 20}, `setsid bash -c "` + strings.ReplaceAll(hold, "$", `\$`) + `" & sleep 120`, "more than the 30 MiB"},
		"a file in memory": {Bounds{Memory: 100 << 20}, "PROC_TEST_FILE=1 exec /proc/$PPID/exe", "of memory together, more than the 100 MiB that they may"},
		"processes":        {Bounds{Processes: 20}, `for i in $(seq 40); do sleep 120 & done; wait`, "processes, more than the 20 that it may have"},
	} {
		t.Run(name, func(t *testing.T) {
			s := bash(true, c.line)
			s.Bounds = c.bounds
			p := start(t, s)
			e := finish(t, p)
			if !strings.Contains(e.Over, c.want) || e.Signal != "SIGKILL" {
				t.Errorf("%+v, want %q", e, c.want)
			}
		})
	}
}

func TestATreeThatFillsAFolderIsEnded(t *testing.T) {
	for name, c := range map[string]struct {
		bounds Bounds
		line   string
		want   string
	}{
		"bytes":     {Bounds{Grown: 20 << 20, Entries: 1000}, `head -c 60000000 /dev/urandom > f; sleep 120`, "grew by "},
		"entries":   {Bounds{Grown: 20 << 20, Entries: 100}, `mkdir d; for i in $(seq 200); do : > d/$i; done; sleep 120`, "had more than the 100 files and folders"},
		"as it was": {Bounds{Grown: 20 << 20, Entries: 1000}, `head -c 1000000 /dev/urandom > f; for i in $(seq 100); do ln f l$i; done; sleep 1`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			// what stood there before does not count
			if err := os.WriteFile(dir+"/old", bytes.Repeat([]byte("x"), 30<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			s := bash(true, "cd "+dir+"; "+c.line)
			s.Bounds = c.bounds
			s.Bounds.Folder = dir
			p := start(t, s)
			e := finish(t, p)
			if !strings.Contains(e.Over, c.want) || (e.Over == "") != (c.want == "") {
				t.Errorf("%+v, want %q", e, c.want)
			}
		})
	}
}

// The machine's shared memory does not grow where others give back as much as a tree takes.
func TestAFileInMemoryIsFoundWhereTheMachinesSharedMemoryDoesNotGrow(t *testing.T) {
	fd, err := fileInMemory(300)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	self := []int{os.Getpid()}
	g := newGauge(Bounds{Memory: exactly(self) - 20<<20})
	for end := time.Now().Add(ample); ; time.Sleep(soonest) {
		over, _ := g.look(self)
		if strings.Contains(over, "of memory together, more than the") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("it is not found: %q", over)
		}
	}
}

// Pages that processes share count once: a server with many workers is no hog.
func TestSharedMemoryCountsOnce(t *testing.T) {
	s := bash(true, `x=$(head -c 40000000 /dev/zero | tr '\0' x); for i in 1 2 3 4 5 6; do (sleep 1.5; :) & done; wait; echo ${#x}`)
	s.Bounds = Bounds{Memory: 200 << 20}
	p := start(t, s)
	if e := finish(t, p); e.Over != "" || text(p.Stdout) != "40000000\n" {
		t.Errorf("%+v, %q", e, text(p.Stdout))
	}
}

func TestAMachineWithoutMemoryIsKnown(t *testing.T) {
	const giga = 1 << 30
	for _, c := range []struct {
		total, available int64
		want             bool
	}{
		{16 * giga, 8 * giga, false}, {16 * giga, giga / 4, true}, {4 * giga, giga / 4, false}, {4 * giga, giga / 16, true}, {0, 0, false},
	} {
		got := scarce(map[string]int64{"MemTotal": c.total, "MemAvailable": c.available})
		if got != c.want {
			t.Errorf("%d of %d: %v", c.available, c.total, got)
		}
	}
	if n := Memory(); n < 64<<20 {
		t.Errorf("this machine has %d bytes", n)
	}
}

func TestTheLowestBoundOfTheGroupsAroundCounts(t *testing.T) {
	dir := t.TempDir()
	for path, text := range map[string]string{"/memory.max": "9000\n", "/a/memory.max": "5000\n", "/a/b/memory.max": "max\n"} {
		at := dir + strings.TrimSuffix(path, "/memory.max")
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir+path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for group, want := range map[string]int64{"/a/b": 5000, "/": 9000, "/a": 5000, "/none": 9000} {
		if got := least(10_000, dir, group, "memory.max"); got != want {
			t.Errorf("%s: %d, want %d", group, got, want)
		}
	}
}
