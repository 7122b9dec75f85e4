package policy

import (
	"slices"
	"strings"

	"helve/internal/hookfiles"
	"helve/internal/later"
	"helve/internal/secrets"
	"helve/tool"
)

// What decides about an agent's rights is written by people alone, also while it does not exist yet.
var (
	guardedDirs  = []string{".helve"}
	guardedFiles = []string{".mcp.json", ".mcp-codebase-index.toml"}
	guardedGit   = []string{"hooks", "config", "modules", "info"} // git runs programs that these name
)

// Git's files: beside those that are never written, writing them is always asked about, in mode auto too.
var gits = []string{".git", ".gitmodules"}

// guarded tells why a target is never written; "" if it may be.
func (r *Rules) guarded(p *place) string {
	segments := strings.Split(p.rest, "/")
	last := len(segments) - 1
	for i, s := range segments {
		s = strings.TrimRight(s, ". ") // Windows drops these, so that the name means the same file
		if slices.Contains(guardedDirs, s) || i == last && slices.Contains(guardedFiles, s) {
			return "it decides what agents may do, and is written by people alone"
		}
		if s == ".git" && i < last && slices.Contains(guardedGit, segments[i+1]) {
			return "git runs programs that it names"
		}
	}
	if r.o.Foreign {
		if why := hookfiles.Why(p.rest); why != "" {
			return why
		}
	}
	if slices.ContainsFunc(r.o.Guarded, p.isIn) {
		return "helve keeps its own state there"
	}
	return r.asking(p)
}

// asking tells why a target is what has another program ask us; "" if it is not.
func (r *Rules) asking(p *place) string {
	if slices.ContainsFunc(r.o.Asking, p.isIn) || slices.ContainsFunc(r.o.Alone, p.is) {
		return asks
	}
	return ""
}

// Asks is Guards for what has another program ask us.
func (r *Rules) Asks(target string) string {
	p := newPlace(target)
	return r.asking(&p)
}

// Guards tells why no tool ever writes a target, whatever is configured or approved; "" if that is for rules to say.
func (r *Rules) Guards(target string) string {
	p := newPlace(target)
	return r.guarded(&p)
}

// asks is why what has another program ask us is written by no tool.
const asks = "it has a program ask helve before its tools run, and is written by people alone"

// is tells that the place is this very target.
func (p *place) is(target string) bool {
	return p.absolute == absolute(target) && p.folded == strings.TrimSuffix(fold(target), "/")
}

// isIn tells that the place is this folder, or lies in it. The folder is given as a place is: by its absolute path, or,
// below a root, from there.
func (p *place) isIn(folder string) bool {
	if p.absolute != absolute(folder) {
		return false
	}
	folder = strings.TrimSuffix(fold(folder), "/")
	below, ok := strings.CutPrefix(p.folded, folder)
	return ok && (below == "" || below[0] == '/')
}

// acted tells which program acts on a target, so that writing it is always asked about, in mode auto too; "" if none
// does.
func acted(p *place) string {
	for s := range strings.SplitSeq(p.rest, "/") {
		if slices.Contains(gits, s) {
			return "git follows it"
		}
	}
	if p.rest == "head" || strings.HasSuffix(p.rest, "/head") {
		return "git takes a folder with it, objects and refs for a repository, whose settings it follows"
	}
	if why := later.Instructs().Why(p.rest); why != "" {
		return why
	}
	return later.Default().Why(p.rest)
}

const repositoryRule = "repository"

// repository tells that a place is a repository as a whole: what writes it takes it away or puts another in its place.
// Its history is the person's, and no undo of a conversation brings back what was in it for years.
func (p *place) repository() bool {
	rest := p.rest
	if i := strings.LastIndexByte(rest, '/'); i >= 0 && strings.Trim(rest[i:], "/*.?") == "" { // all that is in it
		rest = rest[:i]
	}
	return rest == gits[0] || strings.HasSuffix(rest, "/"+gits[0])
}

// wholeRepository is the verdict on writing one.
func wholeRepository(target string) tool.Verdict {
	why := target + " is a repository as a whole: no tool takes it away, replaces it or changes whose it is, unless a rule with its name allows that"
	return verdict(tool.Deny, why, repositoryRule, floorAt)
}

