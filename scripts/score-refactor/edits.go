package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"helve/engine/code"
	"helve/engine/code/refactor"
)

// edited is a folder of which one file has another text.
type edited struct {
	*folder
	path string
	text []byte
	list code.Listing
}

// with gives one file another text.
func (e *edited) with(path string, text []byte) {
	e.path, e.text = path, text
	e.list.Files = slices.Clone(e.folder.list.Files)
	e.list.Version++
	for i := range e.list.Files {
		if f := &e.list.Files[i]; f.Path == path {
			f.Size, f.ModTime = int64(len(text)), f.ModTime+int64(e.list.Version)
		}
	}
}

func (e *edited) Files(context.Context) (code.Listing, error) { return e.list, nil }

func (e *edited) Open(path string) (io.ReadCloser, error) {
	if path == e.path {
		return io.NopCloser(bytes.NewReader(e.text)), nil
	}
	return e.folder.Open(path)
}

// An alteration makes an edit of a file, nil where the file has no place for it.
type alteration struct {
	name    string
	harmful bool
	make    func(r *rand.Rand, a *altered) []byte
}

// altered is a file that is edited, with what it defines.
type altered struct {
	path string
	src  []byte
	lang code.Language
	defs []code.Symbol
	snap *code.Snapshot
}

// scoreEdits makes harmless and harmful edits, so many of each in the language, and counts what is said of them.
func scoreEdits(ctx context.Context, out io.Writer, dir string, lang code.Language, count int, verbose bool) error {
	tree, err := openFolder(dir)
	if err != nil {
		return err
	}
	e := &edited{folder: tree, list: tree.list}
	index := code.New(e, code.Options{})
	defer index.Close()
	files := filesIn(tree, lang)
	r := rand.New(rand.NewPCG(1, 2))
	alarms, harmless, seen, harmful := 0, 0, map[string]int{}, map[string]int{}
	var times []time.Duration
	for tries := 0; tries < 200*count && (harmless < count || total(harmful) < count); tries++ {
		a := &altered{path: files[r.IntN(len(files))], lang: lang}
		e.with("", nil)
		if a.snap, err = index.Snapshot(ctx); err != nil {
			return err
		}
		if a.src, err = read(e, a.path); err != nil {
			return err
		}
		a.defs = a.snap.Definitions(a.path)
		how := alterations[r.IntN(len(alterations))]
		if how.harmful && total(harmful) >= count || !how.harmful && harmless >= count {
			continue
		}
		text := how.make(r, a)
		if text == nil || bytes.Equal(text, a.src) {
			continue
		}
		before := a.snap.Checkpoint(ctx, a.path)
		e.with(a.path, text)
		started := time.Now()
		now, err := index.Snapshot(ctx)
		if err != nil {
			return err
		}
		found, _ := before.Broken(ctx, now)
		times = append(times, time.Since(started))
		switch {
		case how.harmful:
			harmful[how.name]++
			if len(found) > 0 {
				seen[how.name]++
			} else if verbose {
				fmt.Fprintf(out, "missed: %s in %s\n", how.name, a.path)
			}
		default:
			harmless++
			if len(found) > 0 {
				alarms++
				fmt.Fprintf(out, "false alarm: %s in %s: %v\n", how.name, a.path, found)
			}
		}
	}
	slices.Sort(times)
	fmt.Fprintf(out, "%s, %s: %d false alarms at %d harmless edits; of %d harmful ones %d are seen; median %v, slowest %v\n", dir, lang,
		alarms, harmless, total(harmful), total(seen), times[len(times)/2].Round(time.Microsecond), times[len(times)-1].Round(time.Millisecond))
	printSeen(out, seen, harmful)
	return nil
}

// filesIn are the files of a language that are edited.
func filesIn(tree *folder, lang code.Language) (files []string) {
	for _, f := range tree.list.Files {
		if code.LanguageOf(f.Path, nil) == lang && f.Size < 200_000 && !strings.Contains(f.Path, "testdata/") {
			files = append(files, f.Path)
		}
	}
	return files
}

