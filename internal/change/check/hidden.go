package check

import (
	_ "embed"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helve/internal/change"
	"helve/internal/fsroot"
	"helve/internal/later"
)

// hiddenText are the names and forms of hidden.txt, one a line; where they come from is for people.
//
//go:embed hiddennames.txt
var hiddenText string

// A hiddenName is a line of them.
type hiddenName struct {
	parts     []string // of the path, folded; "*" in one is anything
	generated bool     // it has no form
	folder    bool
	form      string
}

var hiddenNames = sync.OnceValue(func() []hiddenName {
	var out []hiddenName
	for line := range strings.Lines(hiddenText) {
		name, form, harmless := strings.Cut(strings.TrimSpace(line), " ")
		one := hiddenName{generated: !harmless, folder: strings.HasSuffix(name, "/"), form: form}
		one.parts = strings.Split(fsroot.Fold(strings.TrimSuffix(name, "/")), "/")
		out = append(out, one)
	}
	return out
})

// at tells whether the name stands at a part of a path: it is the path's end, or a folder in it. isDir tells that the
// path is itself a folder.
func (h *hiddenName) at(parts []string, i int, isDir bool) bool {
	end := i + len(h.parts)
	if end > len(parts) || h.folder != (end < len(parts) || isDir) {
		return false
	}
	for j, want := range h.parts {
		if fits, _ := path.Match(want, parts[i+j]); !fits {
			return false
		}
	}
	return true
}

// opens tells whether the folder of a path holds what the name means.
func (h *hiddenName) opens(parts []string) bool {
	for i := range parts {
		left := parts[i:]
		if len(left) < len(h.parts) && strings.Join(h.parts[:len(left)], "/") == strings.Join(left, "/") {
			return true
		}
	}
	return false
}

// isHidden tells of the name of a part of a path.
func isHidden(part string) bool { return len(part) > 1 && part[0] == '.' && part != ".." }

// hiddenWhy is why a new hidden name waits.
const hiddenWhy = "%s is a new hidden name, which another program may run or follow, and is not known as harmless"

// judgeNew tells why what becomes of a path waits for a person where nobody was asked: its name is one that other
// programs run or follow, or a hidden one of which nobody knows who does.
func (c *checker) judgeNew(e edge) string {
	if c.o.New == nil || e.will.Type == change.None {
		return ""
	}
	if why := c.judgeEnvironment(e); why != "" || later.InDependencies(string(e.Path)) {
		return why
	}
	if slices.Contains(strings.Split(fsroot.Fold(string(e.Parent().Path)), "/"), ".git") {
		return "" // git's own files are judged by their content
	}
	if e.will.Type == change.Dir {
		return c.judgeNewFolder(e)
	}
	if why := c.guard.text(e.place); why != "" {
		if c.o.New.restored(c.view, e.place, e.will) {
			return ""
		}
		return why
	}
	if why := c.intoDependencies(e); why != "" {
		return why
	}
	part, known := c.hiddenPart(e)
	switch {
	case part == "" || known:
		return ""
	case !c.o.New.knew(c.view, e.place):
		return fmt.Sprintf(hiddenWhy, part)
	case c.strays(e) && !c.o.New.restored(c.view, e.place, e.will):
		return e.Base() + " would hold something else than a version, and programs look there for one"
	}
	return ""
}

// strays tells of a file of versions that git knew, and that is to hold something else from now on.
func (c *checker) strays(e edge) bool {
	parts := strings.Split(fsroot.Fold(string(e.Path)), "/")
	i := slices.IndexFunc(hiddenNames(), func(h hiddenName) bool {
		return (isVersion(h.form) || h.form == "tools") && h.at(parts, len(parts)-1, false)
	})
	if i < 0 {
		return false
	}
	h := &hiddenNames()[i]
	return !c.fits(h, e) && fitsForm(h.form, string(c.readBefore(e.place, maxText)))
}

// judgeNewFolder holds back a hidden folder as a whole where nothing in it can be harmless.
func (c *checker) judgeNewFolder(e edge) string {
	part := e.Base()
	if !isHidden(part) || e.was.Type == change.Dir || fsroot.Fold(part) == ".git" || c.o.New == nil {
		return ""
	}
	parts := strings.Split(fsroot.Fold(string(e.Path)), "/")
	for i := range hiddenNames() {
		if h := &hiddenNames()[i]; h.opens(parts) {
			return "" // each file in it is judged by itself
		}
	}
	if _, known := c.hiddenPart(e); known || c.o.New.knew(c.view, e.place) {
		return ""
	}
	return fmt.Sprintf(hiddenWhy, part)
}

