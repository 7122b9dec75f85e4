package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"helve/engine/tree"
	"helve/internal/testing/leaktest"
)

func grep(t testing.TB, e *Engine, q Query) (Summary, []File) {
	t.Helper()
	var all []File
	sum, err := e.Grep(context.Background(), q, func(f *File) error {
		all = append(all, *f.clone())
		return nil
	})
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return sum, all
}

func TestBadPatternsSayWhatToWriteInstead(t *testing.T) {
	e := open(t, t.TempDir())
	for _, tt := range []struct{ pattern, want string }{
		{`foo(?=bar)`, "pattern \"foo(?=bar)\": look-around is not supported at byte 3: the line is what is found, so write `foo(?:bar)`"},
		{`(?<=a)b`, "pattern \"(?<=a)b\": look-around is not supported at byte 0: the line is what is found, so write `(?:a)b`"},
		{`foo(?!x)`, "pattern \"foo(?!x)\": look-around is not supported at byte 3: write `foo(?:[^x]|$)`"},
		{`(a)\1`, `pattern "(a)\\1": backreferences are not supported at byte 3: search for the repeated part spelled out, or match more and look at the lines`},
		{`func (`, "pattern \"func (\": missing closing ) at byte 5: write \\( for a parenthesis, or search for fixed text"},
		{`a)b`, "pattern \"a)b\": unexpected ) at byte 1: write \\) for a parenthesis, or search for fixed text"},
		{`ab[c`, "pattern \"ab[c\": missing closing ]: `[c` at byte 2: write \\[ for a bracket, or search for fixed text"},
		{`*x`, "pattern \"*x\": missing argument to repetition operator: `*` at byte 0: put a backslash before it to search for it"},
		{`(?:a{1,1000}){1,1000}`, "pattern \"(?:a{1,1000}){1,1000}\": invalid repeat count: `{1,1000}` at byte 13: repeat at most 1000 times, nested repeats multiplied; use * or + instead"},
		{`ab\`, "pattern \"ab\\\\\": trailing backslash at end of expression at byte 2: write \\\\ for a backslash, or search for fixed text"},
		{`\[z-a]x[z-a]`, "pattern \"\\\\[z-a]x[z-a]\": invalid character class range: `z-a` at byte 8"},
		{`a\q`, "pattern \"a\\\\q\": invalid escape sequence: `\\q` at byte 1: write \\\\ for a backslash, or search for fixed text"},
		{"a\nb", "pattern \"a\\nb\": it can only match across lines: switch multiline on, or give the lines as patterns of their own"},
		{"a\xffb", "pattern \"a\\xffb\": not UTF-8 at byte 1"},
	} {
		_, err := e.Grep(context.Background(), Query{Patterns: []string{tt.pattern}}, func(*File) error { return nil })
		var pe *PatternError
		if !errors.As(err, &pe) || err.Error() != tt.want {
			t.Errorf("%q\ngot  %v\nwant %s", tt.pattern, err, tt.want)
		}
	}
}

func TestExplodingPatternsEnd(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f"), strings.Repeat("a", 20_000)+"\n")
	e := open(t, dir)
	for _, p := range []string{`(a*)*b`, `(a|aa)+$b`, `(a|a)*c`, `[ab]*a[ab]{20}c`, `(?:a?){50}a{50}b`, `(.*)(.*)(.*)(.*)x`} {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		sum, err := e.Grep(ctx, Query{Patterns: []string{p}}, func(*File) error { return nil })
		cancel()
		if err != nil || sum.Lines != 0 || sum.Partial {
			t.Errorf("%s: %+v %v", p, sum, err)
		}
	}
}

func TestHiddenFilesAreExplained(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".git/HEAD"), "")
	write(t, filepath.Join(dir, ".gitignore"), "# all\n\n/*\n")
	for i := range 20 {
		write(t, filepath.Join(dir, fmt.Sprintf("src/d%d/f.c", i)), "text\n")
	}
	sum, _ := grep(t, open(t, dir), Query{Patterns: []string{"text"}})
	want := tree.Hidden{Reason: "by .gitignore:3 (/*)", Files: 21}
	if len(sum.Hidden) == 0 || sum.Searched != 0 || sum.Hidden[0].Reason != want.Reason || sum.Hidden[0].Files < 20 {
		t.Errorf("%+v, want %+v", sum, want)
	}
	if sum, _ := grep(t, open(t, dir), Query{Patterns: []string{"text"}, NoIgnore: true}); sum.Files != 20 {
		t.Errorf("without rules %d files, want 20", sum.Files)
	}
}

func TestOddFilesAreSearchedOrSkipped(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bin"), "needle\n\x00")
	write(t, filepath.Join(dir, "late"), "needle\n"+strings.Repeat("hay\n", 20<<10)+"\x00\nneedle\n")
	write(t, filepath.Join(dir, "crlf"), "a\r\nneedle\r\n")
	write(t, filepath.Join(dir, "bom"), "\ufeffneedle first\n")
	want := []string{`"bom" 1 3 "needle first"`, `"crlf" 2 3 "needle\r"`, `"late" 1 0 "needle"`}
	denied := 0
	if runtime.GOOS == "linux" { // such names and files are elsewhere none, or not to be made by everybody
		denied = oddOfLinux(t, dir, &want)
	}
	sum, found := grep(t, open(t, dir), Query{Patterns: []string{"^needle|needle$"}, Sort: ByPath})
	var got []string
	for _, f := range found {
		for _, l := range f.Lines {
			got = append(got, fmt.Sprintf("%q %d %d %q", f.Path, l.Number, l.Offset, l.Text))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || sum.Binary != 1 || sum.Failures != denied {
		t.Errorf("binary %d, want 1; failures %d %v, want %d\n%s", sum.Binary, sum.Failures, sum.Failed, denied, diff)
	}
}

// oddOfLinux adds names that are no UTF-8 or hold a line end, a loop of links and a folder that is not to be read, with
// what is found in them. It tells how many places are not read.
func oddOfLinux(t *testing.T, dir string, want *[]string) (denied int) {
	write(t, filepath.Join(dir, "name\xff\xfe"), "needle\n")
	write(t, filepath.Join(dir, "line\nbreak"), "no end: needle")
	write(t, filepath.Join(dir, "denied/f"), "needle\n")
	if err := os.Symlink(".", filepath.Join(dir, "loop")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "denied"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "denied"), 0o755) })
	*want = append(*want, `"line\nbreak" 1 0 "no end: needle"`, `"name\xff\xfe" 1 0 "needle"`)
	if os.Getuid() != 0 {
		return 1
	}
	*want = slices.Insert(*want, 2, `"denied/f" 1 0 "needle"`) // root reads everything
	return 0
}

func TestLargeFilesAreSearchedInWindows(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	for i := range 400_000 {
		fmt.Fprintf(&b, "line %d of many\n", i+1)
	}
	write(t, filepath.Join(dir, "log"), b.String())
	write(t, filepath.Join(dir, "long"), strings.Repeat("x", 9<<20)+"needle"+strings.Repeat("y", 9<<20))
	e := open(t, dir)
	sum, _ := grep(t, e, Query{Patterns: []string{"9 of many$"}})
	if sum.Lines != 40_000 || sum.Files != 1 {
		t.Errorf("%d lines in %d files, want 40000 in 1", sum.Lines, sum.Files)
	}
	for _, n := range []int{1, 52_000, 200_000, 400_000} {
		_, found := grep(t, e, Query{Patterns: []string{fmt.Sprintf("line %d of", n)}, Before: 2, After: 1})
		var numbers []int
		for _, f := range found {
			for _, l := range f.Lines {
				numbers = append(numbers, l.Number)
				if want := fmt.Sprintf("line %d of many", l.Number); string(l.Text) != want || b.String()[l.Offset:l.Offset+int64(len(want))] != want {
					t.Errorf("line %d at %d is %q", l.Number, l.Offset, l.Text)
				}
			}
		}
		var want []int
		for i := max(1, n-2); i <= min(400_000, n+1); i++ {
			want = append(want, i)
		}
		if diff := cmp.Diff(want, numbers); diff != "" {
			t.Errorf("line %d with context\n%s", n, diff)
		}
	}
	_, found := grep(t, e, Query{Patterns: []string{"needle"}, Columns: true, MaxText: 10})
	if len(found) != 1 || found[0].Lines[0].Column != 9<<20+1 || string(found[0].Lines[0].Text) != "xxxxxxxxxx" || !found[0].Lines[0].Cut {
		t.Errorf("the long line: %+v", found)
	}
}

func TestLimitsAreHonest(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for i := range 30 {
		p := filepath.Join(dir, fmt.Sprintf("f%02d", i))
		write(t, p, strings.Repeat("needle\n", 5))
		if err := os.Chtimes(p, now, now.Add(time.Duration(i)*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range []*Engine{open(t, dir), resident(t, dir, t.TempDir())} {
		sum, found := grep(t, e, Query{Patterns: []string{"needle"}, Sort: Newest, Limit: 7, Offset: 4})
		var got []string
		for _, f := range found {
			got = append(got, fmt.Sprint(f.Path, " ", f.Count))
		}
		if diff := cmp.Diff([]string{"f29 1", "f28 5", "f27 1"}, got); diff != "" || !sum.Capped || sum.Lines != 7 {
			t.Errorf("%+v\n%s", sum, diff)
		}
		if sum, _ := grep(t, e, Query{Patterns: []string{"needle"}, Limit: 150}); sum.Capped || sum.Lines != 150 {
			t.Errorf("all 150 of 150: %+v", sum)
		}
		if sum, _ := grep(t, e, Query{Patterns: []string{"needle"}, Mode: Files, Limit: 10}); !sum.Capped || sum.Files != 10 {
			t.Errorf("10 of 30 files: %+v", sum)
		}
	}
}

// slow is a tree on which the pattern takes long: the automaton gives up and a line is long.
func slow(t testing.TB) (*Engine, Query) {
	dir := t.TempDir()
	for i := range 8 {
		write(t, filepath.Join(dir, fmt.Sprint(i)), strings.Repeat("ab", 4<<20))
	}
	return open(t, dir), Query{Patterns: []string{`(a|b)*[ab]{300}c`, `[ab]*a[ab]{200}x`}}
}

func TestDeadlineGivesPartialResults(t *testing.T) {
	e, q := slow(t)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	sum, err := e.Grep(ctx, q, func(*File) error { return nil })
	if err != nil || !sum.Partial {
		t.Errorf("%+v %v, want a partial result", sum, err)
	}
}

func TestCancelEndsEverything(t *testing.T) {
	e, q := slow(t)
	for _, sort := range []Sort{Unsorted, Newest} {
		earlier := goleak.IgnoreCurrent()
		ctx, cancel := context.WithCancel(context.Background())
		q.Sort = sort
		go func() { time.Sleep(50 * time.Millisecond); cancel() }()
		_, err := e.Grep(ctx, q, func(*File) error { return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
		if err := leaktest.Find(earlier); err != nil {
			t.Fatal(err)
		}
	}
}

func TestErrorOfTheCallbackEndsTheSearch(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		write(t, filepath.Join(dir, fmt.Sprint(i)), strings.Repeat("needle\n", 300_000))
	}
	want := errors.New("enough of that")
	calls := 0
	_, err := open(t, dir).Grep(context.Background(), Query{Patterns: []string{"needle"}}, func(*File) error {
		calls++
		return want
	})
	if !errors.Is(err, want) || calls != 1 {
		t.Errorf("error %v after %d calls, want %v after 1", err, calls, want)
	}
}

func TestManySearchesAtOnce(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		write(t, filepath.Join(dir, fmt.Sprint(i)), fmt.Sprintf("needle %d\n", i))
	}
	e := resident(t, dir, t.TempDir())
	e.build(t)
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			sum, err := e.Grep(context.Background(), Query{Patterns: []string{fmt.Sprintf(`needle %d$`, i)}}, func(*File) error { return nil })
			if err != nil || sum.Lines != 1 {
				t.Errorf("%d: %+v %v", i, sum, err)
			}
		})
	}
	wg.Wait()
}

func BenchmarkCancel(b *testing.B) {
	e, q := slow(b)
	var worst time.Duration
	for b.Loop() {
		ctx, cancel := context.WithCancel(context.Background())
		var at time.Time
		go func() { time.Sleep(20 * time.Millisecond); at = time.Now(); cancel() }()
		if _, err := e.Grep(ctx, q, func(*File) error { return nil }); err == nil {
			b.Fatal("it was over before it was cancelled")
		}
		worst = max(worst, time.Since(at))
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms-worst")
}

// Behind the last line end there is no line, whatever matches the empty text.
func TestAnEmptyMatchIsNoLineBehindTheLast(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"one": "b\n", "two": "a\n\nb\n", "open": "a\n\nb", "empty": "", "blank": "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tr, err := tree.At(dir, tree.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for _, p := range []string{`^$`, `^\s*$`, `^x*$`, `zz|^$`} {
		var out strings.Builder
		if _, err := New(tr).Print(t.Context(), &out, Query{Patterns: []string{p}, Sort: ByPath}); err != nil {
			t.Fatal(err)
		}
		if got, want := out.String(), "blank:1:\nopen:2:\ntwo:2:\n"; got != want {
			t.Errorf("%s: got %q, want %q", p, got, want)
		}
	}
}
