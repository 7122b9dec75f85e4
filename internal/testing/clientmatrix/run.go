package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A lab is where the clients run.
type lab struct {
	npm    string // a folder for each client, with its node_modules
	helve  string // the program
	work   string // a folder for homes and workspaces
	record string // "": requests are not kept
	path   string // PATH of the clients
}

// maxRun is how long a client may take: the slowest needs twenty seconds on an idle machine.
const maxRun = 3 * time.Minute

// A run is one conversation of one client.
type run struct {
	results []result
	late    []string // tools that its first request should have had whole, and had not
	said    string   // what the client printed
	err     error    // it could not be run, or did not end well
}

// cell is what the table says of a task, and what was wrong with it.
func (r run) cell(i int) (string, []string) {
	if i >= len(r.results) || !r.results[i].over {
		return "NEVER", []string{fmt.Sprintf("call %d: no result of it came to the model", i+1)}
	}
	switch t := r.results[i]; {
	case t.err != nil:
		return "FAILS", []string{fmt.Sprintf("call %d, %s: %v", i+1, t.offered, t.err)}
	case t.searched:
		return "searched", nil
	}
	return "works", nil
}

// loading is what the table says of the tools that the client was asked to load from the start, and
// what was wrong with them.
func (r run) loading(c client) (string, []string) {
	switch {
	case len(c.loads) == 0:
		return "-", nil
	case len(r.results) == 0:
		return "NEVER", []string{"the tools that it was asked to load: no request came to the model"}
	case len(r.late) > 0:
		const format = "the first request to the model does not have whole, although helve asks for it: %s"
		return "FAILS", []string{fmt.Sprintf(format, strings.Join(r.late, ", "))}
	}
	return fmt.Sprintf("%d whole", len(c.loads)), nil
}

// end is what was wrong with how a client ended. What it said explains other failures, too.
func (r run) end() []string {
	const most = 2000 // bytes of what it said: the last lines are those that say why
	wrong := func(t result) bool { return t.err != nil || !t.over }
	if r.err == nil && len(r.results) > 0 && !slices.ContainsFunc(r.results, wrong) {
		return nil
	}
	said := r.said[max(0, len(r.said)-most):]
	return []string{fmt.Sprintf("it ended with %v, and said: %s", r.err, said)}
}

// version is what the client says of itself.
func (l lab) version(ctx context.Context, c client) (string, error) {
	home := filepath.Join(l.work, c.name+"-version")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", err
	}
	defer endLeft(home)
	out, err := l.command(ctx, home, []string{"HOME=" + home, "PATH=" + l.path}, l.bin(c), "--version")
	if err != nil {
		return "", fmt.Errorf("%w %s", err, short(out))
	}
	return or(regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+`).FindString(out), short(out)), nil
}

// try runs a client once, in a home and a workspace that are new. config is helve's configuration
// in that home.
func (l lab) try(ctx context.Context, c client, name, config string, script func(workspace string) []task) run {
	dir := filepath.Join(l.work, c.name+"-"+name)
	home, workspace := filepath.Join(dir, "home"), filepath.Join(dir, "project")
	defer endLeft(home)
	m := &model{tasks: script(workspace), prefix: c.prefix, loads: c.loads}
	if l.record != "" {
		m.record = filepath.Join(l.record, c.name+"-"+name)
		if err := os.MkdirAll(m.record, 0o700); err != nil {
			return run{err: err}
		}
	}
	server := httptest.NewServer(m)
	defer server.Close()
	files, env := c.model(server.URL)
	err := errors.Join(
		write(home, files),
		write(home, map[string]string{".config/helve/config.json": config}),
		write(workspace, map[string]string{file: source, "go.mod": "module shop\n"}),
	)
	if err != nil {
		return run{err: err}
	}
	// What the person's own environment holds is not for the client: keys, proxies, other
	// configurations.
	env = append(env, "HOME="+home, "PATH="+l.path, "TERM=dumb", "NO_COLOR=1", "CI=1")
	if err := l.setup(ctx, c, workspace, env); err != nil {
		return run{err: err}
	}
	if c.before != nil {
		if out, err := l.command(ctx, workspace, env, l.bin(c), c.before(server.URL)...); err != nil {
			return run{err: err, said: out}
		}
	}
	out, err := l.command(ctx, workspace, env, l.bin(c), c.args(prompt)...)
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, t := range m.tasks[:len(m.results)] {
		r := &m.results[i]
		if r.over && r.err == nil && t.disk != nil {
			r.err = t.disk(workspace)
		}
	}
	return run{results: m.results, late: m.late, said: out, err: err}
}

// setup puts helve into the client's configuration as its documentation says: by `helve setup`,
// or, where that writes no such file, by hand with the lines that it prints.
func (l lab) setup(ctx context.Context, c client, workspace string, env []string) error {
	how := "--yes"
	if c.byHand {
		how = "--print"
	}
	out, err := l.command(ctx, workspace, env, l.helve, "setup", c.name, how)
	if err != nil {
		return fmt.Errorf("helve setup %s %s: %w: %s", c.name, how, err, out)
	}
	if !c.byHand {
		return nil
	}
	head, lines, _ := strings.Cut(out, "\n")
	_, path, _ := strings.Cut(head, ": ")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(lines + "\n")
	return err
}

func write(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// bin is the program of a client.
func (l lab) bin(c client) string {
	return filepath.Join(l.npm, c.name, "node_modules", ".bin", c.program)
}

// command runs a program to its end, and ends all that it started.
func (l lab) command(ctx context.Context, dir string, env []string, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, maxRun)
	defer cancel()
	return l.start(ctx, dir, env, program, args...)
}

// start is command for a program that takes as long as ctx lets it.
func (l lab) start(ctx context.Context, dir string, env []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = env
	own(cmd)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) { // it ended well, and a command that it left in the background has its output
		err = nil
	}
	return strings.TrimSpace(string(out)), err
}
