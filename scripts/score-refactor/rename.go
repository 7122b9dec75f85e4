package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/engine/code"
	"helve/engine/code/refactor"
	"helve/scripts/internal/scoring"
)

// A server is the oracle: it says where a name would have to change.
type server interface {
	// rename answers the edits by file, each as the offset where it begins; an error says that the server refuses.
	rename(path string, line, column int, to string) (map[string][]edit, error)
	// builds reports whether the project builds as it stands now.
	builds() (bool, string)
	Close()
}

type edit struct {
	start, end int
	text       string
}

// A score is that of renames in one folder.
type score struct {
	*options
	dir     string
	out     io.Writer
	reasons reasons
	oracle  server
	asked   int // renames of which a server settled something

	same, fewer, built, wrong, refused, both, only int
	planning                                       []time.Duration
}

func (s *score) run(ctx context.Context) error {
	tree, err := scoring.OpenFolder(s.dir)
	if err != nil {
		return err
	}
	var o code.Options
	if s.exact {
		c, err := s.checker(ctx, tree)
		if err != nil {
			return err
		}
		defer c.Close()
		o.Checker = c
	}
	index := code.New(tree, o)
	defer index.Close()
	snap, err := index.Snapshot(ctx)
	if err != nil {
		return err
	}
	if strings.HasSuffix(s.server, ".js") {
		s.oracle, err = startScript(ctx, s.server, s.dir)
	} else {
		s.oracle, err = startGo(ctx, s.server, s.dir)
	}
	if err != nil {
		return err
	}
	defer s.oracle.Close()
	if ok, why := s.oracle.builds(); !ok {
		return errors.New("it does not build before: " + why)
	}
	for _, y := range chosen(snap, tree, s.names) {
		s.one(ctx, snap, y)
	}
	s.report()
	return nil
}

// renamable are the kinds of what is renamed.
var renamable = []code.Kind{
	code.Function, code.Method, code.Class, code.Struct, code.Interface, code.Enum, code.Alias, code.Variable,
	code.Constant, code.Field,
}

// meant are names that mean something to the language, or nothing.
var meant = []string{"_", "main", "init"}

// chosen are definitions of the project, the same ones at every run.
func chosen(snap *code.Snapshot, tree *scoring.Folder, names int) []code.Symbol {
	byID := map[string]code.Symbol{}
	for _, e := range tree.Entries() {
		l := code.LanguageOf(e.Path, nil)
		if l != code.Go && l != code.TypeScript || strings.Contains(e.Path, "testdata/") {
			continue
		}
		for _, y := range snap.Definitions(e.Path) {
			if slices.Contains(renamable, y.Kind) && !slices.Contains(meant, y.Name) {
				byID[y.ID] = y
			}
		}
	}
	var out []code.Symbol
	for _, id := range scoring.Spread(slices.Collect(maps.Keys(byID)), names) {
		out = append(out, byID[id])
	}
	return out
}

// one renames one definition both ways.
func (s *score) one(ctx context.Context, snap *code.Snapshot, y code.Symbol) {
	to := y.Name + "Qz"
	line, column := s.place(y)
	theirs, refusal := s.oracle.rename(y.Path, line, column, to)
	started := time.Now()
	ours, err := refactor.Rename(ctx, snap, y.ID, to)
	s.planning = append(s.planning, time.Since(started))
	if err == nil && strings.Contains(strings.Join(ours.Notes, "\n"), " settled ") {
		s.asked++
	}
	switch {
	case err != nil && (refusal != nil || len(theirs) == 0):
		s.both++
	case err != nil:
		s.refused++
		s.reasons.add(err, y)
		if s.verbose {
			fmt.Fprintf(s.out, "refused %s (%s): %v\n", y.ID, y.Kind, err)
		}
	case refusal == nil && equal(s.edits(ours), theirs):
		s.same++
	default:
		s.differs(y, ours, theirs, refusal)
	}
}

