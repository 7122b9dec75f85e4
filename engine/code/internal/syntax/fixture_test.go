package syntax

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write anew what the fixtures in testdata say is read")

// A fixture is a text archive of two or three files: a source, its name telling the language; "read", what the reader makes of it;
// and "never", references that would be wrong, whatever else changes. Above the source stands what the fixture shows.
type fixture struct {
	path    string
	archive *txtar.Archive
}

const (
	readSection  = "read"
	neverSection = "never"
)

func fixtures(t testing.TB) []fixture {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var list []fixture
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Files) == 0 {
			t.Fatalf("%s holds no source", path)
		}
		list = append(list, fixture{path, a})
	}
	return list
}

// source is the name and text of the file that a fixture is about.
func (f fixture) source() (name string, src []byte) {
	return f.archive.Files[0].Name, f.archive.Files[0].Data
}

// section is the text of the file called name, and its index among the files, or -1.
func (f fixture) section(name string) (string, int) {
	i := slices.IndexFunc(f.archive.Files, func(file txtar.File) bool { return file.Name == name })
	if i < 0 {
		return "", -1
	}
	return string(f.archive.Files[i].Data), i
}

func (f fixture) write(read string) error {
	if _, i := f.section(readSection); i > 0 {
		f.archive.Files[i].Data = []byte(read)
	} else {
		section := txtar.File{Name: readSection, Data: []byte(read)}
		f.archive.Files = slices.Insert(f.archive.Files, 1, section)
	}
	return os.WriteFile(f.path, txtar.Format(f.archive), 0o644)
}

// go test ./engine/code/internal/syntax -run Fixture -update writes what is read; git diff then shows what a change did.
func TestAFixtureSaysWhatIsReadFromASource(t *testing.T) {
	for _, f := range fixtures(t) {
		t.Run(strings.TrimSuffix(filepath.ToSlash(f.path), ".txt"), func(t *testing.T) {
			name, src := f.source()
			check(t, name, src)
			file := Extract(name, src)
			got := render(&file)
			if *update {
				if err := f.write(got); err != nil {
					t.Fatal(err)
				}
			}
			want, _ := f.section(readSection)
			if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" && !*update {
				t.Errorf("%s: what is read differs (-want +got):\n%s", f.path, diff)
			}
			never, _ := f.section(neverSection)
			for bad := range strings.Lines(never) {
				if bad = strings.TrimSpace(bad); slices.ContainsFunc(file.References, func(u Reference) bool { return describe(&u) == bad }) {
					t.Errorf("%s: wrong reference %q", f.path, bad)
				}
			}
		})
	}
}

func TestEveryLanguageHasFixtures(t *testing.T) {
	has := map[Language]bool{}
	for _, f := range fixtures(t) {
		name, src := f.source()
		has[Of(name, src)] = true
	}
	for l := Unknown; l < languages; l++ {
		if !has[l] {
			t.Errorf("no fixture in testdata is a file of %s", l)
		}
	}
}

// render writes a file's rows as text: imports first, then definitions with what stands in them, each with its lines:
//
//	3 import io as io
//	5-9 struct Server
//	  6 field log: io.Writer
//	    6 > use io.Writer
//
// A definition has its type behind a colon; a reference, behind >, has its qualifier before the name.
func render(f *File) string {
	var b strings.Builder
	if f.Skipped != "" {
		fmt.Fprintf(&b, "skipped: %s\n", f.Skipped)
	}
	if f.Generic {
		b.WriteString("guessed\n")
	}
	if f.Package != "" {
		fmt.Fprintf(&b, "package %s\n", f.Package)
	}
	for _, i := range f.Imports {
		b.WriteString(renderImport(i))
	}
	renderInside(&b, f, -1, "")
	return b.String()
}

func renderImport(i Import) string {
	text := fmt.Sprintf("%d import %s", i.Line, i.Module)
	if i.Name != "" {
		text = fmt.Sprintf("%d import %s from %s", i.Line, i.Name, i.Module)
	}
	if i.Local != "" {
		text += " as " + i.Local
	}
	return text + "\n"
}

// renderInside writes what stands in the definition d, in the order of its lines.
func renderInside(b *strings.Builder, f *File, d int, indent string) {
	refs := 0
	until := func(line int) {
		for ; refs < len(f.References); refs++ {
			u := f.References[refs]
			if u.From != d {
				continue
			}
			if u.Line > line {
				return
			}
			fmt.Fprintf(b, "%s%d > %s\n", indent, u.Line, describe(&u))
		}
	}
	for k, def := range f.Definitions {
		if def.Parent != d {
			continue
		}
		until(def.Line - 1)
		fmt.Fprintf(b, "%s%s\n", indent, renderDefinition(&def))
		renderInside(b, f, k, indent+"  ")
	}
	until(f.Lines + 1)
}

func renderDefinition(d *Definition) string {
	text := fmt.Sprint(d.Line)
	if d.EndLine != d.Line {
		text = fmt.Sprintf("%d-%d", d.Line, d.EndLine)
	}
	text += " " + d.Kind.String() + " " + d.Name
	if d.Owner != "" {
		text += " of " + d.Owner
	}
	if d.Type != "" {
		text += ": " + d.Type
	}
	return text
}

// describe is "use qualifier.name".
func describe(u *Reference) string {
	return u.Use.String() + " " + strings.TrimPrefix(u.Qualifier+"."+u.Name, ".")
}
