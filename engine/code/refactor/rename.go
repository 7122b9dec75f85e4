package refactor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"helve/engine/code"
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// maxPlanning bounds the time of one plan: every file of the language is looked through for the name.
const maxPlanning = 30 * time.Second

// renaming is the plan of one rename while it is made. Every token that is the old name has to be explained: as one
// that means the definition, or as one that does not. What cannot be explained is a reason to refuse.
type renaming struct {
	r        *meaning.Resolver
	ctx      context.Context
	x        *syntax.Extractor
	lang     syntax.Language // the family
	old, to  string
	oldName  uint32
	group    []store.DefID
	in       map[store.DefID]bool
	member   bool // it is reached through a value, a type or a package of its own
	exported bool
	home     string // the folder of the definition
	local    bool   // it stands inside a function, and only that names it
	alone    bool   // in its package no other type has a member of that name

	unions   *unions
	made     []store.DefID // constructors that declare the field by a parameter
	together []store.DefID // what one place means besides the definition: they can only be renamed together
	joins    int           // how often such may be added to the group
	rulings  []ruled       // on all places of the old name
	next     string        // what to do about those that stay open, where it is more than to edit them by hand
	bare     []site        // places in which the new name will stand alone
	found    []*scan       // files that have one of the names
	open     []code.Place
	clashes  []code.Place
	changes  Changes
	examined int64
}

// site is a place of the old or the new name in a file.
type site struct {
	*syntax.Site
	in *scan
}

// scan is a file that was looked through.
type scan struct {
	file  int32
	src   []byte
	sites []syntax.Site
	binds []syntax.Bound
	seen  *syntax.Seen

	tokens *tokens // nil: nobody asked for them
	edits  []TextEdit
}

// Rename plans to call the definition called name by another name, wherever it is used: in Go, Python, JavaScript and
// TypeScript. What it cannot be sure of, it refuses with a *RefusedError.
func Rename(ctx context.Context, in *code.Snapshot, name, to string) (*Changes, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPlanning)
	defer cancel()
	r := meaning.NewPlanner(ctx, in.Tree())
	group, err := chosenFor(r, name)
	if err != nil {
		return nil, err
	}
	p, err := newRenaming(ctx, r, group, to)
	if err != nil {
		return nil, err
	}
	if err := p.plan(); err != nil {
		return nil, err
	}
	if r.Clock.Ended || ctx.Err() != nil {
		if err := store.Canceled(ctx); err != nil {
			return nil, err
		}
		return nil, refused("", "looking at all uses of %s took more than %s", p.old, maxPlanning)
	}
	return &p.changes, nil
}

// renaming begins the plan for a group of definitions that have one name.
func newRenaming(ctx context.Context, r *meaning.Resolver, group []store.DefID, to string) (*renaming, error) {
	f, d := r.Tree.Files[group[0].File], r.Def(group[0])
	p := &renaming{
		r: r, ctx: ctx, x: syntax.NewExtractor(),
		lang: store.Family(f.Lang),
		old:  r.Tree.Lex.Text(d.Name), to: to, oldName: d.Name,
		in:   map[store.DefID]bool{},
		home: f.Dir(),
	}
	p.changes.Of = r.Tree.Symbol(group[0])
	if err := p.possible(group[0], f, d); err != nil {
		return nil, err
	}
	for _, y := range group {
		p.add(y)
	}
	p.member = !p.local && (r.IsMember(group[0].File, d) || d.Parent >= 0)
	p.exported = p.isExported(f, d)
	return p, nil
}

func (p *renaming) add(y store.DefID) bool {
	if p.in[y] {
		return false
	}
	p.in[y] = true
	p.group = append(p.group, y)
	return true
}

