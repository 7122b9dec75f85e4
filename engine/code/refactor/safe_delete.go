package refactor

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// SafeDelete plans to remove the definition called name, with the comment before it. What uses it, or may use it, is a
// reason to refuse with a *RefusedError.
func SafeDelete(ctx context.Context, in *code.Snapshot, name string) (*Changes, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPlanning)
	defer cancel()
	r := meaning.NewPlanner(ctx, in.Tree())
	group, err := chosenFor(r, name)
	if err != nil {
		return nil, err
	}
	d := r.Def(group[0])
	p, err := newRenaming(ctx, r, group, r.Tree.Lex.Text(d.Name)+"_")
	if err != nil {
		return nil, err
	}
	if err := p.extend(); err != nil {
		return nil, err
	}
	if len(p.group) > len(group) {
		return nil, p.refusedOthers(group)
	}
	if err := p.scan(); err != nil {
		return nil, err
	}
	if err := p.scriptHazards(); err != nil {
		return nil, err
	}
	if len(p.made) > 0 {
		return nil, refused("Use change_signature.", "%s is declared as a parameter of the constructor", p.old)
	}
	if p.lang == syntax.Go && p.member && !p.exported {
		p.alone = p.onlyMember()
	}
	if err := p.unused(); err != nil {
		return nil, err
	}
	if r.Clock.Ended || ctx.Err() != nil {
		return nil, refused("", "looking at all uses of %s took more than %s", p.old, maxPlanning)
	}
	return &p.changes, p.remove()
}

// refusedOthers names what implements, overrides or embeds the definition.
func (p *renaming) refusedOthers(group []store.DefID) error {
	e := &RefusedError{Why: fmt.Sprintf("%s is bound to others by its name", p.changes.Of.ID)}
	for _, y := range p.group[len(group):] {
		s := p.r.Tree.Symbol(y)
		e.Places = append(e.Places, place(s.Path, s.Line, s.ID))
	}
	return e
}

// unused refuses where something outside the definition uses it, or may.
func (p *renaming) unused() error {
	for _, f := range p.found {
		p.judge(f, func(s *syntax.Site) bool { return p.inside(f.file, s.Start) })
		p.hidesUses(f)
	}
	for i := range p.rulings {
		if r := &p.rulings[i]; r.what == doubt {
			r.why = "may use it: " + r.why
		}
	}
	p.settle(slices.ContainsFunc(p.rulings, func(r ruled) bool { return r.what == meant }))
	e := &RefusedError{Next: strings.TrimSpace("Nothing was changed. Change these places first. " + p.next)}
	for _, r := range p.rulings {
		if r.what == meant {
			e.Places = append(e.Places, place(p.r.Tree.Files[r.in.file].Path, r.Line, "uses it"))
		}
	}
	e.Places = append(e.Places, p.open...)
	if len(e.Places) == 0 {
		return nil
	}
	slices.SortStableFunc(e.Places, byPlace)
	e.Why = fmt.Sprintf("%s is used", p.changes.Of.ID)
	return e
}

// inside reports whether an offset of a file stands in one of the definitions.
func (p *renaming) inside(n int32, off int) bool {
	return slices.ContainsFunc(p.group, func(y store.DefID) bool {
		d := p.r.Def(y)
		return y.File == n && int(d.Start) <= off && off < int(d.End)
	})
}

// remove makes the edits that take the definitions out.
func (p *renaming) remove() error {
	for _, f := range p.found {
		var e *FileEdits
		for _, y := range p.group {
			if y.File != f.file {
				continue
			}
			if e == nil {
				e = &FileEdits{Path: p.r.Tree.Files[f.file].Path, Before: f.src}
			}
			cut, err := p.cut(y, f.src)
			if err != nil {
				return err
			}
			e.Edits = append(e.Edits, cut)
		}
		if e == nil {
			continue
		}
		e.sorted()
		if p.lang == syntax.Go {
			p.unimport(f.file, e)
		}
		p.changes.Edits += len(e.Edits)
		p.changes.Files = append(p.changes.Files, *e)
	}
	p.noteExported()
	return nil
}

// cut is the edit that takes out one definition: whole lines, with the comment right above them and one empty line.
func (p *renaming) cut(y store.DefID, src []byte) (TextEdit, error) {
	from, end, err := p.wholeLines(y, src)
	if err != nil {
		return TextEdit{}, err
	}
	return gap(src, from, end), nil
}

