package refactor

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// subject is the definition that a refactoring is asked for, with those that have to be treated like it.
type subject struct {
	*project
	lang     language
	family   syntax.Language // that it is of
	old      string
	oldName  uint32
	group    []store.DefID
	in       map[store.DefID]bool
	member   bool // it is reached through a value, a type or a package of its own
	exported bool
	private  bool   // only its package can name it
	home     string // the folder of the definition
	local    bool   // it stands inside a function, and only that names it
	changes  *Changes
}

func newSubject(ctx context.Context, r *meaning.Resolver, name string) (*subject, error) {
	group, err := chosenFor(r, name)
	if err != nil {
		return nil, err
	}
	f, d := r.Tree.Files[group[0].File], r.Def(group[0])
	p := &subject{
		project: &project{ctx, r, syntax.NewExtractor()},
		family:  store.Family(f.Lang),
		old:     r.Tree.Lex.Text(d.Name), oldName: d.Name,
		in:      map[store.DefID]bool{},
		home:    f.Dir(),
		changes: &Changes{Of: r.Tree.Symbol(group[0])},
	}
	for _, y := range group {
		p.add(y)
	}
	if p.lang = languageOf(p.family); p.lang == nil {
		return nil, refused("Edit it by hand; used_by lists its uses.", "this is known for Go, Python, JavaScript and "+
			"TypeScript, and %s is %s", f.Path, f.Lang)
	}
	p.local = p.inFunction()
	p.member = !p.local && (r.IsMember(group[0].File, d) || d.Parent >= 0)
	p.exported, p.private = p.lang.visible(p.old)
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
	if d.Parent < 0 || !p.lang.imports() || d.Kind != syntax.Function && !d.Kind.Type() {
		return false
	}
	return p.r.Def(store.At(y.File, d.Parent)).Kind.Callable()
}

// standIn is a name that the definition might have.
func (p *subject) standIn() string { return p.old + "_" }

// mayBe refuses what is never renamed, and new names that are none.
func (p *subject) mayBe(to string) error {
	y := p.group[0]
	f, d := p.file(y.File), p.r.Def(y)
	if p.old == to {
		return refused("", "%s has that name already", p.old)
	}
	if why := p.lang.badName(to); why != "" {
		return refused("Choose another name.", "%q %s", to, why)
	}
	if f.Skipped != "" || f.Generic {
		return refused("", "%s was not read: %s", f.Path, f.Skipped)
	}
	if d.Kind == syntax.Constructor || d.Kind == syntax.Module || d.Kind == syntax.Macro {
		return refused("", "a %s is not renamed", d.Kind)
	}
	if d.Parent >= 0 && !p.local {
		switch parent := p.r.Def(store.At(y.File, d.Parent)); {
		case parent.Kind.Callable() || holdsValue(parent):
			around := p.spelled(parent.Name)
			return byHand("%s stands inside %s: only what others can name is renamed", p.old, around)
		case parent.Kind == syntax.Module:
			return byHand("%s stands in a namespace", p.old)
		}
	}
	return p.lang.fixed(p, f, d, to)
}

func holdsValue(d *store.Def) bool { return d.Kind == syntax.Variable || d.Kind == syntax.Constant }

// meaningFrom refuses a name that a language gives its meaning.
func (p *subject) meaningFrom(language string) error {
	return refused("", "%s has its meaning from %s", p.old, language)
}

// extend adds to the group what has to have the same name.
func (p *subject) extend() error { return p.lang.extend(p) }

func (p *subject) add(y store.DefID) bool {
	if p.in[y] {
		return false
	}
	p.in[y] = true
	p.group = append(p.group, y)
	return true
}

// spread adds kin of the subject to the group, and theirs. It refuses where code outside the tree may ask for one.
func (p *subject) spread(asked func(store.DefID) string, addKin func(store.DefID) error) error {
	for k := 0; k < len(p.group); k++ {
		m := p.group[k]
		if why := asked(m); why != "" {
			return refused("", "%s: %s", p.r.Tree.Symbol(m).ID, why)
		}
		if err := addKin(m); err != nil {
			return err
		}
	}
	slices.SortStableFunc(p.group[1:], func(a, b store.DefID) int {
		if a.File != b.File {
			return p.r.Tree.ByPath(a.File, b.File)
		}
		return int(a.Def) - int(b.Def)
	})
	return nil
}

