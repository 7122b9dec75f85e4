package natsbus

import (
	"context"
	"fmt"
	"time"

	"helve/tool"
)

var (
	_ tool.Source  = (*Pool)(nil)
	_ tool.Watcher = (*Pool)(nil)
)

// Name is that of the pool as a source of tools: those that only its workers have.
func (p *Pool) Name() string { return tool.Origin{Kind: tool.Remote, Server: p.o.Pool}.Source() }

// Tools are the tools that only the workers have, as they are known now. The first listing waits a moment for workers
// to tell of themselves.
func (p *Pool) Tools(ctx context.Context) ([]tool.Tool, error) {
	tick := time.NewTicker(joinTime / 50)
	defer tick.Stop()
	for !p.own.heardAll() {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.life.Done():
			return nil, fmt.Errorf("pool %s is left", p.o.Pool)
		case <-tick.C:
		}
	}
	return p.own.tell(), nil
}

// Watch tells when the workers have other tools.
func (p *Pool) Watch(ctx context.Context, changed func()) {
	for {
		behind, next := p.own.news()
		if !behind {
			select {
			case <-next:
			case <-ctx.Done():
				return
			case <-p.life.Done():
				return
			}
		}
		select {
		case <-time.After(settledTime):
		case <-ctx.Done():
			return
		}
		changed()
	}
}

// Relocate has the pool do the work of tools. Their definitions stay.
func (p *Pool) Relocate(tools ...tool.Tool) []tool.Tool {
	p.own.ours(tools)
	out := make([]tool.Tool, len(tools))
	for i, t := range tools {
		moved := &relocated{t, p.calls}
		out[i] = moved
		if r, ok := t.(tool.Renderer); ok {
			out[i] = &rendered{moved, r}
		}
	}
	return out
}
