// Command bench-script asks ten fixed questions about Go's source and about real MCP servers in two ways: by a script that
// calls tools, and by the same calls made one by one. It counts the tokens that a model pays for each way, by o200k, and
// compares the script's answer with one that is computed without helve.
//
//	HELVE_NPM=FOLDER bench-script
//
// FOLDER is what scripts/npm-tools filled; without it the questions about servers are left out, and the table says so.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"helve"
	"helve/internal/tokens"
	"helve/script"
	"helve/script/interpreter"
	"helve/tool"
)

func main() {
	helve.Init()
	interpreter.Init()
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench-script:", err)
		os.Exit(1)
	}
}

// A question is one that a model might be asked, with the script that answers it and the answer that is computed here.
type question struct {
	words  string
	script string
	server bool // it is about MCP servers
	answer func(src string) (any, error)
}

// inner are the calls that a script made.
type inner struct {
	mu    sync.Mutex
	calls []*tool.Call
}

// around notes the calls that are a part of another.
func (n *inner) around(next tool.Caller) tool.Caller {
	return func(ctx context.Context, c *tool.Call) (*tool.Result, error) {
		if c.Parent != "" {
			n.mu.Lock()
			n.calls = append(n.calls, c)
			n.mu.Unlock()
		}
		return next(ctx, c)
	}
}

// run asks all questions and prints the table.
func run(ctx context.Context, out io.Writer) error {
	temp, err := os.MkdirTemp("", "bench-script-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("where Go's source is: %w", err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	user := filepath.Join(temp, "config.json")
	npm := os.Getenv("HELVE_NPM")
	if err := os.WriteFile(user, configuration(npm, src), 0o600); err != nil {
		return err
	}
	seen := &inner{}
	ws, err := helve.Open(ctx, helve.Options{
		Dirs:   []string{src},
		Script: true,
		State:  filepath.Join(temp, "state"),
		Cache:  filepath.Join(temp, "cache"),
		Config: helve.Layers{User: user},
		Around: []func(tool.Caller) tool.Caller{seen.around},
		Ask: func(context.Context, *tool.Question) (tool.Answer, error) {
			return tool.Answer{Yes: true}, nil
		},
	})
	if err != nil {
		return err
	}
	defer ws.Close()
	if err := ws.Connect(ctx); err != nil {
		return err
	}
	if err := script.Confined(ctx); err != nil {
		return err
	}
	b := bench{ws: ws, seen: seen, session: ws.NewSession(), src: src}
	return b.all(ctx, out, npm != "")
}

// configuration has three MCP servers, where the folder of npm's programs is known.
func configuration(npm, src string) []byte {
	servers := map[string]any{}
	if npm != "" {
		node := filepath.Join(npm, "node_modules", ".bin")
		path := map[string]string{"PATH": node + ":" + os.Getenv("PATH")}
		server := func(name string, args ...string) map[string]any {
			return map[string]any{"command": filepath.Join(node, name), "args": append([]string{}, args...), "env": path, "trust": true}
		}
		servers["everything"] = server("mcp-server-everything", "stdio")
		servers["files"] = server("mcp-server-filesystem", src)
		servers["memory"] = server("mcp-server-memory")
	}
	b, _ := json.Marshal(map[string]any{"mcp_servers": servers}) // texts: nothing in it can fail
	return b
}

// A bench asks questions.
type bench struct {
	ws      *helve.Workspace
	seen    *inner
	session *tool.Session
	src     string
}

// all asks all questions and prints a line for each.
func (b *bench) all(ctx context.Context, out io.Writer, servers bool) error {
	fmt.Fprintf(out, "%-66s %6s %8s %8s %7s  %s\n", "question", "calls", "direct", "script", "times", "right")
	right, asked := 0, 0
	var factors []float64
	for _, q := range questions {
		if q.server && !servers {
			fmt.Fprintf(out, "%-66s left out: HELVE_NPM names no folder\n", q.words)
			continue
		}
		asked++
		direct, paid, ok, err := b.ask(ctx, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.words, err)
		}
		if ok {
			right++
		}
		times := float64(direct) / float64(paid)
		factors = append(factors, times)
		fmt.Fprintf(out, "%-66s %6d %8d %8d %7.1f  %v\n", q.words, len(b.seen.calls), direct, paid, times, ok)
	}
	slices.Sort(factors)
	if len(factors) == 0 {
		return nil
	}
	middle := (factors[(len(factors)-1)/2] + factors[len(factors)/2]) / 2
	fmt.Fprintf(out, "%d of %d right, %.0f times fewer tokens in the middle\n", right, asked, middle)
	return nil
}

// ask answers a question by its script, and then makes the calls of the script as a model would.
func (b *bench) ask(ctx context.Context, q question) (direct, paid int, right bool, err error) {
	b.seen.calls = nil
	args, err := json.Marshal(map[string]string{"script": q.script})
	if err != nil {
		return 0, 0, false, err
	}
	res, err := b.ws.Kit().Call(ctx, &tool.Call{ID: "bench", Name: script.Name, Args: args, Session: b.session})
	if err != nil {
		return 0, 0, false, err
	}
	if res.Err != nil {
		return 0, 0, false, res.Err
	}
	paid = tokens.Count(q.script) + tokens.Count(res.Text())
	want, err := q.answer(b.src)
	if err != nil {
		return 0, 0, false, err
	}
	wanted, err := json.Marshal(want)
	if err != nil {
		return 0, 0, false, err
	}
	right = res.Text() == string(wanted)
	if !right {
		fmt.Fprintf(os.Stderr, "%s\n  the script: %.200s\n  computed:   %.200s\n", q.words, res.Text(), wanted)
	}
	calls := slices.Clone(b.seen.calls)
	for _, c := range calls {
		own := tool.Call{
			ID:      "direct",
			Name:    c.Name,
			Args:    c.Args,
			Session: b.ws.NewSession(), // nothing was read before
			Whole:   tool.ScriptWhole,  // who reads a part does not know the answer: a model asks for the rest in further calls
		}
		res, err := b.ws.Kit().Call(ctx, &own)
		if err != nil {
			return 0, 0, false, err
		}
		direct += tokens.Count(c.Name+string(c.Args)) + tokens.Count(res.Text())
	}
	b.seen.calls = calls
	return direct, paid, right, nil
}

// goFiles are the Go files below a folder of the source, without tests, with slashes.
func goFiles(src, dir string) (out []string, err error) {
	err = filepath.WalkDir(filepath.Join(src, dir), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(src, path)
		out = append(out, filepath.ToSlash(rel))
		return err
	})
	slices.Sort(out)
	return out, err
}
