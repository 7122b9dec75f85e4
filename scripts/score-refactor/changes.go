package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/engine/code"
	"helve/engine/code/refactor"
	"helve/scripts/internal/scoring"
)

// changing is a score of changes that no server makes: signatures and moves. The project is built after each.
type changing struct {
	*options
	dir    string
	out    io.Writer
	snap   *code.Snapshot
	beside map[string][]string // the files of a language in each folder
	rand   *rand.Rand
	builds func() (bool, string)

	places      int // how many new files were asked for
	done, wrong int
	left        int // planned and not built
	refused     reasons
	planning    []time.Duration
}

// A planned is one change that is asked for.
type planned func(context.Context, *changing, code.Symbol) (*refactor.Changes, string, error)

// scoreChanges makes so many changes of one kind, each in the project as it was.
func scoreChanges(
	ctx context.Context, out io.Writer, dir string, plan planned, count int, o *options,
) (wrong int, err error) {
	tree, err := scoring.OpenFolder(dir)
	if err != nil {
		return 0, err
	}
	index := code.New(tree, code.Options{})
	defer index.Close()
	c := &changing{
		options: o,
		dir:     dir,
		out:     out,
		refused: reasons{},
		beside:  map[string][]string{},
		rand:    newRand(),
		builds:  func() (bool, string) { return goBuilds(dir) },
	}
	if c.snap, err = index.Snapshot(ctx); err != nil {
		return 0, err
	}
	if strings.HasSuffix(o.server, ".js") {
		err := scoreBatch(ctx, c, tree, plan, count)
		return c.wrong, err
	}
	if ok, why := c.builds(); !ok {
		return 0, errors.New("it does not build before: " + why)
	}
	list := c.definitions(tree, code.Go)
	for tries := 0; len(list) > 0 && tries < count; {
		if c.one(ctx, plan, list[c.rand.IntN(len(list))]) {
			tries++
		}
	}
	c.report(count)
	return c.wrong, nil
}

// definitions are the functions, methods and types of a language outside tests, sorted by ID.
func (c *changing) definitions(tree *scoring.Folder, lang code.Language) []code.Symbol {
	byID := map[string]code.Symbol{}
	for _, e := range tree.Entries() {
		if code.LanguageOf(e.Path, nil) != lang || strings.Contains(e.Path, "testdata/") {
			continue
		}
		c.beside[path.Dir(e.Path)] = append(c.beside[path.Dir(e.Path)], e.Path)
		for _, y := range c.snap.Definitions(e.Path) {
			if !y.Test && c.changed(y.Kind, lang) {
				byID[y.ID] = y
			}
		}
	}
	var list []code.Symbol
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		list = append(list, byID[id])
	}
	return list
}

// changed tells whether definitions of a kind are changed. Where moves are scored, constants and variables move, too.
func (c *changing) changed(k code.Kind, lang code.Language) bool {
	switch k {
	case code.Function, code.Method, code.Struct, code.Interface, code.Alias, code.Class, code.Enum:
		return true
	case code.Constant, code.Variable:
		return c.moves > 0 && lang != code.Go
	}
	return false
}

// errNone says that a definition has nothing to change.
var errNone = errors.New("nothing to change")

// one plans a change, makes it, builds, and takes it back. It reports whether there was something to change.
func (c *changing) one(ctx context.Context, plan planned, y code.Symbol) bool {
	started := time.Now()
	changes, what, err := plan(ctx, c, y)
	if errors.Is(err, errNone) {
		return false
	}
	c.planning = append(c.planning, time.Since(started))
	if err != nil {
		c.refuse(y, what, err)
		return true
	}
	ok, why := c.built(changes)
	if ok {
		c.done++
		return true
	}
	c.wrong++
	fmt.Fprintf(c.out, "WRONG %s %s\n  %s\n", y.ID, what, strings.ReplaceAll(strings.TrimSpace(why), "\n", "\n  "))
	return true
}

// refuse counts a refusal.
func (c *changing) refuse(y code.Symbol, what string, err error) {
	c.refused.add(err, y)
	if c.verbose {
		fmt.Fprintf(c.out, "refused %s %s: %v\n", y.ID, what, err)
	}
}

// built writes changes, builds and takes them back.
func (c *changing) built(changes *refactor.Changes) (bool, string) {
	for _, f := range changes.Files {
		full := filepath.Join(c.dir, f.Path)
		if err := os.Mkdir(filepath.Dir(full), 0o755); err == nil {
			defer os.Remove(filepath.Dir(full))
		}
		os.WriteFile(full, f.After(), 0o644)
	}
	ok, why := c.builds()
	for _, f := range changes.Files {
		if f.New {
			os.Remove(filepath.Join(c.dir, f.Path))
			continue
		}
		os.WriteFile(filepath.Join(c.dir, f.Path), f.Before, 0o644)
	}
	return ok, why
}

