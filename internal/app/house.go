package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"helve/builtin"
	"helve/policy"
	"helve/sandbox"
	"helve/tool"
	"helve/wrap"
)

// A house is a workspace with its tools: what every command but the simplest opens.
type house struct {
	dir  string
	ws   *builtin.Workspace
	reg  *tool.Registry
	kit  *tool.Kit
	mode policy.Mode
}

// open makes the house of this run. Close it.
func (a *app) open(ask tool.Asker) (*house, error) {
	mode, err := policy.ParseMode(a.flags.mode)
	if err != nil {
		return nil, usage("%v", err)
	}
	dir, err := a.workspace()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	ws, err := builtin.Open(builtin.Options{Dirs: []string{dir}, State: a.stateDir(), Environ: a.env.Environ,
		Sandbox: builtin.Sandbox{Level: sandbox.WorkspaceWrite}})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	h := &house{dir: dir, ws: ws, reg: &tool.Registry{}, mode: mode}
	if err := h.reg.Add(builtin.All(ws)...); err != nil {
		return nil, errors.Join(err, ws.Close())
	}
	h.kit = h.reg.Kit(tool.KitOptions{Policy: mode, Ask: ask, Wrap: wrap.Standard(wrap.Options{}), Write: true, Todo: true})
	return h, nil
}

func (h *house) Close() error { return errors.Join(h.reg.Close(), h.ws.Close()) }

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
	return dir, nil
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
