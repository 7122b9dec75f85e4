package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// hookRow is a line of the table of hooks.
const hookRow = "%-12s %-9s %-6v %-8v %-12v %-9v %-7v %-6s %-9s %s\n"

func hookHeader() []any {
	const names = "client,version,calls,as said,denied ran,ways off,worked,undo,settings,seconds"
	var out []any
	for name := range strings.SplitSeq(names, ",") {
		out = append(out, name)
	}
	return out
}

// A trial is a client with hooks, in a home and a workspace of its own.
type trial struct {
	lab
	c         client
	name      string // of the trial
	rules     string // helve's configuration
	home, ws  string
	url       string                // of the model
	now       atomic.Pointer[model] // the one that answers
	env       []string
	files     []string          // of the client's, which have it ask
	before    map[string]string // what stood in them before
	wrong     []string
	calls     int // that the client made
	denials   int // calls that were to be refused and ran
	asSaid    int
	off, gone int // ways off that were tried, and that worked
}

// hookLine tries what a client's hooks make of its own tools, and prints its line.
func (l lab) hookLine(ctx context.Context, c client, wanted bool) bool {
	version, err := l.version(ctx, c)
	if err != nil {
		fmt.Printf("%-12s does not run here: %v\n", c.name, err)
		return !wanted
	}
	began := time.Now()
	t := &trial{lab: l, c: c, name: "hooks", rules: deedRules}
	defer t.serve()()
	defer func() { endLeft(t.home) }()
	undone, same := "-", "-"
	if err := t.prepare(ctx); err != nil {
		t.wrong = append(t.wrong, err.Error())
	} else {
		t.converse(ctx, "deeds", t.mine(deeds(t.ws)))
		undone = t.undo(ctx)
		t.switchOff(ctx)
		same = t.restore(ctx)
	}
	cells := []any{c.name, version, t.calls, t.asSaid, t.denials, t.off, t.gone, undone, same}
	fmt.Printf(hookRow, append(cells, fmt.Sprintf("%.0f", time.Since(began).Seconds()))...)
	for _, why := range t.wrong {
		fmt.Println("    " + strings.ReplaceAll(why, "\n", "\n    "))
	}
	return len(t.wrong) == 0
}

// serve starts the model's server.
func (t *trial) serve() (end func()) {
	t.now.Store(&model{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.now.Load().ServeHTTP(w, r)
	}))
	t.url = server.URL
	return server.Close
}

func (t *trial) fails(format string, args ...any) {
	t.wrong = append(t.wrong, fmt.Sprintf(format, args...))
}

// prepare makes the home and the workspace, and has helve set up the hooks.
func (t *trial) prepare(ctx context.Context) error {
	dir := filepath.Join(t.work, t.c.name+"-"+t.name)
	t.home, t.ws = filepath.Join(dir, "home"), filepath.Join(dir, "project")
	err := errors.Join(
		write(t.home, map[string]string{".config/helve/config.json": t.rules, "probe.mjs": probeServer}),
		write(t.ws, deedFiles()),
	)
	if err != nil {
		return err
	}
	t.env = []string{
		"HOME=" + t.home, "PATH=" + t.path, "TERM=dumb", "NO_COLOR=1", "CI=1", "SHELL=/bin/bash",
		"IS_SANDBOX=1", // Claude Code lets root ask nobody only then
	}
	for _, words := range [][]string{
		{"init", "-q"}, {"config", "user.email", "a@b"}, {"config", "user.name", "n"},
		{"add", "a.txt"}, {"commit", "-qm", "first"},
	} {
		if out, err := t.command(ctx, t.ws, t.env, "git", words...); err != nil {
			return fmt.Errorf("git %s: %w: %s", words[0], err, out)
		}
	}
	files, env := t.c.model(t.url)
	if err := write(t.home, t.withProbe(files)); err != nil {
		return err
	}
	t.env = append(t.env, env...)
	if t.c.before != nil {
		if out, err := t.command(ctx, t.ws, t.env, t.bin(t.c), t.c.before(t.url)...); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
	}
	if err := t.hooks(ctx); err != nil {
		return err
	}
	scripts := map[string]string{}
	for name, text := range offFiles() {
		scripts[name] = t.fill(text)
	}
	return write(t.ws, scripts)
}

// withProbe adds the MCP server of the trials to a client's files.
func (t *trial) withProbe(files map[string]string) map[string]string {
	out := maps.Clone(files)
	if out == nil {
		out = map[string]string{}
	}
	name := t.c.probe[0]
	entry := strings.ReplaceAll(t.c.probe[1], "$1", filepath.Join(t.home, "probe.mjs"))
	switch old := strings.TrimSpace(out[name]); {
	case name == "":
	case strings.HasSuffix(name, ".toml"):
		out[name] += entry
	case old == "":
		out[name] = "{" + entry + "}\n"
	default:
		out[name] = "{" + entry + "," + old[1:] + "\n"
	}
	return out
}

