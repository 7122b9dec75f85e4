package serve

import (
	"context"
	"path/filepath"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/server"
)

// share settles where the replicas keep what they have in common, and that there are several.
func (v *served) share(ctx context.Context, so *server.Options) error {
	if v.o.shared == "" || v.o.http == "" {
		return nil
	}
	var err error
	if v.o.shared == command.OnBus {
		v.shared, err = v.bus.gateway.Shared(ctx)
	} else {
		v.shared, err = workspace.SharedFolder(v.sharedFolder())
	}
	if err != nil {
		return command.Usage("--shared: %v", err)
	}
	so.StateKey, err = workspace.SharedKey(v.shared)
	if err != nil {
		return command.Usage("--shared: %v", err)
	}
	so.Replicas = true
	if v.bus != nil {
		v.replica = v.bus.gateway.Replica()
		so.Forward = v.replica
	}
	return nil
}

// sharedFolder is the folder that the flag names.
func (v *served) sharedFolder() string {
	dir := v.s.HomePath(v.o.shared)
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(v.s.Dir, dir)
}
