package search

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// A search that prints into what it searches reads no more than was there: each line that it printed would be found
// and printed again.
func TestASearchOfAGrowingFileEnds(t *testing.T) {
	lines := strings.Repeat("a line with the needle in it\n", 3*window/29)
	for name, text := range map[string]string{"plain": lines, "UTF-16": wideText(lines)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "f")
			write(t, path, text)
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			found, want := 0, strings.Count(lines, "\n")
			sum, err := open(t, dir).Grep(t.Context(), Query{Patterns: []string{"needle"}}, func(file *File) error {
				found += len(file.Lines)
				if found > 2*want { // it would go on for as long as the disk has room
					return os.ErrProcessDone
				}
				_, err := f.WriteString(text)
				return err
			})
			if err != nil || sum.Failures > 0 || found != want {
				t.Errorf("%d lines found, want %d: %v %v", found, want, err, sum.Failed)
			}
		})
	}
}

// wideText is a text with its byte order mark, low bytes first.
func wideText(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}
