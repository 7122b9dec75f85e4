package names_test

import (
	"slices"
	"strings"
	"testing"

	"helve/internal/names"
)

func TestAListHasItsWordsAndNoPartsOfThem(t *testing.T) {
	const list = names.List("sub subject object ject a.b -e")
	for _, word := range []string{"", " ", "su", "sub", "subj", "subject", "ject", "object", "obj", "a", "a.b", "b", "-e", "e", "sub subject", "t object", "bject"} {
		if got, want := list.Has(word), slices.Contains(strings.Fields(string(list)), word); got != want {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
	if names.List("").Has("a") || names.List("").Has("") {
		t.Error("an empty list has something")
	}
}
