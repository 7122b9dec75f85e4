package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"helve/internal/testing/bench"
	"helve/internal/tokens"
)

const (
	cpuMS = "ms CPU"
	cpuUS = "µs CPU a call"
)

// table is all that is measured, in the order in which it is printed.
func table() []*row {
	return []*row{
		{name: "version", unit: cpuMS, kind: cpu, open: version},
		{name: "init", unit: "ms", kind: cpu, open: initTime},
		{name: "init-allocs", unit: "allocs", open: initAllocs},
		{name: "init-bytes", unit: "bytes", open: initBytes},
		{name: "list", unit: cpuMS, kind: cpu, open: list},
		{name: "list-absent", unit: cpuMS, kind: cpu, open: listAbsent},
		{name: "list-tokens", unit: "tokens", open: listTokens},
		{name: "list-allocs", unit: "allocs", open: benchmark("./server", "BenchmarkList")},
		{name: "call-allocs", unit: "allocs", open: benchmark("./tool", "BenchmarkCall")},
		{name: "forward", unit: cpuUS, kind: cpu, open: forward},
		{name: "flight", unit: cpuUS, kind: cpu, open: flight(func(t taken) time.Duration { return t.cpu })},
		{name: "flight-wall", unit: "µs a call", kind: wall, open: flight(func(t taken) time.Duration { return t.wall })},
		{name: "read", unit: cpuUS, kind: cpu, open: read},
		{name: "edit", unit: cpuUS, kind: cpu, open: edit},
		{name: "grep-cold", unit: cpuMS, kind: cpu, open: grepCold},
		{name: "grep-index", unit: cpuMS, kind: cpu, open: grepIndex},
		{name: "grep-resident", unit: cpuUS, kind: cpu, open: grepResident},
		{name: "glob", unit: cpuMS, kind: cpu, open: glob},
		{name: "find", unit: cpuUS, kind: cpu, open: asked("find", "find_symbol")},
		{name: "used-by", unit: cpuUS, kind: cpu, open: asked("used_by", "get_dependents")},
		{name: "script", unit: cpuMS, kind: cpu, full: true, open: script},
		{name: "undo", unit: cpuMS, kind: cpu, open: undo},
		{name: "command", unit: cpuMS, kind: cpu, open: command},
		{name: "memory", unit: "bytes", kind: memory, open: memoryOf(bench.RSS)},
		{name: "memory-below", unit: "bytes", kind: memory, open: memoryOf(below)},
		{name: "size", unit: "bytes", open: size},
	}
}

// ms is a time as a figure.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// version is the least that helve can do.
func version(s *side) (*sampler, error) {
	return &sampler{sample: func() (float64, error) {
		e, err := s.ok("version")
		if err != nil {
			return 0, err
		}
		return ms(e.cpu), nil
	}}, nil
}

// initTime is what the packages' initialisation takes: of each the quickest of twenty starts, since a start that others
// disturb says nothing of it. It is time on the clock, which is all that the runtime tells.
func initTime(s *side) (*sampler, error) {
	const starts = 20
	return &sampler{sample: func() (float64, error) {
		least := map[string]float64{}
		for range starts {
			t, err := s.initTrace()
			if err != nil {
				return 0, err
			}
			for _, p := range t {
				if old, seen := least[p.name]; !seen || p.ms < old {
					least[p.name] = p.ms
				}
			}
		}
		sum := 0.0
		for _, v := range least {
			sum += v
		}
		return sum, nil
	}}, nil
}

func initAllocs(s *side) (*sampler, error) {
	return once(s.initSum(func(p initialised) float64 { return p.allocs }))
}

func initBytes(s *side) (*sampler, error) {
	return once(s.initSum(func(p initialised) float64 { return p.bytes }))
}

// initSum adds one figure of all packages up.
func (s *side) initSum(of func(initialised) float64) (float64, error) {
	t, err := s.initTrace()
	sum := 0.0
	for _, p := range t {
		sum += of(p)
	}
	return sum, err
}

// An initialised is a package in the trace.
type initialised struct {
	name              string
	ms, bytes, allocs float64
}