func (c *changing) report(count int) {
	refused := count - c.done - c.wrong - c.left
	fmt.Fprintf(c.out, "%s: of %d changes %d done, %d wrong, %d refused; %s\n",
		c.dir, count, c.done, c.wrong, refused, pace(c.planning, time.Millisecond))
	c.refused.print(c.out)
}

// newPlace asks to move to another file beside, or a new one.
func newPlace(ctx context.Context, c *changing, y code.Symbol) (*refactor.Changes, string, error) {
	if _, name, _ := strings.Cut(y.ID, "#"); path.Ext(y.Path) != ".go" && strings.Contains(name, ".") {
		return nil, "", errNone // what stands in a type moves with it
	}
	c.places++
	to := path.Join(path.Dir(y.Path), fmt.Sprintf("qz%d%s", c.places, path.Ext(y.Path)))
	if list := c.beside[path.Dir(y.Path)]; c.rand.IntN(3) > 0 && len(list) > 1 {
		k := c.rand.IntN(len(list))
		if to = list[k]; to == y.Path {
			to = list[(k+1)%len(list)]
		}
	}
	changes, err := refactor.Move(ctx, c.snap, y.ID, to)
	return changes, "to " + to, err
}

// newPackage asks to move to a file of another folder of Go, or of a new one.
func newPackage(ctx context.Context, c *changing, y code.Symbol) (*refactor.Changes, string, error) {
	if y.Kind == code.Method {
		return nil, "", errNone
	}
	c.places++
	dirs := slices.Sorted(maps.Keys(c.beside))
	dir := dirs[c.rand.IntN(len(dirs))]
	to := path.Join(dir, fmt.Sprintf("qz%d.go", c.places))
	switch {
	case dir == path.Dir(y.Path) || c.rand.IntN(4) == 0:
		to = path.Join(path.Dir(y.Path), fmt.Sprintf("qz%d/qz.go", c.places))
	case c.rand.IntN(2) == 0:
		to = c.beside[dir][c.rand.IntN(len(c.beside[dir]))]
	}
	changes, err := refactor.Move(ctx, c.snap, y.ID, to)
	return changes, "to " + to, err
}

// newSignature asks for one parameter more, one less, or another order.
func newSignature(ctx context.Context, c *changing, y code.Symbol) (*refactor.Changes, string, error) {
	if y.Kind != code.Function && y.Kind != code.Method {
		return nil, "", errNone
	}
	names, err := parameters(ctx, c.snap, y)
	if err != nil {
		return nil, "", err
	}
	to := c.otherParameters(names, code.LanguageOf(y.Path, nil))
	changes, err := refactor.ChangeSignature(ctx, c.snap, y.ID, to)
	return changes, fmt.Sprint(to), err
}

// otherParameters are those of a function that has these ones now.
func (c *changing) otherParameters(names []string, lang code.Language) []refactor.Parameter {
	var to []refactor.Parameter
	for _, n := range names {
		to = append(to, refactor.Parameter{Name: n})
	}
	what, script := c.rand.IntN(3), lang != code.Go
	if script && c.rand.IntN(4) == 0 {
		what = 3
	}
	switch {
	case what == 3 && len(to) > 0:
		i := c.rand.IntN(len(to))
		to[i].Old, to[i].Name = to[i].Name, "qz"
	case what == 0 && script && c.rand.IntN(2) == 0:
		to = append(to, refactor.Parameter{Name: "qz", Default: "0", Type: numbers[lang]})
	case what == 1 && len(to) > 0:
		i := c.rand.IntN(len(to))
		to = slices.Delete(to, i, i+1)
	case what == 2 && len(to) > 1:
		c.rand.Shuffle(len(to), func(i, k int) { to[i], to[k] = to[k], to[i] })
	default:
		more := refactor.Parameter{Name: "qz", Type: cmp.Or(numbers[lang], "int"), Value: "0"}
		if lang == code.JavaScript {
			more.Type = ""
		}
		to = slices.Insert(to, c.rand.IntN(len(to)+1), more)
	}
	return to
}

// numbers are the types of numbers where a parameter with a default has its type written.
var numbers = map[code.Language]string{code.TypeScript: "number"}

// parameters are the names of the parameters that a function has: a refusal lists them.
func parameters(ctx context.Context, snap *code.Snapshot, y code.Symbol) ([]string, error) {
	_, err := refactor.ChangeSignature(ctx, snap, y.ID, []refactor.Parameter{{Name: "?"}})
	if err == nil {
		return nil, errors.New("a parameter that there is not was accepted")
	}
	_, list, ok := strings.Cut(err.Error(), "; it has: ")
	if !ok {
		return nil, err
	}
	if list == "none" {
		return nil, nil
	}
	return strings.Split(list, ", "), nil
}
