package refactor

import (
	"bytes"
	"iter"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// mentions are the places of the project that have the name of the subject.
type mentions struct {
	*subject
	also     string  // another name that is looked for: the new one, or one that the subject might have
	found    []*scan // files that have one of the names
	unions   *unions
	made     []store.DefID // constructors that declare the field by a parameter
	open     []code.Place  // that speak against the refactoring
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

	tokens *tokens        // nil: nobody asked for them
	uses   []*syntax.Site // that mean the subject
	edits  []TextEdit
}

// line is the line of an offset.
func (f *scan) line(at int) int { return lineOf(f.src, at) }

// named are the places of a file that have a name.
func (f *scan) named(name string) iter.Seq[*syntax.Site] {
	return func(yield func(*syntax.Site) bool) {
		for i := range f.sites {
			if s := &f.sites[i]; s.Name == name && !yield(s) {
				return
			}
		}
	}
}

func count(sites []syntax.Site, name string) int {
	n := 0
	for i := range sites {
		if sites[i].Name == name {
			n++
		}
	}
	return n
}

// scan finds the files that have one of two names: that of the definition, or one that it gets.
func (p *mentions) scan() error {
	p.unions = p.unionsOf()
	files := []int32{}
	for n, f := range p.r.Tree.Files {
		if p.related(f) && p.visibleIn(f) {
			files = append(files, int32(n))
		}
	}
	slices.SortFunc(files, p.r.Tree.ByPath)
	for _, n := range files {
		if err := p.look(n); err != nil {
			return err
		}
	}
	if err := p.inCode(); err != nil {
		return err
	}
	return p.lang.words(p)
}

// inCode refuses a definition that stands in a comment, as types of JavaScript may: comments are not edited.
func (p *mentions) inCode() error {
	for _, y := range p.group {
		defines := func(f *scan) bool {
			return f.file == y.File && slices.ContainsFunc(f.sites, func(s syntax.Site) bool { return s.Def == y.Def })
		}
		if !slices.ContainsFunc(p.found, defines) {
			return byHand("%s is defined in a comment", p.id())
		}
	}
	return nil
}

// look reads a file if it has one of the names.
func (p *mentions) look(n int32) error {
	f := p.file(n)
	if p.ctx.Err() != nil {
		p.r.Clock.Ended = true
		return nil
	}
	notRead := place(f.Path, 1, "the file was not read: "+f.Skipped)
	if f.Skipped == syntax.TooLarge { // the name may stand behind what could be read of it
		p.open = append(p.open, notRead)
		return nil
	}
	src, err := p.r.Tree.Text(p.ctx, f.Path)
	if err != nil {
		return err
	}
	p.unions.look(src)
	switch {
	case !bytes.Contains(src, []byte(p.old)) && !bytes.Contains(src, []byte(p.also)):
		return nil
	case store.Digest(src) != f.Digest:
		return refused("Repeat the call.", "%s changed meanwhile", f.Path)
	case f.Skipped != "":
		p.open = append(p.open, notRead)
		return nil
	}
	return p.read(n, src)
}

// read finds the places of the names in a file.
func (p *mentions) read(n int32, src []byte) error {
	p.x.Watch(p.old, p.also)
	p.x.Rows(p.file(n).Path, src)
	seen := p.x.Seen()
	own := count(seen.Sites, p.old)
	p.changes.Texts += meaning.CountWords(src, p.old) - own
	f := &scan{file: n, sites: seen.Sites, binds: seen.Binds, seen: &seen}
	if own+seen.Live+seen.Quoted > 0 {
		f.src = src
		p.examined += int64(len(src))
	}
	if p.examined > maxEditedBytes {
		return refused("", "the files that have the name %s are larger than %d MB together", p.old, maxEditedBytes>>20)
	}
	p.found = append(p.found, f)
	return nil
}

// hazards refuses a subject whose uses cannot all be seen.
func (p *mentions) hazards() error { return p.lang.hazards(p) }

func (p *mentions) unsure(f *scan, line int, why string) {
	p.open = append(p.open, place(p.file(f.file).Path, line, why))
}

// at is a file among those that were found, which it comes to.
func (p *mentions) at(n int32) *scan {
	if k := slices.IndexFunc(p.found, func(f *scan) bool { return f.file == n }); k >= 0 {
		return p.found[k]
	}
	f := &scan{file: n, seen: &syntax.Seen{}}
	p.found = append(p.found, f)
	return f
}

// others are the definitions in a file that have the name of the subject and are none of it.
func (p *mentions) others(f *scan) iter.Seq2[*syntax.Site, *store.Def] {
	return func(yield func(*syntax.Site, *store.Def) bool) {
		for s := range f.named(p.old) {
			y := store.At(f.file, s.Def)
			if s.Def >= 0 && !p.in[y] && !yield(s, p.r.Def(y)) {
				return
			}
		}
	}
}

// namesakes counts the definitions at the top of a file that have the name of the subject and are none of it.
func (p *mentions) namesakes(f *scan) (n int) {
	for _, d := range p.others(f) {
		if d.Parent < 0 && d.Owner == 0 {
			n++
		}
	}
	return n
}

// onlyMember reports whether the subject is a private member, and all members of that name in its package are meant:
// then it does not matter of which type a value is.
func (p *mentions) onlyMember() bool {
	if !p.private || !p.member {
		return false
	}
	for _, f := range p.found {
		for s := range f.named(p.old) {
			if s.Nameless {
				return false
			}
		}
		for _, d := range p.others(f) {
			if p.r.IsMember(f.file, d) {
				return false
			}
		}
	}
	return true
}

// imported calls each for the places where file f imports the definition. Uses through its module speak against a move.
func (p *mentions) imported(f *scan, each func(s *syntax.Site)) {
	for _, s := range f.uses {
		switch {
		case s.Imported:
			each(s)
		case s.Dots:
			p.unsure(f, s.Line, "it is reached through its module")
		}
	}
}

// hidesCode says of a file that some texts count as code.
func (p *mentions) hidesCode(f *scan, texts int) {
	if texts > 0 {
		p.unsure(f, 1, "the name stands in a string or comment that counts as code")
	}
}

// finish makes the changes of the edits.
func (p *mentions) finish() {
	for _, f := range p.found {
		if len(f.edits) == 0 {
			continue
		}
		e := FileEdits{Path: p.file(f.file).Path, Before: f.src, Edits: f.edits}
		e.sorted()
		p.changes.Edits += len(e.Edits)
		p.changes.Files = append(p.changes.Files, e)
	}
	p.noteExported()
}

// names reports whether a file has the old name as a token at all.
func (p *subject) names(f *scan) bool { return count(f.sites, p.old) > 0 }

// unions tells whether types that have the renamed member stand in unions, and others that have one of that name.
type unions struct {
	own, others        map[string]bool // names of types
	ownSeen, otherSeen bool
}

// unionsOf are nil where no value may be of two types that have the member.
func (p *subject) unionsOf() *unions {
	if !p.lang.imports() || !p.member {
		return nil
	}
	u := &unions{own: map[string]bool{}, others: map[string]bool{}}
	for _, y := range p.r.Tree.Named(p.old) {
		f := p.file(y.File)
		if !p.related(f) || !p.r.IsMember(y.File, p.r.Def(y)) {
			continue
		}
		into := u.others
		if p.in[y] {
			into = u.own
		}
		for _, t := range p.ownersOf(y) {
			for _, sub := range append(p.r.Subtypes(t), t) {
				into[p.spelled(p.r.Def(sub).Name)] = true
			}
		}
	}
	if len(u.others) == 0 {
		return nil
	}
	return u
}

// mixed reports whether a value may be of two types that have the member, of which only one is renamed.
func (u *unions) mixed() bool { return u != nil && u.ownSeen && u.otherSeen }

// look looks for the types in the unions of a text. Comments count: types may stand there.
func (u *unions) look(src []byte) {
	if u == nil || u.mixed() {
		return
	}
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], '|')
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		if at < len(src) && (src[at] == '|' || src[at] == '=') {
			at++
			continue
		}
		u.note(nameBefore(src, i))
		u.note(nameBehind(src, at))
	}
	u.lookInBrackets(src)
}

// lookInBrackets looks for the unions of Python: Union[A, B].
func (u *unions) lookInBrackets(src []byte) {
	const between = "[], .\n\r\t\"'"
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("Union["))
		if i < 0 {
			return
		}
		at += i + len("Union[")
		list := string(src[at : at+max(bytes.IndexByte(src[at:], ']'), 0)])
		for _, word := range strings.FieldsFunc(list, func(c rune) bool { return strings.ContainsRune(between, c) }) {
			u.note(word)
		}
	}
}

func (u *unions) note(name string) {
	u.ownSeen = u.ownSeen || u.own[name]
	u.otherSeen = u.otherSeen || u.others[name]
}
