package command

import "testing"

// The replacement character itself is text like any other.
func TestTheReplacementCharacterIsText(t *testing.T) {
	if err := MustBeText("x", "a\ufffdb"); err != nil {
		t.Error(err)
	}
}
