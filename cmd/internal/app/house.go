package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/builtin"
	"helve/codetool"
	"helve/engine/tree"
	"helve/policy"
	"helve/source/command"
	"helve/source/upstream"
	"helve/tool"
	"helve/wrap"
)

// A house is a workspace with its tools: what every command but the simplest opens.
type house struct {
	dir    string // links resolved
	ws     *builtin.Workspace
	code   *codetool.Index
	trees  *tree.Set // that the tools look at: one watch for all
	reg    *tool.Registry
	kit    *tool.Kit
	mode   policy.Mode
	set    *settings
	rules  *policy.Rules
	grants *policy.Grants
	around []func(tool.Caller) tool.Caller
	close  []func() error

	discovery *command.Source // nil: no discovery command
	servers   []*upstream.Source
	sources   []tool.Source // all of them
	coming    arrivals
	attic     attic

	mu     sync.Mutex
	notify func(server string, s *tool.Session, method string, params json.RawMessage)
}

// open makes the house of this run. Close it.
func (a *app) open(ask tool.Asker) (*house, error) {
	dir, err := a.workspace()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	c, err := a.load(dir)
	if err != nil {
		return nil, err
	}
	set, err := chosen(c)
	if err != nil {
		return nil, err
	}
	h := &house{dir: dir, reg: &tool.Registry{}, set: set, mode: set.mode, trees: &tree.Set{Config: tree.Config{GlobalIgnore: tree.GitIgnoreFile(a.env.getenv)}}}
	a.house = h
	level, network, writable, masked := set.sandbox(a.env.getenv("HOME"))
	writable = a.openable(writable)
	h.ws, err = builtin.Open(builtin.Options{Dirs: []string{dir}, State: a.stateDir(), Environ: a.env.Environ,
		Cache: set.indexes(a.cacheDir()), Resident: a.tolerant, Trees: h.trees, AllowPrivate: set.privateHosts(), Pages: filepath.Join(a.cacheDir(), "pages"),
		Denied:  func(target string) bool { return h.rules.Denies(tool.Read, target) },
		OneCall: a.oneCall, SomeDenied: func() bool { return h.rules.DeniesSome(tool.Read) },
		Summarizer: a.reads,
		Sandbox: builtin.Sandbox{Level: level, Network: network, Writable: writable, Masked: masked,
			Idle: time.Duration(set.Limits.IdleMS) * time.Millisecond}})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	h.close = append(h.close, h.ws.Close)
	if err := a.furnish(h, ask); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// furnish registers the tools under the rules.
func (a *app) furnish(h *house, ask tool.Asker) (err error) {
	structure, err := a.codeTools(h)
	if err != nil {
		return err
	}
	tools, err := a.preset(h, append(builtin.All(h.ws), structure...))
	if err != nil {
		return err
	}
	var specs []*tool.Spec
	for _, t := range tools {
		specs = append(specs, t.Spec())
	}
	if h.rules, err = h.set.rules(a, h.dir, specs); err != nil {
		return err
	}
	h.close = append(h.close, h.reg.Close)
	h.reg.Admit = a.admits(h) // R1.25: what others bring and no list names is not registered at all
	if err := h.reg.Add(tools...); err != nil {
		return err
	}
	h.grants = policy.NewGrants(policy.GrantOptions{Workspace: h.dir, Store: a.grantFile(), Server: h.set.serverDigest, Commands: understand(h.dir, a.env.getenv("HOME"))})
	a.build(h)
	if h.around, err = a.around(h); err != nil {
		return err
	}
	h.kit = h.reg.Kit(h.options(ask))
	return a.checkNames(h)
}

// admits is the registry's allow-list. Our own tools are registered all the same, so that list --all can say why they are not offered.
func (a *app) admits(h *house) func(*tool.Spec) bool {
	return func(s *tool.Spec) bool {
		if s.Origin.Kind == tool.Builtin || h.rules.Admits(s) {
			return true
		}
		a.note("warning: %s is not among the allowed_tools, skipped", printable(s.Origin.String()))
		return false
	}
}

// options are those of every kit of the house, whoever asks and is asked.
func (h *house) options(ask tool.Asker) tool.KitOptions {
	return tool.KitOptions{Policy: h.rules, Ask: ask, Grants: h.grants, Around: h.around,
		Wrap: wrap.Standard(wrap.Options{ResultBytes: h.set.Limits.ResultBytes}), Show: h.set.shown()}
}

// profiled are the options of a kit for a profile of clients, "" for the one of this run.
func (a *app) profiled(h *house, name string, ask tool.Asker) (tool.KitOptions, error) {
	o := h.options(ask)
	if name == "" || name == h.set.Profile {
		return o, nil
	}
	c := *h.set.Config
	c.Profile = name
	set, err := chosen(&c)
	if err != nil {
		return o, err
	}
	if o.Policy, err = set.rules(a, h.dir, h.reg.View().Where(tool.From(string(tool.Builtin)))); err != nil {
		return o, err
	}
	o.Show = set.shown()
	return o, nil
}

// around are the middlewares of every call: the record, the counts and the hooks.
func (a *app) around(h *house) ([]func(tool.Caller) tool.Caller, error) {
	hooks, err := a.hooks(h)
	if err != nil {
		return nil, err
	}
	j, counts := a.journal(), &wrap.Counter{}
	h.close = append(h.close, j.Close, func() error { return a.saveUsage(counts) })
	told := false
	audit := wrap.Audit(wrap.AuditOptions{Principal: "local", Write: j.Append, Args: a.flags.logLevel == "debug", Fail: func(err error) {
		if !told {
			a.note("warning: the record of calls cannot be kept: %v", err)
		}
		told = true
	}})
	return []func(tool.Caller) tool.Caller{counts.Count, audit, h.attic.idle.Mark, a.review(h), hooks.Around}, nil
}

// checkNames warns of disabled tools that do not exist (R3.9) or cannot be disabled (R3.8). Names in tools are of no importance, unless
// somebody wants to know (⚑1).
func (a *app) checkNames(h *house) error {
	var wrong []string
	for _, u := range h.rules.Unmatched(h.reg.View().Specs(), h.pending()) {
		if u.Pending || slices.Contains(protected, u.Name) || u.Key != "disabled_tools" && !a.flags.strict {
			continue
		}
		text := fmt.Sprintf("%s: %s: there is no tool %q", u.At, u.Key, printable(u.Name))
		if u.Near != "" {
			text += fmt.Sprintf(": did you mean %q?", u.Near)
		}
		wrong = append(wrong, text)
	}
	if len(wrong) > 0 && a.flags.strict {
		return usage("%s", strings.Join(wrong, "\n"))
	}
	for _, w := range append(wrong, h.kept()...) {
		a.note("warning: %s", w)
	}
	return nil
}

// kept are warnings about protected tools that a list would disable.
func (h *house) kept() []string {
	var out []string
	for _, l := range h.set.layers {
		for _, n := range l.Disabled() {
			if slices.Contains(protected, n.Name) {
				out = append(out, fmt.Sprintf("%s: disabled_tools: %q is protected and stays", n.At, n.Name))
			}
		}
	}
	return out
}

// disabledNames are the tools that somebody switched off, for the line that a server logs (R3.11).
func disabledNames(v *tool.View) []string {
	var out []string
	for _, w := range v.Withheld() {
		if w.Verdict.Off {
			out = append(out, w.Name)
		}
	}
	slices.Sort(out)
	return out
}

// pending are the servers whose tools may not be there yet.
func (h *house) pending() []string {
	return slices.Sorted(maps.Keys(h.set.MCPServers))
}

func (h *house) Close() error {
	var errs []error
	for _, f := range slices.Backward(h.close) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// workspace is the folder that the tools work in.
func (a *app) workspace() (string, error) {
	dir := a.flags.dir
	if dir == "" {
		dir = a.env.getenv("PROJECT_ROOT")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.env.Dir, dir)
	}
	st, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Errorf("workspace: %w", err)
	}
	if !st.IsDir() {
		return "", fmt.Errorf("workspace: %s is not a directory", dir)
	}
	return filepath.EvalSymlinks(dir)
}

// stateDir is where grants, lists and locks are kept, outside every workspace.
func (a *app) stateDir() string {
	if d := a.env.getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "helve")
	}
	if h := a.env.getenv("HOME"); h != "" {
		return filepath.Join(h, ".local", "state", "helve")
	}
	if d, err := os.UserConfigDir(); err == nil { // Windows
		return filepath.Join(d, "helve", "state")
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("helve-%d", os.Getuid()))
}
