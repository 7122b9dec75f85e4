package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"helve/agent"
	"helve/cmd/internal/display"
	"helve/tool"
)

// A tally counts what a run did, from the results of its calls and not from what the model says of them.
type tally struct {
	calls    counted
	undo     []string // the calls that changed files, in their order: what helve undo takes
	changes  []changed
	tests    *tested // nil: no test runner that is known ran
	commands int     // calls that ran a command line
	unasked  int     // calls that somebody would have been asked about, where nobody is
	started  map[string]string
}

// event takes what the agent does.
func (t *tally) event(e agent.Event, alone bool) {
	switch e := e.(type) {
	case agent.Calling:
		if t.started == nil {
			t.started = map[string]string{}
		}
		t.started[e.ID] = commandOf(e.Args)
	case agent.Called:
		t.called(e, alone)
		delete(t.started, e.ID)
	}
}

// commandOf is the command line in the arguments of a call, "" for another tool's.
func commandOf(args string) string {
	var in struct {
		Command string `json:"command"`
	}
	_ = json.Unmarshal([]byte(args), &in) // then it is none that the door would run as it stands
	return in.Command
}

func (t *tally) called(e agent.Called, alone bool) {
	t.calls.Total++
	res := e.Result
	if t.started[e.ID] != "" && (res.Err == nil || res.Err.Code != tool.Permission) {
		t.commands++
	}
	if alone && res.Verdict.Decision == tool.Ask {
		t.unasked++
	}
	switch {
	case res.Err == nil:
	case res.Err.Code == tool.Permission:
		t.calls.Refused++
	default:
		t.calls.Failed++
	}
	if id := agent.Undoes(res); id != "" && !slices.Contains(t.undo, id) { // several calls may be one undo
		t.undo = append(t.undo, id)
	}
	for _, c := range changesOf(res) {
		t.change(c)
	}
	t.tested(testsOf(t.started[e.ID], res.Text()))
}

// tested adds tests that ran; nil: none did.
func (t *tally) tested(found *tested) {
	if found == nil {
		return
	}
	if t.tests == nil {
		t.tests = &tested{}
	}
	t.tests.Run += found.Run
	t.tests.Passed += found.Passed
}

// changesOf are the files that a call changed.
func changesOf(res *tool.Result) []changed {
	var meta struct {
		Changes []changed `json:"changes"`
	}
	if json.Unmarshal(res.Meta, &meta) != nil {
		return nil
	}
	return meta.Changes
}

// change adds what was done to a file to what was done to it before.
func (t *tally) change(c changed) {
	same := func(old changed) bool { return old.Path == c.Path || c.From != "" && old.Path == c.From }
	i := slices.IndexFunc(t.changes, same)
	if i < 0 {
		t.changes = append(t.changes, c)
		return
	}
	old := &t.changes[i]
	old.Added += c.Added
	old.Removed += c.Removed
	switch {
	case old.Change == "created" && c.Change == "deleted":
		t.changes = slices.Delete(t.changes, i, i+1)
	case old.Change == "created":
		old.Path = c.Path
	case old.Change == "deleted" && c.Change == "created":
		old.Change = "modified"
	case c.Change == "renamed":
		old.From, old.Path, old.Change = c.From, c.Path, c.Change
	case c.Change == "deleted", old.Change == "mode":
		old.Change = c.Change
	}
}

// summary says what was done, for people; "" where nothing was called.
func (t *tally) summary() string {
	if t.calls.Total == 0 {
		return ""
	}
	parts := []string{display.Count(t.calls.Total, "call")}
	add := func(n int, format string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, n))
		}
	}
	add(t.calls.Failed, "%d failed")
	add(t.calls.Refused, "%d refused")
	parts = append(parts, display.Count(len(t.changes), "file")+" changed")
	if t.commands > 0 {
		parts = append(parts, display.Count(t.commands, "command")+" run")
	}
	switch {
	case t.tests != nil:
		parts = append(parts, fmt.Sprintf("%d of %d tests passed", t.tests.Passed, t.tests.Run))
	case len(t.changes) > 0:
		parts = append(parts, "no tests seen")
	}
	return strings.Join(parts, ", ")
}

// plus is both together.
func (t *tally) plus(more *tally) {
	t.calls.Total += more.calls.Total
	t.calls.Failed += more.calls.Failed
	t.calls.Refused += more.calls.Refused
	t.commands += more.commands
	t.unasked += more.unasked
	t.undo = append(t.undo, more.undo...)
	for _, c := range more.changes {
		t.change(c)
	}
	t.tested(more.tests)
}
