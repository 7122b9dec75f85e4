//go:build unix

package builtin_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"helve/builtin"
	"helve/internal/testing/corpus"
	"helve/tool"
)

// A yard is a workspace ws beside things that nobody may reach: the world of the corpus, in a temporary folder.
type yard struct {
	*fixture
	base string
}

func newYard(t *testing.T, c corpus.Case) *yard {
	t.Helper()
	base := t.TempDir()
	y := &yard{base: base}
	y.shell(t, "mkdir -p /ws/keys /ws-evil && echo outside >/secret && echo outside >/ws-evil/s && echo outside >/ws-evil/f && echo inside >/ws/f && echo text >/ws/f.txt && echo K >/ws/keys/cfg")
	setup := c.Input.Setup
	switch {
	case strings.HasPrefix(setup, "head -c 1G"): // 64 MB are as long a line for every bound
		setup = "head -c 64000000 /dev/zero | tr '\\0' a > /ws/oneline"
	case strings.HasPrefix(setup, "echo a a"):
		setup = "echo a a > /ws/f"
	case strings.HasPrefix(setup, "file with 50k"):
		setup = "head -c 50000 /dev/zero | tr '\\0' a > /ws/a"
	}
	during := strings.HasPrefix(setup, "mv /ws")
	if isShell(setup) && !during {
		y.shell(t, setup)
	}
	y.fixture = open(t, builtin.Options{Dirs: []string{filepath.Join(base, "ws")}})
	if during {
		y.shell(t, setup)
	}
	t.Cleanup(func() { exec.Command("chmod", "-R", "u+rwx", base).Run() })
	return y
}

func isShell(setup string) bool {
	word, _, _ := strings.Cut(setup, " ")
	return strings.Contains(" ln mkfifo truncate cp printf chmod mv head echo ", " "+word+" ")
}

// moved puts the corpus's absolute paths below the temporary folder.
func (y *yard) moved(s string) string {
	return strings.NewReplacer(" /ws", " "+y.base+"/ws", ">/ws", ">"+y.base+"/ws", " /secret", " "+y.base+"/secret", ">/secret", ">"+y.base+"/secret",
		" /moved", " "+y.base+"/moved").Replace(" " + s)
}

func (y *yard) shell(t *testing.T, line string) {
	t.Helper()
	if out, err := exec.Command("sh", "-c", y.moved(line)).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", line, err, out)
	}
}

func (y *yard) arguments(c corpus.Case) args {
	out := args{}
	for k, v := range c.Input.Args {
		switch v := v.(type) {
		case map[string]any: // {"gen": "repeat", "unit": …, "len": …}
			unit, _ := v["unit"].(string)
			n, _ := v["len"].(float64)
			out[k] = strings.Repeat(unit, int(n)/len(unit)+1)
		case string:
			v = strings.Replace(v, ".Agent", ".Helve", 1)
			if strings.HasPrefix(v, "/ws") || strings.HasPrefix(v, "/secret") {
				v = y.base + v
			}
			out[k] = v
		default:
			out[k] = v
		}
	}
	return out
}

// The attacks of the groups path and file-input, as far as they are about files.
func TestFileAttacks(t *testing.T) {
	for _, c := range corpus.Attacks("path", "file-input") {
		if ownTests[c.ID] != "" {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			y := newYard(t, c)
			start := time.Now()
			r := y.attack(c)
			if took := time.Since(start); took > 2*time.Minute {
				t.Errorf("%s: took %v", c.Why, took)
			}
			y.judge(t, c, r)
		})
	}
}

func (y *yard) attack(c corpus.Case) *tool.Result {
	a := y.arguments(c)
	switch c.ID {
	case "file-input-020":
		return y.growing(a)
	case "file-input-028":
		s := session(y.t, nil)
		y.in(s, "read", args{"file_path": "f"})
		y.put("f", "changed outside\n")
		return y.in(s, c.Input.Tool, a)
	}
	b, err := json.Marshal(a)
	if err != nil {
		y.t.Fatal(err)
	}
	b = []byte(strings.Replace(string(b), "9223372036854775808e0", "9223372036854775808", 1))
	res, err := y.kit.Call(context.Background(), &tool.Call{Name: c.Input.Tool, Args: b})
	if err != nil {
		y.t.Fatal(err)
	}
	return res
}

// growing reads a file to which somebody writes.
func (y *yard) growing(a args) *tool.Result {
	f, err := os.Create(filepath.Join(y.dir, "slow"))
	if err != nil {
		y.t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				f.WriteString("another line\n")
			}
		}
	}()
	var r *tool.Result
	for range 50 {
		r = y.call("read", a)
	}
	close(stop)
	<-done
	f.Close()
	return r
}

func (y *yard) judge(t *testing.T, c corpus.Case, r *tool.Result) {
	t.Helper()
	if strings.Contains(r.Text(), "outside\n") || code(r) == tool.Unknown {
		t.Errorf("%s: %s %q", c.Why, code(r), r.Text())
	}
	switch c.Expected {
	case corpus.Blocked:
		if code(r) != tool.Permission && code(r) != tool.UnknownTool {
			t.Errorf("%s: %s %.300q", c.Why, code(r), r.Text())
		}
	case corpus.CleanError:
		if r.Err == nil && len(r.Repairs) == 0 { // "10" for 10 is mended, with a note
			t.Errorf("%s: %.300q", c.Why, r.Text())
		}
	case corpus.Contained:
		if size := len(r.Text()); size > 256<<10 {
			t.Errorf("%s: %d bytes", c.Why, size)
		}
	}
	y.after(t, c, r)
}

// after looks at what only this case can show.
func (y *yard) after(t *testing.T, c corpus.Case, r *tool.Result) {
	t.Helper()
	left, _ := filepath.Glob(filepath.Join(y.base, "ws", ".helve-*"))
	if len(left) > 0 {
		t.Errorf("temporary files are left: %q", left)
	}
	switch c.ID {
	case "path-038":
		if _, err := os.Lstat(filepath.Join(y.base, "created_outside")); err == nil {
			t.Error("a file was made outside")
		}
	case "path-041":
		if !strings.Contains(r.Text(), "inside") {
			t.Errorf("the open directory was left: %q", r.Text())
		}
	case "file-input-008":
		if !strings.HasPrefix(r.Text(), "Binary file: bin (application/x-executable") {
			t.Errorf("%.200q", r.Text())
		}
	case "file-input-022":
		st, err := os.Stat(filepath.Join(y.base, "ws", "f"))
		if err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", st.Mode(), err)
		}
	}
}

// path-039: a directory that is swapped for a link while it is read never leads outside.
func TestADirectorySwappedForALinkLeadsNowhere(t *testing.T) {
	y := newYard(t, corpus.Case{})
	dir, link := filepath.Join(y.dir, "sw"), filepath.Join(y.dir, "sw-link")
	y.put("sw/s", "inside\n")
	if err := os.Symlink("../ws-evil", link); err != nil {
		t.Fatal(err)
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(dir, dir+"-away")
			os.Rename(link, dir)
			runtime.Gosched()
			os.Rename(dir, link)
			os.Rename(dir+"-away", dir)
		}
	}()
	for range 3000 {
		if r := y.call("read", args{"file_path": "sw/s"}); strings.Contains(r.Text(), "outside\n") || r.Err == nil && r.Text() != "     1|inside" {
			t.Fatalf("%q", r.Text())
		}
	}
	close(stop)
	<-done
}
