package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"helve/cmd/internal/terminal"
	"helve/internal/config"
	"helve/source/upstream"
	"helve/tool"
)

func (a *app) mcpCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "MCP servers whose tools are offered: add, list, test, approve",
		Example: `  helve mcp add -g github --env GITHUB_TOKEN='${env:GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github
  helve mcp add docs --url https://docs.example/mcp
  helve mcp list`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	list := &cobra.Command{Use: "list", Short: "Each server with its state, and why it is not there", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.mcpList(cmd.Context()) }}
	get := &cobra.Command{Use: "get NAME", Short: "What is configured for one server, as JSON", Args: exactly(1, "the name of a server"),
		RunE: func(_ *cobra.Command, args []string) error { return a.configGet("mcp_servers." + args[0]) }}
	test := &cobra.Command{Use: "test NAME", Short: "Start one server, shake hands, list, and say what is wrong", Args: exactly(1, "the name of a server"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.mcpTest(cmd.Context(), args[0]) }}
	a.jsonFlag(list)
	a.jsonFlag(test)
	cmd.AddCommand(a.mcpAddCommand(), a.mcpRemoveCommand(), list, get, test, a.mcpApproveCommand(), a.mcpImportCommand())
	return cmd
}

func (a *app) mcpAddCommand() *cobra.Command {
	var global, trust, force bool
	var url, kind string
	var env, header []string
	cmd := &cobra.Command{
		Use:   "add NAME [flags] (--url URL | -- COMMAND [ARGUMENT]…)",
		Short: "Add a server to the project's configuration, with -g to the user's",
		Args:  between(1, math.MaxInt, "a name, and a command after -- or --url"),
		RunE: func(_ *cobra.Command, args []string) error {
			s := config.Server{URL: url, Type: kind, Trust: trust}
			if len(args) > 1 {
				s.Command, s.Args = args[1], args[2:]
			}
			var err error
			if s.Env, err = assignments("--env", env); err == nil {
				s.Headers, err = assignments("--header", header)
			}
			if err != nil {
				return err
			}
			if err := a.unused(global, args[0], force); err != nil {
				return err
			}
			if err := a.mcpAdd(global, args[0], s); err != nil {
				return err
			}
			fmt.Fprintf(a.env.Stdout, "%s: added; helve mcp test %s shows its tools\n", args[0], args[0])
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&global, "global", "g", false, "the user's file instead of the project's")
	f.StringVar(&url, "url", "", "address of a server, instead of a command")
	f.StringVar(&kind, "type", "", "transport: stdio, http or sse (default: found out)")
	f.StringArrayVar(&env, "env", nil, "NAME=VALUE for the command; ${env:NAME} and ${file:PATH} are replaced when it starts")
	f.StringArrayVar(&header, "header", nil, "NAME=VALUE for the address")
	f.BoolVar(&force, "force", false, "in the place of a server of that name")
	f.BoolVar(&trust, "trust", false, "do not ask about its tools, and believe what they say of themselves")
	return cmd
}

func assignments(flag string, words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" {
			return nil, usage("%s %q: want NAME=VALUE", flag, w)
		}
		out[k] = v
	}
	return out, nil
}

