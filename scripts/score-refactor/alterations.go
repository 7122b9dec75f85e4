package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"helve/engine/code"
	"helve/engine/code/refactor"
)

// An alteration makes an edit of a file, nil where the file has no place for it.
type alteration struct {
	name    string
	harmful bool
	make    func(a *altered, r *rand.Rand) []byte
}

var alterations = []alteration{
	{"a function more", false, (*altered).moreFunction},
	{"a comment", false, (*altered).comment},
	{"empty lines", false, (*altered).emptyLines},
	{"spaces at the ends of lines", false, (*altered).trailingSpaces},
	{"a function moves to the end", false, (*altered).moveToEnd},
	{"a local name is another", false, (*altered).otherLocal},
	{"a rename within the file", false, (*altered).renameInside},
	{"what nothing uses goes", false, (*altered).deleteUnused},
	{"another text in a string", false, (*altered).otherText},
	{"the definition alone is renamed", true, (*altered).renameAlone},
	{"what is used is deleted", true, (*altered).deleteUsed},
	{"a parameter more", true, (*altered).moreParameter},
	{"a bracket less", true, (*altered).lessBracket},
	{"an import of nothing", true, (*altered).importNothing},
}

// wording is how a language says what is added to a file.
type wording struct {
	function  string
	comment   string         // the mark before one
	parameter string         // with a comma behind it
	importing string         // of a module that there is not; "": it needs the module's path
	local     *regexp.Regexp // where a local name begins
}

var wordings = map[code.Language]wording{
	code.Go: {
		function: `
func qzAdded(n int) int {
	total := 0
	for i := range n {
		total += i
	}
	return total
}
`,
		comment:   "//",
		parameter: "qz int, ",
		local:     regexp.MustCompile(`\b(\w+) :=`),
	},
	code.Python: {
		function: `

def qz_added(n):
    total = 0
    for i in range(n):
        total += i
    return [str(x) for x in (total,)]
`,
		comment:   "#",
		parameter: "qz, ",
		importing: "from .qz_nothing import x\n",
		local:     regexp.MustCompile(`\bfor (\w+) in `),
	},
	code.TypeScript: {
		function: `
function qzAdded(n: number): number {
  let total = 0
  for (let i = 0; i < n; i++) total += i
  return Math.max(total, 1)
}
`,
		comment:   "//",
		parameter: "qz: number, ",
		importing: "import { x } from './qz-nothing'\n",
		local:     regexp.MustCompile(`\bconst (\w+) =`),
	},
}

// altered is a file that is edited, with what it defines.
type altered struct {
	path string
	src  []byte
	lang code.Language
	defs []code.Symbol
	snap *code.Snapshot
}

func (a *altered) moreFunction(*rand.Rand) []byte {
	return append(slices.Clone(a.src), wordings[a.lang].function...)
}

func (a *altered) comment(r *rand.Rand) []byte {
	return a.insert(a.line(a.top(r).Line), wordings[a.lang].comment+" it's (unbalanced\n")
}

func (a *altered) emptyLines(r *rand.Rand) []byte { return a.insert(a.line(a.top(r).Line), "\n\n") }

func (a *altered) trailingSpaces(*rand.Rand) []byte {
	if bytes.Contains(a.src, []byte("\\\n")) || bytes.Contains(a.src, []byte("`")) {
		return nil
	}
	return bytes.ReplaceAll(a.src, []byte(")\n"), []byte(") \n"))
}

func (a *altered) moveToEnd(r *rand.Rand) []byte {
	y := a.top(r)
	from, end := a.lines(y)
	if y.Kind != code.Function || from >= end || !a.beginsPart(y, from) {
		return nil
	}
	moved := slices.Concat(a.src[:from], a.src[end:])
	return slices.Concat(bytes.TrimRight(moved, "\n"), []byte("\n\n"), a.src[from:end])
}

// beginsPart tells whether a definition, which begins at from, does so at the beginning of a line, without decorators.
func (a *altered) beginsPart(y code.Symbol, from int) bool {
	if from > 0 && a.src[from-1] != '\n' || bytes.HasPrefix(a.src[from:], []byte(" ")) {
		return false
	}
	return from <= 1 || !bytes.HasPrefix(a.src[a.line(y.Line-1):], []byte("@"))
}

func (a *altered) otherLocal(r *rand.Rand) []byte {
	y := a.top(r)
	if y.Kind != code.Function && y.Kind != code.Method {
		return nil
	}
	from, end := a.line(y.Line+1), a.line(y.EndLine+1)
	if from >= end {
		return nil
	}
	body, local := a.src[from:end], wordings[a.lang].local
	m := local.FindSubmatch(body)
	if m == nil || len(m[1]) < 2 {
		return nil
	}
	if len(otherMeaning(string(m[1])).FindAll(body, -1)) > len(local.FindAll(body, -1)) {
		return nil
	}
	name := regexp.MustCompile(`\b` + string(m[1]) + `\b`)
	return slices.Concat(a.src[:from], name.ReplaceAll(body, append(m[1], "Qz"...)), a.src[end:])
}

