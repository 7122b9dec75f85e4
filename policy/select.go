package policy

import "helve/tool"

// Selects tells whether text means the tool: a name in any spelling, a wildcard or a group. In doubt it does: it is for what tightens,
// such as hooks.
func (r *Rules) Selects(text string, s *tool.Spec) bool {
	return newSelector(text).matches(r.of(s), false)
}
