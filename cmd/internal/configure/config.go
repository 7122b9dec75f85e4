// Package configure has the commands that say what is allowed: config, trust and approvals.
package configure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/parts/discovery"
	"helve/parts/mcp"
	"helve/tool"
)

// ConfigOptions are those of all the commands below config.
type ConfigOptions struct {
	command.Common
	Global bool   // the user's file instead of the project's
	Key    string // split at its first dot
	Value  string // JSON, or a word
	json   bool
}

func ConfigCommand(c *command.Line) *cobra.Command {
	var o ConfigOptions
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
	cmd.PersistentFlags().BoolVarP(&o.Global, "global", "g", false, "the user's file instead of the project's")

	list := &cobra.Command{
		Use:   "list",
		Short: "The effective values, with the file and line that set each",
		Args:  cobra.NoArgs,
	}
	get := &cobra.Command{
		Use:   "get KEY",
		Short: "One effective value, as JSON",
		Args:  command.Exactly(1, "a key"),
	}
	set := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Set a value: JSON, or a word",
		Args:  command.Exactly(2, "a key and a value"),
	}
	unset := &cobra.Command{
		Use:   "unset KEY",
		Short: "Remove a key",
		Args:  command.Exactly(1, "a key"),
	}
	check := &cobra.Command{
		Use:   "check",
		Short: "Look for mistakes: in the files, and names that mean no tool; exits 1 if there are any",
		Args:  cobra.NoArgs,
	}
	runs := func(sub *cobra.Command, do func(context.Context, command.Streams, ConfigOptions) error) {
		sub.RunE = func(cmd *cobra.Command, args []string) error {
			o.Common = c.Flags.Common
			words := append(args, "", "")
			o.Key, o.Value = words[0], words[1]
			return do(cmd.Context(), c.Streams(), o)
		}
		cmd.AddCommand(sub)
	}
	for _, sub := range []*cobra.Command{get, set, unset} {
		sub.ValidArgsFunction = completeKeys(c)
	}
	runs(list, configList)
	runs(get, ConfigGet)
	runs(set, configSet)
	runs(unset, ConfigUnset)
	runs(check, configCheck)
	for _, sub := range []*cobra.Command{list, get, check} {
		command.JSONFlag(sub, &o.json)
	}
	return cmd
}

// configList prints what holds, and where it stands.
func configList(_ context.Context, s command.Streams, o ConfigOptions) error {
	c, err := o.LoadHere(s)
	if err != nil {
		return err
	}
	if o.json {
		return s.PrintJSON(c.Entries())
	}
	t := s.Table()
	t.Row("KEY", "VALUE", "LAYER", "FILE")
	for _, e := range c.Entries() {
		at := config.Place{Layer: e.Layer, File: e.File, Line: e.Line}
		file := ""
		if at.File != "" {
			file = at.String()
		}
		t.Row(command.Printable(e.Key), command.Printable(string(e.Value)), e.Layer, command.Printable(file))
	}
	return t.Flush()
}

func ConfigGet(ctx context.Context, s command.Streams, o ConfigOptions) error {
	c, err := o.LoadHere(s)
	if err != nil {
		return err
	}
	v, ok := c.Get(o.Key)
	if ok {
		at := c.At(config.SplitKey(o.Key)...)
		s.Note("%s", command.Printable(strings.TrimSuffix(at.Layer+" layer, "+at.String(), ", ")))
		noteTurn(s, o.Key, string(v))
		return s.Print(string(v))
	}
	if err := config.Known(o.Key); err != nil {
		return command.Misused(err)
	}
	if name, ok := strings.CutPrefix(o.Key, "tools."); ok {
		return command.In(ctx, s, o.Common, func(ws *workspace.Assembly) error { return offered(ctx, s, ws, o, name) })
	}
	return command.Failed(fmt.Errorf("config: %s is not set", command.Printable(o.Key)))
}

// offered prints whether a tool is offered, and what decides about it, where no key is of this tool alone: one of a
// group or a wildcard may be of it, too.
func offered(ctx context.Context, s command.Streams, ws *workspace.Assembly, o ConfigOptions, name string) error {
	x, err := ws.Why(ctx, &tool.Call{Name: name})
	if bad, ok := errors.AsType[*tool.Error](err); ok {
		why := command.Printable(command.Unmarked(bad.Text()))
		return command.Failed(fmt.Errorf("config: %s is not set\nhint: %s", command.Printable(o.Key), why))
	}
	if err != nil {
		return err
	}
	for _, step := range x.List.Steps {
		if !step.Decides {
			continue
		}
		where := step.Layer
		if step.File != "" {
			where = fmt.Sprintf("%s layer, %s:%d", step.Layer, step.File, step.Line)
		}
		s.Note("%s", command.Printable(step.Text+" ("+where+")"))
	}
	return s.PrintJSON(x.List.Verdict == tool.Allow)
}

