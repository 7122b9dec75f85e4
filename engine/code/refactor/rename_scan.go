package refactor

import (
	"bytes"
	"slices"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// scan finds the files that have one of the two names.
func (p *renaming) scan() error {
	p.unions = p.unionsOf()
	files := []int32{}
	for n, f := range p.r.Tree.Files {
		if f != nil && store.Family(f.Lang) == p.lang && p.visibleIn(f) {
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
	return p.foreignWords()
}

// inCode refuses a definition that stands in a comment, as types of JavaScript may: comments are not edited.
func (p *renaming) inCode() error {
	for _, y := range p.group {
		defines := func(f *scan) bool {
			return f.file == y.File && slices.ContainsFunc(f.sites, func(s syntax.Site) bool { return s.Def == y.Def })
		}
		if !slices.ContainsFunc(p.found, defines) {
			return refused("Edit it by hand.", "%s is defined in a comment", p.changes.Of.ID)
		}
	}
	return nil
}

// visibleIn reports whether a file can name the definition at all.
func (p *renaming) visibleIn(f *store.File) bool {
	switch {
	case p.local:
		return f == p.r.Tree.Files[p.group[0].File]
	case p.lang == syntax.Go && !p.exported:
		return f.Dir() == p.home
	}
	return true
}

// look reads a file if it has one of the names.
func (p *renaming) look(n int32) error {
	f := p.r.Tree.Files[n]
	if p.ctx.Err() != nil {
		p.r.Clock.Ended = true
		return nil
	}
	if f.Skipped == syntax.TooLarge { // the name may stand behind what could be read of it
		p.open = append(p.open, place(f.Path, 1, "the file was not read: "+f.Skipped))
		return nil
	}
	src, err := p.r.Tree.Text(p.ctx, f.Path)
	if err != nil {
		return err
	}
	p.unions.look(src)
	if !bytes.Contains(src, []byte(p.old)) && !bytes.Contains(src, []byte(p.to)) {
		return nil
	}
	if store.Digest(src) != f.Digest {
		return refused("Repeat the call.", "%s changed meanwhile", f.Path)
	}
	if f.Skipped != "" {
		p.open = append(p.open, place(f.Path, 1, "the file was not read: "+f.Skipped))
		return nil
	}
	p.x.Watch(p.old, p.to)
	p.x.Rows(f.Path, src)
	seen := p.x.Seen()
	hasOld := slices.ContainsFunc(seen.Sites, func(s syntax.Site) bool { return s.Name == p.old })
	p.changes.Texts += meaning.CountWords(src, p.old) - count(seen.Sites, p.old)
	sc := &scan{file: n, sites: seen.Sites, binds: seen.Binds, seen: &seen}
	if hasOld || seen.Live+seen.Quoted > 0 {
		sc.src = src
		p.examined += int64(len(src))
	}
	if p.examined > maxEditedBytes {
		return refused("", "the files that have the name %s are larger than %d MB together", p.old, maxEditedBytes>>20)
	}
	p.found = append(p.found, sc)
	return nil
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
