package refactor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"helve/engine/code"
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// subject is the definition that a refactoring is asked for, with those that have to be treated like it.
type subject struct {
	*project
	lang     syntax.Language // the family
	old      string
	oldName  uint32
	group    []store.DefID
	in       map[store.DefID]bool
	member   bool // it is reached through a value, a type or a package of its own
	exported bool
	home     string // the folder of the definition
	local    bool   // it stands inside a function, and only that names it
	changes  *Changes
}

// chosen finds the definition called name, and refuses it where it cannot be called to.
func chosen(ctx context.Context, in *code.Snapshot, name, to string) (*subject, error) {
	p, err := newSubject(ctx, meaning.NewPlanner(ctx, in.Tree()), name)
	if err == nil {
		err = p.mayBe(to)
	}
	return p, err
}

// staying finds the definition called name, which keeps it: it is held to the same as one that gets another.
func staying(ctx context.Context, in *code.Snapshot, name string) (*subject, error) {
	p, err := newSubject(ctx, meaning.NewPlanner(ctx, in.Tree()), name)
	if err == nil {
		err = p.mayBe(p.standIn())
	}
	return p, err
}

func newSubject(ctx context.Context, r *meaning.Resolver, name string) (*subject, error) {
	group, err := chosenFor(r, name)
	if err != nil {
		return nil, err
	}
	f, d := r.Tree.Files[group[0].File], r.Def(group[0])
	p := &subject{
		project: &project{ctx, r, syntax.NewExtractor()},
		lang:    store.Family(f.Lang),
		old:     r.Tree.Lex.Text(d.Name), oldName: d.Name,
		in:      map[store.DefID]bool{},
		home:    f.Dir(),
		changes: &Changes{Of: r.Tree.Symbol(group[0])},
	}
	for _, y := range group {
		p.add(y)
	}
	p.local = p.inFunction()
	p.member = !p.local && (r.IsMember(group[0].File, d) || d.Parent >= 0)
	p.exported = p.isExported(f, d)
	return p, nil
}

// chosenFor is the definition that a refactoring is asked for. A name that means several is refused, with their IDs.
func chosenFor(r *meaning.Resolver, name string) ([]store.DefID, error) {
	group, others, err := r.Only(name)
	if err != nil {
		return nil, err
	}
	if len(others) > 0 && !strings.Contains(name, "#") {
		refusal := &RefusedError{
			Why:  fmt.Sprintf("%q means %d definitions", name, len(others)+1),
			Next: "Give the id of one of them.",
		}
		for _, y := range append(group[:1:1], others...) {
			s := r.Tree.Symbol(y)
			refusal.Places = append(refusal.Places, place(s.Path, s.Line, s.Kind.String()+" "+s.ID))
		}
		return nil, refusal
	}
	return r.VersionsOf(group[0]), nil
}

// id is what others call the definition that was asked for.
func (p *subject) id() string { return p.changes.Of.ID }

// inFunction reports whether the definition stands in a function, and can be followed there.
func (p *subject) inFunction() bool {
	y := p.group[0]
	d := p.r.Def(y)
	if d.Parent < 0 || p.lang == syntax.Go || d.Kind != syntax.Function && !d.Kind.Type() {
		return false
	}
	return p.r.Def(store.At(y.File, d.Parent)).Kind.Callable()
}

func (p *subject) add(y store.DefID) bool {
	if p.in[y] {
		return false
	}
	p.in[y] = true
	p.group = append(p.group, y)
	return true
}

// among rules on a list of definitions: all of them, none, or some are renamed.
func (p *subject) among(list []store.DefID) ruling {
	in := 0
	for _, y := range list {
		if p.in[y] {
			in++
		}
	}
	switch in {
	case 0:
		return other
	case len(list):
		return meant
	}
	return doubt
}

// standIn is a name that the definition might have.
func (p *subject) standIn() string { return p.old + "_" }

// inTime refuses where the time was over before all was looked at.
func (p *subject) inTime() error {
	if !p.r.Clock.Ended && p.ctx.Err() == nil {
		return nil
	}
	if err := store.Canceled(p.ctx); err != nil {
		return err
	}
	return p.tooSlow()
}

func (p *subject) tooSlow() error {
	return refused("", "looking at all uses of %s took more than %s", p.old, maxPlanning)
}