// initTrace is what the runtime says of one start. The runtime's own packages are left out: they are no one's here.
func (s *side) initTrace() ([]initialised, error) {
	e, err := s.run([]string{"GODEBUG=inittrace=1"}, "version")
	if err != nil {
		return nil, err
	}
	line := regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock, (\d+) bytes, (\d+) allocs`)
	var out []initialised
	for _, m := range line.FindAllStringSubmatch(e.stderr, -1) {
		p := initialised{name: m[1]}
		for i, to := range []*float64{&p.ms, &p.bytes, &p.allocs} {
			if *to, err = strconv.ParseFloat(m[i+2], 64); err != nil {
				return nil, err
			}
		}
		if p.name != "runtime" && !strings.HasPrefix(p.name, "internal/runtime") {
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("helve version prints no trace of its initialisation")
	}
	return out, nil
}

// list is a server from its start to its list, and to its end.
func list(s *side) (*sampler, error) {
	return &sampler{sample: func() (float64, error) {
		d, _, err := s.listed()
		return ms(d), err
	}}, nil
}

// listed starts a server, asks for its tools and ends it.
func (s *side) listed() (time.Duration, []byte, error) {
	child, err := s.serve(s.ws)
	if err != nil {
		return 0, nil, err
	}
	line, err := child.Request("tools/list", "{}")
	return took(child.End()), line, err
}

// listTokens is what the list costs a model: what of it a model reads, by one vocabulary for both states.
func listTokens(s *side) (*sampler, error) {
	_, line, err := s.listed()
	if err != nil {
		return nil, err
	}
	var m struct {
		Result struct {
			Tools []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				InputSchema json.RawMessage `json:"inputSchema"`
			}
		}
	}
	if err := json.Unmarshal(line, &m); err != nil {
		return nil, err
	}
	sum := 0
	for _, t := range m.Result.Tools {
		b, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		sum += tokens.Count(string(b))
	}
	return once(float64(sum), nil)
}

// benchmark is the number of allocations of a benchmark that both states have.
func benchmark(pkg, name string) func(*side) (*sampler, error) {
	return func(s *side) (*sampler, error) {
		path, err := s.state.tests(s.ctx, pkg)
		if err != nil {
			return nil, err
		}
		out, err := output(s.ctx, filepath.Join(s.state.src, pkg), path,
			"-test.run=^$", "-test.bench=^"+name+"$", "-test.benchtime=500x", "-test.benchmem", "-test.timeout=5m")
		if err != nil {
			return nil, err
		}
		sum := 0.0 // of the benchmark, or of all below it
		for _, m := range regexp.MustCompile(`(\d+) allocs/op`).FindAllStringSubmatch(out, -1) {
			n, err := strconv.ParseFloat(m[1], 64)
			if err != nil {
				return nil, err
			}
			sum += n
		}
		return once(sum, nil)
	}
}

// size is that of the program as it is shipped.
func size(s *side) (*sampler, error) {
	info, err := os.Stat(s.bin)
	if err != nil {
		return nil, err
	}
	return once(float64(info.Size()), nil)
}

// undo takes an edit back and makes it again, each by a command.
func undo(s *side) (*sampler, error) {
	if err := os.WriteFile(filepath.Join(s.ws, "a.txt"), numbered(2000), 0o600); err != nil {
		return nil, err
	}
	if _, err := s.ok("call", "edit", "file_path=a.txt", "old_string=line 1500", "new_string=once", "--yes"); err != nil {
		return nil, err
	}
	return &sampler{sample: func() (float64, error) {
		back, err := s.ok("undo", "--yes")
		if err != nil {
			return 0, err
		}
		again, err := s.ok("redo", "--yes")
		if err != nil {
			return 0, err
		}
		return ms(back.cpu + again.cpu), nil
	}}, nil
}

// command runs a line that changes nothing, confined, by a command.
func command(s *side) (*sampler, error) {
	return &sampler{sample: func() (float64, error) {
		e, err := s.ok("--mode", "auto", "call", "bash", "command=true")
		if err != nil {
			return 0, err
		}
		return ms(e.cpu), nil
	}}, nil
}

// script runs one that makes twenty calls.
func script(s *side) (*sampler, error) {
	const text = "n = 0\nfor i in range(20):\n    n += len(read(file_path=\"a.txt\", limit=5))\nn\n"
	err := os.WriteFile(filepath.Join(s.ws, "a.txt"), numbered(100), 0o600)
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, "count.star"), []byte(text), 0o600)
	}
	return &sampler{sample: func() (float64, error) {
		e, err := s.ok("script", filepath.Join(s.dir, "count.star"))
		if err != nil {
			return 0, err
		}
		return ms(e.cpu), nil
	}}, err
}

// numbered is a text of so many lines, each another.
func numbered(lines int) []byte {
	var b []byte
	for i := range lines {
		b = fmt.Appendf(b, "line %d of a text for tools that read and edit\n", i)
	}
	return b
}