// File is the one that a change goes to.
func (o ConfigOptions) File(s command.Streams) (string, error) {
	if o.Global && o.Config != "" {
		return s.Path(o.Config), nil
	}
	dir, err := o.Folder(s)
	if err != nil {
		return "", err
	}
	file, err := s.Places().File(dir, o.Global)
	if err != nil {
		return "", command.Misused(err)
	}
	return file, nil
}

// ConfigWrite sets the value of the key, unless check has an error; check may be nil.
func ConfigWrite(s command.Streams, o ConfigOptions, check func(config.Edit) error) error {
	file, err := o.File(s)
	if err != nil {
		return err
	}
	return configEdit(s, o, func() (config.Edit, error) {
		return config.SetIf(s.Places(), file, o.Key, o.Value, check)
	})
}

// configEdit makes a change of the user's configuration or of the workspace's.
func configEdit(s command.Streams, o ConfigOptions, edit func() (config.Edit, error)) error {
	made := func(*config.Config) (config.Edit, error) {
		e, err := edit()
		if err != nil {
			return e, command.Misused(err)
		}
		return e, nil
	}
	if o.Global {
		_, err := made(nil)
		return err
	}
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	if err := o.Change(s, dir, made); err != nil {
		return err
	}
	_, err = o.LoadHere(s) // says what waits for trust
	return err
}

// ConfigUnset removes a key from a file. A key that no configuration has, and the file neither, is a mistake; one that
// is merely not set there is said to be so.
func ConfigUnset(_ context.Context, s command.Streams, o ConfigOptions) error {
	file, err := o.File(s)
	if err != nil {
		return err
	}
	held, err := config.Holds(file, o.Key)
	if err != nil {
		return command.Misused(err)
	}
	if held {
		return configEdit(s, o, func() (config.Edit, error) {
			return config.Unset(s.Places(), file, o.Key)
		})
	}
	if err := config.Known(o.Key); err != nil {
		return command.Misused(err)
	}
	s.Note("%s is not set in %s: nothing to remove", command.Printable(o.Key), command.Printable(file))
	return nil
}

// configCheck reports what is no error, too: what does not count, and names that mean nothing. Scripts go by its
// status.
func configCheck(ctx context.Context, s command.Streams, o ConfigOptions) error {
	// Every other command says the findings as warnings; here they are the output, once.
	var said bytes.Buffer
	heard := s
	heard.Stderr = &said
	ws, err := command.Open(ctx, heard, o.Common)
	if err != nil {
		s.Stderr.Write(said.Bytes())
		return err
	}
	defer ws.Close()
	found := ws.Findings()
	for line := range strings.Lines(said.String()) {
		isFinding := func(f workspace.Finding) bool { return strings.Contains(line, command.Printable(f.Message)) }
		if !slices.ContainsFunc(found, isFinding) {
			fmt.Fprint(s.Stderr, line)
		}
	}
	if err := printFindings(s, found, o.json); err != nil {
		return err
	}
	noteSources(s, ws)
	if len(found) > 0 {
		return &command.ExitError{Status: command.ExitFailed}
	}
	return nil
}

// noteSources says what is remembered of sources that are away and of bad definitions. Nothing is started, and no
// mistake of the configuration: the exit status does not depend on it.
func noteSources(s command.Streams, ws *workspace.Assembly) {
	if a := discovery.Of(ws).Absence(); a != nil {
		s.Note("note: discovery: %s (helve discover asks now)", command.Printable(a.Text(time.Now())))
	}
	for _, server := range mcp.Of(ws).List() {
		if a := server.Absence(); a != nil {
			s.Note("note: mcp server %s: %s", command.Printable(server.Name()),
				command.Printable(AwayText(a, server.Name())))
		}
		if found := server.Remembered(); len(found) > 0 {
			s.Note("note: mcp server %s: %s", command.Printable(server.Name()),
				command.Printable(FindingsText(found, server.Name())))
		}
	}
}

func printFindings(s command.Streams, found []workspace.Finding, asJSON bool) error {
	if asJSON {
		return s.PrintJSON(found)
	}
	if len(found) == 0 {
		return s.Print("no mistakes found")
	}
	for _, f := range found {
		where := f.Key
		if f.File != "" {
			where = fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Key)
		}
		if err := s.Print(command.Printable(where + ": " + f.Message)); err != nil {
			return err
		}
	}
	return nil
}

// completeKeys completes the first argument to a key of the configuration: those that may stand there, and below them
// those that do.
func completeKeys(c *command.Line) command.Completion {
	return command.OnlyFirst(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		out := config.Keys()
		if have, err := c.Flags.LoadHere(c.Streams().Silent()); err == nil {
			for _, e := range have.Entries() {
				out = append(out, e.Key)
			}
		}
		slices.Sort(out)
		return slices.Compact(out), cobra.ShellCompDirectiveNoFileComp
	})
}