// namesRepository tells that a verdict is the word of a rule about repositories.
func namesRepository(v tool.Verdict) bool {
	return v.Decision == tool.Allow && strings.Contains(strings.ToLower(v.Rule), gits[0])
}

// floor denies what no layer can allow; denied is false for everything else.
func (r *Rules) floor(q *question) (v tool.Verdict, denied bool) {
	kind, target := q.effect.Kind, q.effect.Target
	if r.o.modes().refuses(r.o.Mode) {
		if a, judged := r.floored(q); judged && r.becomes(a) == Refused {
			return r.planned(r.o.Mode.refusal(a)), true
		}
	}
	if kind == tool.Write && r.o.ReadOnly != "" && ours(q.subject.spec) {
		return verdict(tool.Deny, r.o.ReadOnly, "read-only", floorAt), true
	}
	if kind != tool.Write || target == tool.AnyTarget {
		return tool.Verdict{}, false
	}
	why := r.guarded(&q.place)
	if why == "" {
		return tool.Verdict{}, false
	}
	return verdict(tool.Deny, target+" is never written by a tool: "+why, "guarded", floorAt), true
}

// floored is the act that an effect is where the mode may refuse it, whatever rules say: what changes, runs or sends
// something, by tools of ours. A line is judged as a whole.
func (r *Rules) floored(q *question) (a Act, judged bool) {
	kind := q.effect.Kind
	switch {
	case !ours(q.subject.spec):
		return 0, false
	case kind == tool.Write && q.effect.Target != tool.AnyTarget:
		return r.act(q), true
	case kind == tool.Write, kind == tool.Exec && !q.line:
		return Changes, true
	case kind == tool.State && q.effect.Target == tool.AnyTarget: // nobody knows what it is that it changes
		return Changes, true
	case kind == tool.Net && q.subject.spec.Kind == tool.Exec:
		return RunsReaching, true
	}
	return 0, false
}

// fallback is what stands where neither a rule nor a switch has spoken.
func (r *Rules) fallback(q *question) tool.Verdict {
	e := q.effect
	if others(q.subject.spec.Origin) {
		return ofServer(q.subject)
	}
	own := ours(q.subject.spec)
	switch {
	case own && e == nothing:
		return byDefault(tool.Allow, "it does nothing that needs a word")
	case own && e.Kind == tool.State && e.Target != tool.AnyTarget:
		yes := byDefault(tool.Allow, "it changes what the tool remembers and nothing else")
		return r.word(q, Remembers, yes, "changing what the tool remembers needs approval")
	case e.Kind == tool.Write && q.place.repository():
		return wholeRepository(q.place.text)
	case e.Kind == tool.Net:
		return r.reaching(q)
	case own && e.Kind == tool.Read:
		return r.reading(q)
	case e.Kind == tool.Write && q.leaves() && q.subject.staysInside():
		return deniedOutside(q)
	case e.Kind == tool.Write && q.leaves() && q.subject.foreign && !r.private(q):
		return r.word(q, ChangesOut, r.allowed(), isOutside(q))
	}
	return r.free(q)
}

// reaching is about the network: a command of ours that uses it could change something as well.
func (r *Rules) reaching(q *question) tool.Verdict {
	act := Reaches
	if ours(q.subject.spec) && q.subject.spec.Kind == tool.Exec {
		act = RunsReaching
	}
	return r.word(q, act, r.allowed(), "network access to "+hostName(q.effect)+" needs approval")
}

// ofServer is about tools of MCP servers and of workers: what they do is the server's word, so that the server counts
// and nothing else.
func ofServer(u *subject) tool.Verdict {
	if u.spec.Origin.Kind == tool.Remote {
		return ofPool(u)
	}
	if u.trusted {
		return verdict(tool.Allow, "its server is trusted", "trust", defaultAt)
	}
	return byDefault(tool.Ask, "tools of a server that is not trusted need approval")
}

func ofPool(u *subject) tool.Verdict {
	if u.trusted {
		return verdict(tool.Allow, "its pool is trusted", "trust", defaultAt)
	}
	return byDefault(tool.Ask, "tools of a pool that is not trusted need approval")
}

