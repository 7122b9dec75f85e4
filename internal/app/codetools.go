package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"helve/codetool"
	"helve/tool"
)

// codeTools are the tools that know the structure of code. They do nothing before one of them is called.
func (a *app) codeTools(h *house) ([]tool.Tool, error) {
	x, err := codetool.Open(codetool.Options{Dir: h.dir, Cache: h.set.indexes(a.cacheDir()), Resident: a.tolerant, Trees: h.trees, Environ: a.env.Environ,
		Denied: func(target string) bool { return h.rules.Denies(tool.Read, target) }})
	if err != nil {
		return nil, err
	}
	h.code = x
	h.close = append(h.close, x.Close)
	return codetool.All(x), nil
}

// shown is what a profile lists: of the code tools the core ones, except where all are wanted.
func (s *settings) shown() func(*tool.Spec) bool {
	if s.Profile == "codebase-index" {
		return nil
	}
	return func(t *tool.Spec) bool {
		return t.Origin.Kind != tool.Builtin || t.Category != "code" || codetool.Core(t.Name)
	}
}

// codeIndex is an index sub-command on the structure of code.
func (a *app) codeIndex(ctx context.Context, sub string) (err error) {
	dir, err := a.workspace()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	x, err := codetool.Open(codetool.Options{Dir: dir, Cache: a.cacheDir(), Environ: a.env.Environ})
	if err != nil {
		return &exitError{exitFailed, err}
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	switch sub {
	case "build":
		if _, err := x.Snapshot(ctx); err != nil {
			return &exitError{exitFailed, fmt.Errorf("index: %w", err)}
		}
	case "clear":
		if err := x.Clear(); err != nil {
			return &exitError{exitFailed, fmt.Errorf("index: %w", err)}
		}
		return nil
	}
	return a.printCodeIndex(x)
}

func (a *app) printCodeIndex(x *codetool.Index) error {
	size, err := x.Cached()
	if err != nil {
		return &exitError{exitFailed, err}
	}
	if a.flags.json {
		return a.printJSON(map[string]any{"code": map[string]any{"path": x.Path(), "bytes": size}})
	}
	if size == 0 {
		_, err = fmt.Fprintln(a.env.Stdout, "code: no index")
		return err
	}
	_, err = fmt.Fprintf(a.env.Stdout, "code: %.1f MB at %s\n", megabytes(size), x.Path())
	return err
}

// onCode adds the flag that turns an index sub-command to the structure of code.
func (a *app) onCode(cmd *cobra.Command) *cobra.Command {
	search := cmd.RunE
	only := cmd.Flags().Bool("code", false, "the index of the code's structure instead of the one for searching")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *only {
			return a.codeIndex(cmd.Context(), cmd.Name())
		}
		return search(cmd, args)
	}
	return cmd
}
