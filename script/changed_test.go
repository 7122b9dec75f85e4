package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"helve/tool"
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
			r.did = append(r.did, changes{Files: []changed{f}})
		}
		if got := fmt.Sprint(r.changes().Files); got != c.want {
			t.Errorf("%v: got %s, want %s", c.of, got, c.want)
		}
	}
}

// What a call changed is what its metadata says; where nothing remembers it, the files that it was to write, if it did.
func TestAChangeThatNothingRemembersIsNamedByItsEffects(t *testing.T) {
	job := &tool.Job{Effects: []tool.Effect{
		{Kind: tool.Read, Target: "a"}, {Kind: tool.Write, Target: "b"}, {Kind: tool.Write, Target: tool.AnyTarget}, {Kind: tool.Exec, Target: "c"},
	}}
	known := json.RawMessage(`{"undo":"u","changes":[{"path":"d","change":"created"}],"more_changes":2}`)
	for name, c := range map[string]struct {
		res  tool.Result
		want string
	}{
		"remembered":   {tool.Result{Job: job, Meta: known}, "{u [created d] 2}"},
		"forgotten":    {tool.Result{Job: job}, "{ [written b] 0}"},
		"other fields": {tool.Result{Job: job, Meta: json.RawMessage(`{"changes":[{"path":"d"}]}`)}, "{ [written b] 0}"},
		"failed":       {tool.Result{Job: job, Err: tool.Errorf(tool.Execution, "%w", errors.New("no"))}, "{ [] 0}"},
		"refused":      {tool.Result{}, "{ [] 0}"},
	} {
		if got := fmt.Sprint(changesOf(&c.res)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
