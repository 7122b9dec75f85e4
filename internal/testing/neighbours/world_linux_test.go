package neighbours

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// A world is one workspace, and everybody in it.
type world struct {
	*testing.T
	exe     string
	top     string // a small file system of its own, if that can be had: ws, home, tmp, log
	small   bool   // it is one, so that it can be full
	ws, log string
	round   round
	story   []string         // what was done and what came of it, for who reads a failure
	helves  []*helve         // that go on from round to round
	broken  map[string][]int // rounds, by the promise that did not hold
	count   map[string]int

	mu    sync.Mutex
	files map[string]string // what must stand in the workspace: a person's, and of calls that were acknowledged
	maybe map[string]bool   // what may: of calls of which nobody heard
	done  map[string]bool   // by mark, whether its call was acknowledged; it is in the log once, or once at most
	lines []string          // that a person or a call added to shared.txt
}

// diskBytes is room for what a few hundred rounds leave, and soon full.
const diskBytes = "256m"

// server is MCP in a few lines of shell: SERVER KIND LOG. A note is written into the log and acknowledged.
const server = `#!/bin/sh
case $1 in dead) exit 1;; mute) exec cat >/dev/null;; slow) sleep 4;; esac
while read -r line; do
  id=${line##*\"id\":}; id=${id%%[,\}]*}
  case $line in
  *'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"'$1'","version":"1"}}}';;
  *'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"note","description":"Notes.","inputSchema":{"type":"object","properties":{"mark":{"type":"string"}},"required":["mark"]}}]}}';;
  *'"method":"tools/call"'*)
    mark=${line##*\"mark\":\"}; mark=${mark%%\"*}
    echo "$mark" >>"$2"
    echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"noted '$mark'"}]}}'
    [ $1 != flapping ] || exit 1;;
  *'"id"'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}';;
  esac
done
`

// discovery is a discovery command, and what it tells of: its argument is a tool's name.
const discovery = `#!/bin/sh
[ -n "$1" ] || { echo '[{"name":"probe","description":"Takes a while.","parameters":{"type":"object"}}]'; exit; }
sleep 0.4; echo probed
`

// needle stands in one file, for whoever searches.
const needle = "a needle in the workspace\n"

// absent are the servers that never answer, or late.
var absent = []string{"dead", "mute", "slow"}

func newWorld(t *testing.T, top string) *world {
	t.Helper()
	w := &world{T: t, exe: *binary, top: filepath.Join(top, "disk"), broken: map[string][]int{}, count: map[string]int{},
		files: map[string]string{}, maybe: map[string]bool{}, done: map[string]bool{}}
	w.ws, w.log = filepath.Join(w.top, "ws"), filepath.Join(w.top, "log")
	w.must(os.MkdirAll(w.top, 0o755))
	w.must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	w.must(unix.Mount("proc", "/proc", "proc", 0, ""))
	w.small = unix.Mount("tmpfs", w.top, "tmpfs", 0, "size="+diskBytes) == nil
	for _, dir := range []string{"ws/made", "log", "tmp", "bin", "home/.config/helve"} {
		w.must(os.MkdirAll(filepath.Join(w.top, dir), 0o755))
	}
	w.must(os.Symlink(w.exe, filepath.Join(w.top, "bin/helve")))
	w.must(os.WriteFile(filepath.Join(w.top, "bin/server"), []byte(server), 0o755))
	w.must(os.WriteFile(filepath.Join(w.top, "bin/tools"), []byte(discovery), 0o755))
	w.must(os.WriteFile(filepath.Join(w.log, "marks"), nil, 0o644))
	bus := w.port()
	w.configure("config.json", bus, absent)
	w.configure("control.json", bus, nil)
	w.person("needle.txt", needle)
	w.person("shared.txt", "shared\n")
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.email", "p@example.com"}, {"config", "user.name", "p"}} {
		w.git(args...)
	}
	w.commit()
	w.helves = []*helve{
		{world: w, name: "serve", args: []string{"serve", "--console"}},
		{world: w, name: "gate a", args: []string{"serve", "--bus"}},
		{world: w, name: "gate b", args: []string{"serve", "--bus"}},
		{world: w, name: "worker", args: []string{"worker", "--slots", "4"}},
	}
	w.command("list").run(startBound * 3) // everything is met for the first time
	w.startAll()
	return w
}

// configure writes a configuration of the user with the servers that are well, and others.
func (w *world) configure(name, bus string, others []string) {
	w.Helper()
	servers := map[string]any{}
	for _, kind := range append([]string{"well", "flapping"}, others...) {
		servers[kind] = map[string]any{"command": filepath.Join(w.top, "bin/server"),
			"args": []string{kind, filepath.Join(w.log, "marks")}, "trust": true}
	}
	tools := filepath.Join(w.top, "bin/tools")
	b, err := json.Marshal(map[string]any{
		"mcp_servers": servers,
		"discovery":   map[string]string{"command": tools, "call": tools},
		"script":      true,
		"mode":        "auto",
		"rules":       []any{map[string]string{"allow": "probe"}},
		"sandbox":     map[string]any{"writable": []string{w.log}},
		"bus":         map[string]string{"embed": bus},
	})
	w.must(err)
	w.must(os.WriteFile(filepath.Join(w.top, "home/.config/helve", name), b, 0o600))
}

// port is the address of the bus: whoever of the gateways comes first has it.
func (w *world) port() string {
	l, err := net.Listen("tcp", os.Getenv(addrVariable))
	w.must(err)
	defer l.Close()
	return l.Addr().String()
}

// environ is what everybody in the world has.
func (w *world) environ() []string {
	home := filepath.Join(w.top, "home")
	return []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/.config", "XDG_STATE_HOME=" + home + "/state",
		"XDG_CACHE_HOME=" + home + "/cache", "TMPDIR=" + filepath.Join(w.top, "tmp"), "OPENAI_API_KEY=k",
		"GIT_CONFIG_NOSYSTEM=1", "PATH=" + filepath.Join(w.top, "bin") + ":" + os.Getenv("PATH")}
}

// person writes a file as a person does, and it must stay so.
func (w *world) person(name, text string) {
	w.Helper()
	w.must(os.WriteFile(filepath.Join(w.ws, name), []byte(text), 0o644))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[name] = text
}

func (w *world) git(args ...string) string {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.ws, w.environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.broke("git", "git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (w *world) commit() {
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint("round ", w.round.n))
}

// tell notes what was done.
func (w *world) tell(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.story = append(w.story, fmt.Sprintf("%d: ", w.round.n)+fmt.Sprintf(format, args...))
	if testing.Verbose() {
		fmt.Println(w.story[len(w.story)-1])
	}
}

// broke says that a promise does not hold, by the promise's name.
func (w *world) broke(promise, format string, args ...any) {
	w.Helper()
	if slices.Contains(strings.Split(*known, ","), promise) {
		w.broken[promise] = append(w.broken[promise], w.round.n)
		w.tell("known: %s: %s", promise, fmt.Sprintf(format, args...))
		return
	}
	w.Errorf("round %d (%s): broken: %s: %s", w.round.n, w.round, promise, fmt.Sprintf(format, args...))
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// counted is how often what was done.
func (w *world) counted() string {
	var out []string
	for name, n := range w.count {
		out = append(out, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
