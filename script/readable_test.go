package script_test

import (
	"testing"

	"helve/tool"
)

// An answer shows the arguments of a call as they were written: > and & are no codes.
func TestTheAnswerShowsCallsAsTheyAreWritten(t *testing.T) {
	b := newBench(t, tool.KitOptions{Ask: yes})
	b.fails("put(path='a<b>&c')\nfail('over')", `put {"path":"a<b>&c"}`)
}
