package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// compareCosts prints what a script with one call costs beside that call, with the start of a Go program that says
// hello in the same run, and what scripts hold that want all memory.
func compareCosts(ctx context.Context, out io.Writer, temp string) error {
	y := &yard{dir: filepath.Join(temp, "costs")}
	if err := y.fill(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%-52s %9s %9s %9s\n",
		"a call, and a script with that call: milliseconds", "middle", "95 of 100", "processor")
	if err := y.commandLine(ctx, out); err != nil {
		return err
	}
	if err := y.served(ctx, out); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return y.bombs(ctx, out)
}

// A yard is a folder with a workspace and the programs that are measured.
type yard struct{ dir string }

func (y *yard) path(name string) string { return filepath.Join(y.dir, name) }

const (
	oneRead    = `read(file_path="a.txt").lines[0]`
	helloWorld = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"
)

// fill builds the programs.
func (y *yard) fill(ctx context.Context) error {
	for _, dir := range []string{"ws", "home", "hello"} {
		if err := os.MkdirAll(y.path(dir), 0o755); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"ws/a.txt": "one\n", "one.star": oneRead, "hello/main.go": helloWorld, "hello/go.mod": "module hello\n",
	} {
		if err := os.WriteFile(y.path(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, b := range []struct{ dir, out, pkg string }{
		{".", "helve", "helve/cmd/helve"},
		{y.path("hello"), "hello.exe", "."},
	} {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", y.path(b.out), b.pkg)
		cmd.Dir = b.dir
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", b.pkg, err, text)
		}
	}
	return nil
}

// command is a program in the workspace, with a home of its own.
func (y *yard) command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, y.path(argv[0]), argv[1:]...)
	cmd.Dir = y.path("ws")
	cmd.Env = []string{"HOME=" + y.path("home"), "PATH=" + os.Getenv("PATH")}
	cmd.Stderr = os.Stderr
	return cmd
}

// What was spent on something that was done several times.
type spent struct {
	each      []time.Duration
	processor time.Duration
}

// row prints it.
func (s *spent) row(out io.Writer, name string) {
	slices.Sort(s.each)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	n := len(s.each)
	fmt.Fprintf(out, "%-52s %9.1f %9.1f %9.1f\n",
		name, ms(s.each[n/2]), ms(s.each[n*95/100]), ms(s.processor/time.Duration(n)))
}

// starts is how often each program is started, calls how often each call is made.
const (
	starts = 30
	calls  = 40
)

// commandLine measures programs that begin and end, in turn.
func (y *yard) commandLine(ctx context.Context, out io.Writer) error {
	rows := []struct {
		name string
		argv []string
		spent
	}{
		{name: "start of a Go program that says hello", argv: []string{"hello.exe"}},
		{name: "helve call read", argv: []string{"helve", "call", "read", "file_path=a.txt"}},
		{name: "helve script with that call", argv: []string{"helve", "script", y.path("one.star")}},
	}
	for range starts {
		for i := range rows {
			cmd := y.command(ctx, rows[i].argv...)
			begun := time.Now()
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].each = append(rows[i].each, time.Since(begun))
			rows[i].processor += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
	}
	for i := range rows {
		rows[i].row(out, rows[i].name)
	}
	return nil
}

// A servedHelve is a helve that serves.
type servedHelve struct {
	*client
	cmd *exec.Cmd
	in  io.Closer
}

// serve starts one with scripts. What it asks is told to asked, and answered with yes; nil: it cannot ask.
func (y *yard) serve(ctx context.Context, mode string, asked func()) (*servedHelve, error) {
	cmd := y.command(ctx, "helve", "serve", "--expose", "code", "--mode", mode, "--quiet")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &servedHelve{&client{to: in, from: bufio.NewReader(from), asked: asked}, cmd, in}
	able := ""
	if asked != nil {
		able = `"elicitation":{}`
	}
	_, err = s.ask("initialize",
		`{"protocolVersion":"2025-06-18","capabilities":{`+able+`},"clientInfo":{"name":"bench","version":"1"}}`)
	if err == nil {
		_, err = fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *servedHelve) close() error {
	s.in.Close()
	return s.cmd.Wait()
}

// call makes a call, and wants it to succeed or to fail.
func (s *servedHelve) call(name string, args any, fails bool) (string, error) {
	params, err := json.Marshal(map[string]any{"name": name, "arguments": args})
	if err != nil {
		return "", err
	}
	res, err := s.ask("tools/call", string(params))
	if err != nil {
		return "", err
	}
	var got struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(res, &got); err != nil {
		return "", err
	}
	text := ""
	for _, part := range got.Content {
		text += part.Text
	}
	if got.IsError != fails {
		return "", fmt.Errorf("%s: %s", name, text)
	}
	return text, nil
}

// used is what the server and its children that ended took of the processor.
func (s *servedHelve) used() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	const first, ticks = 11, 100 // the field behind the name's bracket, by proc(5); ticks of Linux a second
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+2:])
	total := int64(0)
	for _, f := range fields[first : first+4] {
		n, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return time.Duration(total) * time.Second / ticks, nil
}

