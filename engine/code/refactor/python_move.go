package refactor

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"helve/engine/code/internal/meaning"
	"helve/engine/code/internal/store"
	"helve/engine/code/internal/syntax"
)

// This file moves functions and classes of Python to another file of their folder. Imports follow by name; whoever
// reaches the definition through its module is a reason to refuse.

// pythonMove is the plan of such a move while it is made.
type pythonMove struct {
	*move
	cut            TextEdit
	module, target string   // the names of both files, without their ending
	needs          []string // the imports that the text needs
	futures        string
}

// pythonImport is from m import a, b as c.
type pythonImport struct {
	piece    // the statement
	module   string
	specs    []scriptSpec
	plain    bool // import a, b as c
	brackets bool
}

// steady are decorators that make nothing known to others.
var steady = meaning.WordSet("dataclass dataclasses.dataclass contextmanager contextlib.contextmanager functools.wraps wraps " +
	"functools.lru_cache lru_cache functools.cache cache total_ordering functools.total_ordering overload " +
	"typing.overload final typing.final")

// plainBases are classes of Python's own whose subclasses are known to nobody.
var plainBases = meaning.WordSet("object Exception ValueError TypeError KeyError RuntimeError AttributeError LookupError OSError " +
	"NotImplementedError dict list str int tuple set Protocol NamedTuple TypedDict")

func (python) moves(m *move) []func() error {
	c := &pythonMove{move: m}
	return []func() error{
		c.movablePython, c.plan.scan, c.decidedPython, c.takePython, c.quiet, c.namesPython, c.editPython,
		c.noted, c.finished,
	}
}

// noted says what is not seen.
func (c *pythonMove) noted() error {
	c.note("who imports it from elsewhere is not seen here, and its __module__ is another one")
	return nil
}

// movablePython refuses what is not moved, and reads both files.
func (c *pythonMove) movablePython() error {
	f := c.file(c.from)
	c.module, c.target = f.Stem(), strings.TrimSuffix(path.Base(c.to), ".py")
	if err := c.fits(f, c.r.Def(c.group[0])); err != nil {
		return err
	}
	var err error
	if c.src, err = c.unchanged(c.from); err != nil {
		return err
	}
	c.t = tokensOf(c.x, f.Path, c.src)
	if c.dest = c.r.Tree.Number(c.to); c.dest < 0 && !c.noFile(c.to) {
		return anotherFile("%s was not read as Python", c.to)
	}
	return nil
}

// fits refuses definitions and files of kinds that are not moved.
func (c *pythonMove) fits(f *store.File, d *store.Def) error {
	hidden := strings.HasPrefix(c.module, "__") || strings.HasPrefix(c.target, "__")
	switch {
	case c.to == f.Path:
		return refused("", "%s is in %s already", c.id(), c.to)
	case d.Parent >= 0 || d.Owner != 0:
		return refused("Move what it stands in.", "%s stands in a definition", c.id())
	case len(c.group) > 1:
		return byHand("%s has %d versions", c.id(), len(c.group))
	case d.Kind != syntax.Function && d.Kind != syntax.Class:
		return byHand("in Python functions and classes are moved")
	case path.Ext(c.to) != ".py" || path.Ext(f.Path) != ".py" || store.DirOf(c.to) != f.Dir():
		return refused("Move it to a .py file of "+orRoot(f.Dir())+".", "%s is no Python file of the same folder", c.to)
	case hidden || c.lang.badName(c.target) != "":
		return anotherFile("from %s to %s nothing is moved", f.Path, c.to)
	case store.IsTest(f.Path) || store.IsTest(c.to):
		return byHand("tests are not moved")
	}
	return nil
}

// decidedPython rules on all places that have the name, and refuses where one is in doubt.
func (c *pythonMove) decidedPython() error {
	if err := c.plan.decide(); err != nil {
		return err
	}
	for _, f := range c.plan.found {
		if f.file == c.from && (c.plan.namesakes(f) > 0 || boundOutside(f.binds, c.old)) {
			return byHand("%s is bound again in its file", c.old)
		}
		c.inStrings(f)
	}
	for n, f := range c.r.Tree.Files {
		if f != nil && f.Lang == syntax.Python {
			c.importsAll(int32(n))
		}
	}
	return c.plan.refusedOpen("%d places speak against moving %s")
}

// importsAll refuses where one of the two files imports all that another has, or a file all of the definition's.
func (c *pythonMove) importsAll(n int32) {
	for _, row := range c.r.Tree.ImportsOf(n) {
		all := row.Name == c.r.Star && row.Local == 0
		if all && (n == c.from || n == c.dest || c.leadsTo(row, n, c.from)) {
			c.plan.open = append(c.plan.open, place(c.file(n).Path, int(row.Line), "imports all that a file has"))
		}
	}
}

// inStrings refuses where a string names the definition by its module, or exports it.
func (c *pythonMove) inStrings(f *scan) {
	if f.src == nil {
		return
	}
	t := tokensOf(c.x, c.file(f.file).Path, f.src)
	exports := bytes.Contains(f.src, []byte("__all__"))
	for i := range t.list {
		if text := t.text(i); t.quoted(i) && (strings.Contains(text, c.module+"."+c.old) || strings.Contains(text, c.module+":"+c.old) ||
			exports && f.file == c.from && strings.Trim(text, "\"'") == c.old) {
			c.plan.unsure(f, f.line(t.list[i].Start), "a string names it")
		}
	}
}

