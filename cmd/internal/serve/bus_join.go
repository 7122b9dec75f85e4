package serve

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/parts/workers"
	"helve/tool"
)

// A busServed is the bus of helve serve: it relocates the tools of the workspace when that is opened.
type busServed struct {
	gateway command.BusGateway
	name    string // of the workspace on the bus; "": that of its folder
	pools   map[string]config.Pool
	policy  bool // the gateway has that of the bus

	own []tool.Source // pools whose workers' own tools are offered
}

// joinBus joins the bus that the user's configuration names.
func joinBus(ctx context.Context, s command.Streams, so ServeOptions) (*busServed, error) {
	dir, err := so.Folder(s)
	if err != nil {
		return nil, err
	}
	read, err := so.Load(s.Silent(), dir)
	if err != nil {
		return nil, err
	}
	o, err := command.JoinOptions(s, read.Bus)
	if err != nil {
		return nil, err
	}
	if so.shared == command.OnBus {
		o.Keep = filepath.Join(s.Places().StateDir, "bus")
	}
	b := &busServed{name: so.workspace}
	if read.Bus != nil {
		b.pools, b.policy = read.Bus.Pools, read.Bus.Policy
	}
	if err := poolsAgree(b.pools); err != nil {
		return nil, err
	}
	b.gateway, err = s.Bus.Join(ctx, o)
	if err != nil {
		return nil, command.Usage("%v", err)
	}
	return b, nil
}

// poolsAgree tells whether no tool is given to two pools.
func poolsAgree(pools map[string]config.Pool) error {
	by := map[string]string{}
	for _, pool := range slices.Sorted(maps.Keys(pools)) {
		for _, name := range pools[pool].Tools {
			if other, taken := by[name]; taken {
				return command.Usage("bus.pools.%s: %s is done by pool %s already", pool, name, other)
			}
			by[name] = pool
		}
	}
	return nil
}

// part has the workers do the work.
func (b *busServed) part() workspace.Part {
	return workers.Part(workers.Options{Relocate: b.relocate, Sources: b.sources})
}

// relocate has the pools do the work of the tools that are theirs.
func (b *busServed) relocate(dir string, tools []tool.Tool) ([]tool.Tool, error) {
	workspace := cmp.Or(b.name, filepath.Base(dir))
	if len(b.pools) == 0 {
		pool, err := b.gateway.Pool(command.BusPoolOptions{Name: command.DefaultPool, Workspace: workspace, Dir: dir})
		if err != nil {
			return nil, err
		}
		return pool.Relocate(tools...), nil
	}
	known := map[string]int{}
	for i, t := range tools {
		known[t.Spec().Name] = i
	}
	out := slices.Clone(tools)
	for _, name := range slices.Sorted(maps.Keys(b.pools)) {
		set := b.pools[name]
		var at []int
		var mine []tool.Tool
		for _, t := range set.Tools {
			i, ok := known[t]
			if !ok {
				return nil, fmt.Errorf("bus.pools.%s: there is no built-in tool %q", name, t)
			}
			at, mine = append(at, i), append(mine, tools[i])
		}
		pool, err := b.gateway.Pool(command.BusPoolOptions{
			Name:      name,
			Workspace: workspace,
			Dir:       dir,
			OwnTools:  set.OwnTools,
			Trust:     set.Trust,
		})
		if err != nil {
			return nil, err
		}
		if set.OwnTools {
			b.own = append(b.own, pool)
		}
		for n, moved := range pool.Relocate(mine...) {
			out[at[n]] = moved
		}
	}
	return out, nil
}

// sources are what relocate joined.
func (b *busServed) sources(string) ([]tool.Source, error) { return b.own, nil }

// Close leaves the bus; nil is none.
func (b *busServed) Close() error {
	if b == nil {
		return nil
	}
	return b.gateway.Close()
}