// otherMeaning finds a name where it may be another than a local one: a member, a key, a word in a text.
func otherMeaning(name string) *regexp.Regexp {
	word := `\b` + name + `\b`
	return regexp.MustCompile(`([.'"` + "`" + `]\s*|\w)` + word + `|` + word + `\s*[:=]|[{,]\s*` + name + `\s*[,}]`)
}

func (a *altered) renameInside(r *rand.Rand) []byte {
	c, err := refactor.Rename(context.Background(), a.snap, a.top(r).ID, "qzRenamed")
	if err != nil || len(c.Files) != 1 || c.Files[0].Path != a.path {
		return nil
	}
	return c.Files[0].After()
}

func (a *altered) deleteUnused(r *rand.Rand) []byte {
	c, err := refactor.SafeDelete(context.Background(), a.snap, a.top(r).ID)
	if err != nil {
		return nil
	}
	return c.Files[0].After()
}

// plainText is a string that is a value.
var plainText = regexp.MustCompile(`(return |= )"[a-z ]+"`)

func (a *altered) otherText(*rand.Rand) []byte {
	return plainText.ReplaceAll(a.src, []byte(`$1"qz( "`))
}

func (a *altered) renameAlone(r *rand.Rand) []byte {
	y := a.used(r)
	at := a.line(y.Line)
	i := bytes.Index(a.src[at:], []byte(y.Name))
	if y.ID == "" || i < 0 {
		return nil
	}
	return a.insert(at+i+len(y.Name), "Qz")
}

func (a *altered) deleteUsed(r *rand.Rand) []byte {
	y := a.used(r)
	from, end := a.lines(y)
	if y.ID == "" || y.Kind != code.Function || from >= end {
		return nil
	}
	return slices.Concat(a.src[:from], a.src[end:])
}

func (a *altered) moreParameter(r *rand.Rand) []byte {
	y := a.used(r)
	at := a.line(y.Line)
	i := bytes.Index(a.src[at:], []byte(y.Name+"("))
	if y.ID == "" || y.Kind != code.Function || i < 0 {
		return nil
	}
	more := wordings[a.lang].parameter
	open := at + i + len(y.Name) + 1
	if a.src[open] == ')' {
		more = strings.TrimSuffix(more, ", ")
	}
	return a.insert(open, more)
}

func (a *altered) lessBracket(r *rand.Rand) []byte {
	y := a.top(r)
	from, end := a.lines(y)
	i := bytes.LastIndexByte(a.src[from:end], ')')
	if i < 0 || y.Kind != code.Function || bytes.Contains(a.src[from+i:end], []byte("*/")) {
		return nil
	}
	return slices.Concat(a.src[:from+i], a.src[from+i+1:])
}

func (a *altered) importNothing(*rand.Rand) []byte {
	line := wordings[a.lang].importing
	if line == "" {
		return nil
	}
	return slices.Concat([]byte(line), a.src)
}

// top is one of the definitions at the top of the file, the zero one if there is none.
func (a *altered) top(r *rand.Rand) code.Symbol {
	var list []code.Symbol
	for _, y := range a.defs {
		if !strings.Contains(y.Qualified, ".") {
			list = append(list, y)
		}
	}
	if len(list) == 0 {
		return code.Symbol{Line: 1, EndLine: 1}
	}
	return list[r.IntN(len(list))]
}

// used is a definition at the top that something in another file surely uses.
func (a *altered) used(r *rand.Rand) code.Symbol {
	y := a.top(r)
	if y.ID == "" {
		return code.Symbol{}
	}
	uses, err := a.snap.Dependents(context.Background(), y.ID, code.Page{})
	surely := func(e code.Edge) bool { return e.Sure.Level < code.Unique && e.Path != a.path }
	if err != nil || !slices.ContainsFunc(uses.Edges, surely) {
		return code.Symbol{}
	}
	return y
}

// line is the offset at which a line begins, counted from 1.
func (a *altered) line(number int) int {
	at := 0
	for range number - 1 {
		i := bytes.IndexByte(a.src[at:], '\n')
		if i < 0 {
			return len(a.src)
		}
		at += i + 1
	}
	return at
}

// lines are the offsets between which the lines of a definition stand.
func (a *altered) lines(y code.Symbol) (from, end int) { return a.line(y.Line), a.line(y.EndLine + 1) }

func (a *altered) insert(at int, text string) []byte {
	return slices.Concat(a.src[:at], []byte(text), a.src[at:])
}
