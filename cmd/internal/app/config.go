package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve"
	"helve/internal/config"
)

func (a *app) configCommand() *cobra.Command {
	var global bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show and change the configuration",
		Long: `Show and change the configuration.

Layers, highest first: flags, the project (.helve/config.local.*, .helve/config.*), the user, defaults. A change goes to the
project's file, with -g to the user's. A key is split at its first dot: tools.mcp__github/create_issue.`,
		Example: `  helve config list
  helve config set tools '{"write":false}'
  helve config set -g tools.bash ask
  helve config check`,
	}
	cmd.PersistentFlags().BoolVarP(&global, "global", "g", false, "the user's file instead of the project's")
	list := &cobra.Command{Use: "list", Short: "The effective values, with the file and line that set each", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.configList() }}
	get := &cobra.Command{Use: "get KEY", Short: "One effective value, as JSON", Args: exactly(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error { return a.configGet(args[0]) }}
	set := &cobra.Command{Use: "set KEY VALUE", Short: "Set a value: JSON, or a word", Args: exactly(2, "a key and a value"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.configSet(cmd.Context(), global, args[0], args[1])
		}}
	unset := &cobra.Command{Use: "unset KEY", Short: "Remove a key", Args: exactly(1, "a key"),
		RunE: func(_ *cobra.Command, args []string) error { return a.configUnset(global, args[0]) }}
	check := &cobra.Command{Use: "check", Short: "Look for mistakes: in the files, and names that mean no tool; exits 1 if there are any", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.configCheck(cmd.Context()) }}
	for _, c := range []*cobra.Command{list, get, check} {
		a.jsonFlag(c)
	}
	cmd.AddCommand(list, get, set, unset, check)
	return cmd
}

func (a *app) loadHere() (*config.Config, error) {
	dir, err := a.workspace()
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	return a.load(dir)
}

func (a *app) configList() error {
	c, err := a.loadHere()
	if err != nil {
		return err
	}
	if a.flags.json {
		return a.printJSON(c.Entries())
	}
	w := a.table()
	fmt.Fprintln(w, "KEY\tVALUE\tLAYER\tFILE")
	for _, e := range c.Entries() {
		at := config.Place{Layer: e.Layer, File: e.File, Line: e.Line}
		file := ""
		if at.File != "" {
			file = at.String()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", printable(e.Key), printable(string(e.Value)), e.Layer, printable(file))
	}
	return w.Flush()
}

func (a *app) configGet(key string) error {
	c, err := a.loadHere()
	if err != nil {
		return err
	}
	v, ok := c.Get(key)
	if !ok {
		if err := config.Known(key); err != nil {
			return &exitError{exitUsage, err}
		}
		return &exitError{exitFailed, fmt.Errorf("config: %s is not set", printable(key))}
	}
	_, err = fmt.Fprintf(a.env.Stdout, "%s\n", v)
	return err
}

// configFile is the file that a change goes to.
func (a *app) configFile(global bool) (string, error) {
	if global && a.flags.config != "" {
		return a.path(a.flags.config), nil
	}
	dir, err := a.workspace()
	if err != nil {
		return "", err
	}
	return a.places().File(dir, global)
}

func (a *app) configSet(ctx context.Context, global bool, key, value string) error {
	if err := a.configWrite(global, key, value); err != nil {
		return err
	}
	if first, _, _ := strings.Cut(key, "."); namesTools[first] {
		a.noteUnmatched(ctx, global, first)
	}
	return nil
}

func (a *app) configWrite(global bool, key, value string) error {
	file, err := a.configFile(global)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	return a.configEdit(global, func() (config.Edit, error) { return config.Set(a.places(), file, key, value) })
}

// namesTools are the keys whose values name tools.
var namesTools = map[string]bool{"tools": true, "disabled_tools": true, "allowed_tools": true, "rules": true}

// noteUnmatched warns of tools that the file now names under the key and that do not exist.
func (a *app) noteUnmatched(ctx context.Context, global bool, key string) {
	var ws *helve.Workspace
	file, err := a.configFile(global)
	if err != nil {
		return
	}
	a.quietly(func() { ws, err = a.open(ctx, nil) }) // the change itself has said all the rest
	if err != nil {
		return // the next command says so, with the place
	}
	defer ws.Close()
	for _, f := range ws.Findings() {
		if f.File == file && f.Key == key {
			a.note("warning: %s", printable(fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Key, f.Message)))
		}
	}
}

// configEdit makes a change. Who makes one by this command means it: a project whose configuration was trusted, or that had none, is
// trusted with it, and with nothing that somebody else wrote meanwhile.
func (a *app) configEdit(global bool, edit func() (config.Edit, error)) error {
	var before *config.Config
	if dir, err := a.workspace(); err == nil && !global {
		before, _ = a.loadAs(dir, a.trustStore().Accepted) // one that cannot be read is not trusted
	}
	made, err := edit()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if global {
		return nil
	}
	if before != nil && (before.Trusted || !before.Project) {
		if digest := before.After(made); digest != "" {
			if err := a.trustStore().Accept(before.Workspace, digest, time.Now()); err != nil {
				return err
			}
		}
	}
	c, err := a.loadHere() // says what waits for trust
	if err != nil {
		return err
	}
	for _, g := range c.Ignored {
		if !g.ByTrust && g.At.File == made.File {
			a.note("warning: %s in %s is ignored: %s", printable(g.Key), printable(g.At.String()), g.Why)
		}
	}
	return nil
}

// configUnset removes a key from a file. A key that no configuration has, and the file neither, is a mistake; one that is merely not set
// there is said to be so.
func (a *app) configUnset(global bool, key string) error {
	file, err := a.configFile(global)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	held, err := config.Holds(file, key)
	if err == nil && !held {
		if err := config.Known(key); err != nil {
			return &exitError{exitUsage, err}
		}
		a.note("%s is not set in %s: nothing to remove", printable(key), printable(file))
		return nil
	}
	if err != nil {
		return &exitError{exitUsage, err}
	}
	return a.configEdit(global, func() (config.Edit, error) { return config.Unset(a.places(), file, key) })
}

// configCheck reports what is no error, too: what does not count, and names that mean nothing. Scripts go by its status.
func (a *app) configCheck(ctx context.Context) error {
	ws, err := a.open(ctx, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	found := ws.Findings()
	if err := a.printFindings(found); err != nil {
		return err
	}
	if len(found) > 0 {
		return &exitError{status: exitFailed}
	}
	return nil
}

func (a *app) printFindings(found []helve.Finding) error {
	if a.flags.json {
		return a.printJSON(found)
	}
	for _, f := range found {
		where := f.Key
		if f.File != "" {
			where = fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Key)
		}
		fmt.Fprintln(a.env.Stdout, printable(where+": "+f.Message))
	}
	if len(found) == 0 {
		fmt.Fprintln(a.env.Stdout, "no mistakes found")
	}
	return nil
}