// thinking is how long a model takes between two calls, at least.
const thinking = 300 * time.Millisecond

// served measures calls of a client of MCP.
func (y *yard) served(ctx context.Context, out io.Writer) error {
	for _, row := range []struct {
		name, tool string
		args       map[string]any
		pause      time.Duration
	}{
		{"MCP: read", "read", map[string]any{"file_path": "a.txt"}, thinking},
		{"MCP: run_script with that call", "run_script", map[string]any{"script": oneRead}, thinking},
		{"MCP: the same, one script right after the other", "run_script", map[string]any{"script": oneRead}, 0},
	} {
		s, err := y.serve(ctx, "auto", nil)
		if err != nil {
			return err
		}
		cost, err := s.measure(row.tool, row.args, row.pause)
		if err := s.close(); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		cost.row(out, row.name)
	}
	return nil
}

// measure makes one call again and again. The first one, which opens files, does not count.
func (s *servedHelve) measure(name string, args any, pause time.Duration) (cost spent, err error) {
	if _, err := s.call(name, args, false); err != nil {
		return cost, err
	}
	time.Sleep(thinking)
	before, err := s.used()
	if err != nil {
		return cost, err
	}
	for range calls {
		begun := time.Now()
		if _, err := s.call(name, args, false); err != nil {
			return cost, err
		}
		cost.each = append(cost.each, time.Since(begun))
		time.Sleep(pause)
	}
	time.Sleep(thinking)
	after, err := s.used()
	cost.processor = after - before
	return cost, err
}

// greedy are scripts that want all memory.
var greedy = map[string]string{
	"a text":                   `x = "x" * 1000000000`,
	"a text that doubles":      "x = 'x' * 1000\nwhile True:\n  x = x + x",
	"a list that grows":        "x = [[]]\nwhile True:\n  x.append(x[0] + [1] * 100000)",
	"a dict":                   "x = {}\ni = 0\nwhile True:\n  x[i] = str(i) * 100\n  i += 1",
	"nested comprehensions":    "x = [[[1 for i in range(1000)] for j in range(1000)] for k in range(1000)]",
	"join":                     `x = "".join(["x" * 1000000] * 10000)`,
	"what a tool brings, kept": "x = []\nwhile True:\n  x.append(read(file_path=\"big.txt\", limit=10000).lines)",
	"many texts of a split":    `x = ("a " * 20000000).split(" ")`,
}

// bombs prints the most memory that a child of a server held, whatever its script wanted.
func (y *yard) bombs(ctx context.Context, out io.Writer) error {
	big := strings.Repeat(strings.Repeat("x", 99)+"\n", 9000)
	if err := os.WriteFile(y.path("ws/big.txt"), []byte(big), 0o644); err != nil {
		return err
	}
	s, err := y.serve(ctx, "auto", nil)
	if err != nil {
		return err
	}
	defer s.close()
	names := make([]string, 0, len(greedy))
	for name := range greedy {
		names = append(names, name)
	}
	slices.Sort(names)
	worst, at := int64(0), ""
	for _, name := range names {
		watch, stop := context.WithCancel(ctx)
		most := make(chan int64, 1)
		go func() { most <- highest(watch) }()
		text, err := s.call("run_script", map[string]any{"script": greedy[name]}, true)
		stop()
		n := <-most
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !strings.Contains(text, "memory") {
			return fmt.Errorf("%s: %s", name, text)
		}
		if n > worst {
			worst, at = n, name
		}
	}
	const said = "%d scripts that want all memory: each is told; the most that one held was %.0f MiB resident (%s)\n"
	_, err = fmt.Fprintf(out, said, len(names), float64(worst)/(1<<20), at)
	return err
}

// highest looks at the interpreters of this user until nobody wants to know more, and is the most that one held.
func highest(ctx context.Context) (most int64) {
	for ctx.Err() == nil {
		dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
		for _, d := range dirs {
			env, _ := os.ReadFile(d + "/environ") // another's cannot be read
			if bytes.Contains(env, []byte("HELVE_SCRIPT=child")) {
				most = max(most, held(d))
			}
		}
		time.Sleep(time.Millisecond)
	}
	return most
}

// held is the most that a process held, in bytes.
func held(dir string) int64 {
	text, _ := os.ReadFile(dir + "/status") // one that has ended holds nothing
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if fields := strings.Fields(rest); len(fields) > 0 {
				kb, _ := strconv.ParseInt(fields[0], 10, 64)
				return kb << 10
			}
		}
	}
	return 0
}