// wholeLines are those of a definition, with the comment right above them.
func (p *renaming) wholeLines(y store.DefID, src []byte) (from, end int, err error) {
	d := p.r.Def(y)
	from, end = lineStart(src, int(d.Start)), int(d.End)
	if p.lang == syntax.Go && (d.Kind == syntax.Constant || d.Kind == syntax.Variable) {
		return 0, 0, refused("Edit it by hand.", "%s is declared together with others, or may be", p.changes.Of.ID)
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
	if bytes.HasPrefix(src[rest:], []byte("//")) || p.lang == syntax.Python && bytes.HasPrefix(src[rest:], []byte("#")) {
		rest += max(bytes.IndexByte(src[rest:], '\n'), 0)
	}
	line := bytes.TrimRight(src[rest:lineEnd(src, rest)], "\r\n\t ")
	if head != "" || len(line) > 0 {
		return 0, 0, refused("Edit it by hand.", "%s shares its line with something else", p.changes.Of.ID)
	}
	return p.commentAbove(src, from), lineEnd(src, rest), nil
}

// gap takes out whole lines, and one of two empty ones that would meet.
func gap(src []byte, from, end int) TextEdit {
	next := lineEnd(src, end)
	switch {
	case from > 0 && !emptyBefore(src, from):
	case end == len(src) && from > 0:
		from = lineStart(src, from-1)
	case len(bytes.TrimSpace(src[end:next])) == 0:
		end = next
	}
	return TextEdit{from, end, ""}
}

// modifiers are what may stand before a definition on its line and goes with it.
var modifiers = meaning.WordSet("export default declare abstract async const type public private protected static")

func onlyModifiers(head string) bool {
	for word := range strings.FieldsSeq(head) {
		if !modifiers[word] {
			return false
		}
	}
	return true
}

// commentAbove is where the lines of comment right above a line begin.
func (p *renaming) commentAbove(src []byte, from int) int {
	mark := []byte("//")
	if p.lang == syntax.Python {
		mark = []byte("#")
	}
	for from > 0 {
		above := lineStart(src, from-1)
		line := bytes.TrimSpace(src[above:from])
		switch {
		case bytes.HasPrefix(line, mark) && !bytes.HasPrefix(line, []byte("//go:build")) && !bytes.HasPrefix(line, []byte("#!")):
			from = above
		case bytes.HasSuffix(line, []byte("*/")) && p.lang != syntax.Python:
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

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

// lineEnd is behind the line break of the line at an offset.
func lineEnd(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// emptyBefore reports whether the line before an offset, where a line begins, is empty.
func emptyBefore(src []byte, at int) bool {
	return at > 0 && len(bytes.TrimSpace(src[lineStart(src, at-1):at])) == 0
}

// unimport takes out the imports of Go that nothing needs any more: Go builds no file with one.
func (p *renaming) unimport(n int32, e *FileEdits) {
	var names []string
	for _, m := range p.r.Tree.ImportsOf(n) {
		if local := p.r.Tree.Lex.Text(m.Local); local != "" && local != "_" {
			names = append(names, local)
		}
	}
	p.x.Watch(names...)
	p.x.Rows(e.Path, e.Before)
	left, gone := map[string]bool{}, map[string]bool{}
	for _, s := range p.x.Seen().Sites {
		switch {
		case s.Imported || s.Dots || s.Line <= lastImport(p.r.Tree.ImportsOf(n)):
		case slices.ContainsFunc(e.Edits, func(t TextEdit) bool { return t.Start <= s.Start && s.Start < t.End }):
			gone[s.Name] = true
		default:
			left[s.Name] = true
		}
	}
	for _, m := range p.r.Tree.ImportsOf(n) {
		local := p.r.Tree.Lex.Text(m.Local)
		if !gone[local] || left[local] {
			continue
		}
		from := 0
		for range m.Line - 1 {
			from = lineEnd(e.Before, from)
		}
		e.Edits = append(e.Edits, gap(e.Before, from, lineEnd(e.Before, from)))
	}
	e.sorted()
}

// lastImport is the line of the last import of a file.
func lastImport(rows []store.ImportRow) int {
	last := 0
	for _, m := range rows {
		last = max(last, int(m.Line))
	}
	return last
}
