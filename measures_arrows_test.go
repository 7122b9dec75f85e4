package helve_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// A typed package is one as `go list -export` says it: files to check, and what the compiler wrote for those who import it.
type typed struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
	ImportMap               map[string]string
	Standard                bool
	Module                  *struct{ Main bool }
}

// typedPackages are those of the module and what they import.
func typedPackages(t *testing.T) []typed {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,ImportMap,Standard,Module", "./...")
	cmd.Env = append(os.Environ(), "GOOS=linux") // the same files wherever it is counted
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []typed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p typed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// arrowsBack counts, for each folder of the module with files enough, the arrows between its files that run back up. A file
// points at another one that declares what it names: a function, a type, a method, a field, a constant or a variable. Files
// can be laid out so that most arrows run down; those that run up in the best layout are what makes circles of files.
func arrowsBack(t *testing.T) map[string]int {
	t.Helper()
	all := typedPackages(t)
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	files := token.NewFileSet()
	compiled := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, p := range all {
		if p.Module == nil || !p.Module.Main || len(p.GoFiles) < manyFiles {
			continue
		}
		dir, err := filepath.Rel(here, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(dir)] = back(p.GoFiles, fileArrows(t, files, compiled, p))
	}
	return out
}

// fileArrows are the arrows between the files of a package.
func fileArrows(t *testing.T, files *token.FileSet, compiled types.Importer, p typed) map[[2]string]bool {
	t.Helper()
	var parsed []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	checked := types.Config{Importer: compiled}
	pkg, err := checked.Check(p.ImportPath, files, parsed, info)
	if err != nil {
		t.Fatal(err)
	}
	arrows := map[[2]string]bool{}
	file := func(at token.Pos) string { return filepath.Base(files.Position(at).Filename) }
	for name, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		if a := [2]string{file(name.Pos()), file(object.Pos())}; a[0] != a[1] {
			arrows[a] = true
		}
	}
	return arrows
}

// back is how many arrows run up in the best layout that is found of a least feedback set, a problem that has no fast exact
// answer: files are laid out as Eades, Lin and Smyth do (who is named by nobody stands on top, who names nobody at the
// bottom, else who names most beyond those that name it), then each is put where fewest arrows run up until none can be
// put better. The same files and arrows give the same figure.
func back(files []string, arrows map[[2]string]bool) int {
	order := laidOut(files, arrows)
	for improve := true; improve; {
		improve = false
		for _, file := range slices.Sorted(slices.Values(files)) {
			improve = placed(order, file, arrows) || improve
		}
	}
	at := map[string]int{}
	for i, file := range order {
		at[file] = i
	}
	up := 0
	for a := range arrows {
		if at[a[0]] > at[a[1]] {
			up++
		}
	}
	return up
}

func laidOut(files []string, arrows map[[2]string]bool) []string {
	left := map[string]bool{}
	for _, file := range files {
		left[file] = true
	}
	var top, bottom []string
	for len(left) > 0 {
		best, most, last := "", 0, false
		for _, file := range slices.Sorted(maps.Keys(left)) {
			named, names := 0, 0
			for a := range arrows {
				if a[0] == file && left[a[1]] {
					names++
				}
				if a[1] == file && left[a[0]] {
					named++
				}
			}
			beyond := names - named
			switch {
			case names == 0:
				beyond = len(arrows) + 1
			case named == 0:
				beyond = len(arrows)
			}
			if best == "" || beyond > most {
				best, most, last = file, beyond, names == 0
			}
		}
		delete(left, best)
		if last {
			bottom = append(bottom, best)
		} else {
			top = append(top, best)
		}
	}
	slices.Reverse(bottom)
	return append(top, bottom...)
}

// placed moves a file to where fewest arrows from and to it run up, and says whether that is better than where it was.
func placed(order []string, file string, arrows map[[2]string]bool) bool {
	was := slices.Index(order, file)
	rest := slices.Delete(slices.Clone(order), was, was+1)
	// With the file on top no arrow to it runs down; each step down turns the arrows between it and the file passed.
	cost := 0
	for _, other := range rest {
		if arrows[[2]string{other, file}] {
			cost++
		}
	}
	least, where, now := cost, 0, cost
	for i, other := range rest {
		if arrows[[2]string{other, file}] {
			cost--
		}
		if arrows[[2]string{file, other}] {
			cost++
		}
		if cost < least {
			least, where = cost, i+1
		}
		if i+1 == was {
			now = cost
		}
	}
	if least >= now {
		return false
	}
	copy(order, slices.Insert(rest, where, file))
	return true
}

func TestArrowsThatRunBackAreTheFewest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		files := []string{"a", "b", "c", "d", "e", "f"}
		arrows := map[[2]string]bool{}
		for range random.IntN(16) {
			if a := [2]string{files[random.IntN(6)], files[random.IntN(6)]}; a[0] != a[1] {
				arrows[a] = true
			}
		}
		if got, want := back(files, arrows), fewest(files, nil, arrows); got != want {
			t.Errorf("%v: %d arrows run back, want %d", slices.Collect(maps.Keys(arrows)), got, want)
		}
	}
}

// fewest tries all orders: with the files above laid out, how many arrows run up to one of them from the others.
func fewest(left, above []string, arrows map[[2]string]bool) int {
	if len(left) == 0 {
		return 0
	}
	best := len(arrows)
	for i, file := range left {
		up := 0
		for _, other := range above {
			if arrows[[2]string{file, other}] {
				up++
			}
		}
		rest := slices.Delete(slices.Clone(left), i, i+1)
		best = min(best, up+fewest(rest, append(slices.Clone(above), file), arrows))
	}
	return best
}
