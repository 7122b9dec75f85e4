package refactor

import (
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// python is Python.
type python struct{ importing }

// pythonWords are those that no definition can have as its name.
var pythonWords = meaning.WordSet("False None True and as assert async await break class continue def del elif else except finally for " +
	"from global if import in is lambda nonlocal not or pass raise return try while with yield")

func (python) badName(name string) string  { return notNamed(name, "", pythonWords) }
func (python) comment() string             { return "#" }
func (python) folder(module string) string { return before(module, ".") }

// public reports whether the file belongs to a package that can be published.
func (python) public(p *subject, f *store.File) bool {
	return !p.local && p.below(f, "pyproject.toml", "") || p.below(f, "setup.py", "")
}

// fixed refuses names with two underscores, old and new ones.
func (python) fixed(p *subject, _ *store.File, _ *store.Def, to string) error {
	switch {
	case strings.HasPrefix(p.old, "__"):
		return p.meaningFrom("Python")
	case strings.HasPrefix(to, "__"):
		return refused("Choose another name.",
			"%s is changed by Python inside classes, or has a meaning of its own", to)
	}
	return nil
}

// hides finds what brings the name in a way that is not followed: a text, or an import.
func (l python) hides(p *mentions, f *scan) {
	p.hidesCode(f, f.seen.Live)
	if !p.member {
		l.importsSeen(p, f)
	}
}

// unread rules on a token that the reader of Python passed by.
func (l python) unread(p *judge, f *scan, s *syntax.Site) (ruling, string) {
	switch named := (s.After == '=' || s.After == ':') && !s.First; {
	case named && p.member:
		return l.ruleArgument(p)
	case named:
		return other, "" // the name of a parameter
	case !p.member && (p.samePackage(f.file) || p.mentionsImport(f)):
		return doubt, "this place was not understood"
	}
	return other, ""
}

// ruleArgument rules on name=… in Python: a field of a data class is the name of a parameter of it.
func (python) ruleArgument(p *judge) (ruling, string) {
	if p.r.Def(p.group[0]).Kind == syntax.Field {
		return doubt, "an argument of this name may set the field"
	}
	return other, ""
}

// outside is so of modules' functions and classes. The values of others may hold those of the tree.
func (python) outside(p *subject, n, _ int32, expr string) bool { return p.importedOnly(n, expr) }

// opens reports whether the module is the subject's own file, which may get names while it runs.
func (python) opens(p *subject, v meaning.Value) bool {
	return !p.member && slices.Contains(v.Files, p.group[0].File)
}

// loads are the files that a file imports: a name may be a module, and the folders around a module are loaded with it
// but those around home.
func (l python) loads(p *project, n int32, home string) []int32 {
	files := l.importing.loads(p, n, home)
	for _, row := range p.r.Tree.ImportsOf(n) {
		if v := p.r.ImportValue(row, n); v.Kind == meaning.ModuleValue {
			files = append(files, v.Files...)
		}
	}
	for dir := p.file(n).Dir(); dir != "" && !strings.HasPrefix(home+"/", dir+"/"); dir = store.DirOf(dir) {
		if init := p.r.Tree.Number(meaning.Join(dir, "__init__.py")); init >= 0 {
			files = append(files, init)
		}
	}
	return files
}
