package diff_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/diff"
)

func lines(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

func TestUnifiedShowsWhatChanged(t *testing.T) {
	ten := lines(10, func(i int) string { return string(rune('a'+i)) + "\n" })
	for _, c := range []struct{ name, old, new, want string }{
		{"same", "a\n", "a\n", ""},
		{"both empty", "", "", ""},
		{"from nothing", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"final newline", "a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"carriage return", "a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n"},
		{"middle", ten, strings.Replace(ten, "e\n", "E\n", 1), "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n"},
		{"two hunks", ten, "A" + ten[1:len(ten)-2] + "J\n",
			"@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n d\n@@ -7,4 +7,4 @@\n g\n h\n i\n-j\n+J\n"},
		{"doubled line", "x\nx\n", "x\nx\nx\n", "@@ -1,2 +1,3 @@\n x\n x\n+x\n"},
		{"suffix inside a line", "ab\n", "b\n", "@@ -1 +1 @@\n-ab\n+b\n"},
	} {
		if got := diff.Of(c.old, c.new, diff.Options{}).Body(); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestCountsHoldWhatMaxLinesLeavesOut(t *testing.T) {
	d := diff.Of("", strings.Repeat("x\n", 50), diff.Options{MaxLines: 10})
	if d.Added != 50 || d.Cut != 40 || d.Stat() != "+50 -0" || !strings.HasSuffix(d.Body(), "+x\n… 40 more lines\n") {
		t.Errorf("%s cut %d: %s", d.Stat(), d.Cut, d.Body())
	}
}

func TestALargeChangeIsOneBlock(t *testing.T) {
	old := "head\n" + lines(200_000, func(i int) string { return strings.Repeat("o", i%9) + "\n" }) + "tail\n"
	new := "head\n" + lines(200_000, func(i int) string { return strings.Repeat("n", i%7) + "!\n" }) + "tail\n"
	d := diff.Of(old, new, diff.Options{MaxLines: 20})
	if len(d.Hunks) != 1 || d.Removed != 200_000 || d.Added != 200_000 || d.Hunks[0].Lines[0].Text != "head" {
		t.Errorf("%d hunks, %s", len(d.Hunks), d.Stat())
	}
}

// FuzzUnified: patch, where it is installed, makes the new text of the old one; and so does applying the hunks here.
func FuzzUnified(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc")
	f.Add("", "x")
	f.Add("x\n\n\ny\n", "\n\n")
	f.Add("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "a\nb\nX\nd\ne\nf\ng\nh\ni\nJ\n")
	_, missing := exec.LookPath("patch")
	f.Fuzz(func(t *testing.T, old, new string) {
		d := diff.Of(old, new, diff.Options{})
		if got := apply(t, old, d); got != new {
			t.Fatalf("%q → %q: the hunks make %q\n%s", old, new, got, d.Body())
		}
		if strings.ContainsAny(old+new, "\r\x00") || old == "" || new == "" || d.Body() == "" || missing != nil {
			return // patch guesses about these
		}
		if got := patch(t, old, d.Unified("a", "a")); got != new {
			t.Fatalf("%q → %q: patch makes %q of\n%s", old, new, got, d.Body())
		}
	})
}

// apply follows the hunks by their line numbers.
func apply(t *testing.T, old string, d *diff.Diff) string {
	t.Helper()
	rest, at := strings.SplitAfter(old, "\n"), 1
	var b strings.Builder
	for _, h := range d.Hunks {
		start := h.Old
		if h.OldLines == 0 {
			start++
		}
		for ; at < start; at++ {
			b.WriteString(rest[0])
			rest = rest[1:]
		}
		for _, l := range h.Lines {
			text := l.Text
			if !l.Open {
				text += "\n"
			}
			if l.Kind != diff.Insert {
				if rest[0] != text {
					t.Fatalf("line %d is %q, the hunk says %q", at, rest[0], text)
				}
				rest, at = rest[1:], at+1
			}
			if l.Kind != diff.Delete {
				b.WriteString(text)
			}
		}
	}
	return b.String() + strings.Join(rest, "")
}

func patch(t *testing.T, old, unified string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(file, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("patch", "-s", "-p0", "--posix", file)
	cmd.Stdin = strings.NewReader(unified)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("patch: %v: %s\n%s", err, out, unified)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func BenchmarkOneLineOf50MB(b *testing.B) {
	old := strings.Repeat("static int func(struct device *dev, unsigned long flags);\n", 50<<20/58)
	new := old[:25<<20] + "X" + old[25<<20:]
	b.ReportAllocs()
	for b.Loop() {
		diff.Of(old, new, diff.Options{})
	}
}
