package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	// soakRate is calls a second: far above what an agent does.
	soakRate = 500
	// soakShort is for how long the test runs unless HELVE_SOAK says otherwise: HELVE_SOAK=1h go test -run Soak
	// -timeout 2h ./cmd/helve
	soakShort = 6 * time.Second
	// soakGrowth is by how much a server may be larger in the last quarter than in the second, in KiB: less than a leak
	// of a hundred bytes a call would come to within five minutes.
	soakGrowth = 6 << 10
)

// A server that is asked for long stays as it was: memory, goroutines (which are memory), descriptors.
func TestASoakedServerStaysFlat(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		return // linking it takes seconds; elsewhere there is no /proc to read
	}
	lasts := soakShort
	if s := os.Getenv("HELVE_SOAK"); s != "" {
		var err error
		if lasts, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	exe := staticBinary(t)
	for name, start := range map[string]func(*testing.T, string, string) *soaked{"stdio": soakStdio, "http": soakHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ws := t.TempDir()
			for i := range 20 {
				if err := os.WriteFile(filepath.Join(ws, fmt.Sprintf("f%d.txt", i)), []byte(strings.Repeat("a line of text\n", 50*i)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := start(t, exe, ws)
			defer s.end()
			s.soak(t, lasts)
		})
	}
}

// A soaked server is one that is called and called.
type soaked struct {
	pid  int
	call func(id int, params string) error
	end  func()
}

func soakServer(t *testing.T, exe, ws string, more ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	cmd := exec.Command(exe, append([]string{"-C", ws, "serve"}, more...)...)
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home}
	return cmd
}

const soakHello = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func soakStdio(t *testing.T, exe, ws string) *soaked {
	t.Helper()
	cmd := soakServer(t, exe, ws)
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
	lines := bufio.NewReaderSize(out, 1<<20)
	var mu sync.Mutex
	ask := func(body, id string) error {
		mu.Lock()
		defer mu.Unlock()
		if _, err := io.WriteString(in, body+"\n"); err != nil {
			return err
		}
		line, err := lines.ReadString('\n')
		if err == nil && !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`+id+`,"result"`) {
			err = fmt.Errorf("%.300s", line)
		}
		return err
	}
	if err := ask(soakHello, `"i"`); err != nil {
		t.Fatal(err)
	}
	return &soaked{pid: cmd.Process.Pid, end: func() { in.Close(); cmd.Wait() }, call: func(id int, params string) error {
		return ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, id, params), fmt.Sprint(id))
	}}
}

func soakHTTP(t *testing.T, exe, ws string) *soaked {
	t.Helper()
	cmd := soakServer(t, exe, ws, "--http", "127.0.0.1:0", "--no-auth")
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(errs)
	url := ""
	for url == "" && said.Scan() {
		url, _ = strings.CutPrefix(said.Text(), "helve: listening on ")
	}
	go io.Copy(io.Discard, errs) // ends with the process
	session := ""
	ask := func(body string) error {
		q, err := http.NewRequest("POST", url, strings.NewReader(body))
		if err != nil {
			return err
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Mcp-Session-Id", session)
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err == nil && !strings.Contains(string(b), `"result"`) {
			err = fmt.Errorf("%s %.300s", resp.Status, b)
		}
		if session == "" {
			session = resp.Header.Get("Mcp-Session-Id")
		}
		return err
	}
	if err := ask(soakHello); err != nil {
		t.Fatal(err)
	}
	return &soaked{pid: cmd.Process.Pid, end: func() { cmd.Process.Signal(os.Interrupt); cmd.Wait() }, call: func(id int, params string) error {
		return ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, id, params))
	}}
}

// soak calls at an even pace, as often as fits into the time; a machine that is busy takes longer for the same. The
// least memory of the second quarter is held against that of the last: what a collector leaves from one moment to the
// next is not growth.
func (s *soaked) soak(t *testing.T, lasts time.Duration) {
	start, calls := time.Now(), int(lasts.Seconds()*soakRate)
	memory, files := [2]int{math.MaxInt, math.MaxInt}, [2]int{math.MaxInt, math.MaxInt}
	for n := range calls {
		if err := s.call(n, soakCall(n)); err != nil {
			t.Fatalf("call %d, %v after the start: %v", n, time.Since(start).Round(time.Second), err)
		}
		if quarter := 4 * n / calls; n%(calls/60) == 0 && quarter%2 == 1 {
			memory[quarter/2] = min(memory[quarter/2], resident(t, s.pid))
			files[quarter/2] = min(files[quarter/2], descriptors(t, s.pid))
		}
		if ahead := time.Duration(n)*time.Second/soakRate - time.Since(start); ahead > 0 {
			time.Sleep(ahead)
		}
	}
	t.Logf("%d calls in %v: %.1f MiB in the second quarter, %.1f MiB in the last; %d and %d descriptors", calls, time.Since(start).Round(time.Second),
		float64(memory[0])/1024, float64(memory[1])/1024, files[0], files[1])
	if memory[1] > memory[0]+soakGrowth || files[1] > files[0]+8 {
		t.Errorf("it grows: %d KiB, then %d; %d descriptors, then %d", memory[0], memory[1], files[0], files[1])
	}
}

// soakCall is what an agent does all day, a tool that is not there included.
func soakCall(n int) string {
	switch n % 8 {
	case 0:
		return `{"name":"grep","arguments":{"pattern":"line","head_limit":5}}`
	case 1:
		return `{"name":"glob","arguments":{"pattern":"*.txt"}}`
	case 2:
		return `{"name":"ls","arguments":{}}`
	case 3:
		return `{"name":"nothing","arguments":{}}`
	}
	return fmt.Sprintf(`{"name":"read","arguments":{"file_path":"f%d.txt"}}`, n%20)
}

func descriptors(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