// takePython cuts the definition out of its file.
func (c *pythonMove) takePython() error {
	y := c.group[0]
	d := c.r.Def(y)
	from, end, err := c.wholeLines(y, c.src)
	if err != nil {
		return err
	}
	first, behind := c.t.within(int(d.Start), int(d.End))
	switch {
	case lineStart(c.src, int(d.Start)) != int(d.Start):
		return byHand("%s stands in a block", c.id())
	case behind < len(c.t.list) && !c.t.leftmost(behind):
		return byHand("where %s ends was not understood", c.id())
	}
	for i := first; i < behind; i++ {
		if c.t.is(i, "global __file__ __name__ __package__ __path__ __module__ globals __import__ import_module eval exec") {
			return byHand("%s depends on its file: %s", c.id(), c.t.text(i))
		}
	}
	c.text = strings.Trim(string(c.src[from:end]), "\r\n") + "\n"
	for end < len(c.src) && len(bytes.TrimSpace(c.src[end:lineEnd(c.src, end)])) == 0 {
		end = lineEnd(c.src, end)
	}
	c.cut = TextEdit{from, end, ""}
	return c.still(first, behind)
}

// still refuses a definition that does something when its file is loaded.
func (c *pythonMove) still(first, behind int) error {
	d, body := c.r.Def(c.group[0]), behind
	if d.Kind == syntax.Function { // what stands there runs later
		body = c.t.at(int(d.Body))
	}
	for i := first; i < behind; i++ {
		off := c.t.list[i].Start
		switch {
		case c.t.is(i, "@") && c.t.leftmost(i):
			name, last := c.decorator(i)
			if !steady[name] {
				return byHand("its decorator may make it known to others: %s", name)
			}
			i = last
		case i >= body || c.t.is(i, "def class async") || c.inMethod(off):
		case c.callsAt(i):
			return byHand("%s calls something when its file is loaded: it would do so at another time", c.id())
		case d.Kind == syntax.Class && c.t.is(i-1, "class") && c.t.is(i+1, "("):
			if err := c.plainBases(i + 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// callsAt reports whether token i calls something, or has a class call something.
func (c *pythonMove) callsAt(i int) bool {
	call := c.t.is(i, "(") && c.t.name(i-1) && !c.t.is(i-2, "def class")
	return call || c.t.is(i, "metaclass __init_subclass__")
}

// inMethod reports whether an offset stands in the body of a function that the definition holds.
func (c *pythonMove) inMethod(off int) bool {
	start := c.r.Def(c.group[0]).Start
	return slices.ContainsFunc(c.r.DefsOf(c.from), func(k store.Def) bool {
		method := k.Kind.Callable() && k.Body > 0 && k.Parent >= 0 && k.Start > start
		return method && int(k.Body) <= off && off < int(k.End)
	})
}

// plainBases refuses a class with a base that may do something with it; token open begins their list.
func (c *pythonMove) plainBases(open int) error {
	for k := open + 1; k < c.t.closing(open); k++ {
		if !c.t.is(k, ",") && !plainBases[c.t.text(k)] {
			return byHand("what its base %s does with new classes is not known", c.t.text(k))
		}
	}
	return nil
}

// decorator is the name of the decorator at token i, and its last token.
func (c *pythonMove) decorator(i int) (name string, last int) {
	for last = i; last+1 < len(c.t.list) && !c.t.list[last+1].First; last++ {
		if c.t.is(last+1, "(") {
			last = max(c.t.closing(last+1), last)
			break
		}
		name += c.t.text(last + 1)
	}
	return name, last
}

// quiet refuses where somebody might no longer load a file that does something when it is loaded.
func (c *pythonMove) quiet() error {
	if !slices.ContainsFunc(c.plan.found, func(f *scan) bool { return f.file != c.from && len(f.uses) > 0 }) {
		return nil
	}
	depth := 0
	for i := range c.t.list {
		off := c.t.list[i].Start
		top := depth == 0 && c.t.leftmost(i)
		depth += c.t.turn(i)
		if top && !c.goes(off) && !c.harmless(i) {
			return c.loadsMore(lineOf(c.src, off))
		}
	}
	return nil
}

// harmless reports whether the statement that begins at token i does nothing but define.
func (c *pythonMove) harmless(i int) bool {
	if c.t.is(i, "@") {
		name, _ := c.decorator(i)
		return steady[name]
	}
	return c.t.quoted(i) || c.t.is(i, "def class async import from") ||
		c.t.name(i) && (c.t.is(i+1, "= :") || c.t.is(i, "type"))
}

// goes reports whether an offset of the definition's file stands in what moves.
func (c *pythonMove) goes(at int) bool { return c.cut.Start <= at && at < c.cut.End }

// pythonImports are the statements of a file that import; blocks has those in blocks, too.
func (t *tokens) pythonImports(blocks bool) (list []pythonImport) {
	for i := 0; i < len(t.list); i++ {
		start := t.list[i].Start
		if !t.list[i].First || !t.is(i, "import from") || !blocks && lineStart(t.src, start) != start {
			continue
		}
		s := pythonImport{piece: piece{from: start}, plain: t.is(i, "import")}
		k := i + 1
		if !s.plain {
			for ; k < len(t.list) && !t.is(k, "import") && !t.list[k].First; k++ {
				s.module += t.text(k)
			}
			k++
		}
		last := k
		for last < len(t.list) && !t.list[last].First && !t.is(last, ";") {
			last++
		}
		if s.brackets = t.is(k, "("); s.brackets {
			last = t.closing(k)
			if last < 0 {
				continue
			}
			s.end = t.list[last].End
			k++
		} else if last > k {
			s.end = t.list[last-1].End
		}
		if s.end > 0 {
			s.specs = t.scriptSpecs(k-1, last)
			list = append(list, s)
		}
	}
	return list
}

// binds is the name that a spec of an import binds.
func (s *pythonImport) binds(spec *scriptSpec) string {
	if s.plain && spec.local != spec.name && !strings.Contains(spec.text, " as ") {
		return spec.name // import a.b
	}
	return spec.local
}
