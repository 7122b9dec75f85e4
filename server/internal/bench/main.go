// Command bench measures MCP servers on stdin and stdout, side by side: each is
// started, listed and called in turn, so that what the machine does meanwhile
// falls on all of them.
//
//	bench -runs 15 -calls 2000 'helve=helve serve' 'fs=node …/index.js .' \
//	  -call 'helve={"name":"read","arguments":{…}}'
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"helve/internal/testing/bench"
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
	parses := flag.Bool("parse", false, "with -relay: read each message and write it anew")
	var wanted pairs
	flag.Var(&wanted, "call", "NAME=PARAMS of tools/call")
	flag.Parse()
	var err error
	switch {
	case *answers > 0:
		err = bench.Answer(os.Stdin, os.Stdout, *answers)
	case *relays && *parses:
		err = parsingRelay(os.Stdin, os.Stdout, flag.Args())
	case *relays:
		err = relay(os.Stdin, os.Stdout, flag.Args())
	default:
		err = measure(flag.Args(), wanted, *runs, *calls, *flight)
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
	child         *bench.Child // that is called; nil: none
	call          []time.Duration
	perSecond     float64
	cpu           float64   // of the server and its children, in microseconds a call with several in flight
	own           []float64 // of the server without its children, one by one, the same
	bytes         int
	rss           int64
}

// measure starts all servers in turn, again and again, and then calls them in
// turn, a few calls at a time.
func measure(servers, wanted []string, runs, calls, flight int) error {
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
	fmt.Printf("%-30s %10s %10s %12s %12s %14s %10s %8s\n", "server",
		"list, ms", "call, ms", "own CPU, µs", "calls/s ×"+fmt.Sprint(flight), "CPU µs a call", "bytes", "RSS, MiB")
	for _, r := range rows {
		fmt.Printf("%-30s %10.1f %10.3f %12.1f %12.0f %14.1f %10d %8.1f\n", r.name,
			ms(r.start), ms(r.call), median(r.own), r.perSecond, r.cpu, r.bytes, float64(r.rss)/(1<<20))
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

// median is the middle figure, 0 where there is none.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// start runs a command line and shakes hands with the server.
func start(command string) (*bench.Child, error) {
	words := strings.Fields(command)
	return bench.Start(exec.Command(words[0], words[1:]...))
}

// measureStart is the time from the start of the process to its list of tools.
func (r *row) measureStart() error {
	t := time.Now()
	c, err := start(r.command)
	if err != nil {
		return err
	}
	defer c.End()
	if _, err := c.Request("tools/list", "{}"); err != nil {
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
		defer c.End()
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
		r.rss = bench.RSS(r.child.Pid())
	}
	return nil
}

// measureCalls calls one by one. The first calls of a turn are not counted: they
// start what is lazy, and come back to a processor that others had.
func (r *row) measureCalls(calls int) error {
	const warm = 10
	pid := r.child.Pid()
	var before time.Duration
	for i := range calls + warm {
		if i == warm {
			before = bench.OwnCPU(pid)
		}
		t := time.Now()
		line, err := r.child.Request("tools/call", r.params)
		if err != nil {
			return err
		}
		if r.bytes = len(line); i >= warm {
			r.call = append(r.call, time.Since(t))
		}
	}
	own := bench.OwnCPU(pid) - before
	r.own = append(r.own, float64(own)/1e3/float64(calls))
	return nil
}

// measureFlight is how long a number of calls take with several in flight.
func (r *row) measureFlight(calls, flight int) (time.Duration, error) {
	pid := r.child.Pid()
	before := bench.CPU(pid)
	t := time.Now()
	err := r.child.Flood(r.params, calls, flight)
	took := time.Since(t)
	r.cpu += float64(bench.CPU(pid)-before) / 1e3 / float64(calls)
	return took, err
}
