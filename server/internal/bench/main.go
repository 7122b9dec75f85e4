// Command bench measures MCP servers on stdin and stdout, side by side: each is
// started, listed and called in turn, so that what the machine does meanwhile
// falls on all of them.
//
//	bench -runs 15 -calls 2000 'helve=helve serve' 'fs=node …/index.js .' \
//	  -call 'helve={"name":"read","arguments":{…}}'
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// pairs is a flag that may be given several times.
type pairs []string

func (p *pairs) String() string     { return strings.Join(*p, " ") }
func (p *pairs) Set(s string) error { *p = append(*p, s); return nil }

func main() {
	runs := flag.Int("runs", 15, "starts of each server")
	calls := flag.Int("calls", 2000, "calls of each server")
	flight := flag.Int("flight", 16, "calls in flight")
	answers := flag.Int("answer", 0, "be a server instead whose results have so many bytes")
	relays := flag.Bool("relay", false, "be a pipe instead in front of the command that follows")
	var wanted pairs
	flag.Var(&wanted, "call", "NAME=PARAMS of tools/call")
	flag.Parse()
	var err error
	switch {
	case *answers > 0:
		err = answer(os.Stdin, os.Stdout, *answers)
	case *relays:
		err = relay(os.Stdin, os.Stdout, flag.Args())
	default:
		err = bench(flag.Args(), wanted, *runs, *calls, *flight)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A row is what is measured of one server.
type row struct {
	name, command string
	start         []time.Duration
	params        string
	child         *child // that is called; nil: none
	made          int    // calls one by one
	call          []time.Duration
	perSecond     float64
	cpu           float64 // of the server and its children, in microseconds a call with several in flight
	bytes, kib    int
}

// bench starts all servers in turn, again and again, and then calls them in
// turn, a few calls at a time.
func bench(servers, wanted []string, runs, calls, flight int) error {
	var rows []*row
	for _, s := range servers {
		name, command, _ := strings.Cut(s, "=")
		r := &row{name: name, command: command}
		for _, w := range wanted {
			if n, p, _ := strings.Cut(w, "="); n == name {
				r.params = p
			}
		}
		rows = append(rows, r)
	}
	for range runs {
		for _, r := range rows {
			if err := r.measureStart(); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	if err := callInTurn(rows, calls, flight); err != nil {
		return err
	}
	fmt.Printf("%-30s %10s %10s %12s %14s %10s %8s\n", "server",
		"list, ms", "call, ms", "calls/s ×"+fmt.Sprint(flight), "CPU µs a call", "bytes", "RSS, MiB")
	for _, r := range rows {
		fmt.Printf("%-30s %10.1f %10.3f %12.0f %14.1f %10d %8.1f\n", r.name,
			ms(r.start), ms(r.call), r.perSecond, r.cpu, r.bytes, float64(r.kib)/1024)
	}
	return nil
}

// ms is the median in milliseconds.
func ms(d []time.Duration) float64 {
	if len(d) == 0 {
		return 0
	}
	slices.SortFunc(d, func(a, b time.Duration) int { return cmp.Compare(a, b) })
	return float64(d[len(d)/2]) / 1e6
}

// A child is a running server.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start runs a command and shakes hands with it as the session protocol does:
// every server that is compared knows that one.
func start(command string) (*child, error) {
	words := strings.Fields(command)
	c := &child{cmd: exec.Command(words[0], words[1:]...)}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReaderSize(out, 1<<20)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	const initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":` +
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	io.WriteString(c.in, initialize+"\n")
	if _, err := c.answer(`"i"`); err != nil {
		return nil, err
	}
	_, err = io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return c, err
}

// end closes the child's input, as a client does that leaves. One that stays is
// ended after five seconds.
func (c *child) end() {
	c.in.Close()
	time.AfterFunc(5*time.Second, func() { c.cmd.Process.Kill() }) // its own child
	c.cmd.Wait()
}

// answer is the line that answers an id, "" for any.
func (c *child) answer(id string) ([]byte, error) {
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct{ ID, Result, Error json.RawMessage }
		if json.Unmarshal(line, &m) != nil || m.ID == nil || id != "" && !bytes.Equal(m.ID, []byte(id)) {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s", m.Error)
		}
		return line, nil
	}
}

// measureStart is the time from the start of the process to its list of tools.
func (r *row) measureStart() error {
	t := time.Now()
	c, err := start(r.command)
	if err != nil {
		return err
	}
	defer c.end()
	io.WriteString(c.in, `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`+"\n")
	if _, err := c.answer(`"l"`); err != nil {
		return err
	}
	r.start = append(r.start, time.Since(t))
	return nil
}

// turns is in how many parts the calls of each server are made: between two
// parts of one come those of all others.
const turns = 20

// callInTurn calls the servers that have something to be called: one call after
// the other, and then several in flight.
func callInTurn(rows []*row, calls, flight int) error {
	for _, r := range rows {
		if r.params == "" {
			continue
		}
		c, err := start(r.command)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		defer c.end()
		r.child = c
	}
	for range turns {
		for _, r := range rows {
			if r.child == nil {
				continue
			}
			if err := r.measureCalls(calls/turns/4 + 1); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	var took = map[*row][]time.Duration{}
	for range turns {
		for _, r := range rows {
			if r.child == nil {
				continue
			}
			t, err := r.measureFlight(calls/turns+1, flight)
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			took[r] = append(took[r], t)
		}
	}
	for r, t := range took {
		r.perSecond = float64(calls/turns+1) / (ms(t) / 1e3)
		r.cpu /= turns
		r.kib = rss(r.child.cmd.Process.Pid)
	}
	return nil
}

// measureCalls calls one by one. The first calls of a turn are not counted: they
// start what is lazy, and come back to a processor that others had.
func (r *row) measureCalls(calls int) error {
	const warm = 10
	for i := range calls + warm {
		t := time.Now()
		r.made++
		fmt.Fprintf(r.child.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", r.made, r.params)
		line, err := r.child.answer(fmt.Sprint(r.made))
		if err != nil {
			return err
		}
		if r.bytes = len(line); i >= warm {
			r.call = append(r.call, time.Since(t))
		}
	}
	return nil
}

// measureFlight is how long a number of calls take with several in flight.
func (r *row) measureFlight(calls, flight int) (time.Duration, error) {
	pid := r.child.cmd.Process.Pid
	before := cpu(pid)
	t := time.Now()
	err := r.child.flood(r.params, calls, flight)
	took := time.Since(t)
	r.cpu += float64(cpu(pid)-before) / 1e3 / float64(calls)
	return took, err
}

// flood keeps flight calls under way until all are answered.
func (c *child) flood(params string, calls, flight int) error {
	slots := make(chan struct{}, flight)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range calls {
			slots <- struct{}{}
			fmt.Fprintf(
				c.in,
				`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n",
				1_000_000+i,
				params,
			)
		}
	})
	for range calls {
		// Counting lines is cheap enough not to be what is measured;
		// notifications are not expected here.
		if _, err := c.out.ReadSlice('\n'); err != nil && err != bufio.ErrBufferFull {
			return err
		}
		<-slots
	}
	wg.Wait()
	return nil
}

// rss is the resident memory of one process in KiB, without its children; 0
// where there is no /proc.
func rss(pid int) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	n := 0
	fmt.Sscan(rest, &n)
	return n
}

// cpu is what a process and its children have used so far, in nanoseconds; 0
// where there is no /proc.
func cpu(pid int) int64 {
	var sum int64
	tasks, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	for _, t := range tasks {
		var n int64
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, t.Name()))
		fmt.Sscan(string(b), &n)
		sum += n
		b, _ = os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, t.Name()))
		for _, child := range strings.Fields(string(b)) {
			var id int
			fmt.Sscan(child, &id)
			sum += cpu(id)
		}
	}
	return sum
}
