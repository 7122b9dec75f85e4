package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	// maxIdle is what a server may hold that nobody asks anything, in KiB: as much as the smallest servers of the kind.
	maxIdle = 20 << 10
	// restTime is how long nobody asks anything: a server gives back what starting took when its client has its list.
	restTime = 3 * time.Second
)

func TestAnIdleServerIsSmall(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		return // linking it takes seconds; elsewhere there is no /proc to read
	}
	exe := staticBinary(t)
	home := t.TempDir()
	cmd := exec.Command(exe, "-C", t.TempDir(), "serve")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close() // the end of its input ends a server
	replies := bufio.NewReader(out)
	for _, request := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		if _, err := io.WriteString(in, request+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := replies.ReadString('\n'); err != nil || !strings.Contains(line, `"result"`) {
			t.Fatalf("%q, %v", line, err)
		}
		if strings.Contains(request, "initialize") {
			io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
		}
	}
	first := resident(t, cmd.Process.Pid)
	time.Sleep(restTime)
	kib := resident(t, cmd.Process.Pid)
	t.Logf("%.1f MiB, with its list just given %.1f", float64(kib)/1024, float64(first)/1024)
	if kib > maxIdle {
		t.Errorf("%d KiB resident, at most %d", kib, maxIdle)
	}
}

// resident is the memory of a process in KiB.
func resident(t *testing.T, pid int) (kib int) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 {
			return kib
		}
	}
	t.Fatalf("no VmRSS in %s", b)
	return 0
}
