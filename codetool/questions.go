package codetool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"helve/engine/code"
	"helve/engine/schema"
	"helve/tool"
)

// Questions are the code tools that lists show by default: eight, of which each answers at once what takes several of
// the others. explore comes first, since it is the one to begin with.
func questions(x *Index) []tool.Tool {
	return []tool.Tool{
		build(x, explore(x)),
		build(x, findNames(x)),
		build(x, outlineOf(x)),
		build(x, sourceOfAny(x)),
		build(x, uses(x)),
		build(x, usedBy(x)),
		build(x, impactOf(x)),
		build(x, pathBetween(x)),
	}
}

// A question holds the arguments of all eight: one type for all of them keeps the program small. The schema of each
// allows those that it takes.
type question struct {
	named
	FilePath string `json:"file_path,omitempty"`
	From     string `json:"from_name,omitempty"` // "from" alone is no name in a script
	To       string `json:"to_name,omitempty"`
}

// String is what is asked about.
func (q question) String() string {
	if q.From != "" {
		return q.From + " to " + q.To
	}
	about := append([]string{q.Name + q.FilePath}, q.Names...)
	return strings.Join(about, ", ")
}

// The arguments as models see them. Every word here is paid for at every turn.
type (
	nameIn struct {
		Name string `json:"name" jsonschema:"description=Type.method or id,minLength=1"`
	}
	namesIn struct {
		nameIn
		Names []string `json:"names,omitempty" jsonschema:"description=More"`
	}
	askIn struct {
		namesIn
		Cursor string `json:"cursor,omitempty" jsonschema:"description=Goes on"`
	}
	placeIn struct {
		FilePath string `json:"file_path,omitempty" jsonschema:"description=Default: project"`
		Cursor   string `json:"cursor,omitempty" jsonschema:"description=Goes on"`
	}
	changeIn struct {
		Name  string   `json:"name,omitempty" jsonschema:"description=Symbol or file; default: uncommitted changes"`
		Names []string `json:"names,omitempty" jsonschema:"description=More"`
	}
	pathIn struct {
		From string `json:"from_name" jsonschema:"description=Caller,minLength=1"`
		To   string `json:"to_name" jsonschema:"description=Callee,minLength=1"`
	}
)

// inputOf is the schema of such arguments.
func inputOf[In any]() *schema.Schema {
	s, err := schema.For[In]()
	if err != nil {
		panic(fmt.Sprintf("codetool: %v", err)) // the types stand above
	}
	return s
}

// An asker answers a question within searchTime.
type asker func(context.Context, *code.Snapshot, *sheet, question) (tool.Rendered, error)

// asked asks a question of the tree as it is now. IDs in its answer hold no blank and no colon.
type asked struct {
	x   *Index
	ask asker
}

func (a asked) run(ctx context.Context, s *sheet, q question) (tool.Rendered, error) {
	snap, err := a.x.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	s.brief = true
	return a.ask(ctx, snap.PlainIDs(), s, q)
}

func findNames(x *Index) spec[question] {
	return spec[question]{
		name:    "find",
		short:   "Where a symbol (get*) is defined.",
		input:   inputOf[askIn](),
		renders: tool.Renders[namesData[*foundRow]],
		run:     asked{x, findAsked}.run,
	}
}

func findAsked(ctx context.Context, snap *code.Snapshot, s *sheet, q question) (tool.Rendered, error) {
	return findEach(ctx, snap, s, q.named)
}

func sourceOfAny(x *Index) spec[question] {
	return spec[question]{
		name:    "source",
		short:   "The text of symbols.",
		input:   inputOf[namesIn](),
		renders: tool.Renders[namesData[*excerptRow]],
		run:     asked{x, sourceOfNames}.run,
	}
}

func sourceOfNames(ctx context.Context, snap *code.Snapshot, s *sheet, q question) (tool.Rendered, error) {
	return sources(ctx, snap, s, sourceIn{Name: q.Name, Names: q.Names}, sourceOfKinds)
}

// sourceOfKinds is the text of a definition of whatever kind.
func sourceOfKinds(s *code.Snapshot, ctx context.Context, name, path string, maxLines int) (code.Excerpt, error) {
	return s.Source(ctx, name, path, maxLines, nil)
}

func outlineOf(x *Index) spec[question] {
	return spec[question]{
		name:    "outline",
		short:   "What a file, folder or module defines.",
		input:   inputOf[placeIn](),
		file:    func(q *question) *string { return &q.FilePath },
		renders: tool.Renders[structureData],
		run:     asked{x, x.outlined}.run,
	}
}

// outlined is the outline of a file or folder, else of the module of that name: of its only file, or of its files.
func (x *Index) outlined(ctx context.Context, snap *code.Snapshot, s *sheet, q question) (tool.Rendered, error) {
	in := outlineIn{FilePath: q.FilePath, Cursor: q.Cursor}
	d, err := x.structure(ctx, snap, s, in)
	if err == nil {
		return d, nil
	}
	m, err := snap.Module(ctx, q.FilePath, s.page(0, q.Cursor))
	switch {
	case err != nil || m.Total == 0:
		return nil, &tool.Error{Code: tool.Validation, Err: unknown{snap.Missing(q.FilePath)}}
	case m.Total == 1:
		in.FilePath = m.Entries[0].Path
		return x.structure(ctx, snap, s, in)
	}
	f := folderOf(s, m, in)
	return structureData{Folder: f, extent: s.extent()}, nil
}

func impactOf(x *Index) spec[question] {
	return spec[question]{
		name:    "impact",
		short:   "What a change may break, and commands to test it.",
		input:   inputOf[changeIn](),
		renders: tool.Renders[impactData],
		run:     x.impacts,
	}
}

// impacts bounds the time where it is spent on the search: what git says is not a part of it.
func (x *Index) impacts(ctx context.Context, s *sheet, q question) (tool.Rendered, error) {
	snap, err := x.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	s.brief = true
	return x.changeImpact(ctx, snap.PlainIDs(), s, impactIn{Name: q.Name, Names: q.Names})
}

// pathData is a chain of calls, and what the search for it could not follow.
type pathData struct {
	chainData
	Unknown int `json:"unknown,omitempty" jsonschema:"description=References that a way may lead through"`
}

const unknownNote = "\n[%d references on the way have a receiver of unknown type or many meanings: " +
	"a way may lead through them]"

// Text is the chain. That there is none says what it may hide.
func (d pathData) Text() string {
	text := d.chainData.Text()
	if d.Unknown > 0 {
		text += fmt.Sprintf(unknownNote, d.Unknown)
	}
	return text
}

func pathBetween(x *Index) spec[question] {
	return spec[question]{
		name:    "path",
		short:   "Calls from one symbol to another.",
		input:   inputOf[pathIn](),
		renders: tool.Renders[pathData],
		run:     asked{x, pathOf}.run,
	}
}

func pathOf(ctx context.Context, snap *code.Snapshot, s *sheet, q question) (tool.Rendered, error) {
	c, err := snap.Chain(ctx, q.From, q.To)
	if err != nil {
		return nil, err
	}
	s.misses(snap, c.From.Path)
	return pathData{s.chain(c), c.Unknown}, nil
}

// there tells whether a path below the folder is one of a file or folder, rather than a module's name.
func (x *Index) there(rel string) bool {
	_, err := os.Lstat(filepath.Join(x.dir(), rel))
	return err == nil
}