// mayBe refuses what is never renamed, and new names that are none.
func (p *subject) mayBe(to string) error {
	y := p.group[0]
	f, d := p.file(y.File), p.r.Def(y)
	switch p.lang {
	case syntax.Go, syntax.Python, syntax.JavaScript:
	default:
		return refused("Edit it by hand; used_by lists its uses.", "this is known for Go, Python, JavaScript and TypeScript, "+
			"and %s is %s", f.Path, f.Lang)
	}
	if p.old == to {
		return refused("", "%s has that name already", p.old)
	}
	if why := p.badName(to); why != "" {
		return refused("Choose another name.", "%q %s", to, why)
	}
	if f.Skipped != "" || f.Generic {
		return refused("", "%s was not read: %s", f.Path, f.Skipped)
	}
	if d.Kind == syntax.Constructor || d.Kind == syntax.Module || d.Kind == syntax.Macro {
		return refused("", "a %s is not renamed", d.Kind)
	}
	if d.Parent >= 0 {
		switch parent := p.r.Def(store.At(y.File, d.Parent)); {
		case p.local:
		case parent.Kind.Callable(), parent.Kind == syntax.Variable, parent.Kind == syntax.Constant:
			around := p.spelled(parent.Name)
			return byHand("%s stands inside %s: only what others can name is renamed", p.old, around)
		case parent.Kind == syntax.Module:
			return byHand("%s stands in a namespace", p.old)
		}
	}
	if p.lang == syntax.JavaScript && d.Owner != 0 {
		for _, t := range p.r.Value(d.Owner, y.File, -1).Symbols {
			if owner := p.r.Def(t); owner.Kind == syntax.Variable || owner.Kind == syntax.Constant {
				return byHand("%s is put into %s: a type may ask for it", p.old, p.spelled(owner.Name))
			}
		}
	}
	return p.fixedName(f, d, to)
}

// fixedName refuses names that their language gives a meaning.
func (p *subject) fixedName(f *store.File, d *store.Def, to string) error {
	switch p.lang {
	case syntax.Go:
		return p.fixedGo(f, d, to)
	case syntax.Python:
		return p.fixedPython(to)
	case syntax.JavaScript:
		return p.fixedScript(f, d)
	}
	return nil
}

// meaningFrom refuses a name that a language gives its meaning.
func (p *subject) meaningFrom(language string) error {
	return refused("", "%s has its meaning from %s", p.old, language)
}

// badName says why a text cannot be a name, "" if it can.
func (p *subject) badName(name string) string {
	for i, c := range name {
		letter := c == '_' || unicode.IsLetter(c) || c == '$' && p.lang == syntax.JavaScript
		if !letter && (i == 0 || !unicode.IsDigit(c)) {
			return "is no name"
		}
	}
	words := map[syntax.Language]map[string]bool{syntax.Go: goWords, syntax.Python: pythonWords, syntax.JavaScript: scriptWords}
	switch {
	case name == "" || name == "_":
		return "is no name"
	case words[p.lang][name]:
		return "is a word of the language"
	case p.lang == syntax.Go && meaning.GoNames[name]:
		return "is a name of Go's own"
	}
	return ""
}

func (p *subject) isExported(f *store.File, d *store.Def) bool {
	if p.lang == syntax.Go {
		return upper(p.old)
	}
	return !strings.HasPrefix(p.old, "_")
}

// inside reports whether an offset of a file stands in one of the definitions.
func (p *subject) inside(n int32, off int) bool {
	return slices.ContainsFunc(p.group, func(y store.DefID) bool {
		d := p.r.Def(y)
		return y.File == n && int(d.Start) <= off && off < int(d.End)
	})
}

// samePackage reports whether a file can name the top of the definition's package alone.
func (p *subject) samePackage(n int32) bool {
	for _, y := range p.group {
		f, g := p.file(y.File), p.file(n)
		if y.File == n || p.lang == syntax.Go && g.Dir() == f.Dir() && g.Package == f.Package {
			return true
		}
	}
	return false
}

// visibleIn reports whether a file can name the definition at all.
func (p *subject) visibleIn(f *store.File) bool {
	switch {
	case p.local:
		return f == p.file(p.group[0].File)
	case p.lang == syntax.Go && !p.exported:
		return f.Dir() == p.home
	}
	return true
}

// canReach reports whether code in a file may have values of the definition's type: in Go, values of another package
// come through imports of imports, so every file may.
func (p *subject) canReach(n int32) bool {
	return p.lang != syntax.Go || p.exported || p.file(n).Dir() == p.home
}

// reachedByDot reports whether others can reach the top of a file or package through a dot.
func (p *subject) reachedByDot() bool { return p.lang != syntax.Go || p.exported }

// noteExported says in the result that others may use the definition.
func (p *subject) noteExported() {
	f := p.file(p.group[0].File)
	if p.exported && !f.Test && p.public(f) {
		p.changes.Notes = append(p.changes.Notes, "it is exported: who imports it from elsewhere is not seen here")
	}
}

// public reports whether code outside the tree can name the definition: in JavaScript and Python if its file belongs
// to a package that can be published.
func (p *subject) public(f *store.File) bool {
	switch p.lang {
	case syntax.Go:
		return p.spelled(f.Package) != "main" && !strings.Contains("/"+f.Dir()+"/", "/internal/")
	case syntax.Python:
		return !p.local && p.below(f, "pyproject.toml", "") || p.below(f, "setup.py", "")
	}
	src, err := p.r.Tree.Text(p.ctx, f.Path)
	if err != nil || p.local {
		return false
	}
	top := p.r.Def(store.At(p.group[0].File, p.outermost(p.group[0].File, p.group[0].Def)))
	line := src[lineStart(src, int(top.Start)):top.Start]
	return strings.Contains(string(line), "export") && p.below(f, "package.json", "\"private\": true")
}