// among rules on a list of definitions: all of them, none, or some are renamed.
func (p *subject) among(list []store.DefID) ruling {
	in := 0
	for _, y := range list {
		if p.in[y] {
			in++
		}
	}
	return counted(in, len(list))
}

// inside reports whether an offset of a file stands in one of the definitions.
func (p *subject) inside(n int32, off int) bool {
	return slices.ContainsFunc(p.group, func(y store.DefID) bool {
		d := p.r.Def(y)
		return y.File == n && int(d.Start) <= off && off < int(d.End)
	})
}

// related reports whether a file is of the subject's family of languages.
func (p *subject) related(f *store.File) bool { return f != nil && store.Family(f.Lang) == p.family }

// samePackage reports whether a file can name the top of the definition's package alone.
func (p *subject) samePackage(n int32) bool {
	for _, y := range p.group {
		f, g := p.file(y.File), p.file(n)
		if y.File == n || p.lang.samePackage(f, g) {
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
	case p.private:
		return f.Dir() == p.home
	}
	return true
}

// canReach reports whether code in a file may have values of the definition's type: values of another package come
// through imports of imports, so every file may.
func (p *subject) canReach(n int32) bool {
	return !p.private || p.file(n).Dir() == p.home
}

// note tells of what is not seen in the edits.
func (p *subject) note(text string) { p.changes.Notes = append(p.changes.Notes, text) }

// noteExported says in the result that others may use the definition.
func (p *subject) noteExported() {
	f := p.file(p.group[0].File)
	if p.exported && !f.Test && p.lang.public(p, f) {
		p.note("it is exported: who imports it from elsewhere is not seen here")
	}
}

// wholeLines are those of a definition, with the comment right above them.
func (p *subject) wholeLines(y store.DefID, src []byte) (from, end int, err error) {
	d := p.r.Def(y)
	from, end = lineStart(src, int(d.Start)), int(d.End)
	if p.lang.grouped(d.Kind) {
		return 0, 0, byHand("%s is declared together with others, or may be", p.id())
	}
	head := strings.TrimSpace(string(src[from:d.Start]))
	if onlyModifiers(head) {
		head = ""
	}
	rest := end
	for rest < len(src) && (src[rest] == ' ' || src[rest] == '\t' || src[rest] == ';' || src[rest] == ',') {
		rest++
	}
	if bytes.HasPrefix(src[rest:], []byte("`")) { // the tag of a field
		if i := bytes.IndexByte(src[rest+1:], '`'); i >= 0 {
			rest += i + 2
		}
	}
	if bytes.HasPrefix(src[rest:], []byte("//")) || bytes.HasPrefix(src[rest:], []byte(p.lang.comment())) {
		rest += max(bytes.IndexByte(src[rest:], '\n'), 0)
	}
	line := bytes.TrimRight(src[rest:lineEnd(src, rest)], "\r\n\t ")
	if head != "" || len(line) > 0 {
		return 0, 0, byHand("%s shares its line with something else", p.id())
	}
	return p.commentAbove(src, from), lineEnd(src, rest), nil
}

// commentAbove is where the lines of comment right above a line begin.
func (p *subject) commentAbove(src []byte, from int) int {
	mark := []byte(p.lang.comment())
	for from > 0 {
		above := lineStart(src, from-1)
		line := bytes.TrimSpace(src[above:from])
		switch {
		case bytes.HasPrefix(line, mark) &&
			!bytes.HasPrefix(line, []byte("//go:build")) && !bytes.HasPrefix(line, []byte("#!")):
			from = above
		case bytes.HasSuffix(line, []byte("*/")) && p.lang.comment() == "//":
			open := bytes.LastIndex(src[:from], []byte("/*"))
			if open < 0 || len(bytes.TrimSpace(src[lineStart(src, open):open])) > 0 {
				return from
			}
			from = lineStart(src, open)
		default:
			return from
		}
	}
	return from
}
