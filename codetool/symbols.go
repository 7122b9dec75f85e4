package codetool

import (
	"context"
	"fmt"
	"math"
	"strings"

	"helve/engine/code"
	"helve/tool"
)

// sourceIn asks for the text of one definition, or of several with equal shares of the answer.
type sourceIn struct {
	Name     string   `json:"name" jsonschema:"description=Name; Type.method or path#Type.method,minLength=1"`
	FilePath string   `json:"file_path,omitempty" jsonschema:"description=Only in this file"`
	MaxLines int      `json:"max_lines,omitempty" jsonschema:"description=Line limit,minimum=0"`
	Names    []string `json:"names,omitempty" jsonschema:"description=More names"`
}

func (in sourceIn) String() string { return "source of " + in.Name }

func sourceFile(in *sourceIn) *string { return &in.FilePath }

// sourceOf is a question that two tools ask of a snapshot, each about its own kinds of definitions.
type sourceOf func(s *code.Snapshot, ctx context.Context, name, path string, maxLines int) (code.Excerpt, error)

// excerptRow is the text of a definition.
type excerptRow struct {
	symbolRow
	othersData
	Text string `json:"text" jsonschema:"description=Whole lines\\, from line on"`
	More int    `json:"more_lines,omitempty" jsonschema:"description=Lines of it that are not here"`
	Cut  bool   `json:"cut,omitempty" jsonschema:"description=The only line here is longer"`
}

// write writes the definition's place and its text.
func (d *excerptRow) write(b *strings.Builder) {
	b.WriteString(d.place() + "\n" + d.othersData.String())
	writeText(b, &d.symbolRow, d.Text, d.More)
}

// writeText writes the text of a definition, and how many lines of it are missing.
func writeText(b *strings.Builder, of *symbolRow, text string, more int) {
	b.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteString("\n")
	}
	if more > 0 {
		next := of.Line + strings.Count(strings.TrimSuffix(text, "\n")+"\n", "\n")
		if text == "" {
			next = of.Line
		}
		fmt.Fprintf(b, "[truncated: %d more lines: read %s from line %d]\n", more, of.Path, next)
	}
}

// getFunctionSource saves the reading of a whole file for one function of it.
func getFunctionSource(x *Index) spec[sourceIn] {
	return spec[sourceIn]{
		name:    "get_function_source",
		title:   "Function Source",
		short:   "The text of a function or method.",
		file:    sourceFile,
		limits:  []string{"max_lines"},
		renders: tool.Renders[namesData[*excerptRow]],
		run:     texts{x, (*code.Snapshot).FunctionSource}.run,
	}
}

// getClassSource takes any type: classes, structs, interfaces, enumerations.
func getClassSource(x *Index) spec[sourceIn] {
	return spec[sourceIn]{
		name:    "get_class_source",
		title:   "Class Source",
		short:   "The text of a class or other type.",
		file:    sourceFile,
		limits:  []string{"max_lines"},
		renders: tool.Renders[namesData[*excerptRow]],
		run:     texts{x, (*code.Snapshot).ClassSource}.run,
	}
}

// texts are a question for the text of definitions of some kind.
type texts struct {
	x   *Index
	ask sourceOf
}

func (t texts) run(ctx context.Context, s *sheet, in sourceIn) (tool.Rendered, error) {
	snap, err := t.x.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return sources(ctx, snap, s, in, t.ask)
}

// sources are the texts of what the names mean.
func sources(ctx context.Context, snap *code.Snapshot, s *sheet, in sourceIn, ask sourceOf) (tool.Rendered, error) {
	most := in.MaxLines
	if s.whole() && most == 0 {
		most = math.MaxInt32
	}
	all := named{Name: in.Name, Names: in.Names}
	d, err := each(s, all, func(name, _ string) ([]*excerptRow, error) {
		e, err := ask(snap, ctx, name, in.FilePath, most)
		if err != nil {
			return nil, err
		}
		if !s.whole() || len(e.Others) == 0 {
			return []*excerptRow{s.excerpt(e)}, nil
		}
		ids := s.shared(e.Others)
		e.Others = nil
		return share(s, ids, func() *excerptRow { return s.excerpt(e) }, func(id string) (*excerptRow, error) {
			e, err := ask(snap, ctx, id, "", most)
			e.Others = nil
			return s.excerpt(e), err
		})
	})
	if err != nil {
		return nil, err
	}
	return *d, nil
}

