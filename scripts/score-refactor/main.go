// Command score-refactor measures the renames of package code against language servers: gopls for Go, tsserver for
// TypeScript. It asks both to rename the same definitions, spread over a project, and compares every edit.
//
//	score-refactor -server gopls -names 120 FOLDER
//	score-refactor -server node_modules/typescript/lib/tsserver.js -names 120 FOLDER
//	score-refactor -exact -server gopls FOLDER
//	score-refactor -signatures 100 FOLDER
//	score-refactor -moves 100 FOLDER
//	score-refactor -packages 100 FOLDER
//
// The folder must be a writable copy: where the edits differ from the server's, they are written, the project is
// built (go vet, tsc), and taken back. A rename counts as wrong if the project builds before it and not after it. Of
// signatures and moves no server is asked: all that is done is written, built and taken back. With -exact, servers in PATH
// settle what names do not explain, as exact mode has them do. run.sh has a small part of it, for CI.
//
// It is a module of its own, so that nothing of it is built with helve.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
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
	"helve/engine/sandbox"
)

func main() {
	sandbox.Init() // for -exact
	os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command: 0 when nothing was wrong, 1 when something was, 2 for arguments that cannot be read.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("score-refactor", flag.ContinueOnError)
	flags.SetOutput(stderr)
	program := flags.String("server", "gopls", "gopls, or the path of tsserver.js")
	names := flags.Int("names", 120, "how many definitions are renamed")
	edits := flags.Int("edits", 0, "in place of renames, so many harmless and so many harmful edits in -language")
	language := flags.String("language", "Go", "Go, Python or TypeScript")
	signatures := flags.Int("signatures", 0, "in place of renames, so many changes of signatures")
	moves := flags.Int("moves", 0, "in place of renames, so many moves to other files")
	packages := flags.Int("packages", 0, "in place of renames, so many moves to other packages of Go")
	verbose := flags.Bool("v", false, "print each refusal and difference")
	settled := flags.Bool("exact", false, "have language servers in PATH settle what names do not explain")
	readable := flags.String("readable", "", "with -exact: a folder that these servers may read")
	if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
		return 2
	}
	wrong := 0
	for _, dir := range flags.Args() {
		if *edits > 0 {
			lang := map[string]code.Language{"Go": code.Go, "Python": code.Python, "TypeScript": code.TypeScript}[*language]
			if err := scoreEdits(ctx, stdout, dir, lang, *edits, *verbose); err != nil {
				fmt.Fprintln(stderr, "score-refactor:", dir, err)
				return 1
			}
			continue
		}
		if *signatures+*moves+*packages > 0 {
			plan, count := planned(newSignature), *signatures
			if *moves > 0 {
				plan, count = newPlace, *moves
			}
			if *packages > 0 {
				plan, count = newPackage, *packages
			}
			n, err := scoreChanges(ctx, stdout, dir, *program, plan, count, *moves > 0, *verbose)
			if err != nil {
				fmt.Fprintln(stderr, "score-refactor:", dir, err)
				return 1
			}
			wrong += n
			continue
		}
		s := &score{dir: dir, out: stdout, verbose: *verbose, reasons: map[string]int{}, exact: *settled, readable: *readable}
		if err := s.run(ctx, *program, *names); err != nil {
			fmt.Fprintln(stderr, "score-refactor:", dir, err)
			return 1
		}
		wrong += s.wrong
	}
	return min(wrong, 1)
}

// A server is the oracle: it says where a name would have to change.
type server interface {
	// rename answers the edits by file, each as the offset where it begins; an error says that the server refuses.
	rename(path string, line, column int, to string) (map[string][]edit, error)
	// builds reports whether the project builds as it stands now.
	builds() (bool, string)
	close()
}

type edit struct {
	start, end int
	text       string
}

type score struct {
	dir     string
	out     io.Writer
	verbose bool
	reasons map[string]int
	server  server

	exact    bool
	readable string
	asked    int // renames of which a server settled something

	same, fewer, built, wrong, refused, both, only int
	planning                                       []time.Duration
}

