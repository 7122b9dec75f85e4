package config

import "path/filepath"

// Files are the paths of all that Load may read with these options, whether something is there or not. Whoever wants to
// know whether a configuration changed looks at them, and at the record of trust.
func Files(env Environment, o Options) []string {
	var out []string
	either := func(dir, base string) {
		if dir != "" {
			out = append(out, filepath.Join(dir, base+".json"), filepath.Join(dir, base+".toml"))
		}
	}
	either(env.Managed, "config")
	if o.UserFile != "" {
		out = append(out, o.UserFile)
	} else {
		either(env.user(), "config")
	}
	if o.Workspace != "" {
		dir := filepath.Join(o.Workspace, Dir)
		either(dir, "config.local")
		either(dir, "config")
		out = append(out, filepath.Join(o.Workspace, CodebaseIndexFile), filepath.Join(o.Workspace, MCPFile))
	}
	return append(out, TrustStore{Dir: env.StateDir}.path())
}
