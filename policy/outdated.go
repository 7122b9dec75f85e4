package policy

import "helve/tool"

// Outdated tells that a grant of this tool no longer counts: the tool is defined otherwise than when a person said yes,
// as after an upgrade. A rule on what one of helve's own tools does (bash:go test *) means what it means in the
// configuration, whatever the tool's description says, and goes on to count. "Exactly this" and the whole tool hang on
// what the tool was; so does everything of another's tool, which may have been exchanged.
func (k Grant) Outdated(s *tool.Spec) bool {
	if k.Rule == WholeServer || k.Origin != s.Origin || k.Definition == s.Digest() {
		return false
	}
	byRule := k.Rule != "" && k.Rule != WholeTool
	return !byRule || s.Origin.Kind != tool.Builtin
}

// Outdated are the grants for always that would speak for a job if its tool were defined as it was, as far as can be
// told: whoever is asked again learns why.
func (g *Grants) Outdated(j *tool.Job) []Grant {
	if g.o.Store == nil {
		return nil
	}
	list, err := g.o.Store.Load()
	if err != nil { // as for Granted: what cannot be read grants nothing
		return nil
	}
	var out []Grant
	for _, k := range list {
		mine := k.Principal == principal(j) && k.Workspace == g.o.Workspace
		// Of "exactly this" the arguments are not kept, only what was shown of them.
		meant := k.Rule != "" || k.Title == j.Title
		if mine && meant && k.Outdated(j.Spec) {
			out = append(out, k)
		}
	}
	return out
}
