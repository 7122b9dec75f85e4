package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"helve/engine/code"
	"helve/scripts/internal/scoring"
)

// edited is a folder of which one file has another text.
type edited struct {
	*scoring.Folder
	path string
	text []byte
	list code.Listing
}

// with gives one file another text.
func (e *edited) with(path string, text []byte) {
	e.path, e.text = path, text
	e.list.Files = slices.Clone(e.Entries())
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
	return e.Folder.Open(path)
}

// editing is a score of edits in one folder.
type editing struct {
	tree  *edited
	index *code.Index
	files []string
	lang  code.Language
	rand  *rand.Rand
	count int // of harmless edits, and of harmful ones
	out   io.Writer

	verbose          bool
	harmless, alarms int
	harmful, seen    map[string]int // by the alteration's name
	times            []time.Duration
}

// scoreEdits makes harmless and harmful edits, so many of each in the language, and counts what is said of them.
func scoreEdits(ctx context.Context, out io.Writer, dir string, lang code.Language, o *options) error {
	tree, err := scoring.OpenFolder(dir)
	if err != nil {
		return err
	}
	e := &editing{
		tree:    &edited{Folder: tree},
		files:   filesIn(tree, lang),
		lang:    lang,
		rand:    newRand(),
		count:   o.edits,
		out:     out,
		verbose: o.verbose,
		harmful: map[string]int{},
		seen:    map[string]int{},
	}
	e.index = code.New(e.tree, code.Options{})
	defer e.index.Close()
	for tries := 0; tries < 200*e.count && (e.harmless < e.count || total(e.harmful) < e.count); tries++ {
		if err := e.one(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s, %s: %d false alarms at %d harmless edits; of %d harmful ones %d are seen; %s\n", dir, lang,
		e.alarms, e.harmless, total(e.harmful), total(e.seen), pace(e.times, time.Microsecond))
	e.printSeen()
	return nil
}

// one alters one file, if it has a place for that, and asks what broke.
func (e *editing) one(ctx context.Context) error {
	a := &altered{path: e.files[e.rand.IntN(len(e.files))], lang: e.lang}
	e.tree.with("", nil)
	var err error
	if a.snap, err = e.index.Snapshot(ctx); err != nil {
		return err
	}
	if a.src, err = scoring.ReadAll(e.tree, a.path); err != nil {
		return err
	}
	a.defs = a.snap.Definitions(a.path)
	how := alterations[e.rand.IntN(len(alterations))]
	if how.harmful && total(e.harmful) >= e.count || !how.harmful && e.harmless >= e.count {
		return nil
	}
	text := how.make(a, e.rand)
	if text == nil || bytes.Equal(text, a.src) {
		return nil
	}
	before := a.snap.Checkpoint(ctx, a.path)
	e.tree.with(a.path, text)
	started := time.Now()
	now, err := e.index.Snapshot(ctx)
	if err != nil {
		return err
	}
	found, _ := before.Broken(ctx, now)
	e.times = append(e.times, time.Since(started))
	e.note(how, a.path, found)
	return nil
}

// note counts what was said of an alteration.
func (e *editing) note(how alteration, path string, found []code.Place) {
	switch {
	case how.harmful && len(found) > 0:
		e.harmful[how.name]++
		e.seen[how.name]++
	case how.harmful:
		e.harmful[how.name]++
		if e.verbose {
			fmt.Fprintf(e.out, "missed: %s in %s\n", how.name, path)
		}
	case len(found) > 0:
		e.harmless++
		e.alarms++
		fmt.Fprintf(e.out, "false alarm: %s in %s: %v\n", how.name, path, found)
	default:
		e.harmless++
	}
}

// filesIn are the files of a language that are edited.
func filesIn(tree *scoring.Folder, lang code.Language) (files []string) {
	for _, f := range tree.Entries() {
		if code.LanguageOf(f.Path, nil) == lang && f.Size < 200_000 && !strings.Contains(f.Path, "testdata/") {
			files = append(files, f.Path)
		}
	}
	return files
}

// printSeen prints how many of the harmful edits of each kind are seen.
func (e *editing) printSeen() {
	for _, how := range alterations {
		if how.harmful && e.harmful[how.name] > 0 {
			fmt.Fprintf(e.out, "  %-32s %d of %d\n", how.name, e.seen[how.name], e.harmful[how.name])
		}
	}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
