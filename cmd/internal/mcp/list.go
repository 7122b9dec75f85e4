package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"helve/cmd/internal/command"
	"helve/cmd/internal/configure"
	"helve/internal/workspace"
	"helve/parts/discovery"
	"helve/parts/mcp"
	"helve/source/upstream"
	"helve/tool"
)

func listCommand(c *command.Line) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Each server with its state, and why it is not there",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return list(cmd.Context(), c.Streams(), c.Flags.Common, asJSON)
		},
	}
	command.JSONFlag(cmd, &asJSON)
	return cmd
}

// A ServerRow is one server in the list's JSON.
type ServerRow struct {
	Name      string `json:"name"`
	State     string `json:"state"` // ready, missing, or disabled
	Tools     int    `json:"tools"`
	Transport string `json:"transport"`
	Protocol  string `json:"protocol,omitempty"`
	Changed   int    `json:"changed"` // definitions that wait for approval
	Reason    string `json:"reason,omitempty"`

	Away     *upstream.Absence  `json:"away,omitempty"`     // what is remembered of one that did not come
	Findings []upstream.Finding `json:"findings,omitempty"` // what is wrong with its definitions

	// How its program is confined; nothing for a server behind an address.
	Confined *confinement `json:"confined,omitempty"`
}

// list prints how every configured server stands, which takes as long as the slowest of them.
func list(ctx context.Context, s command.Streams, c command.Common, asJSON bool) error {
	rows, _, err := Servers(ctx, s, c)
	if err != nil {
		return err
	}
	if asJSON {
		return s.PrintJSON(rows)
	}
	return PrintServers(s, rows)
}

// Servers starts every configured server and tells how each stands. away is what is remembered of a discovery
// command that failed.
func Servers(
	ctx context.Context, s command.Streams, c command.Common,
) (rows []ServerRow, away *upstream.Absence, err error) {
	o, err := c.Options(s)
	if err != nil {
		return nil, nil, err
	}
	var level slog.LevelVar
	level.Set(s.LogLevel())
	// Mistakes of the configuration are still said.
	o.Log = slog.New(command.Talk{Say: s.Say, Level: &level})
	ws, err := command.OpenWith(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	defer ws.Close()
	level.Set(slog.LevelError + 1) // what goes wrong from here on stands in the rows
	_ = ws.Connect(ctx)
	status := map[string]tool.Status{}
	for _, st := range ws.Registry().Sources() {
		status[st.Name] = st
	}
	rows = []ServerRow{} // JSON says [] and not null
	for _, server := range mcp.Of(ws).List() {
		rows = append(rows, rowOf(ctx, server, status[server.Name()]))
	}
	for _, name := range disabledServers(s, c) {
		rows = append(rows, ServerRow{Name: name, State: "disabled", Reason: "helve mcp enable " + name})
	}
	slices.SortStableFunc(rows, func(a, b ServerRow) int { return strings.Compare(a.Name, b.Name) })
	return rows, discovery.Of(ws).Absence(), nil
}

// disabledServers are the names of those that are configured and left out.
func disabledServers(s command.Streams, c command.Common) []string {
	have, err := c.LoadHere(s.Silent()) // what there is to say was said when the workspace was opened
	if err != nil {
		return nil
	}
	var out []string
	for name, server := range have.MCPServers {
		if server.Disabled {
			out = append(out, name)
		}
	}
	return out
}

// rowOf tells how a server stands after it was listed. What it says of itself is asked for only where it answers.
func rowOf(ctx context.Context, s *upstream.Source, st tool.Status) (r ServerRow) {
	r = ServerRow{
		Name:      s.Name(),
		State:     "ready",
		Tools:     st.Tools,
		Transport: "stdio",
		Changed:   len(s.Changes()),
		Reason:    strings.TrimPrefix(st.Err, "mcp server "+s.Name()+": "), // the name stands in the row
	}
	if s.Remote() {
		r.Transport = "http"
	}
	defer func() { r.Confined = confinementOf(s) }() // known when it was started
	r.Findings = s.Findings()
	if st.Missing {
		r.State = "missing"
		if r.Away = s.Absence(); r.Away != nil {
			r.Reason = configure.AwayText(r.Away, r.Name)
		}
		return r
	}
	about, err := s.About(ctx)
	if err == nil {
		r.Transport, r.Protocol = about.Transport, about.Protocol
	}
	return r
}

// PrintServers prints the table. A server whose definitions wait says how to look at them: until then its tools are
// the old ones.
func PrintServers(s command.Streams, rows []ServerRow) error {
	t := s.Table()
	t.Row("NAME", "STATE", "TOOLS", "TRANSPORT", "REASON")
	for _, r := range rows {
		if r.Changed > 0 {
			r.Reason = fmt.Sprintf("%d changed definitions wait: helve mcp approve %s", r.Changed, r.Name)
		}
		if r.Reason == "" && len(r.Findings) > 0 {
			r.Reason = configure.FindingsText(r.Findings, r.Name)
		}
		reason := strings.ReplaceAll(command.Printable(r.Reason), "\n", " ")
		t.Row(command.Printable(r.Name), r.State, strconv.Itoa(r.Tools), r.Transport, reason)
	}
	return t.Flush()
}

// openServer is one configured server, without what is remembered of it. Call the function when done.
func openServer(ctx context.Context, o workspace.Options, name string) (*upstream.Source, func() error, error) {
	ws, err := command.OpenWith(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	server, err := mcp.Of(ws).Fresh(name)
	if err != nil {
		return nil, nil, errors.Join(command.Usage("%s", command.Printable(err.Error())), ws.Close())
	}
	return server, func() error { return errors.Join(server.Close(), ws.Close()) }, nil
}
