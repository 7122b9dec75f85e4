package text

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"
)

func TestLabelsMeanWhatTheyMeanToTheLibrary(t *testing.T) {
	if len(names()) < 200 {
		t.Fatalf("%d labels", len(names()))
	}
	for label := range names() {
		codec, name := Labelled(" " + strings.ToUpper(label) + "\n")
		want, err := htmlindex.Get(label)
		ours := strings.ReplaceAll(fmt.Sprint(codec), "_", " ") // some are of a package of our own, by the same names
		if err != nil || codec != want && ours != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v, %v", label, codec, want, err)
		}
		if wantName, err := htmlindex.Name(want); err != nil || name != wantName {
			t.Errorf("%s: %q, want %q, %v", label, name, wantName, err)
		}
	}
	if codec, _ := Labelled("klingon"); codec != nil {
		t.Errorf("an encoding that is none: %v", codec)
	}
}
