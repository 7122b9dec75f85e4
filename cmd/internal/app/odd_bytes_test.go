package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/cmd/internal/command"
)

// What JSON cannot carry is refused with its place. It does not arrive as something else, and nothing is written.
func TestWhatIsNotUTF8IsRefusedWithItsPlace(t *testing.T) {
	const odd = "x = 1\ny = 'a\xffb'\n"
	v := newVictim(t).put("odd.star", odd)
	for _, c := range []struct {
		words []string
		stdin string
		want  string
	}{
		{words: []string{"script", "odd.star"}, want: "script: odd.star: not valid UTF-8: line 2, byte 7"},
		{words: []string{"script", "-"}, stdin: odd, want: "script: -: not valid UTF-8: line 2, byte 7"},
		{words: []string{"call", "write", "file_path=n.txt", "contents=a\xffb", "--yes"}, want: "not valid UTF-8: line 1, byte 11"},
		{words: []string{"call", "read", "a\xff"}, want: "not valid UTF-8: line 1, byte 2"},
		{words: []string{"why", "bash", "echo \xff"}, want: "not valid UTF-8: line 1, byte 6"},
	} {
		s, out, errs := v.streams()
		s.Stdin = strings.NewReader(c.stdin)
		code := Main(context.Background(), c.words, s.Environment)
		if code != command.ExitUsage || !strings.Contains(errs.String(), c.want) || out.Len() > 0 {
			t.Errorf("%q: exit %d, %q, %q; want %q", c.words, code, out, errs, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(v.repo, "n.txt")); err == nil {
		t.Error("a file was written")
	}
}
