// Package mcp is the part of a workspace that brings the tools of MCP servers, those that the configuration names
// (mcp_servers), with their resources and prompts for the clients of a gateway.
package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/internal/workspace"
	"helve/server"
	"helve/source/upstream"
)

// Options are what the part may have. The zero value is of use.
type Options struct {
	// Review asks whether a tool of a server may have another definition than was approved. nil: the person of a client
	// that can be asked (elicitation) is; elsewhere it may not.
	Review upstream.Review
	// Login lets a person log in to servers that want it; nil: such a server is an error that says so.
	Login upstream.Login
}

// Part is for helve.Options.Parts. Its key is mcp_servers.
func Part(o Options) workspace.Part { return part{o} }

type part struct{ o Options }

func (part) Keys() []string { return []string{"mcp_servers"} }

// Open makes a source for each server, and starts none. One that cannot be made is said, and left out.
func (p part) Open(_ context.Context, s *workspace.Site) error {
	in := workspace.Within(s)
	l := &Servers{o: p.o, in: in, dir: s.Dirs()[0], environ: s.Environ(), log: s.Log(), of: in.Settings().MCPServers}
	bounds := in.Settings().Limits
	l.processes = upstream.NewProcesses(bounds.ServerProcessesPerClient, bounds.ServerProcesses)
	for _, name := range l.names() {
		c := l.of[name]
		if c.Disabled {
			continue
		}
		src, err := l.server(name, false)
		if err != nil {
			l.log.Error(err.Error())
			continue
		}
		l.list = append(l.list, src)
		patience := time.Duration(c.StartTimeout)
		if patience <= 0 {
			patience = upstream.DefaultStartTimeout
		}
		in.AddSource(src, patience)
	}
	s.Close(l.close)
	if review := l.review(); review != nil {
		s.Around(review.Around(in.Kit, in.SeenBy, l.List))
	}
	in.Serves(l)
	in.Keep(l)
	in.Finds(l.dead)
	in.Finds(l.emptyChoices)
	return nil
}

// Of are the MCP servers of a workspace; nil: it has no such part.
func Of(w *workspace.Assembly) *Servers { return workspace.Kept[*Servers](w) }

// List are the servers that the configuration names, by name. The workspace closes them. l may be nil.
func (l *Servers) List() []*upstream.Source {
	if l == nil {
		return nil
	}
	return slices.Clone(l.list)
}

// Fresh makes a source of its own for one of the configured servers, which takes nothing from memory and whose tools
// are not registered: to try it, or to look at its definitions. Close it.
func (l *Servers) Fresh(name string) (*upstream.Source, error) {
	if _, ok := l.of[name]; !ok {
		hint := "none is configured: helve mcp add"
		if len(l.of) > 0 {
			hint = "configured are: " + strings.Join(l.names(), ", ")
		}
		return nil, fmt.Errorf("there is no mcp server %q\nhint: %s", name, hint)
	}
	return l.server(name, true)
}

func (l *Servers) names() []string { return slices.Sorted(maps.Keys(l.of)) }

// close ends what conversations share of the servers: one that is listed for sessions only is in no registry.
func (l *Servers) close() error {
	var closing sync.WaitGroup // side by side
	for _, s := range l.list {
		closing.Go(func() { _ = s.Close() }) // it returns none
	}
	closing.Wait()
	return nil
}

// review is who is asked about definitions that changed; nil: nobody.
func (l *Servers) review() upstream.Review {
	switch a := l.in.Clients().Approval; {
	case l.o.Review != nil:
		return l.o.Review
	case a == server.ApproveAuto, a == server.ApproveElicit:
		return upstream.ReviewByClient
	}
	return nil // a client's own prompt is no answer: its person has not seen the difference
}

// dead are the servers that can never bring a tool. A layer may say a part of a server only, so that no single file is
// wrong.
func (l *Servers) dead() (found []workspace.Finding) {
	for _, name := range l.names() {
		s, err := l.server(name, false)
		if err == nil {
			s.Close()
			continue
		}
		at := l.in.Settings().At("mcp_servers", name)
		found = append(found, workspace.Finding{
			File:    at.File,
			Line:    at.Line,
			Key:     "mcp_servers." + name,
			Message: err.Error(),
		})
	}
	return found
}

var _ workspace.Servers = (*Servers)(nil)