// hooks has helve set the hooks up, and remembers what stood in the client's files before.
func (t *trial) hooks(ctx context.Context) error {
	tell := func() ([]string, error) {
		out, err := t.command(ctx, t.ws, t.env, t.helve, "doctor", "--client", t.c.name, "--quick", "--json")
		var said struct {
			Hooks struct {
				Files []string `json:"files"`
			} `json:"hooks"`
		}
		if err == nil {
			err = json.Unmarshal([]byte(out), &said)
		}
		return said.Hooks.Files, err
	}
	var err error
	if t.files, err = tell(); err != nil || len(t.files) == 0 {
		return fmt.Errorf("helve doctor names no files: %w", err)
	}
	t.before = contents(append(t.files, t.codexConfig())...)
	env := append(slices.Clone(t.env), "PATH="+filepath.Dir(t.bin(t.c))+":"+t.path)
	out, err := t.command(ctx, t.ws, env, t.helve, "init", "--client", t.c.name, "--hooks", "--yes")
	if err != nil {
		return fmt.Errorf("helve init --hooks: %w: %s", err, out)
	}
	return nil
}

func (t *trial) codexConfig() string { return filepath.Join(t.home, ".codex/config.toml") }

// contents are what stands in files; those that are not there are left out.
func contents(files ...string) map[string]string {
	out := map[string]string{}
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil {
			out[f] = string(b)
		}
	}
	return out
}

// fill puts the client's own names into a text.
func (t *trial) fill(text string) string {
	return strings.NewReplacer(
		"$F", t.files[0],
		"$D", filepath.Dir(t.files[0]),
		"$H", t.home,
		"$P", t.helve,
		"$C", t.c.name,
		"$R", projectFiles()[t.c.name],
		"$W", t.ws,
	).Replace(text)
}

// mine are the deeds that the client has tools for, and whose refusal does not end its run.
func (t *trial) mine(all []deed) []deed {
	return slices.DeleteFunc(all, func(d deed) bool {
		_, has := ownTools()[t.c.name][d.act]
		shell := d.act == "shell"
		hidden := d.act == "write" && strings.Contains(d.args[0], "/.")
		ends := t.c.name == "cline" && !shell && (d.is == refused || hidden)
		ends = ends || t.c.name == "opencode" && !shell && d.args[0] == t.files[0] // its own refusal
		words := d.want == "tried it" || strings.HasPrefix(d.args[0], "helve exec")
		return !has || ends || t.c.unconfined && shell && (words || strings.HasPrefix(d.args[0], "sh off"))
	})
}

// converse leads the client through deeds in one conversation, and judges what came of each.
func (t *trial) converse(ctx context.Context, name string, list []deed) {
	w := ownTools()[t.c.name]
	m, sub := &model{}, &model{}
	for _, d := range list {
		next, _ := w.task(d)
		m.tasks = append(m.tasks, next)
	}
	for _, d := range subDeeds() {
		next, _ := w.task(d)
		sub.tasks = append(sub.tasks, next)
	}
	m.also = sub
	if t.record != "" {
		m.record = filepath.Join(t.record, t.c.name+"-hooks-"+name)
		_ = os.MkdirAll(m.record, 0o700) // without it nothing is kept
	}
	t.now.Store(m)
	args := t.c.args
	if t.c.freely != nil {
		args = t.c.freely
	}
	ctx, stop := t.whileTalking(ctx)
	defer stop()
	out, err := t.start(ctx, t.ws, t.env, t.bin(t.c), args(prompt)...)
	if silent := context.Cause(ctx); silent != nil {
		err = errors.Join(err, silent)
	}
	t.judge(m, list)
	if slices.ContainsFunc(list, func(d deed) bool { return d.act == "agent" }) {
		t.judge(sub, subDeeds())
	}
	if err != nil || len(t.wrong) > 0 {
		t.wrong = append(t.wrong, run{results: []result{{}}, said: out, err: err}.end()...)
	}
}

// maxSilence is how long a client may have nothing to say to its model. A bound on the whole conversation told nothing:
// opencode takes three seconds for each of fifty calls where four others want the two cores as well.
const maxSilence = time.Minute

// whileTalking is done when the client has been silent for too long, or stop is called.
func (t *trial) whileTalking(ctx context.Context) (talking context.Context, stop func()) {
	talking, end := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		said, last := 0, time.Now()
		for {
			select {
			case <-talking.Done():
				return
			case <-tick.C:
			}
			if n := t.now.Load().asked(); n != said {
				said, last = n, time.Now()
			}
			if time.Since(last) > maxSilence {
				end(fmt.Errorf("it said nothing to its model for %v", maxSilence))
			}
		}
	}()
	return talking, func() { end(nil) }
}