// hiddenPart is the first hidden part of a path of which nobody knows, "" for none; known tells that a table has what
// is hidden, and that what is to stand there fits the table. In a hidden folder that nobody knows nothing is.
func (c *checker) hiddenPart(e edge) (part string, known bool) {
	names := strings.Split(string(e.Path), "/")
	parts := strings.Split(fsroot.Fold(string(e.Path)), "/")
	at := place{Root: e.Root, Path: "."}
	for i, name := range parts {
		at = at.Child(names[i])
		if !isHidden(name) || name == ".git" {
			continue
		}
		fits := func(h hiddenName) bool {
			return h.at(parts, i, e.will.Type == change.Dir) && (h.generated || c.fits(&h, e))
		}
		if h := slices.IndexFunc(hiddenNames(), fits); h >= 0 && !c.isHome(at.Parent()) {
			if hiddenNames()[h].generated {
				return names[i], true
			}
			part, known = names[i], true
			continue
		}
		if at == e.place || !c.o.New.knew(c.view, at) {
			return names[i], false
		}
		part, known = names[i], false
	}
	return part, known
}

// isHome tells of the person's home, where programs keep what they load in folders that are harmless elsewhere.
func (c *checker) isHome(at place) bool {
	if c.home == nil {
		c.home = &place{}
		now := c.asked[len(c.asked)-1]
		home, err := filepath.EvalSymlinks(now.env("HOME"))
		if p, inside := now.files.place(home); err == nil && inside {
			c.home = &p
		}
	}
	return at == *c.home
}

// A version is a name of letters, digits and signs that leads nowhere.
var versionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?:[A-Za-z0-9*][\w.+@*-]*(?:/[\w*][\w.+*-]*)?\s*)+\z`)
})

// A line of tools has a name and versions, behind comments.
var toolForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A\s*(?:[A-Za-z][\w-]*(?:[ \t]+[A-Za-z0-9][\w.+@-]*(?:/[\w][\w.+-]*)?)+)?\s*(?:#.*)?\z`)
})

// lineForm is a line of a file of names and values.
var lineForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A\s*(?:[#;].*|\[[^\n]*\]|[\w.-]+\s*[=:]\s*[^\n]*)?\z`)
})

// objectForm is the beginning of an object, behind comments: a text alone would name another file.
var objectForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?:\s*(?:#.*|---)?\n)*\s*(?:\{|["']?[\w-]+["']?\s*:(?:\s|\z))`)
})

var queryForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?:[\w\s.,%<>=()\[\]-]|#.*)*\z`)
})

// loads are the keys by which settings load another file or code.
var loads = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)plugin|extends|\brequire\b|custom|loader|command|\bpath|\bexec|processor|` +
		`registries|insecure`)
})

// parserForm is a key of Prettier's and its value: one that is not built in is a file that is loaded.
var parserForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)parser["']?\s*:\s*["']?([^\s"',}]*)`)
})

// builtInParsers are those of prettier.io options.
const builtInParsers = " acorn angular babel babel-flow babel-ts css espree flow glimmer graphql html json " +
	"json-stringify json5 jsonc less lwc markdown mdx meriyah mjml scss typescript vue yaml "

// loadsParser tells of settings that name a parser of their own.
func loadsParser(text string) bool {
	for _, m := range parserForm().FindAllStringSubmatch(text, -1) {
		if !strings.Contains(builtInParsers, " "+m[1]+" ") {
			return true
		}
	}
	return false
}

// fits tells whether what is to stand at a path has the form that its name promises.
func (c *checker) fits(h *hiddenName, e edge) bool {
	if e.will.Type != change.File || h.form == "any" {
		return e.will.Type == change.File || e.will.Type == change.Dir && h.folder // what is in it is judged by itself
	}
	raw, err := c.read(e.place, maxText)
	text := string(raw)
	return err == nil && fitsForm(h.form, text) && !(isVersion(h.form) && c.namesBeside(e, text))
}

// isVersion tells of the forms of one tool's version.
func isVersion(form string) bool { return form == "version" || form == "release" }

// namesBeside tells of a text whether a word of it is the name of what stands beside it: of such a one uv takes the
// interpreter that is in it.
func (c *checker) namesBeside(e edge, text string) bool {
	for _, word := range strings.Fields(text) {
		if at, err := c.after(e.Parent().Child(word)); err != nil || at.Type != change.None {
			return true
		}
	}
	return false
}

// fitsForm tells whether a text looks as a form wants it. What a text may mean beside that, as by an escape, fits none.
func fitsForm(form, text string) bool {
	switch form {
	case "version":
		return len(text) < 200 && !strings.Contains(text, "..") && versionForm().MatchString(strings.TrimSpace(text))
	case "release":
		return !strings.Contains(text, "/") && fitsForm("version", text)
	case "tools":
		return eachLine(toolForm(), text) && !strings.Contains(text, "..")
	case "lines":
		return eachLine(lineForm(), text) && !loads().MatchString(text)
	case "plain":
		return objectForm().MatchString(text) && !strange.MatchString(text) && !loads().MatchString(text) &&
			!loadsParser(text)
	case "queries":
		return queryForm().MatchString(text) && !loads().MatchString(text)
	}
	return false
}

func eachLine(form *regexp.Regexp, text string) bool {
	for line := range strings.Lines(text) {
		if !form.MatchString(strings.TrimRight(line, "\r\n")) {
			return false
		}
	}
	return true
}

// findNew is find for what nothing is known of but its name.
func (c *checker) findNew(i int, p place, why string) {
	if found := len(c.found); why != "" {
		c.find(i, p, why)
		if len(c.found) > found {
			c.found[found].New = true
		}
	}
}
