package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"helve/cmd/internal/command"
	"helve/internal/tokens"
	"helve/internal/workspace"
	"helve/server"
	"helve/server/console"
	"helve/tool"
	"helve/wrap"
)

// consoleData is what the console shows of a workspace beside the calls.
type consoleData struct {
	s command.Streams
	c command.Common
	w *watched

	play playground

	mu    sync.Mutex
	costs map[tool.Digest]int // tokens of each definition
}

var (
	_ console.Data      = (*consoleData)(nil)
	_ console.Explainer = (*consoleData)(nil)
	_ console.Charter   = (*consoleData)(nil)
)

var errNoWorkspace = errors.New("the workspace is not open yet: no client has come")

// managedLayer is the configuration's layer that no user changes.
const managedLayer = "managed"

// Board is the tools by their sources, those too that are not offered.
func (d *consoleData) Board(context.Context) (console.Board, error) {
	ws := d.w.workspace()
	if ws == nil {
		return console.Board{}, errNoWorkspace
	}
	v := ws.Kit().View()
	mode := ws.Mode()
	b := console.Board{Dirs: ws.Dirs(), Mode: mode.String(), Becomes: mode.Summary(), Profile: ws.Profile()}
	sources := newSources(ws)
	for _, s := range v.Specs() {
		t := d.tool(v, s, v.Name(s))
		t.Offered, t.Listed = true, true
		b.Tokens += t.Tokens
		sources.add(s, t)
	}
	for _, s := range v.Unlisted() {
		t := d.tool(v, s, v.Name(s))
		t.Offered = true
		sources.add(s, t)
	}
	for _, w := range v.Withheld() {
		t := d.tool(v, w.Spec, w.Name)
		t.Why = w.Verdict.Why()
		t.Locked = w.Verdict.Layer == managedLayer
		sources.add(w.Spec, t)
	}
	b.Sources = sources.list
	return b, nil
}

// tool is one tool, with what it costs and how often it was called.
func (d *consoleData) tool(v *tool.View, s *tool.Spec, name string) console.Tool {
	n := d.w.metrics.Of(s.Origin)
	return console.Tool{
		Name:    name,
		Short:   s.Doc.Short,
		Kind:    s.Kind.String(),
		Tokens:  d.cost(s, name),
		Calls:   n.Calls,
		Failed:  n.Failed,
		Refused: n.Refused,
	}
}

// maxCosts bounds the definitions whose tokens are remembered: servers may change theirs without end.
const maxCosts = 20_000

// cost is what a tool's definition costs a model. To count it again for each look at the board would take a while.
func (d *consoleData) cost(s *tool.Spec, name string) int {
	key := s.Digest() + tool.Digest(name)
	d.mu.Lock()
	defer d.mu.Unlock()
	if n, ok := d.costs[key]; ok {
		return n
	}
	if d.costs == nil || len(d.costs) >= maxCosts {
		d.costs = map[tool.Digest]int{}
	}
	n := tokens.Count(string(server.Definition(s, name)))
	d.costs[key] = n
	return n
}

// sourceList is the sources in the order in which they are shown: our own first, then those that are configured.
type sourceList struct{ list []console.Source }

func newSources(ws *workspace.Assembly) *sourceList {
	out := &sourceList{}
	for _, st := range ws.Registry().Sources() {
		kind := tool.MCP
		switch {
		case st.Name == string(tool.Command):
			kind = tool.Command
		case strings.HasPrefix(st.Name, "pool:"):
			kind = tool.Remote
		}
		out.list = append(out.list, console.Source{
			Name:    st.Name,
			Kind:    string(kind),
			Missing: st.Missing,
			Error:   st.Err,
			Since:   st.Since,
			Tools:   []console.Tool{},
		})
	}
	return out
}

// add puts a tool to its source.
func (l *sourceList) add(s *tool.Spec, t console.Tool) {
	name := s.Origin.Source()
	i := slices.IndexFunc(l.list, func(x console.Source) bool { return x.Name == name })
	if i < 0 {
		i = 0
		if s.Origin.Kind != tool.Builtin {
			i = len(l.list)
		}
		own := console.Source{Name: name, Kind: string(s.Origin.Kind)}
		l.list = slices.Insert(l.list, i, own)
	}
	l.list[i].Tools = append(l.list[i].Tools, t)
}

// Audit is a page of the record of calls.
func (d *consoleData) Audit(ctx context.Context, q console.Query) (console.Page, error) {
	page := console.Page{Records: []json.RawMessage{}}
	query := wrap.Query{
		Text:    q.Text,
		Tool:    q.Tool,
		Outcome: q.Outcome,
		Verdict: q.Verdict,
		Session: q.Session,
		Since:   q.Since,
		Until:   q.Until,
	}
	skip := q.Skip
	err := d.s.Records().Newest(query, func(line []byte, _ *wrap.Record) bool {
		switch {
		case skip > 0:
			skip--
		case len(page.Records) == q.Limit:
			page.More = true
		default:
			page.Records = append(page.Records, bytes.Clone(line))
		}
		return !page.More && ctx.Err() == nil
	})
	if err == nil {
		err = ctx.Err()
	}
	return page, err
}

// Why is the explanation of a call.
func (d *consoleData) Why(ctx context.Context, name string, args json.RawMessage) (any, error) {
	ws := d.w.workspace()
	if ws == nil {
		return nil, errNoWorkspace
	}
	x, err := ws.Why(ctx, &tool.Call{Name: name, Args: args})
	if err != nil {
		return nil, err
	}
	out := explained{Name: x.Name, Explanation: x, Decides: decides(x)}
	if len(args) > 0 && x.Call.Verdict != tool.Deny {
		out.Would = d.would(ctx, ws, name, args)
	}
	return out, nil
}

// explained is an explanation as the page shows it: which steps decide is no part of helve why --json.
type explained struct {
	Name string `json:"name"`
	workspace.Explanation
	Decides map[string][]int `json:"decides"` // the numbers of the steps that decide, by part
	Would   *would           `json:"would,omitempty"`
}

func decides(x workspace.Explanation) map[string][]int {
	out := map[string][]int{}
	for part, r := range map[string]workspace.Reason{"list": x.List, "call": x.Call} {
		for i, s := range r.Steps {
			if s.Decides {
				out[part] = append(out[part], i)
			}
		}
	}
	return out
}
