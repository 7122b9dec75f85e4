// Command bench-script prints what the exposures cost with real MCP servers, and asks fifteen fixed questions about
// Go's source and about such servers in two ways: by a script that calls tools, and by the same calls made one by
// one. It counts the tokens that a model pays for each way, by o200k, and compares the script's answer with one that
// is computed without helve.
//
//	HELVE_NPM=FOLDER bench-script [costs|drafts]
//
// FOLDER is what scripts/npm-tools filled; without it the questions about servers are left out, and the table says so.
// Before them it prints what a script with one call costs beside the call, and what scripts hold that want all memory:
// with costs this alone. With drafts it prints what the draft of a script costs beside the same work without one, and
// how often somebody is asked about many files. It runs in the module.
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
	"helve/parts/everything"
	scripts "helve/parts/script"
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
	if slices.Contains(os.Args[1:], "drafts") {
		return compareDrafts(ctx, out, temp)
	}
	if err := compareCosts(ctx, out, temp); err != nil || slices.Contains(os.Args[1:], "costs") {
		return err
	}
	fmt.Fprintln(out)
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("where Go's source is: %w", err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src")
	npm := os.Getenv("HELVE_NPM")
	places, err := configured(temp, "config.json", npm, src, "everything", "files", "memory")
	if err != nil {
		return err
	}
	if err := compareExposures(ctx, out, temp, npm, src); err != nil {
		return err
	}
	fmt.Fprintln(out)
	seen := &inner{}
	ws, err := helve.Open(ctx, helve.Options{
		Dirs:   []string{src},
		Parts:  append(everything.Parts(), scripts.Part(scripts.Options{On: true})),
		Places: places,
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

// commands are the MCP servers of npm's folder, with the folder that they may see.
func commands(src string) map[string][]string {
	return map[string][]string{
		"everything": {"mcp-server-everything", "stdio"},
		"files":      {"mcp-server-filesystem", src},
		"memory":     {"mcp-server-memory"},
		"browser":    {"playwright-mcp", "--headless"},
	}
}

// configured writes a configuration with some of the MCP servers, where the folder of npm's programs is known, and
// answers the places of a workspace that has it.
func configured(temp, file, npm, src string, names ...string) (helve.Places, error) {
	servers := map[string]any{}
	if npm != "" {
		node := filepath.Join(npm, "node_modules", ".bin")
		env := map[string]string{
			"MEMORY_FILE_PATH": filepath.Join(temp, "memory.jsonl"),
			"PATH":             node + ":" + os.Getenv("PATH"),
		}
		for _, name := range names {
			argv := commands(src)[name]
			servers[name] = map[string]any{
				"command": filepath.Join(node, argv[0]),
				"args":    append([]string{}, argv[1:]...),
				"env":     env,
				"trust":   true,
			}
		}
	}
	text, _ := json.Marshal(map[string]any{"mcp_servers": servers}) // texts: nothing in it can fail
	user := filepath.Join(temp, file)
	return helve.Places{
		User:  user,
		State: filepath.Join(temp, "state"),
		Cache: filepath.Join(temp, "cache"),
	}, os.WriteFile(user, text, 0o600)
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
	for _, kind := range []struct {
		name string
		list []question
	}{{"ten questions", questions}, {"five that were kept back", unseen}} {
		fmt.Fprintf(out, "%-84s %5s %7s %7s %7s %7s %8s  %s\n",
			kind.name, "calls", "script", "whole", "times", "limited", "times", "right")
		if err := b.these(ctx, out, kind.list, servers); err != nil {
			return err
		}
	}
	return nil
}

// these asks some questions.
func (b *bench) these(ctx context.Context, out io.Writer, list []question, servers bool) error {
	right, asked := 0, 0
	var whole, limited []float64
	for _, q := range list {
		if q.server && !servers {
			fmt.Fprintf(out, "%-84s left out: HELVE_NPM names no folder\n", q.words)
			continue
		}
		asked++
		p, err := b.ask(ctx, q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.words, err)
		}
		if p.right {
			right++
		}
		whole = append(whole, float64(p.whole)/float64(p.script))
		limited = append(limited, float64(p.limited)/float64(p.script))
		fmt.Fprintf(out, "%-84s %5d %7d %7d %7.1f %7d %8.1f  %v\n", q.words, p.calls,
			p.script, p.whole, whole[len(whole)-1], p.limited, limited[len(limited)-1], p.right)
	}
	if asked == 0 {
		return nil
	}
	fmt.Fprintf(out, "%d of %d right; in the middle %.0f times fewer tokens than whole results, ",
		right, asked, middle(whole))
	fmt.Fprintf(out, "%.0f times fewer than limited ones\n\n", middle(limited))
	return nil
}

// middle is the median.
func middle(list []float64) float64 {
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

// A price is what one question costs, in tokens: by its script, and by the same calls made one by one, with results
// that are whole, which the answer needs, and with those that a model would be given.
type price struct {
	calls                  int
	script, whole, limited int
	right                  bool
}

// ask answers a question by its script, and then makes the calls of the script as a model would.
func (b *bench) ask(ctx context.Context, q question) (p price, err error) {
	b.seen.calls = nil
	args, err := json.Marshal(map[string]string{"script": q.script})
	if err != nil {
		return p, err
	}
	res, err := b.ws.Kit().Call(ctx, &tool.Call{ID: "bench", Name: script.Name, Args: args, Session: b.session})
	if err != nil {
		return p, err
	}
	if res.Err != nil {
		return p, res.Err
	}
	p.script = tokens.Count(q.script) + tokens.Count(res.Text())
	want, err := q.answer(b.src)
	if err != nil {
		return p, err
	}
	wanted, err := json.Marshal(want)
	if err != nil {
		return p, err
	}
	p.right = res.Text() == string(wanted)
	if !p.right {
		fmt.Fprintf(os.Stderr, "%s\n  the script: %.200s\n  computed:   %.200s\n", q.words, res.Text(), wanted)
	}
	calls := b.seen.calls
	p.calls = len(calls)
	p.whole, err = b.direct(ctx, calls, tool.ScriptWhole)
	if err != nil {
		return p, err
	}
	p.limited, err = b.direct(ctx, calls, 0)
	return p, err
}

// direct is what calls cost that are made one by one, in tokens. Who reads a part of a result does not know the
// answer: a model asks for the rest in further calls.
func (b *bench) direct(ctx context.Context, calls []*tool.Call, whole int) (n int, err error) {
	for _, c := range calls {
		own := tool.Call{
			ID:      "direct",
			Name:    c.Name,
			Args:    c.Args,
			Session: b.ws.NewSession(), // nothing was read before
			Whole:   whole,
		}
		res, err := b.ws.Kit().Call(ctx, &own)
		if err != nil {
			return 0, err
		}
		n += tokens.Count(c.Name+string(c.Args)) + tokens.Count(res.Text())
	}
	return n, nil
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
