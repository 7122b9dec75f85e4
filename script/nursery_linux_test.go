package script

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// However many scripts end at once, one child waits for the next, and none when nobody needs one any more.
func TestOneChildWaitsForTheNextScript(t *testing.T) {
	if err := Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	first, err := start(t.Context()) // what the sandbox keeps for itself is there then
	if err != nil {
		t.Fatal(err)
	}
	first.end()
	before := len(children(t))
	var n nursery
	for range 4 {
		n.grow()
	}
	n.growing.Wait()
	if n.spare == nil {
		t.Error("none waits")
	}
	n.grow()
	n.growing.Wait()
	if got := len(children(t)) - before; got != 1 {
		t.Errorf("%d children wait", got)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if got := len(children(t)) - before; got != 0 {
		t.Errorf("%d children are left", got)
	}
}

// A program that ends after a script starts no child for the next one.
func TestNoChildWaitsWhereNoScriptComes(t *testing.T) {
	if err := Confined(t.Context()); err != nil {
		t.Skip(err)
	}
	n := nursery{once: true}
	p, err := n.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n.follow(p)
	n.growing.Wait()
	if n.spare != nil {
		t.Error("one waits")
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
}

// children are the processes that this one has started.
func children(t *testing.T) (out [][]byte) {
	t.Helper()
	all, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is right
	for _, name := range all {
		b, err := os.ReadFile(name)
		if err == nil { // else a thread that has ended
			out = append(out, bytes.Fields(b)...)
		}
	}
	return out
}
