package app

import (
	"helve/codetool"
	"helve/tool"
)

// codeTools are the tools that know the structure of code. They do nothing before one of them is called.
func (a *app) codeTools(h *house) ([]tool.Tool, error) {
	x, err := codetool.Open(codetool.Options{Dir: h.dir, Cache: h.set.indexes(a.cacheDir()), Resident: a.tolerant, Trees: h.trees, Environ: a.env.Environ,
		Denied: func(target string) bool { return h.rules.Denies(tool.Read, target) }})
	if err != nil {
		return nil, err
	}
	h.code = x
	h.close = append(h.close, x.Close)
	return codetool.All(x), nil
}

// shown is what a profile lists: of the code tools the core ones, except where all are wanted.
func (s *settings) shown() func(*tool.Spec) bool {
	if s.Profile == "codebase-index" {
		return nil
	}
	return func(t *tool.Spec) bool {
		return t.Origin.Kind != tool.Builtin || t.Category != "code" || codetool.Core(t.Name)
	}
}