// possible refuses what is never renamed, and new names that are none.
func (p *renaming) possible(y store.DefID, f *store.File, d *store.Def) error {
	switch p.lang {
	case syntax.Go, syntax.Python, syntax.JavaScript:
	default:
		return refused("Edit it by hand; used_by lists its uses.", "this is known for Go, Python, JavaScript and TypeScript, "+
			"and %s is %s", f.Path, f.Lang)
	}
	if p.old == p.to {
		return refused("", "%s has that name already", p.old)
	}
	if why := p.badName(p.to); why != "" {
		return refused("Choose another name.", "%q %s", p.to, why)
	}
	if f.Skipped != "" || f.Generic {
		return refused("", "%s was not read: %s", f.Path, f.Skipped)
	}
	if d.Kind == syntax.Constructor || d.Kind == syntax.Module || d.Kind == syntax.Macro {
		return refused("", "a %s is not renamed", d.Kind)
	}
	if d.Parent >= 0 {
		switch parent := p.r.Def(store.At(y.File, d.Parent)); {
		case parent.Kind.Callable() && p.lang != syntax.Go && (d.Kind == syntax.Function || d.Kind.Type()):
			p.local = true
		case parent.Kind.Callable(), parent.Kind == syntax.Variable, parent.Kind == syntax.Constant:
			around := p.r.Tree.Lex.Text(parent.Name)
			return refused("Edit it by hand.", "%s stands inside %s: only what others can name is renamed", p.old, around)
		case parent.Kind == syntax.Module:
			return refused("Edit it by hand.", "%s stands in a namespace", p.old)
		}
	}
	if p.lang == syntax.JavaScript && d.Owner != 0 {
		for _, t := range p.r.Value(d.Owner, y.File, -1).Symbols {
			if owner := p.r.Def(t); owner.Kind == syntax.Variable || owner.Kind == syntax.Constant {
				return refused("Edit it by hand.", "%s is put into %s: a type may ask for it", p.old, p.r.Tree.Lex.Text(owner.Name))
			}
		}
	}
	return p.fixedName(f, d)
}

// fixedName refuses names that their language gives a meaning.
func (p *renaming) fixedName(f *store.File, d *store.Def) error {
	switch p.lang {
	case syntax.Go:
		return p.fixedGo(f, d)
	case syntax.Python:
		return p.fixedPython()
	case syntax.JavaScript:
		return p.fixedScript(f, d)
	}
	return nil
}

// fixedGo refuses what Go, its linker and its tests find by name.
func (p *renaming) fixedGo(f *store.File, d *store.Def) error {
	function := d.Kind == syntax.Function
	top := d.Owner == 0 && d.Parent < 0
	switch {
	case top && (p.old == "main" || p.old == "init"), p.old == "_":
		return p.meaningFrom("Go")
	case f.Test && function && isGoTest(p.old) != isGoTest(p.to):
		return refused("", "go test would take %s and %s for different things", p.old, p.to)
	case function && d.Body >= d.End:
		return refused("", "%s has no body here: it is linked by its name", p.old)
	}
	return nil
}

// fixedPython refuses names with two underscores, old and new ones.
func (p *renaming) fixedPython() error {
	switch {
	case strings.HasPrefix(p.old, "__"):
		return p.meaningFrom("Python")
	case strings.HasPrefix(p.to, "__"):
		return refused("Choose another name.", "%s is changed by Python inside classes, or has a meaning of its own", p.to)
	}
	return nil
}

// fixedScript refuses what JavaScript finds by name, and what is only declared in a file.
func (p *renaming) fixedScript(f *store.File, d *store.Def) error {
	switch {
	case strings.HasSuffix(f.Path, ".d.ts"):
		return refused("", "%s only declares what stands elsewhere", f.Path)
	case p.old == "constructor" || p.old == "default":
		return p.meaningFrom("JavaScript")
	case scriptWords[p.old] && d.Parent < 0 && d.Owner == 0: // never, any: a value may be called so
		return refused("Edit it by hand.", "%s is a type of TypeScript, too", p.old)
	}
	return nil
}

// meaningFrom refuses a name that a language gives its meaning.
func (p *renaming) meaningFrom(language string) error {
	return refused("", "%s has its meaning from %s", p.old, language)
}

func isGoTest(name string) string {
	for _, prefix := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
		if strings.HasPrefix(name, prefix) {
			return prefix
		}
	}
	return ""
}

func (p *renaming) isExported(f *store.File, d *store.Def) bool {
	if p.lang == syntax.Go {
		return upper(p.old)
	}
	return !strings.HasPrefix(p.old, "_")
}

