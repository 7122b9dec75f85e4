package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"helve/internal/testing/bench"
)

// callsAtOnce is how many calls one figure is of: enough that reading the clocks is nothing beside them.
const callsAtOnce = 100

// repeated is the processor time of a call, of the server and all that lives below it, with the calls in turn.
func repeated(child *bench.Child, n int, calls ...call) *sampler {
	return &sampler{
		close: func() { child.End() },
		sample: func() (float64, error) {
			before := bench.CPU(child.Pid())
			for i := range n {
				if err := calls[i%len(calls)].make(child); err != nil {
					return 0, err
				}
			}
			return us(bench.CPU(child.Pid())-before) / float64(n), nil
		},
	}
}

// us is a time as a figure.
func us(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// read reads six kilobytes of a file.
func read(s *side) (*sampler, error) {
	if err := os.WriteFile(filepath.Join(s.ws, "a.txt"), numbered(130), 0o600); err != nil {
		return nil, err
	}
	child, err := s.serve(s.ws)
	if err != nil {
		return nil, err
	}
	return repeated(child, callsAtOnce, call{"read", map[string]any{"file_path": "a.txt"}}), nil
}

// edit changes a line of twenty kilobytes and changes it back.
func edit(s *side) (*sampler, error) {
	if err := os.WriteFile(filepath.Join(s.ws, "a.txt"), numbered(400), 0o600); err != nil {
		return nil, err
	}
	if err := s.configure(map[string]any{"tools": map[string]string{"edit": "allow"}}); err != nil {
		return nil, err
	}
	child, err := s.serve(s.ws)
	if err != nil {
		return nil, err
	}
	if err := (call{"read", map[string]any{"file_path": "a.txt"}}).make(child); err != nil {
		child.End()
		return nil, err
	}
	change := func(from, to string) call {
		return call{"edit", map[string]any{"file_path": "a.txt", "old_string": from, "new_string": to}}
	}
	return repeated(child, callsAtOnce, change("line 200 of", "a line of"), change("a line of", "line 200 of")), nil
}

// answerSize is that of an answer of the servers behind helve, in bytes.
const answerSize = 100

// The words that a file says of the server whose command line has it.
const (
	good = "good"
	dead = "dead" // it ends at once
	mute = "mute" // it never says anything
	slow = "slow" // it answers after sleeping
)

// sleeping is longer than anybody waits for a list.
const sleeping = 20 * time.Second

// answer is a server behind helve: its command line stays the same, what it does is in a file.
func answer(ctx context.Context, in io.Reader, out io.Writer, file string) error {
	how, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	switch string(how) {
	case dead:
		return errors.New("dead")
	case mute:
		_, err := io.Copy(io.Discard, in)
		return err
	case slow:
		select {
		case <-time.After(sleeping):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return bench.Answer(in, out, answerSize)
}

// servers configures servers, which are all good at first.
func (s *side) servers(names ...string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	all := map[string]any{}
	for _, name := range names {
		if err := s.behave(name, good); err != nil {
			return err
		}
		all[name] = map[string]any{"command": self, "args": []string{"answer", s.behaviour(name)}, "trust": true}
	}
	return s.configure(map[string]any{"mcp_servers": all})
}

// behaviour is the file that says what a server does.
func (s *side) behaviour(name string) string { return filepath.Join(s.ws, name+".how") }

func (s *side) behave(name, how string) error {
	return os.WriteFile(s.behaviour(name), []byte(how), 0o600)
}

// listAbsent is a list with servers that were listed once, three of which have gone since, each in another way.
func listAbsent(s *side) (*sampler, error) {
	absent := []string{dead, mute, slow}
	if err := s.servers(append(absent, "one", "two", "three", "four")...); err != nil {
		return nil, err
	}
	e, err := s.ok("list") // helve knows them from here on
	if err != nil {
		return nil, err
	}
	for _, name := range absent {
		if !strings.Contains(string(e.stdout), "mcp__"+name+"__give") {
			return nil, fmt.Errorf("helve list does not have the server %s: %s", name, e.stderr)
		}
		if err := s.behave(name, name); err != nil {
			return nil, err
		}
	}
	return list(s)
}

// behind is a server with one server behind it, which has answered once.
func (s *side) behind() (*bench.Child, call, error) {
	give := call{"mcp__s__give", map[string]any{"a": "x"}}
	if err := s.servers("s"); err != nil {
		return nil, give, err
	}
	if _, err := s.ok("list"); err != nil {
		return nil, give, err
	}
	child, err := s.serve(s.ws)
	if err != nil {
		return nil, give, err
	}
	if err := give.make(child); err != nil {
		child.End()
		return nil, give, err
	}
	return child, give, nil
}

// forward passes calls on, one by one.
func forward(s *side) (*sampler, error) {
	child, give, err := s.behind()
	if err != nil {
		return nil, err
	}
	return repeated(child, 2*callsAtOnce, give), nil
}

// A taken is what calls took.
type taken struct{ cpu, wall time.Duration }

// flight passes calls on of which sixteen are under way at any time.
func flight(which func(taken) time.Duration) func(*side) (*sampler, error) {
	const calls, atOnce = 320, 16 // few: what else the machine does is to fall on both sides
	return func(s *side) (*sampler, error) {
		child, give, err := s.behind()
		if err != nil {
			return nil, err
		}
		return &sampler{
			close: func() { child.End() },
			sample: func() (float64, error) {
				began, before := time.Now(), bench.CPU(child.Pid())
				if err := child.Flood(give.String(), calls, atOnce); err != nil {
					return 0, err
				}
				t := taken{cpu: bench.CPU(child.Pid()) - before, wall: time.Since(began)}
				return us(which(t)) / calls, nil
			},
		}, nil
	}
}

// rest is how long a server is left alone before its memory is taken: it gives back what starting took a moment later.
const rest = 3 * time.Second

// memoryOf is the resident memory of a server after a list, twenty calls and a rest, with a server behind it. The
// figure is the middle one of a few servers, since when the collector ran is chance.
func memoryOf(which func(pid int) int64) func(*side) (*sampler, error) {
	const servers, calls = 5, 10
	return func(s *side) (*sampler, error) {
		var all []*bench.Child
		var gives []call
		end := func() {
			for _, c := range all {
				c.End()
			}
		}
		if err := os.WriteFile(filepath.Join(s.ws, "a.txt"), numbered(130), 0o600); err != nil {
			return nil, err
		}
		for range servers {
			child, give, err := s.behind()
			if err != nil {
				end()
				return nil, err
			}
			all, gives = append(all, child), append(gives, give)
			if _, err := child.Request("tools/list", "{}"); err != nil {
				end()
				return nil, err
			}
		}
		// Nobody calls at once, and what comes before a server has settled goes with the start's memory.
		time.Sleep(rest)
		for i, child := range all {
			if err := worked(child, calls, gives[i]); err != nil {
				end()
				return nil, err
			}
		}
		done := time.Now()
		return &sampler{close: end, sample: func() (float64, error) {
			time.Sleep(time.Until(done.Add(rest)))
			var bytes []float64
			for _, c := range all {
				bytes = append(bytes, float64(which(c.Pid())))
			}
			return median(bytes), nil
		}}, nil
	}
}

// worked makes so many calls of each of two tools.
func worked(child *bench.Child, calls int, give call) error {
	for range calls {
		for _, c := range []call{give, {"read", map[string]any{"file_path": "a.txt"}}} {
			if err := c.make(child); err != nil {
				return err
			}
		}
	}
	return nil
}

// below is that of all that stands below it: what confines the server, and the server.
func below(pid int) int64 {
	var sum int64
	for _, p := range bench.Below(pid) {
		sum += bench.RSS(p)
	}
	return sum
}

// askedNames is how many names a question is asked about.
const askedNames = 8

// askedAbout are types of package tool in REF, which is the code that both states are asked about.
func (b *bencher) askedAbout() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(b.then.src, "tool", "*.go"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range regexp.MustCompile(`(?m)^type ([A-Z]\w+) `).FindAllSubmatch(text, -1) {
			out = append(out, string(m[1]))
		}
	}
	if len(out) < askedNames {
		return nil, errors.New("the checkout of REF has no package tool to ask about")
	}
	return out[:askedNames], nil
}

// asked is a question about the code of REF, by the first name that the state knows it by.
func asked(tools ...string) func(*side) (*sampler, error) {
	return func(s *side) (*sampler, error) {
		about, err := s.askedAbout()
		if err != nil {
			return nil, err
		}
		child, err := s.serve(s.then.src)
		if err != nil {
			return nil, err
		}
		for _, tool := range tools {
			var calls []call
			for _, name := range about {
				calls = append(calls, call{tool, map[string]any{"name": name}})
			}
			if err = calls[0].make(child); err == nil {
				return repeated(child, callsAtOnce, calls...), nil
			}
		}
		child.End()
		return nil, err
	}
}
