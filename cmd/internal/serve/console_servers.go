package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/parts/mcp"
	"helve/server/console"
	"helve/source/upstream"
	"helve/tool"
)

var _ console.Servers = (*consoleData)(nil)

// maxDiff bounds what a page shows of a changed definition, in bytes. What is longer cannot be approved there, since
// nobody has seen it.
const maxDiff = 64 << 10

// Servers are the MCP servers that are configured.
func (d *consoleData) Servers(context.Context) ([]console.Server, error) {
	ws := d.w.workspace()
	if ws == nil {
		return nil, errNoWorkspace
	}
	have, err := d.c.LoadHere(d.s.Silent())
	if err != nil { // it is said above every view: what runs is shown all the same
		have = &config.Config{}
	}
	status := map[string]tool.Status{}
	for _, st := range ws.Registry().Sources() {
		status[st.Name] = st
	}
	out := []console.Server{}
	for _, s := range mcp.Of(ws).List() {
		one := serverOf(s, status[s.Name()])
		one.At = have.At("mcp_servers", s.Name()).String()
		d.countTools(ws, &one)
		out = append(out, one)
	}
	for name, entry := range have.MCPServers {
		if entry.Disabled {
			out = append(out, console.Server{
				Name:      name,
				At:        have.At("mcp_servers", name).String(),
				Transport: transportOf(entry),
				Disabled:  true,
				PIDs:      []int{},
				Changed:   []console.Definition{},
			})
		}
	}
	slices.SortStableFunc(out, func(a, b console.Server) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func transportOf(entry config.Server) string {
	if entry.URL != "" {
		return "http"
	}
	return "stdio"
}

// serverOf is how a server stands.
func serverOf(s *upstream.Source, listed tool.Status) console.Server {
	st := s.State()
	out := console.Server{
		Name:        s.Name(),
		Transport:   st.Transport,
		Protocol:    st.Protocol,
		About:       strings.TrimSpace(st.Name + " " + st.Version),
		Up:          st.Up,
		Missing:     listed.Missing,
		Error:       listed.Err,
		Connections: st.Connections,
		PIDs:        append([]int{}, st.PIDs...),
		Since:       st.Since,
		Starts:      st.Starts,
		Listed:      st.Listed,
		ListTook:    float64(st.ListTook.Microseconds()) / 1000,
		Changed:     []console.Definition{},
	}
	if out.Error == "" && st.Last != nil {
		out.Error = st.Last.Error()
	}
	for _, c := range s.Changes() {
		out.Changed = append(out.Changed, definitionOf(c))
	}
	return out
}

func definitionOf(c upstream.Change) console.Definition {
	out := console.Definition{Tool: c.Tool, Digest: c.Digest(), Diff: c.Diff}
	if len(c.Diff) <= maxDiff {
		return out
	}
	n := maxDiff
	for !utf8.RuneStart(c.Diff[n]) {
		n--
	}
	out.Diff, out.TooLong = c.Diff[:n], true
	return out
}

// countTools adds the tools that a server brings, and how often they were called.
func (d *consoleData) countTools(ws *workspace.Assembly, to *console.Server) {
	v := ws.Kit().View()
	add := func(s *tool.Spec, offered bool) {
		if s.Origin.Source() != to.Name {
			return
		}
		to.Tools++
		if offered {
			to.Offered++
		}
		n := d.w.metrics.Of(s.Origin)
		to.Calls += n.Calls
		to.Failed += n.Failed
		to.Refused += n.Refused
	}
	for _, s := range slices.Concat(v.Specs(), v.Unlisted()) {
		add(s, true)
	}
	for _, w := range v.Withheld() {
		add(w.Spec, false)
	}
}

// server is one that runs, or could.
func (d *consoleData) server(name string) (*workspace.Assembly, *upstream.Source, error) {
	ws := d.w.workspace()
	if ws == nil {
		return nil, nil, errNoWorkspace
	}
	for _, s := range mcp.Of(ws).List() {
		if s.Name() == name {
			return ws, s, nil
		}
	}
	return nil, nil, fmt.Errorf("there is no mcp server %q here: one that was added, or enabled, comes with the next start",
		command.Brief(name))
}

// ServerLog is the end of what a server said on stderr.
func (d *consoleData) ServerLog(_ context.Context, name string) (string, error) {
	_, s, err := d.server(name)
	if err != nil {
		return "", err
	}
	return s.Log(), nil
}

// Restart starts a server anew and lists it again.
func (d *consoleData) Restart(ctx context.Context, name string) error {
	ws, s, err := d.server(name)
	if err != nil {
		return err
	}
	if err := d.note(ws, "restart", "mcp server "+name); err != nil {
		return err
	}
	err = s.Restart(ctx)
	if err == nil {
		err = ws.Registry().Refresh(ctx, name)
	}
	d.w.hub.Notice()
	return err
}

// Approve takes a changed definition, if it is still the one that was shown.
func (d *consoleData) Approve(ctx context.Context, server, name, digest string) error {
	ws, s, err := d.server(server)
	if err != nil {
		return err
	}
	changes := s.Changes()
	i := slices.IndexFunc(changes, func(c upstream.Change) bool { return c.Tool == name })
	switch {
	case i < 0:
		return fmt.Errorf("the definition of %q waits for no approval any more", command.Brief(name))
	case changes[i].Digest() != digest:
		return errors.New("the definition is another now: look at it again")
	case len(changes[i].Diff) > maxDiff:
		return fmt.Errorf("it is too long to be shown, and to be approved, here: helve mcp approve %s %s", server, name)
	}
	if err := d.note(ws, "approve", "definition of "+server+"/"+name); err != nil {
		return err
	}
	if err := s.Accept(changes[i]); err != nil {
		return err
	}
	err = ws.Registry().Refresh(ctx, server)
	d.w.hub.Notice()
	return err
}

// SwitchServer switches all tools of a server off in the user's configuration, or takes that back. It counts at once;
// what the server's own entry says stays.
func (d *consoleData) SwitchServer(ctx context.Context, name string, on, do bool) (console.Change, error) {
	ws, _, err := d.server(name)
	if err != nil {
		return console.Change{}, err
	}
	change, err := d.set(ctx, "tools."+serverTools(name), on, do)
	if err != nil || !do {
		return change, err
	}
	one := console.Server{Name: name}
	d.countTools(ws, &one)
	if one.Tools > 0 && (one.Offered > 0) != on {
		change.Note = "It is written, but another layer decides still: Why says which."
	}
	return change, nil
}

// serverTools selects every tool of a server.
func serverTools(name string) string { return "mcp__" + name + "__*" }