// judge compares what came of deeds with what is to come of them.
func (t *trial) judge(m *model, list []deed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, d := range list {
		t.calls++
		if i >= len(m.results) || !m.results[i].over {
			t.fails("%s %.80q: no result of it came to the model", d.act, d.args)
			continue
		}
		r := m.results[i]
		itself := d.is == refused && strings.Contains(r.text, "not in workspace") // Gemini CLI, before it asks
		if r.err == nil || itself {
			t.asSaid++
			continue
		}
		t.fails("%s %.80q: %v", d.act, d.args, r.err)
		if d.is == refused && strings.Contains(r.text, "KEY=1") {
			t.denials++
		}
	}
}

// notMade are files that calls would make which are refused.
const notMade = "moved ../outside ../outside.txt made-by-printf .git/hooks/post-commit .helve/config.json"

// undo looks at the disk: what was refused is not there, what ran is, and helve undo takes it back.
func (t *trial) undo(ctx context.Context) string {
	for _, path := range strings.Fields(notMade) {
		if _, err := os.Lstat(filepath.Join(t.ws, path)); err == nil {
			t.fails("%s is there: what was refused ran", path)
			t.denials++
		}
	}
	if _, err := os.Stat(filepath.Join(t.ws, ".git/HEAD")); err != nil {
		t.fails("the repository is gone: %v", err)
		t.denials++
	}
	leaks, _ := filepath.Glob(filepath.Join(t.home, "leak*"))
	if ran, _ := filepath.Glob(filepath.Join(t.ws, "ran*")); len(ran) < 8 || (len(leaks) > 0) != t.c.unconfined {
		t.fails("%d commands ran; outside the workspace stands %q", len(ran), leaks)
	}
	edited, _ := os.ReadFile(filepath.Join(t.ws, "a.txt"))
	if _, edits := ownTools()[t.c.name]["edit"]; edits && !bytes.Contains(edited, []byte("gamma")) {
		t.fails("the edit of a.txt was not made")
	}
	for range 60 { // one call of the conversation each, the newest first
		if _, err := t.command(ctx, t.ws, t.env, t.helve, "undo", "--yes"); err != nil {
			break
		}
	}
	left, _ := filepath.Glob(filepath.Join(t.ws, "ran[1-9]"))
	edited, _ = os.ReadFile(filepath.Join(t.ws, "a.txt"))
	made, _ := filepath.Glob(filepath.Join(t.ws, "[bp]*.txt"))
	switch {
	case string(edited) != deedFiles()["a.txt"] || len(made) > 0:
		t.fails("helve undo left a.txt as %q, and %q", edited, made)
		return "FAILS"
	case len(left) > 0 && !t.c.unconfined:
		t.fails("helve undo left what commands made: %q", left)
		return "FAILS"
	case t.c.unconfined:
		return "edits"
	}
	return "works"
}

// switchOff tries the ways off: none changes what has the client ask, and the next call is asked about.
func (t *trial) switchOff(ctx context.Context) {
	var list []deed
	for _, d := range offs() {
		for i := range d.args {
			d.args[i] = t.fill(d.args[i])
		}
		list = append(list, d)
	}
	list = t.mine(list)
	t.off = len(list)
	keep := append(slices.Clone(t.files), t.helve, filepath.Join(t.home, ".config/helve/config.json"))
	before := contents(keep...)
	list = append(list, deed{"shell", []string{"rm  -rf .git"}, refused, "repository"})
	t.converse(ctx, "off", list)
	after := contents(keep...)
	for _, f := range keep {
		if before[f] != after[f] {
			t.fails("%s was changed", f)
			t.gone++
		}
	}
	if _, err := os.Lstat(filepath.Join(t.ws, projectFiles()[t.c.name])); err == nil {
		t.fails("%s is there", projectFiles()[t.c.name])
		t.gone++
	}
}

// restore takes the hooks out, and looks whether every byte is as before.
func (t *trial) restore(ctx context.Context) string {
	if out, err := t.command(ctx, t.ws, t.env, t.helve, "init", "--client", t.c.name, "--undo"); err != nil {
		t.fails("helve init --undo: %v: %s", err, out)
	}
	now := contents(append(t.files, t.codexConfig())...)
	for f, text := range now {
		if text != t.before[f] {
			t.fails("%s is not as before: %s", f, short(text))
		}
	}
	if len(now) != len(t.before) {
		t.fails("files that stood there: %d, now %d", len(t.before), len(now))
	}
	if !maps.Equal(now, t.before) {
		return "FAILS"
	}
	return "as before"
}
