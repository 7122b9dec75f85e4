package lex

import "testing"

func TestSecondBytesAreThoseOfTheOperators(t *testing.T) {
	var want [256]bool
	for first, group := range operators {
		for _, o := range group {
			want[o.text[1]] = true
			if int(o.text[0]) != first {
				t.Errorf("%s stands under %c", o.text, first)
			}
		}
	}
	if secondBytes != want {
		t.Errorf("got %v, want %v", secondBytes, want)
	}
}