// excerpt is as many whole lines of a definition as fit. The first line always comes, cut if it must be: a model
// that was told nothing would ask again.
func (s *sheet) excerpt(e code.Excerpt) *excerptRow {
	d := &excerptRow{symbolRow: rowOf(&e.Symbol), More: e.Cut}
	s.about(e.Path)
	s.spend(d.place() + "\n")
	d.othersData = s.others(e.Others)
	var b strings.Builder
	full := false
	for line := range strings.Lines(clean(e.Text)) {
		fits := s.fits(line)
		full = full || !fits && b.Len() > 0
		if full {
			d.More++
			continue
		}
		if !fits {
			line = cut(line) + "\n"
			d.Cut = true
			s.lacks("the line is longer")
		}
		s.spend(line)
		b.WriteString(line)
	}
	d.Text = b.String()
	if d.More > 0 {
		s.lacks("there are more lines")
	}
	if len(e.Others) > 0 {
		s.lacks("other definitions of this name are not answered for: ask for each by its id")
	}
	return d
}

// findIn asks what names mean: a name alone, Type.method, or the id path#Type.method that other answers give.
type findIn struct{ named }

func (in findIn) String() string { return "find " + in.Name }

// matchRow is a definition that a name may mean.
type matchRow struct {
	symbolRow
	Signature string `json:"signature,omitempty"`
}

// foundRow is what a name may mean.
type foundRow struct {
	Matches []*matchRow `json:"matches" jsonschema:"description=The most used first"`
	Partial bool        `json:"partial,omitempty" jsonschema:"description=Nothing has just this name: these match it"`
	Preview string      `json:"preview,omitempty" jsonschema:"description=First lines of the only match"`
	pageData
}

// write lists the definitions.
func (d *foundRow) write(b *strings.Builder) {
	if d.Partial {
		b.WriteString(partialNote)
	}
	writePage(b, d.Matches, d.pageData)
	if d.Preview != "" {
		b.WriteString(strings.TrimSuffix(d.Preview, "\n") + "\n")
	}
}

const partialNote = "[no definition has just this name: those that match it, the most used first]\n"

// String is a definition in one line with its signature. In many languages this begins with the word for the kind,
// which is not said twice.
func (m matchRow) String() string {
	rest, same := strings.CutPrefix(m.Signature, m.Kind)
	if same && (rest == "" || rest[0] == ' ' || rest[0] == '*') { // function* in JavaScript
		return m.place() + rest
	}
	return m.place() + " " + m.Signature
}

// findSymbol answers with lines such as "store/s.go#Store.Get:8-8 method func (s *Store) Get(k string) string", the
// likeliest meaning first.
func findSymbol(x *Index) spec[findIn] {
	return spec[findIn]{
		name:    "find_symbol",
		title:   "Find Symbol",
		short:   "Where a symbol (get*) is defined, ranked.",
		renders: tool.Renders[namesData[*foundRow]],
		run: asking(x, func(ctx context.Context, snap *code.Snapshot, s *sheet, in findIn) (tool.Rendered, error) {
			return findEach(ctx, snap, s, in.named)
		}),
	}
}

// findEach lists what each of the names may mean.
func findEach(ctx context.Context, snap *code.Snapshot, s *sheet, of named) (tool.Rendered, error) {
	d, err := each(s, of, func(name, cursor string) ([]*foundRow, error) {
		f, err := find(ctx, snap, s, name, cursor)
		return []*foundRow{f}, err
	})
	if err != nil {
		return nil, err
	}
	return *d, nil
}

// findItems is how many candidates are cut out of their files: more than an answer of usual size has room for.
const findItems = 80

// find lists what a name may mean. The only candidate is shown with its first lines, which often save a further call.
func find(ctx context.Context, snap *code.Snapshot, s *sheet, name, cursor string) (*foundRow, error) {
	d := &foundRow{}
	p := s.page(0, cursor)
	if !s.whole() {
		p.Limit = findItems
	}
	m, err := snap.Find(ctx, name, p)
	if err != nil {
		return d, err
	}
	if m.Total == 0 {
		return d, &code.UnknownError{Name: name, Suggestions: m.Suggestions, Unread: m.Unread}
	}
	if d.Partial = m.Partial; m.Partial {
		s.spend(partialNote)
	}
	matches := rows(len(m.Matches), func(i int) *matchRow {
		m := &m.Matches[i]
		return &matchRow{rowOf(&m.Symbol), clean(m.Signature)}
	})
	d.Matches, d.pageData = list(s, matches, m.More, cursor)
	if len(m.Matches) != 1 {
		return d, nil
	}
	preview := clean(m.Matches[0].Preview)
	if s.fits(preview) {
		d.Preview = preview
		s.spend(preview + "\n")
	}
	return d, nil
}