// printSeen prints how many of the harmful edits of each kind are seen.
func printSeen(out io.Writer, seen, harmful map[string]int) {
	for _, how := range alterations {
		if how.harmful && harmful[how.name] > 0 {
			fmt.Fprintf(out, "  %-32s %d of %d\n", how.name, seen[how.name], harmful[how.name])
		}
	}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

func read(e *edited, path string) ([]byte, error) {
	f, err := e.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

var alterations = []alteration{
	{"a function more", false, func(_ *rand.Rand, a *altered) []byte {
		return append(slices.Clone(a.src), map[code.Language]string{
			code.Go:         "\nfunc qzAdded(n int) int {\n\ttotal := 0\n\tfor i := range n {\n\t\ttotal += i\n\t}\n\treturn total\n}\n",
			code.Python:     "\n\ndef qz_added(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return [str(x) for x in (total,)]\n",
			code.TypeScript: "\nfunction qzAdded(n: number): number {\n  let total = 0\n  for (let i = 0; i < n; i++) total += i\n  return Math.max(total, 1)\n}\n",
		}[a.lang]...)
	}},
	{"a comment", false, func(r *rand.Rand, a *altered) []byte {
		mark := "// it's (unbalanced\n"
		if a.lang == code.Python {
			mark = "# it's (unbalanced\n"
		}
		return insert(a.src, lineOf(a.src, a.top(r).Line), mark)
	}},
	{"empty lines", false, func(r *rand.Rand, a *altered) []byte { return insert(a.src, lineOf(a.src, a.top(r).Line), "\n\n") }},
	{"spaces at the ends of lines", false, func(_ *rand.Rand, a *altered) []byte {
		if bytes.Contains(a.src, []byte("\\\n")) || bytes.Contains(a.src, []byte("`")) {
			return nil
		}
		return bytes.ReplaceAll(a.src, []byte(")\n"), []byte(") \n"))
	}},
	{"a function moves to the end", false, func(r *rand.Rand, a *altered) []byte {
		y := a.top(r)
		from, end := lineOf(a.src, y.Line), lineOf(a.src, y.EndLine+1)
		if y.Kind != code.Function || from >= end || from > 0 && a.src[from-1] != '\n' || bytes.HasPrefix(a.src[from:], []byte(" ")) {
			return nil
		}
		if from > 1 && bytes.HasPrefix(a.src[lineOf(a.src, y.Line-1):], []byte("@")) {
			return nil
		}
		moved := slices.Concat(a.src[:from], a.src[end:])
		return slices.Concat(bytes.TrimRight(moved, "\n"), []byte("\n\n"), a.src[from:end])
	}},
	{"a local name is another", false, func(r *rand.Rand, a *altered) []byte {
		y := a.top(r)
		if y.Kind != code.Function && y.Kind != code.Method {
			return nil
		}
		from, end := lineOf(a.src, y.Line+1), lineOf(a.src, y.EndLine+1)
		if from >= end {
			return nil
		}
		m := localName[a.lang].FindSubmatch(a.src[from:end])
		if m == nil {
			return nil
		}
		other := regexp.MustCompile(`([.'"` + "`" + `]\s*|\w)\b` + string(m[1]) + `\b|\b` + string(m[1]) + `\s*[:=]|[{,]\s*` + string(m[1]) + `\s*[,}]`)
		if len(m[1]) < 2 || len(other.FindAll(a.src[from:end], -1)) > len(localName[a.lang].FindAll(a.src[from:end], -1)) {
			return nil
		}
		name := regexp.MustCompile(`\b` + string(m[1]) + `\b`)
		return slices.Concat(a.src[:from], name.ReplaceAll(a.src[from:end], append(m[1], "Qz"...)), a.src[end:])
	}},
	{"a rename within the file", false, func(r *rand.Rand, a *altered) []byte {
		c, err := refactor.Rename(context.Background(), a.snap, a.top(r).ID, "qzRenamed")
		if err != nil || len(c.Files) != 1 || c.Files[0].Path != a.path {
			return nil
		}
		return c.Files[0].After()
	}},
	{"what nothing uses goes", false, func(r *rand.Rand, a *altered) []byte {
		c, err := refactor.SafeDelete(context.Background(), a.snap, a.top(r).ID)
		if err != nil {
			return nil
		}
		return c.Files[0].After()
	}},
	{"another text in a string", false, func(_ *rand.Rand, a *altered) []byte {
		return plainText.ReplaceAll(a.src, []byte(`$1"qz( "`))
	}},
	{"the definition alone is renamed", true, func(r *rand.Rand, a *altered) []byte {
		y := a.used(r)
		at := lineOf(a.src, y.Line)
		i := bytes.Index(a.src[at:], []byte(y.Name))
		if y.ID == "" || i < 0 {
			return nil
		}
		return insert(a.src, at+i+len(y.Name), "Qz")
	}},
	{"what is used is deleted", true, func(r *rand.Rand, a *altered) []byte {
		y := a.used(r)
		from, end := lineOf(a.src, y.Line), lineOf(a.src, y.EndLine+1)
		if y.ID == "" || y.Kind != code.Function || from >= end {
			return nil
		}
		return slices.Concat(a.src[:from], a.src[end:])
	}},
	{"a parameter more", true, func(r *rand.Rand, a *altered) []byte {
		y := a.used(r)
		at := lineOf(a.src, y.Line)
		i := bytes.Index(a.src[at:], []byte(y.Name+"("))
		if y.ID == "" || y.Kind != code.Function || i < 0 {
			return nil
		}
		more := map[code.Language]string{code.Go: "qz int, ", code.Python: "qz, ", code.TypeScript: "qz: number, "}[a.lang]
		open := at + i + len(y.Name) + 1
		if a.src[open] == ')' {
			more = strings.TrimSuffix(more, ", ")
		}
		return insert(a.src, open, more)
	}},
	{"a bracket less", true, func(r *rand.Rand, a *altered) []byte {
		y := a.top(r)
		from, end := lineOf(a.src, y.Line), lineOf(a.src, y.EndLine+1)
		i := bytes.LastIndexByte(a.src[from:end], ')')
		if i < 0 || y.Kind != code.Function || bytes.Contains(a.src[from+i:end], []byte("*/")) {
			return nil
		}
		return slices.Concat(a.src[:from+i], a.src[from+i+1:])
	}},
	{"an import of nothing", true, func(_ *rand.Rand, a *altered) []byte {
		if a.lang == code.Go {
			return nil // it needs the module's path
		}
		line := map[code.Language]string{code.Python: "from .qz_nothing import x\n", code.TypeScript: "import { x } from './qz-nothing'\n"}[a.lang]
		return slices.Concat([]byte(line), a.src)
	}},
}

// plainText is a string that is a value.
var plainText = regexp.MustCompile(`(return |= )"[a-z ]+"`)

var localName = map[code.Language]*regexp.Regexp{
	code.Go:         regexp.MustCompile(`\b(\w+) :=`),
	code.Python:     regexp.MustCompile(`\bfor (\w+) in `),
	code.TypeScript: regexp.MustCompile(`\bconst (\w+) =`),
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

// used is a definition at the top that something surely uses.
func (a *altered) used(r *rand.Rand) code.Symbol {
	y := a.top(r)
	if y.ID == "" {
		return code.Symbol{}
	}
	uses, err := a.snap.Dependents(context.Background(), y.ID, code.Page{})
	if err != nil || !slices.ContainsFunc(uses.Edges, func(e code.Edge) bool { return e.Sure.Level < code.Unique && e.Path != a.path }) {
		return code.Symbol{}
	}
	return y
}

// lineOf is the offset at which a line begins, counted from 1.
func lineOf(src []byte, line int) int {
	at := 0
	for range line - 1 {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	return at
}

func insert(src []byte, at int, text string) []byte {
	return slices.Concat(src[:at], []byte(text), src[at:])
}