// plan looks through all files, decides on every token, and refuses where one is not explained.
func (p *renaming) plan() error {
	if err := p.extend(); err != nil {
		return err
	}
	if err := p.scan(); err != nil {
		return err
	}
	if p.lang == syntax.Go && p.member && !p.exported {
		p.alone = p.onlyMember()
	}
	if err := p.scriptHazards(); err != nil {
		return err
	}
	p.joins = maxJoins
	if err := p.decide(); err != nil {
		return err
	}
	p.collisions()
	if err := p.verdict(); err != nil {
		return err
	}
	p.finish()
	if p.changes.Edits > maxEdits {
		return refused("", "%s has %d uses, more than the %d that one rename may edit", p.old, p.changes.Edits, maxEdits)
	}
	return nil
}

// A ruling is what became of a token.
type ruling int

const (
	other ruling = iota // it means something else
	meant               // it means the definition
	doubt               // nobody can say
)

// decide rules on every place of the old name, and edits those that mean the definition.
func (p *renaming) decide() error {
	for again := true; again; {
		open := len(p.open)
		p.rulings = nil
		for _, f := range p.found {
			p.judge(f, nil)
			p.hidesUses(f)
		}
		p.settle(false)
		if again = len(p.together) > 0; again {
			p.open = p.open[:open]
			if err := p.join(); err != nil {
				return err
			}
		}
	}
	for _, r := range p.rulings {
		if r.what == meant {
			p.edit(r.in, r.Site)
		}
	}
	return nil
}

// hidesUses finds what speaks against a file that is no place of the name: texts that count as code, and imports that
// are not followed.
func (p *renaming) hidesUses(f *scan) {
	if f.seen.Live > 0 || f.seen.Quoted > 0 && p.member && p.lang == syntax.JavaScript {
		p.unsure(f, 1, "the name stands in a string or comment that counts as code")
	}
	p.importsSeen(f)
}

// edit notes that a place gets the new name.
func (p *renaming) edit(f *scan, s *syntax.Site) {
	text := p.to
	key := p.member && p.lang == syntax.JavaScript && p.property(f, s)
	switch {
	case key && p.shortKey(s):
		text = p.to + ": " + p.old
	case !key && p.lang == syntax.JavaScript && p.shorthand(f, s):
		text = p.old + ": " + p.to
	}
	f.edits = append(f.edits, TextEdit{s.Start, s.Start + len(p.old), text})
	if !s.Dots && !key {
		p.bare = append(p.bare, site{s, f})
	}
}

// verdict refuses what is in doubt, what would clash, and what is too much.
func (p *renaming) verdict() error {
	slices.SortStableFunc(p.clashes, byPlace)
	p.clashes = slices.Compact(p.clashes)
	switch {
	case len(p.clashes) > 0:
		return &RefusedError{
			Why:    fmt.Sprintf("%s would clash with another %s", p.old, p.to),
			Places: p.clashes,
			Next:   "Choose another name.",
		}
	case len(p.open) > 0:
		return p.refusedPlaces("%d places are not sure to mean %s")
	}
	return nil
}

// refusedPlaces refuses for the places that are open; why is given their number and the definition.
func (p *renaming) refusedPlaces(why string) error {
	slices.SortStableFunc(p.open, byPlace)
	p.open = slices.Compact(p.open)
	return &RefusedError{
		Why:    fmt.Sprintf(why, len(p.open), p.changes.Of.ID),
		Places: p.open,
		Next:   strings.TrimSpace("Nothing was changed. Edit it by hand, these places too. " + p.next),
	}
}

func byPlace(a, b code.Place) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
}

// finish makes the changes of the edits.
func (p *renaming) finish() {
	for _, f := range p.found {
		if len(f.edits) == 0 {
			continue
		}
		e := FileEdits{Path: p.r.Tree.Files[f.file].Path, Before: f.src, Edits: f.edits}
		e.sorted()
		p.changes.Edits += len(e.Edits)
		p.changes.Files = append(p.changes.Files, e)
	}
	p.noteExported()
}

func (p *renaming) clash(f int32, line int, format string, args ...any) {
	p.clashes = append(p.clashes, place(p.r.Tree.Files[f].Path, line, fmt.Sprintf(format, args...)))
}
