package builtin_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/builtin"
	"helve/builtin/internal/text"
)

// FuzzEdit edits files of any bytes. What is refused is untouched; an exact and unique edit is the naive replacement in the file's own
// encoding; an ambiguous one is never applied; and the bytes before and after the place are the same bytes, in the same encoding, however
// the place was found.
func FuzzEdit(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), "b", "B")
	f.Add([]byte("\xef\xbb\xbfa\r\nb"), "a\nb", "x")
	f.Add([]byte("\xff\xfea\x00\n\x00b\x00"), "b", "é")
	f.Add([]byte("caf\xe9 \x80\n"), "caf", "$1")
	f.Add([]byte("\xd6\xd0\xce\xc4 a\n"), "a", "中")
	f.Add([]byte("aaa"), "aa", "b")
	f.Fuzz(func(t *testing.T, content []byte, old, new string) {
		h := open(t, builtin.Options{})
		p := filepath.Join(h.dir, "f")
		if err := os.WriteFile(p, content, 0o644); err != nil {
			t.Fatal(err)
		}
		r := h.call("edit", args{"file_path": "f", "old_string": old, "new_string": new})
		got, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if r.Err != nil {
			if !bytes.Equal(got, content) {
				t.Fatalf("refused (%v) and changed: %q → %q", r.Err, content, got)
			}
			return
		}
		old, new = string([]rune(old)), string([]rune(new)) // what JSON makes of them
		enc, err := text.Detect(content)
		if err != nil {
			t.Fatalf("%q is no text and was edited", content)
		}
		before, err := enc.Decode(content)
		if err != nil {
			t.Fatalf("%q cannot be written back and was edited", content)
		}
		after, err := enc.Decode(got)
		if err != nil {
			t.Fatalf("%q → %q in %q made %q, which is no %s any more", old, new, content, got, enc.Name())
		}
		if changed, may := changedLines(before, after), 1+strings.Count(old, "\n")+strings.Count(old, "\r"); changed > may {
			t.Fatalf("%q → %q in %q: %d lines changed, old_string has %d: %q", old, new, before, changed, may, after)
		}
		if strings.Contains(string(before)+old+new, "\r") || strings.HasPrefix(old, "\ufeff") {
			return // line ends are builtin/internal/edit's to test
		}
		switch n := overlaps(string(before), old); {
		case n > 1:
			t.Fatalf("%q → %q was applied in one of %d places of %q", old, new, n, content)
		case n == 1:
			if want, err := enc.Encode([]byte(strings.Replace(string(before), old, new, 1))); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%q → %q in %q: %q, want %q, %v", old, new, content, got, want, err)
			}
		}
	})
}

// changedLines is how many lines of a text another does not share at its beginning and end.
func changedLines(before, after []byte) int {
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	if bytes.IndexByte(before, '\n') < 0 {
		return 1 + bytes.Count(before, []byte("\r"))
	}
	return 1 + bytes.Count(before, []byte("\n"))
}

func overlaps(s, part string) (n int) {
	for i := 0; i+len(part) <= len(s); i++ {
		if s[i:i+len(part)] == part {
			n++
		}
	}
	return n
}
