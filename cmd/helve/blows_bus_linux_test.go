package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"helve/internal/testing/loopback"
)

// busBlows are the calls of a client whose gateway, or the worker that has them, is killed meanwhile.
var busBlows = []struct{ name, args string }{
	{"bash", `{"command":"sh tools/work"}`},
	{"bash", `{"command":"while true; do sh tools/work; done","run_in_background":true}`},
	{"write", `{"file_path":"out/f1","contents":"more\n","append":true}`},
	{"run_script", `{"script":"write(file_path=\"out/f1\", contents=\"1\", append=True)\nbash(command=\"sh tools/work\")"}`},
	{"pool__default__found", `{}`},
	{"pool__default__s__found", `{}`},
}

// A gateway with a bus of its own, or its worker, is killed at any moment of a call: the next helve starts and lists its
// tools, git tells of nothing but what was written, no name and no process is left; a call whose gateway lives is
// answered, and the next one is done. -kills sets how often.
func TestAKilledHelveOnABusLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	places := []struct {
		name       string
		git, alone bool
	}{{"git", true, false}, {"plain, Landlock alone", false, true}}
	each := max(len(busBlows), *kills/(4*len(places)))
	for i, p := range places {
		t.Run(p.name, func(t *testing.T) {
			g := newBusBase(t, p.git, p.alone)
			for n := range each {
				// Each call meets both kinds of kills, the other one first at the other place.
				g.strike(n%len(busBlows), (n+n/len(busBlows)+i)%2 == 0)
			}
			t.Log("killed, and what the client was told:", g.count)
			g.end()
		})
	}
}

// A busBase is a blown base with a gateway and a worker, which stay for as long as they live.
type busBase struct {
	*blownBase
	alone           bool
	gateway, worker *exec.Cmd
	said            map[*exec.Cmd]*bytes.Buffer
	client          *mcp.ClientSession
	took            map[int]time.Duration // by call
	count           map[string]int
}

func newBusBase(t *testing.T, git, alone bool) *busBase {
	t.Helper()
	g := &busBase{blownBase: newBlownBase(t, git), alone: alone, said: map[*exec.Cmd]*bytes.Buffer{}, took: map[int]time.Duration{}, count: map[string]int{}}
	if alone {
		if out, err := g.aloneCommand("version").CombinedOutput(); err != nil {
			t.Skip("a user namespace, in which there are none, does not work here: ", string(out))
		}
	}
	l, err := net.Listen("tcp", loopback.Addr())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	bus := fmt.Sprintf(`{"bus":{"embed":%q,"pools":{"default":{"tools":["bash","bash_output","bash_kill","read","write"],"own_tools":true,"trust":true}}},`, l.Addr())
	config := strings.Replace(workersConfig, "{", bus, 1)
	if err := os.WriteFile(filepath.Join(g.home, ".config", "helve", "config.json"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.kill)
	return g
}

// kill ends what still runs.
func (g *busBase) kill() {
	for _, c := range []*exec.Cmd{g.gateway, g.worker} {
		if c != nil && c.Process != nil {
			c.Process.Kill()
		}
	}
}

// busPatience is how long anything may take that comes by itself, on a machine that does much else.
const busPatience = time.Minute

// up starts what was killed, and waits until a call is done.
func (g *busBase) up(ctx context.Context) {
	g.t.Helper()
	if g.client == nil {
		g.gateway = g.starts(g.alone, "--mode", "auto", "serve", "--bus", "--approval", "client", "--names", "qualified")
		g.gateway.Stderr = g.hears(g.gateway)
		s, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: g.gateway}, nil)
		if err != nil {
			g.t.Fatalf("the gateway does not serve: %v %s", err, g.said[g.gateway])
		}
		g.client = s
	}
	if g.worker == nil {
		g.worker = g.starts(g.alone, "--mode", "auto", "worker", "--own-tools")
		g.worker.Stderr = g.hears(g.worker)
		if err := g.worker.Start(); err != nil {
			g.t.Fatal(err)
		}
	}
	for end := time.Now().Add(busPatience); ; time.Sleep(50 * time.Millisecond) {
		told := g.call(ctx, "pool__default__s__found", `{}`)
		if told == "done" {
			return
		}
		if time.Now().After(end) {
			g.t.Fatalf("after a kill no call is done: %s\ngateway: %s\nworker: %s", told, g.said[g.gateway], g.said[g.worker])
		}
	}
}

func (g *busBase) hears(c *exec.Cmd) *bytes.Buffer {
	g.said[c] = &bytes.Buffer{}
	return g.said[c]
}

