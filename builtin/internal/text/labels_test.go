package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// samples are read by each encoding as something else than by most others.
var samples = []string{
	"a\x80\xa4\xb1\xd0\xe6\xf1\xfe\xa1 ", "\xb0\xa1\xc4\xe3 ", "\xa4\xa4\xa4\xe5 ", "\xb1\xb2 ", "\xe0\xe1 ", "\xd0 ", "\x93\xfa\x96\x7b ", "\x1b$BF|K\\\x1b(B ", "\xfe\xff\x00a",
	"\x8f\xb0\xa1 ", "\x81\x30\x81\x36 ", "\xd8\x3d\xde\x00", "\x3d\xd8\x00\xde", "plain ",
}

func TestLabelsMeanWhatTheyMeanToTheLibrary(t *testing.T) {
	if len(names()) < 200 {
		t.Fatalf("%d labels", len(names()))
	}
	for label := range names() {
		codec, name := Labelled(" " + strings.ToUpper(label) + "\n")
		want, err := htmlindex.Get(label)
		if err != nil || codec == nil {
			t.Errorf("%s: %v, want %v, %v", label, codec, want, err)
			continue
		}
		compared := 0
		for _, text := range samples {
			read, err := want.NewDecoder().Bytes([]byte(text))
			if name != "utf-8" && name != "replacement" && strings.ContainsRune(string(read), utf8.RuneError) {
				continue // no text in this encoding
			}
			compared++
			if got := codec.Decode([]byte(text)); err != nil || string(got) != string(read) {
				t.Errorf("%s: %q: %q, want %q, %v", label, text, got, read, err)
			}
		}
		if compared < 2 {
			t.Errorf("%s: %d samples are texts in it", label, compared)
		}
		if wantName, err := htmlindex.Name(want); err != nil || name != wantName {
			t.Errorf("%s: %q, want %q, %v", label, name, wantName, err)
		}
	}
	if codec, _ := Labelled("klingon"); codec != nil {
		t.Errorf("an encoding that is none: %v", codec)
	}
}
