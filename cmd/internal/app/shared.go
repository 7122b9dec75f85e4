package app

import (
	"path/filepath"

	"helve"
	"helve/server"
)

// share settles where the replicas keep what they have in common, and that there are several.
func (v *served) share(so *server.Options) error {
	if v.o.shared == "" || v.o.http == "" {
		return nil
	}
	dir := v.s.homePath(v.o.shared)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(v.s.Dir, dir)
	}
	shared, err := helve.SharedFolder(dir)
	if err != nil {
		return usage("--shared: %v", err)
	}
	key, err := helve.SharedKey(shared)
	if err != nil {
		return usage("--shared: %v", err)
	}
	v.shared, so.StateKey, so.Replicas = shared, key, true
	return nil
}