// call says in a word what a client is told.
func (g *busBase) call(ctx context.Context, name, args string) string {
	ctx, stop := context.WithTimeout(ctx, busPatience)
	defer stop()
	res, err := g.client.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	switch {
	case ctx.Err() != nil:
		return "nothing"
	case err != nil:
		return "the connection ended"
	case !res.IsError:
		return "done"
	}
	text := res.Content[0].(*mcp.TextContent).Text
	for _, known := range []string{"may have been done, in part or not at all", "nothing was done", "may have been carried out"} {
		if strings.Contains(text, known) {
			return known
		}
	}
	return text
}

// strike kills the gateway or the worker while a call runs, and looks at what is left.
func (g *busBase) strike(n int, gateway bool) {
	g.t.Helper()
	g.up(g.t.Context())
	b := busBlows[n]
	if g.took[n] == 0 { // once to its end
		for end := time.Now().Add(busPatience); g.took[n] == 0; {
			start := time.Now()
			told := g.call(g.t.Context(), b.name, b.args)
			switch {
			case told == "done":
				g.took[n] = max(time.Since(start), time.Second/20)
			case strings.Contains(told, "changed meanwhile") && time.Now().Before(end):
				// A command of before, whose gateway was killed, still writes there: the worker ends it soon.
			default:
				g.t.Fatalf("%s: %s\ngateway: %s\nworker: %s", b.name, told, g.said[g.gateway], g.said[g.worker])
			}
		}
	}
	told := make(chan string, 1)
	go func() { told <- g.call(g.t.Context(), b.name, b.args) }() // ends with the gateway, or is answered
	delay := time.Duration(rand.Int64N(int64(g.took[n])))
	time.Sleep(delay)
	victim, who := &g.worker, "worker"
	if gateway {
		victim, who = &g.gateway, "gateway"
	}
	(*victim).Process.Kill()
	if gateway {
		g.client.Close() // it waits for the process
		g.client = nil
	} else {
		(*victim).Wait()
	}
	*victim = nil
	what := <-told
	g.count[who+": "+what]++
	when := fmt.Sprintf("the %s was killed after %v", who, delay)
	if what == "nothing" || !gateway && what == "the connection ended" {
		g.t.Errorf("%s: %s: the client hears: %s", b.name, when, what)
	}
	g.settled(b.name, when)
	g.look(blow{name: b.name}, when)
}

// settled waits until nothing of a killed helve runs any more.
func (g *busBase) settled(call, when string) {
	g.t.Helper()
	for end := time.Now().Add(busPatience); ; time.Sleep(50 * time.Millisecond) {
		left := g.orphans()
		if left == "" {
			return
		}
		if time.Now().After(end) {
			g.t.Fatalf("%s: %s: of nobody:\n%s", call, when, left)
		}
	}
}

// orphans are the processes of the base that no living helve started.
func (g *busBase) orphans() string {
	parent, dirs := map[int]int{}, []string{}
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
	for _, dir := range all {
		pid, _ := strconv.Atoi(filepath.Base(dir)) // it has digits alone
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // it has ended
		}
		f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		parent[pid], _ = strconv.Atoi(f[1]) // the kernel wrote it
		cwd, _ := os.Readlink(filepath.Join(dir, "cwd"))
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		if strings.HasPrefix(cwd, g.dir) || strings.HasPrefix(exe, g.dir) {
			dirs = append(dirs, dir)
		}
	}
	out := ""
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if !g.isOurs(pid, parent) {
			line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
			out += fmt.Sprintf("%d of %d: %q\n", pid, parent[pid], line)
		}
	}
	return out
}

// isOurs tells whether the gateway or the worker started a process.
func (g *busBase) isOurs(pid int, parent map[int]int) bool {
	for ; pid > 1; pid = parent[pid] {
		for _, c := range []*exec.Cmd{g.gateway, g.worker} {
			if c != nil && c.Process.Pid == pid {
				return true
			}
		}
	}
	return false
}

// end ends both: nothing is left.
func (g *busBase) end() {
	g.t.Helper()
	if g.client != nil {
		g.client.Close()
		g.gateway, g.client = nil, nil
	}
	if c := g.worker; c != nil {
		stop := c.Process
		if g.alone { // it is the child of who made its namespace
			stop = g.child(c.Process.Pid)
		}
		stop.Signal(syscall.SIGTERM)
		c.Wait()
		g.worker = nil
	}
	g.settled("the end", "both were told to end")
	g.look(blow{name: "the end"}, "both were told to end")
}

func (g *busBase) child(of int) *os.Process {
	g.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", of, of))
	if err != nil {
		g.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		g.t.Fatal(err)
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		g.t.Fatal(err)
	}
	return p
}
