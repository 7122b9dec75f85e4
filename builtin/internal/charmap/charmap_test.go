package charmap

import (
	"bytes"
	"flag"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	library "golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"helve/internal/packed"
)

var update = flag.Bool("update", false, "write tables.zst")

// theirs is the library's encoding of a name.
func theirs(t testing.TB, name string) *library.Charmap {
	t.Helper()
	for _, e := range library.All {
		if m, ok := e.(*library.Charmap); ok && m.String() == name {
			return m
		}
	}
	t.Fatalf("the library has no %s", name)
	return nil
}

func TestTheTablesAreTheLibrarys(t *testing.T) {
	var text strings.Builder
	for _, m := range all {
		own := theirs(t, m.name)
		for b := range 256 {
			if r := own.DecodeByte(byte(b)); b >= utf8.RuneSelf {
				text.WriteRune(r)
			} else if r != rune(b) {
				t.Fatalf("%s reads % x as %q: no ASCII", m, b, r)
			}
		}
	}
	packed.Check(t, "tables.zst", []byte(text.String()), *update)
}

func TestEveryByteAndCharacterIsAsInTheLibrary(t *testing.T) {
	for _, m := range all {
		own := theirs(t, m.name)
		for b := range 256 {
			if got, want := m.DecodeByte(byte(b)), own.DecodeByte(byte(b)); got != want {
				t.Errorf("%s: %x is %q, want %q", m, b, got, want)
			}
		}
		for r := range rune(0x10000) {
			if !utf8.ValidRune(r) || r == utf8.RuneError {
				continue // the library writes U+FFFD as a byte that means nothing
			}
			got, err := m.NewEncoder().Bytes([]byte(string(r)))
			want, failed := own.NewEncoder().Bytes([]byte(string(r)))
			if (err == nil) != (failed == nil) || err == nil && !bytes.Equal(got, want) {
				t.Errorf("%s: %U is % x, %v; want % x, %v", m, r, got, err, want, failed)
			}
		}
	}
}

func TestTextsInPiecesComeOutWhole(t *testing.T) {
	text := strings.Repeat("Привет, мир: ёж №1. ", 500)
	var written bytes.Buffer
	w := transform.NewWriter(&written, Windows1251.NewEncoder())
	for i := range len(text) { // each byte by itself, in the middle of characters, too
		if _, err := w.Write([]byte{text[i]}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	coded, err := Windows1251.NewEncoder().String(text)
	if err != nil || coded != written.String() {
		t.Fatalf("%d and %d bytes, %v", len(coded), written.Len(), err)
	}
	back, err := io.ReadAll(Windows1251.NewDecoder().Reader(iotest.OneByteReader(strings.NewReader(coded))))
	if err != nil || string(back) != text {
		t.Errorf("%q, %v", back, err)
	}
	if _, err := Windows1251.NewEncoder().String("a\xff"); err == nil {
		t.Error("what is no UTF-8 was written")
	}
}
