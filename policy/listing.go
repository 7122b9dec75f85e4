package policy

import (
	"helve/tool"
)

// Lists decides whether a tool is offered at all.
func (r *Rules) Lists(s *tool.Spec) tool.Verdict { return r.of(s).listing }

// list is the listing's decision, with its steps if t is not nil.
func (r *Rules) list(u *subject, t *tracer) tool.Verdict {
	if v, off := r.shutOut(u, t); off {
		return v
	}
	if v, off := r.switchedOff(u, t); off {
		return v
	}
	if r.becomes(Changes) == Refused && !u.plannable() {
		return t.decides("mode", r.planned(r.o.Mode.String()+" mode offers read-only tools only"))
	}
	if e := r.preference(u); e != nil {
		return t.decides("listing", verdict(tool.Allow, "it is switched on", e.setting(), e.at))
	}
	return t.decides("listing", byDefault(tool.Allow, "it is offered"))
}

// plannable tells that a tool changes nothing, as far as its word counts: a server's does if it is trusted. What a tool
// of ours has done by other tools is theirs, and judged as theirs.
func (u *subject) plannable() bool {
	return u.spec.ReadOnly && u.trusted || (u.spec.Calls || u.runsLines()) && ours(u.spec)
}

// runsLines tells of the tool that understands command lines before it runs them: some can only look.
func (u *subject) runsLines() bool {
	return u.spec.Origin == tool.Origin{Kind: tool.Builtin, Name: "bash"}
}

// shutOut is the word of allowed_tools: every layer that has such a list must name the tool.
func (r *Rules) shutOut(u *subject, t *tracer) (tool.Verdict, bool) {
	for i := range r.layers {
		allowed := &r.layers[i].allowed
		if len(allowed.all) == 0 {
			continue
		}
		e := allowed.best(u)
		if e == nil {
			v := verdict(tool.Deny, "it is not among the allowed tools", "allowed_tools", allowed.all[0].at)
			v.Off = true
			return t.decides("allowed_tools", v), true
		}
		t.step("allowed_tools", e.sel.text, "allow", e.at)
	}
	return tool.Verdict{}, false
}

// switchedOff is the word of disabled_tools and tools. Protected tools are beyond both.
func (r *Rules) switchedOff(u *subject, t *tracer) (tool.Verdict, bool) {
	for i := range r.layers {
		e := r.layers[i].disabled.best(u)
		if e == nil {
			continue
		}
		if v, off := e.off(u, "disabled_tools", "it is disabled", t); off {
			return v, true
		}
	}
	counts := r.preference(u)
	for i, e := range u.prefs {
		if e == nil || e.to != Off {
			continue
		}
		if e != counts && !r.layers[i].tightens {
			continue // a higher layer has switched the tool on again
		}
		if v, off := e.off(u, "tools", "it is switched off", t); off {
			return v, true
		}
	}
	r.traceSwitches(u, t)
	return tool.Verdict{}, false
}

// off is the verdict of an entry that switches a tool off; false if the tool is protected.
func (e *entry) off(u *subject, key, reason string, t *tracer) (tool.Verdict, bool) {
	if u.protected {
		t.step(key, e.sel.text, "kept: the tool is protected", e.at)
		return tool.Verdict{}, false
	}
	what := key
	if e.sel.kind == condition {
		what, reason = e.sel.text, e.reason
	}
	v := verdict(tool.Deny, reason, e.rule(what), e.at)
	v.Off = true
	return t.decides(what, v), true
}

// preference is the switch that counts: that of the highest layer that has one and may give rights.
func (r *Rules) preference(u *subject) *entry {
	if i := r.preferring(u); i >= 0 {
		return u.prefs[i]
	}
	return nil
}

// preferring is the layer of the preference, -1 if there is none.
func (r *Rules) preferring(u *subject) int {
	for i, e := range u.prefs {
		if e != nil && !r.layers[i].tightens {
			return i
		}
	}
	return -1
}

// Admits tells whether allowed_tools let a tool be registered at all: every layer that has such a list must name it.
func (r *Rules) Admits(s *tool.Spec) bool {
	_, off := r.shutOut(r.of(s), nil)
	return !off
}
