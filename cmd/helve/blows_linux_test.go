package main

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// What works in the workspace while helve is killed. Each writes to the folder out, and nowhere else.
var workers = map[string]string{
	"tools/work": "for i in $(seq 20); do echo $i >out/f$i; done; sleep 0.05; echo x >out/f0\n",
	"tools/list": `echo '[{"name":"found","description":"Writes.","parameters":{"type":"object","properties":{}}}]'` + "\n",
	"tools/call": "cat >/dev/null; . tools/work\n",
	"tools/server": `while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9][0-9]*\).*/\1/p')
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"found","inputSchema":{"type":"object"}}]}}';;
  *'"method":"tools/call"'*) . tools/work; echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"done"}]}}';;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`,
}

const workersConfig = `{"script":true,"discovery":{"command":"sh tools/list","call":"sh tools/call"},
	"mcp_servers":{"s":{"command":"sh","args":["tools/server"],"sandbox":"workspace-write","trust":true},
		"light":{"command":"sh","args":["tools/server"],"trust":true}}}`

// speakTo is what a client says that has a command run in the background.
const talk = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash","arguments":{"command":"while true; do sh tools/work; done","run_in_background":true}}}
`

// A blow is a helve that is killed at some moment.
type blow struct {
	name   string
	before []string // a call that goes before, to its end
	args   []string
	stdin  string
}

var blows = []blow{
	{name: "bash", args: []string{"--mode", "auto", "call", "--yes", "bash", "command=sh tools/work"}},
	{name: "discovered tool", args: []string{"call", "--yes", "found"}},
	{name: "server", args: []string{"call", "--yes", "mcp__s__found"}},
	{name: "light server", args: []string{"call", "--yes", "mcp__light__found"}},
	{name: "background", args: []string{"serve", "--approval", "client"}, stdin: talk},
	{name: "script", args: []string{"call", "--yes", "run_script", `script=write(file_path="out/f1", contents="1")` + "\n" + `bash(command="sh tools/work")`}},
	{
		name:   "undo",
		before: []string{"--mode", "auto", "call", "--yes", "write", "file_path=out/f1", "contents=new"},
		args:   []string{"undo", "--yes"},
	},
}

// helve is killed at any moment of anything: the next one starts and lists its tools, git tells of nothing but what was
// written, and no name is there that was not there before. -kills sets how often.
func TestAKilledHelveLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	places := []struct {
		name       string
		git, alone bool // in a repository; with Landlock alone
	}{
		{"git", true, false}, {"plain", false, false}, {"git, Landlock alone", true, true}, {"plain, Landlock alone", false, true},
	}
	done := map[string]int{}
	each := max(1, *kills/(len(places)*len(blows)))
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			d := newBlownBase(t, p.git)
			if p.alone {
				if out, err := d.aloneCommand("version").CombinedOutput(); err != nil {
					t.Skip("a user namespace, in which there are none, does not work here: ", string(out))
				}
			}
			for _, b := range blows {
				d.calls(b, p.alone) // once to its end, which finds what does not work at all
				for range each {
					d.strike(b, p.alone)
					done[b.name]++
				}
			}
		})
	}
	t.Logf("killed: %v", done)
}

// A blownBase is a base, and what is in its workspace.
type blownBase struct {
	*base
	names  string
	window map[string]time.Duration // by blow: how long it takes
}

func newBlownBase(t *testing.T, git bool) *blownBase {
	t.Helper()
	d := &blownBase{base: newBase(t, 0), window: map[string]time.Duration{}}
	config := filepath.Join(d.home, ".config", "helve", "config.json")
	files := map[string]string{config: workersConfig, filepath.Join(d.work, "out", "f1"): "1\n"}
	for name, text := range workers {
		files[filepath.Join(d.work, name)] = text
	}
	for name, text := range files {
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	if git {
		if out, err := d.outside("git init -q -b main . && git add tools && git commit -q -m 0 && git status"); err != nil {
			t.Fatal(err, out)
		}
	}
	d.names = d.list()
	return d
}

// starts runs helve, or where no further namespace can be made.
func (d *blownBase) starts(alone bool, args ...string) *exec.Cmd {
	if alone {
		return d.aloneCommand(args...)
	}
	return d.command(d.helve(), args...)
}

// aloneCommand is one where no further namespace can be made. It ends with who starts it.
func (d *blownBase) aloneCommand(args ...string) *exec.Cmd {
	line := `echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"`
	words := []string{"--user", "--map-root-user", "--fork", "--kill-child", "bash", "-c", line, "bash", d.helve()}
	return d.command("unshare", append(words, args...)...)
}

// calls runs it to its end, and notes how long that takes.
func (d *blownBase) calls(b blow, alone bool) {
	d.t.Helper()
	d.prepare(b, alone)
	if b.stdin != "" { // it has none
		d.window[b.name] = time.Second
		return
	}
	start := time.Now()
	if out, err := d.starts(alone, b.args...).CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v %s", b.name, err, out)
	}
	d.window[b.name] = time.Since(start)
	d.look(b, "at its end")
}

func (d *blownBase) prepare(b blow, alone bool) {
	d.t.Helper()
	if b.before == nil {
		return
	}
	if out, err := d.starts(alone, b.before...).CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v %s", b.name, err, out)
	}
}

// strike kills it at some moment, and looks at what is left.
func (d *blownBase) strike(b blow, alone bool) {
	d.t.Helper()
	d.prepare(b, alone)
	c := d.starts(alone, b.args...)
	if b.stdin != "" {
		in, err := c.StdinPipe()
		if err != nil {
			d.t.Fatal(err)
		}
		defer in.Close()
		go in.Write([]byte(b.stdin)) // ends with the process
	}
	if err := c.Start(); err != nil {
		d.t.Fatal(err)
	}
	delay := time.Duration(rand.Int64N(int64(d.window[b.name])))
	timer := time.AfterFunc(delay, func() { c.Process.Kill() })
	c.Wait()
	timer.Stop()
	d.look(b, "killed after "+delay.String())
}

// look has the next helve start, and compares what is there with what was.
func (d *blownBase) look(b blow, when string) {
	d.t.Helper()
	if out, err := d.command(d.helve(), "list").CombinedOutput(); err != nil {
		d.t.Fatalf("%s, %s: the next helve: %v %s", b.name, when, err, out)
	}
	if got := d.list(); got != d.names {
		d.t.Fatalf("%s, %s: in the workspace is\n%s\nand was\n%s", b.name, when, got, d.names)
	}
	if _, err := os.Stat(filepath.Join(d.work, ".git")); err != nil {
		return
	}
	out, err := d.outside("git status --porcelain --ignored")
	if err != nil || strings.TrimSpace(out) != "?? out/" {
		d.t.Fatalf("%s, %s: git status: %v %s", b.name, when, err, out)
	}
}

// list is what is in the workspace, but for what it is the business of the calls to write.
func (d *blownBase) list() string {
	d.t.Helper()
	own := regexp.MustCompile(`^out/f[0-9]+$`)
	var out []string
	err := filepath.WalkDir(d.work, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(d.work, path)
		switch {
		case errors.Is(err, fs.ErrNotExist): // of a process that is just ending
			return nil
		case err != nil:
			return err
		case own.MatchString(rel), rel == ".git/index":
			return nil
		}
		out = append(out, rel+" "+e.Type().String())
		return nil
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.Join(out, "\n")
}