// place is where the definition's name stands.
func (s *score) place(y code.Symbol) (line, column int) {
	src, _ := os.ReadFile(filepath.Join(s.dir, y.Path))
	text := strings.Split(string(src), "\n")[y.Line-1]
	from := 0
	if y.Kind == code.Method && strings.HasPrefix(text, "func (") {
		from = strings.IndexByte(text, ')')
	}
	for at := from; ; {
		i := strings.Index(text[at:], y.Name)
		if i < 0 {
			return y.Line, from
		}
		i += at
		at = i + len(y.Name)
		if (i == 0 || !word(text[i-1])) && (at == len(text) || !word(text[at])) {
			return y.Line, i
		}
	}
}

func word(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func (s *score) edits(c *refactor.Changes) map[string][]edit {
	out := map[string][]edit{}
	for _, f := range c.Files {
		for _, e := range f.Edits {
			out[f.Path] = append(out[f.Path], edit{e.Start, e.End, e.New})
		}
	}
	return out
}

// equal compares what is edited; in which words a shorthand is written out does not matter.
func equal(a, b map[string][]edit) bool {
	if len(a) != len(b) {
		return false
	}
	for path := range a {
		if !slices.Equal(ordered(a[path]), ordered(b[path])) {
			return false
		}
	}
	return true
}

func ordered(list []edit) []edit {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	return list
}

// differs builds the project with our edits, which are not those of the server.
func (s *score) differs(y code.Symbol, ours *refactor.Changes, theirs map[string][]edit, refusal error) {
	mine := s.edits(ours)
	for _, f := range ours.Files {
		os.WriteFile(filepath.Join(s.dir, f.Path), f.After(), 0o644)
	}
	ok, why := s.oracle.builds()
	for _, f := range ours.Files {
		os.WriteFile(filepath.Join(s.dir, f.Path), f.Before, 0o644)
	}
	what := "built"
	switch {
	case !ok:
		s.wrong++
		what = "WRONG"
	case refusal != nil:
		s.only++
		what = "done where the server refuses"
	case subset(mine, theirs):
		s.fewer++
		what = "fewer edits, built"
	default:
		s.built++
	}
	if s.verbose || !ok {
		fmt.Fprintf(s.out, "%s %s (%s)\n", what, y.ID, y.Kind)
		s.show("only ours", mine, theirs)
		s.show("only theirs", theirs, mine)
		if refusal != nil {
			fmt.Fprintln(s.out, "  server:", refusal)
		}
		if !ok {
			fmt.Fprintln(s.out, "  "+strings.ReplaceAll(strings.TrimSpace(why), "\n", "\n  "))
		}
	}
}

// show prints what one side has and the other has not.
func (s *score) show(title string, a, b map[string][]edit) {
	for _, path := range slices.Sorted(maps.Keys(a)) {
		src, _ := os.ReadFile(filepath.Join(s.dir, path))
		for _, e := range a[path] {
			if slices.Contains(b[path], e) || e.end > len(src) {
				continue
			}
			before := string(src[:e.start])
			from := strings.LastIndexByte(before, '\n') + 1
			line, _, _ := strings.Cut(string(src[from:]), "\n")
			number := 1 + strings.Count(before, "\n")
			fmt.Fprintf(s.out, "  %s: %s:%d %q: %s\n", title, path, number, e.text, strings.TrimSpace(line))
		}
	}
}

func subset(a, b map[string][]edit) bool {
	for path := range a {
		for _, e := range a[path] {
			if !slices.Contains(b[path], e) {
				return false
			}
		}
	}
	return true
}

func (s *score) report() {
	done := s.same + s.fewer + s.built
	fmt.Fprintf(s.out, "%s: %d done as the server does, %d with fewer edits and %d with others that build, ",
		s.dir, s.same, s.fewer, s.built)
	fmt.Fprintf(s.out, "%d where it refuses, %d refused by both\n", s.only, s.both)
	fmt.Fprintf(s.out, "%s: %d wrong; %d refused of %d that the server does (%.0f %% done); %s\n",
		s.dir, s.wrong, s.refused, done+s.refused, 100*float64(done)/float64(max(done+s.refused, 1)),
		pace(s.planning, time.Millisecond))
	if s.exact {
		fmt.Fprintf(s.out, "%s: of %d a server settled something\n", s.dir, s.asked)
	}
	s.reasons.print(s.out)
}
