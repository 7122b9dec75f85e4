package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"helve/engine/tree"
)

func open(t testing.TB, dir string) *Engine {
	t.Helper()
	tr, err := tree.At(dir, tree.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return New(tr)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// printed returns what Print writes, its lines sorted unless they carry context.
func printed(t testing.TB, e *Engine, q Query) []string {
	t.Helper()
	var out bytes.Buffer
	if _, err := e.Print(context.Background(), &out, q); err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return lines(out.String(), !q.grouped())
}

func lines(s string, sorted bool) []string {
	list := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	if sorted {
		slices.Sort(list)
	}
	return list
}

// rg returns what ripgrep writes for the same query.
func rg(t testing.TB, dir string, q Query) []string {
	t.Helper()
	path, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("ripgrep is not installed: its answer is what this test compares with")
	}
	args := []string{"--no-config", "--no-heading", "-n", "--color=never", "--sort", "path"}
	for flag, on := range map[string]bool{"-F": q.Fixed, "-i": q.IgnoreCase, "-S": q.SmartCase, "-w": q.Word, "-v": q.Invert, "-U": q.Multiline,
		"-l": q.Mode == Files, "-c": q.Mode == Count, "--column": q.Columns, "-o": q.Parts, "-x": q.WholeLine} {
		if on {
			args = append(args, flag)
		}
	}
	if q.grouped() {
		args = append(args, fmt.Sprint("-A", q.After), fmt.Sprint("-B", q.Before))
	}
	if q.PerFile > 0 {
		args = append(args, fmt.Sprint("-m", q.PerFile))
	}
	for _, p := range q.Patterns {
		args = append(args, "-e", p)
	}
	cmd := exec.Command(path, append(args, "./")...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() == 2 {
		t.Fatalf("rg %q: %v %s", args, err, err.(*exec.ExitError).Stderr)
	}
	text := strings.ReplaceAll("\n"+string(out), "\n./", "\n")[1:]
	return lines(text, !q.grouped())
}

// texts are the kinds of file that a tree of the wild holds.
func randomText(r *rand.Rand) string {
	words := []string{"foo", "Foo", "FOO", "bar", "foobar", "foo_bar", "été", "straße", "K", "ſ", "世界", "a", "x1", "123", "  ", "\t", "-", "(", ")", ".", "\"", "$", "naïve", "\xff", "\xc3", "\u2028", "é", "\u0301"}
	ends := [][]string{{"\n"}, {"\r\n"}, {"\n", "\r\n"}}[r.IntN(3)]
	var b strings.Builder
	if r.IntN(8) == 0 {
		b.WriteString("\ufeff")
	}
	for range r.IntN(40) {
		for range r.IntN(8) {
			b.WriteString(words[r.IntN(len(words))])
			if r.IntN(2) == 0 {
				b.WriteByte(' ')
			}
		}
		b.WriteString(ends[r.IntN(len(ends))])
	}
	b.WriteString(words[r.IntN(3)])
	return b.String()
}

// matchesNothing reports whether a query may match the empty text: behind a last line without an end ripgrep prints
// the whole line for that.
func matchesNothing(q Query) bool {
	for _, p := range q.Patterns {
		re, err := regexp.Compile(p)
		if err != nil {
			return true
		}
		for _, at := range re.FindAllStringIndex("foo bar(a x1.\tK é", -1) {
			if at[0] == at[1] {
				return true
			}
		}
	}
	return false
}

// inUTF16 is the text with a byte order mark, now and then with half a character in it.
func inUTF16(r *rand.Rand, text string) string {
	units := utf16.Encode([]rune("\ufeff" + text))
	if len(units) > 1 && r.IntN(3) == 0 {
		units[1+r.IntN(len(units)-1)] = 0xd800 + uint16(r.IntN(0x800))
	}
	var b []byte
	for _, u := range units {
		if text[0]%2 == 0 {
			u = u<<8 | u>>8
		}
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	if r.IntN(5) == 0 {
		b = append(b, 'x')
	}
	return string(b)
}

func randomQuery(r *rand.Rand) Query {
	atoms := []string{"foo", "Foo", "bar", "f", "é", "世", "K", "s", ".", ".*", `\w`, `\w+`, `\d+`, `\s`, `\b`, "[a-f]", "[^a-z]", "[^x]", "(foo|bar)", "(?:a|x1)?", "o+", "^", "$", "x1", `\.`, `\(`, "ß", `\S+`, `\W`, `\D`, "f.o", "(o|oo)b", "[é世]", "_", "(?i:foo)", "oo{1,2}", `\p{Lu}`, "k", `\x{212a}`, "[A-Z]{3}", "[0-9]{3}", `[A-Z][0-9_]+[(-.]`}
	var q Query
	for range 1 + r.IntN(2)*r.IntN(3) {
		var p strings.Builder
		for range 1 + r.IntN(4) {
			p.WriteString(atoms[r.IntN(len(atoms))])
		}
		q.Patterns = append(q.Patterns, p.String())
	}
	q.IgnoreCase, q.Word, q.Invert = r.IntN(3) == 0, r.IntN(5) == 0, r.IntN(6) == 0
	q.SmartCase = !q.IgnoreCase && r.IntN(6) == 0
	if q.Fixed = r.IntN(6) == 0; q.Fixed {
		q.Patterns = []string{[]string{"foo", "é", "a", "(", ".", "foo_bar", "K"}[r.IntN(7)]}
	}
	switch r.IntN(6) {
	case 0:
		q.Mode = Files
	case 1:
		q.Mode = Count
	case 2:
		q.Before, q.After, q.Sort = r.IntN(3), r.IntN(3), ByPath
	}
	q.WholeLine = !q.Word && r.IntN(10) == 0
	if !q.Word && !q.Invert { // where a word begins, and so the column, ripgrep knows from version 14 on
		q.Parts = r.IntN(6) == 0 && q.Mode != Files && !q.grouped() && !matchesNothing(q)
		q.Columns = r.IntN(6) == 0 && q.Mode == Lines
	}
	if !q.grouped() && r.IntN(8) == 0 {
		q.PerFile = 1 + r.IntN(3)
	}
	return q
}

func randomTree(t testing.TB, r *rand.Rand) string {
	dir := t.TempDir()
	for i := range 12 {
		text := randomText(r)
		if r.IntN(8) == 0 {
			text = inUTF16(r, text)
		}
		write(t, filepath.Join(dir, []string{"", "a", "a/b", "c"}[r.IntN(4)], fmt.Sprintf("f%d.txt", i)), text)
	}
	return dir
}

func TestGrepFindsWhatRipgrepFinds(t *testing.T) {
	for seed := range uint64(20 * *times) {
		r := rand.New(rand.NewPCG(7, seed))
		dir := randomTree(t, r)
		e := open(t, dir)
		for range 25 {
			q := randomQuery(r)
			want := rg(t, dir, q)
			if diff := cmp.Diff(want, printed(t, e, q)); diff != "" {
				t.Fatalf("seed %d: %+v\n(-rg +helve)\n%s", seed, q, diff)
			}
		}
	}
}

// Matches are counted where they, and not their lines, are asked for: several in a line, empty ones, up to a number of
// lines, in a file of one window and of several, in UTF-16.
func TestGrepCountsMatchesAsRipgrepDoes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "aa a\nb\naaa\n")
	write(t, filepath.Join(dir, "b"), "no end: a ab")
	write(t, filepath.Join(dir, "c"), "b\n")
	write(t, filepath.Join(dir, "wide"), inUTF16(rand.New(rand.NewPCG(1, 1)), "aa a\nb\n"))
	write(t, filepath.Join(dir, "large"), strings.Repeat("hay and a needle\n", 2*window/16))
	e := open(t, dir)
	for _, q := range []Query{
		{Patterns: []string{"a"}},
		{Patterns: []string{"a"}, PerFile: 1},
		{Patterns: []string{"A"}, IgnoreCase: true},
		{Patterns: []string{"a"}, Word: true},
		{Patterns: []string{"aa a"}, WholeLine: true},
		{Patterns: []string{"a", "b"}},
		{Patterns: []string{"a+", "ab"}},
		{Patterns: []string{"a.*"}},
		{Patterns: []string{"zzz"}},
	} {
		q.Mode, q.Parts = Count, true
		if diff := cmp.Diff(rg(t, dir, q), printed(t, e, q)); diff != "" {
			t.Errorf("%+v\n(-rg +helve)\n%s", q, diff)
		}
	}
}

func globbed(t testing.TB, e *Engine, q GlobQuery) []string {
	t.Helper()
	found, _, err := e.Glob(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, f := range found {
		list = append(list, f.Path)
	}
	slices.Sort(list)
	return list
}

func TestGlobFindsWhatBashFinds(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: its globstar is what this test compares with")
	}
	dir := t.TempDir()
	for _, p := range []string{"a.go", "a/b.go", "a/b/c.go", "a/b/c.ts", "a/b/x y.tsx", "src/a/é.go", "src/[x].go", "src/{y}.go"} {
		write(t, filepath.Join(dir, p), "")
	}
	e := open(t, dir)
	for _, pattern := range []string{"**/*.go", "a/*.go", "a/**/*.go", "**/*.{ts,tsx}", "**/b/*", "src/**", "**/[abc].go", "**/?.go", "a/b/c.*", "**/x*", `src/\[x\].go`, `**/\{y}.go`, "**/[!a]*.go"} {
		cmd := exec.Command(bash, "-O", "globstar", "-O", "nullglob", "-c", "for f in "+strings.ReplaceAll(pattern, " ", `\ `)+`; do [ -f "$f" ] && echo "$f"; done; true`)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LC_ALL=C") // ? is a byte, as in git and ripgrep
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		slices.Sort(want)
		if diff := cmp.Diff(want, globbed(t, e, GlobQuery{Pattern: pattern})); diff != "" {
			t.Errorf("%s (-bash +helve)\n%s", pattern, diff)
		}
	}
	if diff := cmp.Diff([]string{"a/b.go"}, globbed(t, e, GlobQuery{Pattern: "./*.go", Path: "a"})[:1]); diff != "" {
		t.Error(diff)
	}
}

func TestGlobOfAResidentTreeIsTheSame(t *testing.T) {
	dir := randomTree(t, rand.New(rand.NewPCG(9, 9)))
	write(t, filepath.Join(dir, ".git/HEAD"), "")
	write(t, filepath.Join(dir, ".gitignore"), "f1*\n")
	write(t, filepath.Join(dir, "node_modules/x/f.txt"), "")
	live := resident(t, dir, t.TempDir())
	for _, q := range []GlobQuery{{Pattern: "*.txt"}, {Pattern: "b/*", Path: "a"}, {Pattern: "**"}, {Pattern: "*.txt", Skip: []string{"node_modules"}}, {Pattern: "*", Sort: Newest, Limit: 3}, {Pattern: "f1*", NoIgnore: true}} {
		if diff := cmp.Diff(globbed(t, open(t, dir), q), globbed(t, live, q)); diff != "" {
			t.Errorf("%+v (-walk +resident)\n%s", q, diff)
		}
	}
}
