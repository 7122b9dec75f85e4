package script

import (
	"fmt"
	"testing"
)

// Several changes of one file are told as what stands there at the end.
func TestChangesOfOneFileAreOne(t *testing.T) {
	made := func(path string) changed { return changed{Path: path, Change: "created"} }
	edited := func(path string) changed { return changed{Path: path, Change: "modified"} }
	gone := func(path string) changed { return changed{Path: path, Change: "deleted"} }
	moved := func(from, to string) changed { return changed{Path: to, From: from, Change: "renamed"} }
	for _, c := range []struct {
		of   []changed
		want string
	}{
		{[]changed{edited("a"), edited("a")}, "[modified a]"},
		{[]changed{made("a"), edited("a")}, "[created a]"},
		{[]changed{made("a"), gone("a")}, "[]"},
		{[]changed{gone("a"), made("a")}, "[modified a]"},
		{[]changed{edited("a"), gone("a")}, "[deleted a]"},
		{[]changed{moved("a", "b"), edited("b")}, "[renamed a → b]"},
		{[]changed{moved("a", "b"), moved("b", "c")}, "[renamed a → c]"},
		{[]changed{moved("a", "b"), moved("b", "a")}, "[modified a]"},
		{[]changed{moved("a", "b"), gone("b")}, "[deleted a]"},
		{[]changed{made("a"), moved("a", "b")}, "[created b]"},
		{[]changed{edited("a"), moved("a", "b")}, "[renamed a → b]"},
		{[]changed{{Path: "a"}, edited("a")}, "[modified a]"},
		{[]changed{{Path: "a"}}, "[written a]"},
	} {
		var r record
		for _, f := range c.of {
			r.order = append(r.order, &entry{did: changes{Files: []changed{f}}})
		}
		if got := fmt.Sprint(r.changes().Files); got != c.want {
			t.Errorf("%v: got %s, want %s", c.of, got, c.want)
		}
	}
}
