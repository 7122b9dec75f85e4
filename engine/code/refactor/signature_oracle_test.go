package refactor

import (
	"context"
	"errors"
	"slices"
	"testing"

	"helve/engine/code"
	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/syntax"
)

// Every signature that is changed leaves a package that type-checks.
func TestANewSignatureLeavesWhatGoTypesAccepts(t *testing.T) {
	root := libraryRoot(t)
	from := newGoLibrary(t)
	done, asked := 0, 0
	for _, dir := range renamedPackages {
		p := checkedPackage(t, from, root, dir)
		s, _ := open1(t, p.files)
		for path := range p.files {
			for i, y := range s.Definitions(path) {
				if y.Kind != syntax.Function && y.Kind != syntax.Method || i%2 != 0 { // half of them are enough
					continue
				}
				for _, to := range p.signatures(s, y) {
					asked++
					if p.sign(t, s, y, to) {
						done++
					}
				}
			}
		}
	}
	t.Logf("%d of %d changes are done, the others refused", done, asked)
	if asked < 500 || done < asked/4 {
		t.Errorf("%d of %d changes are done: want at least 500 asked for and a quarter done", done, asked)
	}
}

// signatures are new ones for a definition: one parameter more at both ends, the first and the last one less, all in
// another order.
func (p *checked) signatures(s *code.Snapshot, y code.Symbol) [][]Parameter {
	added := Parameter{Name: "qz", Type: "int", Value: "0"}
	var has []Parameter
	for _, name := range parameterNames(s, y) {
		has = append(has, Parameter{Name: name})
	}
	list := [][]Parameter{append([]Parameter{added}, has...), append(slices.Clone(has), added)}
	if len(has) > 0 {
		list = append(list, has[1:], has[:len(has)-1])
	}
	if len(has) > 1 {
		turned := slices.Clone(has)
		slices.Reverse(turned)
		list = append(list, turned)
	}
	return list
}

// parameterNames are the names by which the parameters of a definition are asked for.
func parameterNames(s *code.Snapshot, y code.Symbol) (names []string) {
	r := meaning.NewResolver(context.Background(), s.Tree())
	p, err := newSubject(context.Background(), r, y.ID)
	if err != nil || p.mayBe(p.standIn()) != nil {
		return nil
	}
	c := newSigning(&judge{mentions: &mentions{subject: p}}, nil)
	if c.readOld() != nil {
		return nil
	}
	for i := range c.params {
		names = append(names, c.params[i].label(i))
	}
	return names
}

// sign changes a signature and type-checks. It reports whether that was done.
func (p *checked) sign(t *testing.T, s *code.Snapshot, y code.Symbol, to []Parameter) bool {
	c, err := ChangeSignature(context.Background(), s, y.ID, to)
	if err != nil {
		if _, ok := errors.AsType[*RefusedError](err); !ok {
			t.Errorf("%s/%s: %v", p.dir, y.ID, err)
		}
		return false
	}
	files := map[string]string{}
	for path, src := range p.files {
		files[path] = src
	}
	for i := range c.Files {
		files[c.Files[i].Path] = string(c.Files[i].After())
	}
	if err := p.check(files, false); err != nil {
		t.Errorf("%s/%s with %v: %v", p.dir, y.ID, to, err)
	}
	return true
}