// serverName is what a new server may be called: public names and rules are made of it. Names that clients have already are taken over
// by import as they are.
var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,47}$`)

// unused tells why a name cannot be given to a new server: nil if it can.
func (a *app) unused(global bool, name string, force bool) error {
	if !serverName.MatchString(name) || name == "builtin" || name == "go" || name == string(tool.Command) {
		return usage("mcp add: %q is no name for a server: want at most 48 letters, digits, dots, dashes and underscores, and not builtin, go or command", printable(name))
	}
	file, err := a.configFile(global)
	if err != nil || force {
		return err
	}
	if held, err := config.Holds(file, "mcp_servers."+name); err != nil || held {
		return errors.Join(err, usage("mcp add: %s is configured already, in %s\nhint: helve mcp add --force, or helve mcp remove %s", name, printable(file), name))
	}
	return nil
}

// mcpRemove removes a server from the file that it stands in; of one that stands elsewhere it says where.
func (a *app) mcpRemove(global bool, name string) error {
	file, err := a.configFile(global)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	held, err := config.Holds(file, "mcp_servers."+name)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if held {
		return a.configUnset(global, "mcp_servers."+name)
	}
	c, err := a.loadHere()
	if err != nil {
		return err
	}
	if at := c.At("mcp_servers", name); at.File != "" {
		return usage("mcp remove: %s stands in %s, not in %s\nhint: -g removes from the user's file", printable(name), printable(at.String()), printable(file))
	}
	return usage("mcp remove: there is no mcp server %q in %s", printable(name), printable(file))
}

// mcpAdd checks a server as the source does, and writes it.
func (a *app) mcpAdd(global bool, name string, s config.Server) error {
	at := s.URL
	if strings.Contains(at, "${") { // what it refers to need not be set yet
		at = "https://later.example"
	}
	if _, err := upstream.New(upstream.Config{Name: name, Command: s.Command, URL: at, Type: s.Type, Share: s.Share}, upstream.Options{}); err != nil {
		return usage("%v\nhint: helve mcp add --help", err)
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return a.configWrite(global, "mcp_servers."+name, string(b))
}

func (a *app) mcpRemoveCommand() *cobra.Command {
	var global bool
	cmd := &cobra.Command{Use: "remove NAME", Short: "Remove a server from the project's configuration, with -g from the user's", Args: exactly(1, "the name of a server"),
		RunE: func(_ *cobra.Command, args []string) error { return a.mcpRemove(global, args[0]) }}
	cmd.Flags().BoolVarP(&global, "global", "g", false, "the user's file instead of the project's")
	return cmd
}

// A serverRow is one server in the list's JSON.
type serverRow struct {
	Name      string `json:"name"`
	State     string `json:"state"` // ready or missing
	Tools     int    `json:"tools"`
	Transport string `json:"transport"`
	Protocol  string `json:"protocol,omitempty"`
	Changed   int    `json:"changed"` // definitions that wait for approval
	Reason    string `json:"reason,omitempty"`
}

func (a *app) mcpList(ctx context.Context) error {
	rows, err := a.serverRows(ctx)
	if err != nil {
		return err
	}
	if a.flags.json {
		return a.printJSON(rows)
	}
	return a.printServers(rows)
}

// serverRows starts every configured server and tells how each stands.
func (a *app) serverRows(ctx context.Context) ([]serverRow, error) {
	ws, err := a.open(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	a.quietly(func() { ws.Connect(ctx) }) // what went wrong stands in the rows
	status := map[string]tool.Status{}
	for _, st := range ws.Registry().Sources() {
		status[st.Name] = st
	}
	rows := []serverRow{}
	for _, s := range ws.Servers() {
		rows = append(rows, rowOf(ctx, s, status[s.Name()]))
	}
	return rows, nil
}

func rowOf(ctx context.Context, s *upstream.Source, st tool.Status) serverRow {
	r := serverRow{Name: s.Name(), State: "ready", Tools: st.Tools, Transport: "stdio", Changed: len(s.Changes())}
	r.Reason = strings.TrimPrefix(st.Err, "mcp server "+s.Name()+": ")
	if s.Remote() {
		r.Transport = "http"
	}
	if st.Missing {
		r.State = "missing"
		return r
	}
	about, err := s.About(ctx)
	if err == nil {
		r.Transport, r.Protocol = about.Transport, about.Protocol
	}
	return r
}

func (a *app) printServers(rows []serverRow) error {
	w := a.table()
	fmt.Fprintln(w, "NAME\tSTATE\tTOOLS\tTRANSPORT\tREASON")
	for _, r := range rows {
		if r.Changed > 0 {
			r.Reason = fmt.Sprintf("%d changed definitions wait: helve mcp approve %s", r.Changed, r.Name)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\n", printable(r.Name), r.State, r.Tools, r.Transport, strings.ReplaceAll(printable(r.Reason), "\n", " "))
	}
	return w.Flush()
}

// quietly leaves out the lines that f would say: they are about to be printed as data.
func (a *app) quietly(f func()) {
	old := a.mute
	a.mute = true
	f()
	a.mute = old
}

// one is one configured server, without what is remembered of it.
func (a *app) one(ctx context.Context, name string) (s *upstream.Source, done func() error, err error) {
	ws, err := a.open(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	s, err = ws.FreshServer(name)
	if err != nil {
		return nil, nil, errors.Join(usage("%s", printable(err.Error())), ws.Close())
	}
	return s, func() error { return errors.Join(s.Close(), ws.Close()) }, nil
}

// A serverTest is what test found.
type serverTest struct {
	Name     string             `json:"name"`
	Ready    bool               `json:"ready"`
	Took     string             `json:"took"`
	About    upstream.About     `json:"about"`
	Tools    []string           `json:"tools"`
	Findings []upstream.Finding `json:"findings"`
	Error    string             `json:"error,omitempty"`
}

func (a *app) mcpTest(ctx context.Context, name string) error {
	if a.terminal().Present() {
		a.login = &redirect{say: a.say}
	}
	s, done, err := a.one(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	start := time.Now()
	tools, err := s.Tools(ctx)
	out := serverTest{Name: name, Ready: err == nil, Took: time.Since(start).Round(time.Millisecond).String(), Tools: []string{}, Findings: append([]upstream.Finding{}, s.Findings()...)}
	if err != nil {
		out.Error = err.Error()
	} else {
		out.About, _ = s.About(ctx)
	}
	for _, t := range tools {
		out.Tools = append(out.Tools, t.Spec().Origin.Name)
	}
	if err := a.printTest(out); err != nil {
		return err
	}
	if !out.Ready {
		return &exitError{status: exitFailed}
	}
	return nil
}

func (a *app) printTest(t serverTest) error {
	if a.flags.json {
		return a.printJSON(t)
	}
	w := a.env.Stdout
	if !t.Ready {
		_, err := fmt.Fprintf(w, "%s: not ready: %s\n", printable(t.Name), printable(t.Error))
		return err
	}
	fmt.Fprintf(w, "%s: ready after %s: %s %s, protocol %s over %s\n", printable(t.Name), t.Took, printable(t.About.Name), printable(t.About.Version), t.About.Protocol, t.About.Transport)
	fmt.Fprintf(w, "%d tools: %s\n", len(t.Tools), printable(strings.Join(t.Tools, ", ")))
	for _, f := range t.Findings {
		fmt.Fprintf(w, "! %s: %s\n", printable(f.Tool), printable(f.Text))
	}
	return nil
}

func (a *app) mcpApproveCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "approve NAME [TOOL…]",
		Short: "Show the definitions of a server that changed since they were approved, and approve them",
		Args:  between(1, math.MaxInt, "the name of a server, and perhaps of its tools"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.mcpApprove(cmd.Context(), yes, args[0], args[1:])
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "approve without a question")
	return cmd
}

func (a *app) mcpApprove(ctx context.Context, yes bool, name string, tools []string) error {
	s, done, err := a.one(ctx, name)
	if err != nil {
		return err
	}
	defer done()
	if _, err := s.Tools(ctx); err != nil {
		return &exitError{exitFailed, err}
	}
	shown := 0
	var diffs strings.Builder
	for _, c := range s.Changes() {
		if len(tools) == 0 || slices.Contains(tools, c.Tool) {
			fmt.Fprintf(&diffs, "%s\n%s\n", c.Tool, c.Diff)
			shown++
		}
	}
	if shown == 0 && len(tools) == 0 {
		fmt.Fprintln(a.env.Stdout, "nothing changed")
		return nil
	}
	ask := !yes && a.terminal().Present()
	if ask {
		yes, err = a.confirm(ctx, terminal.Question{
			Title:   fmt.Sprintf("The server %s changed %d of its definitions.", name, shown),
			Preview: diffs.String(),
			Diff:    true,
			Ask:     "Approve them as they are now?",
		}, "Yes, from now on")
	} else {
		_, err = fmt.Fprint(a.env.Stdout, printable(diffs.String()))
	}
	switch {
	case err != nil:
		return err
	case !yes && ask:
		return &exitError{exitRefused, fmt.Errorf("not approved")}
	case !yes:
		return &exitError{exitRefused, fmt.Errorf("not approved\nhint: helve mcp approve %s --yes", filepath.ToSlash(name))}
	}
	if err := s.Approve(tools...); err != nil {
		return usage("%v", err)
	}
	return nil
}
