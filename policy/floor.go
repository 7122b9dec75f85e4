package policy

import (
	"slices"
	"strings"

	"helve/tool"
)

// What decides about an agent's rights is written by people alone, also while it does not exist yet.
var (
	guardedDirs  = []string{".helve"}
	guardedFiles = []string{".mcp.json", ".mcp-codebase-index.toml"}
	guardedGit   = []string{"hooks", "config", "modules", "info"} // git runs programs that these name
)

// Files that other programs act on: writing them is always asked about, in mode auto too.
var sensitive = []string{".git", ".gitmodules", ".vscode", ".idea", ".claude", ".codex", ".cursor", ".gemini", ".envrc"}

// guarded tells why a target is never written; "" if it may be.
func (r *Rules) guarded(p *place) string {
	segments := strings.Split(p.rest, "/")
	for i, s := range segments {
		s = strings.TrimRight(s, ". ") // what Windows makes of it
		switch {
		case slices.Contains(guardedDirs, s), i == len(segments)-1 && slices.Contains(guardedFiles, s):
			return "it decides what agents may do, and is written by people alone"
		case s == ".git" && i+1 < len(segments) && slices.Contains(guardedGit, segments[i+1]):
			return "git runs programs that it names"
		}
	}
	for _, g := range r.o.Guarded {
		g = fold(g)
		if p.absolute && (p.folded == g || strings.HasPrefix(p.folded, strings.TrimSuffix(g, "/")+"/")) {
			return "helve keeps its own state there"
		}
	}
	return ""
}

func isSensitive(p *place) bool {
	return slices.ContainsFunc(strings.Split(p.rest, "/"), func(s string) bool { return slices.Contains(sensitive, s) })
}

// floor denies what no layer can allow; ok is false for everything else.
func (r *Rules) floor(u *subject, e tool.Effect, p *place) (v tool.Verdict, denied bool) {
	switch {
	case ours(u.spec) && r.o.Mode.plans() && (e.Kind == tool.Write || e.Kind == tool.Exec):
		return r.planned("plan mode allows reading only"), true
	case e.Kind == tool.Write && e.Target != tool.AnyTarget:
		if why := r.guarded(p); why != "" {
			return verdict(tool.Deny, e.Target+" is never written by a tool: "+why, "guarded", floorAt), true
		}
	}
	return tool.Verdict{}, false
}

var (
	floorAt   = Place{Layer: "floor"}
	defaultAt = Place{Layer: "default"}
)

// planned is a denial of plan mode.
func (r *Rules) planned(reason string) tool.Verdict {
	return verdict(tool.Deny, reason, "mode:plan", r.modeAt())
}

func (r *Rules) modeAt() Place {
	if r.o.ModeAt == (Place{}) {
		return Place{Layer: "mode"}
	}
	return r.o.ModeAt
}

// fallback is what stands where neither a rule nor a switch has spoken.
func (r *Rules) fallback(u *subject, e tool.Effect, p *place) tool.Verdict {
	switch s := u.spec; {
	case s.Origin.Kind == tool.MCP && u.trusted:
		return verdict(tool.Allow, "its server is trusted", "trust", defaultAt)
	case s.Origin.Kind == tool.MCP:
		return verdict(tool.Ask, "tools of a server that is not trusted need approval", "", defaultAt)
	case ours(s) && e == nothing:
		return verdict(tool.Allow, "it does nothing that needs a word", "", defaultAt)
	case ours(s) && e.Kind == tool.State && e.Target != tool.AnyTarget:
		return verdict(tool.Allow, "it changes what the tool remembers and nothing else", "", defaultAt)
	case e.Kind == tool.Net:
		return verdict(tool.Ask, "network access to "+targetName(e)+" needs approval", "", defaultAt)
	case ours(s) && e.Kind == tool.Read:
		return r.reading(s, p)
	case staysInside(s) && e.Kind == tool.Write && outside(p):
		return verdict(tool.Deny, p.text+" is outside the workspace", "", floorAt)
	}
	return r.free(e, p)
}

// reading is free inside the workspace; our file tools go nowhere else.
func (r *Rules) reading(s *tool.Spec, p *place) tool.Verdict {
	switch {
	case !outside(p):
		return verdict(tool.Allow, "it only reads", "", defaultAt)
	case staysInside(s):
		return verdict(tool.Deny, p.text+" is outside the workspace", "", floorAt)
	}
	return verdict(tool.Ask, p.text+" is outside the workspace", "", defaultAt)
}

// outside tells that a path lies below no root. //name/… is below another root than the first.
func outside(p *place) bool { return p.absolute && !strings.HasPrefix(p.text, "//") }

const autoRule = "mode:auto"

// free is what is asked about in mode ask, and allowed in mode auto as far as the sandbox holds it.
func (r *Rules) free(e tool.Effect, p *place) tool.Verdict {
	bounded := e.Kind == tool.Exec || !outside(p) && !(e.Kind == tool.Write && (e.Target == tool.AnyTarget || isSensitive(p)))
	if r.o.Mode == Auto && bounded {
		return verdict(tool.Allow, "mode auto allows it inside the sandbox", autoRule, r.modeAt())
	}
	return verdict(tool.Ask, doing[e.Kind]+" needs approval", "", defaultAt)
}

var doing = map[tool.Kind]string{
	tool.Exec:  "running programs",
	tool.Write: "changing files",
	tool.Net:   "using the network",
	tool.Read:  "reading there",
	tool.State: "changing what the tool remembers",
}

func targetName(e tool.Effect) string {
	if e.Target == tool.AnyTarget {
		return "other machines"
	}
	return e.Target
}