// reading is free inside the workspace, but for secrets; our file tools go nowhere else. Those of another program keep
// their own files outside.
func (r *Rules) reading(q *question) tool.Verdict {
	known := !q.leaves() || q.subject.foreign
	switch {
	case known && r.secret(q.effect.Target):
		return r.word(q, ReadsSecret, onlyReads, secretReason(q.place.text))
	case known:
		return r.word(q, Looks, onlyReads, doing[tool.Read]+" needs approval")
	case q.subject.staysInside():
		return deniedOutside(q)
	}
	return r.word(q, GoesOut, onlyReads, isOutside(q))
}

// secret tells that a target may hold secrets. What is not known is no file's name.
func (r *Rules) secret(target string) bool {
	if target == tool.AnyTarget {
		return false
	}
	if r.o.Secret == nil {
		var builtIn *secrets.List
		return builtIn.Has(target)
	}
	return r.o.Secret(target)
}

func secretReason(target string) string { return target + " may hold secrets" }

func isOutside(q *question) string { return q.place.text + " is outside the workspace" }

// deniedOutside is the verdict on a tool that stays inside, and would go out.
func deniedOutside(q *question) tool.Verdict { return verdict(tool.Deny, isOutside(q), "", floorAt) }

// staysInside tells that a tool of ours works inside the workspace alone, as long as no rule names a place outside.
func (u *subject) staysInside() bool {
	return u.spec.Origin.Kind == tool.Builtin && u.spec.Kind != tool.Exec && !u.foreign
}

// leaves tells that the effect is on a path outside the workspace.
func (q *question) leaves() bool {
	return paths.has(q.effect.Kind) && q.place.outside()
}

// outside tells that a path lies below no root. //name/… is below another root than the first.
func (p *place) outside() bool {
	return p.absolute && !strings.HasPrefix(p.text, "//")
}

// private tells of a place in the folder of which commands have one of their own.
func (r *Rules) private(q *question) bool {
	return r.o.Private != "" && q.subject.spec.Kind == tool.Exec && strings.HasPrefix(q.place.text, r.o.Private+"/")
}

// free is what becomes of an effect by the table of the modes.
func (r *Rules) free(q *question) tool.Verdict {
	act := r.act(q)
	reason := doing[q.effect.Kind] + " needs approval"
	switch {
	case act == ChangesSecret:
		reason = secretReason(q.place.text) + ": changing it needs approval"
	case act == Steers && r.becomes(Changes) == Runs:
		reason = q.place.text + ": " + acted(&q.place) + ", and a person has to approve that"
	}
	return r.word(q, act, r.allowed(), reason)
}

// act is what an effect is to the modes. Where somebody looks at what a command left, or keeps it for a person, its
// words on what it changes need no question of their own.
func (r *Rules) act(q *question) Act {
	inside := q.effect.Target != tool.AnyTarget && !q.place.outside()
	switch {
	case q.under != nil:
		return lineAct(q.under)
	case q.effect.Kind == tool.Exec:
		return Changes
	case q.effect.Kind != tool.Write && q.place.outside():
		return GoesOut
	case q.effect.Kind != tool.Write:
		return Changes
	case r.secret(q.effect.Target):
		return ChangesSecret
	case r.private(q), q.held && q.effect.Target == tool.AnyTarget:
		return q.changes() // what is held back is the workspace, whatever a computed word says: nothing else can be written
	case !inside:
		return ChangesOut
	case acted(&q.place) == "":
		return q.changes()
	case q.held:
		return LeavesSteer
	}
	return Steers
}

// changes is the act of changing a file of the workspace.
func (q *question) changes() Act {
	if q.held {
		return RunsHeld
	}
	return Changes
}

var doing = map[tool.Kind]string{
	tool.Exec:  "running programs",
	tool.Write: "changing files",
	tool.Net:   "using the network",
	tool.Read:  "reading there",
	tool.State: "changing what the tool remembers",
}

func hostName(e tool.Effect) string {
	if e.Target == tool.AnyTarget || e.Target == tool.NoTarget {
		return "other machines"
	}
	return e.Target
}