func (s *score) run(ctx context.Context, program string, names int) error {
	tree, err := openFolder(s.dir)
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
	if strings.HasSuffix(program, ".js") {
		s.server, err = startScript(program, s.dir)
	} else {
		s.server, err = startGo(program, s.dir)
	}
	if err != nil {
		return err
	}
	defer s.server.close()
	if ok, why := s.server.builds(); !ok {
		return errors.New("it does not build before: " + why)
	}
	for _, y := range s.chosen(ctx, snap, tree, names) {
		s.one(ctx, snap, y)
	}
	s.report()
	return nil
}

// chosen are definitions of the project, the same ones at every run.
func (s *score) chosen(ctx context.Context, snap *code.Snapshot, tree *folder, names int) []code.Symbol {
	byID := map[string]code.Symbol{}
	for _, e := range tree.list.Files {
		if l := code.LanguageOf(e.Path, nil); l != code.Go && l != code.TypeScript || strings.Contains(e.Path, "testdata/") {
			continue
		}
		for _, y := range snap.Definitions(e.Path) {
			switch y.Kind {
			case code.Function, code.Method, code.Class, code.Struct, code.Interface, code.Enum, code.Alias, code.Variable, code.Constant, code.Field:
				if y.Name != "_" && y.Name != "main" && y.Name != "init" {
					byID[y.ID] = y
				}
			}
		}
	}
	var out []code.Symbol
	for _, id := range spread(slices.Collect(maps.Keys(byID)), names) {
		out = append(out, byID[id])
	}
	return out
}

// one renames one definition both ways.
func (s *score) one(ctx context.Context, snap *code.Snapshot, y code.Symbol) {
	to := y.Name + "Qz"
	line, column := s.place(y)
	theirs, refusal := s.server.rename(y.Path, line, column, to)
	started := time.Now()
	ours, err := refactor.Rename(ctx, snap, y.ID, to)
	s.planning = append(s.planning, time.Since(started))
	if err == nil && slices.ContainsFunc(ours.Notes, func(n string) bool { return strings.Contains(n, " settled ") }) {
		s.asked++
	}
	switch {
	case err != nil && (refusal != nil || len(theirs) == 0):
		s.both++
	case err != nil:
		s.refused++
		first, rest, _ := strings.Cut(err.Error(), "\n")
		if _, why, ok := strings.Cut(rest, ": "); ok {
			first, _, _ = strings.Cut(why, "\n")
		}
		s.reasons[general(first, y)]++
		if s.verbose {
			fmt.Fprintf(s.out, "refused %s (%s): %v\n", y.ID, y.Kind, err)
		}
	case refusal == nil && equal(s.edits(ours), theirs):
		s.same++
	default:
		s.differs(y, ours, theirs, refusal)
	}
}

// general is a reason without the names in it.
func general(why string, y code.Symbol) string {
	return strings.NewReplacer(y.ID, "X", y.Name, "x", y.Path, "F").Replace(why)
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
	ok, why := s.server.builds()
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
			if !slices.Contains(b[path], e) && e.end <= len(src) {
				from := strings.LastIndexByte(string(src[:e.start]), '\n') + 1
				line, _, _ := strings.Cut(string(src[from:]), "\n")
				fmt.Fprintf(s.out, "  %s: %s:%d %q: %s\n", title, path, 1+strings.Count(string(src[:from]), "\n"), e.text, strings.TrimSpace(line))
			}
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
	slices.Sort(s.planning)
	fmt.Fprintf(s.out, "%s: %d done as the server does, %d with fewer edits and %d with others that build, %d where it refuses, %d refused by both\n",
		s.dir, s.same, s.fewer, s.built, s.only, s.both)
	fmt.Fprintf(s.out, "%s: %d wrong; %d refused of %d that the server does (%.0f %% done); median %v, slowest %v\n",
		s.dir, s.wrong, s.refused, done+s.refused, 100*float64(done)/float64(max(done+s.refused, 1)),
		s.planning[len(s.planning)/2].Round(time.Millisecond), s.planning[len(s.planning)-1].Round(time.Millisecond))
	if s.exact {
		fmt.Fprintf(s.out, "%s: of %d a server settled something\n", s.dir, s.asked)
	}
	for _, why := range slices.SortedFunc(maps.Keys(s.reasons), func(a, b string) int { return s.reasons[b] - s.reasons[a] }) {
		fmt.Fprintf(s.out, "  %4d %s\n", s.reasons[why], why)
	}
}
