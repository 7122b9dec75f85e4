// Package child is the process that runs a script: an interpreter of Starlark without files, network or clock, which
// asks its parent for every call.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"helve/script/internal/wire"
)

// The statuses with which a child ends. Those of the Go runtime are 2.
const (
	exitTalk  = 70 // the parent is gone, or says what cannot be read
	exitBound = 71 // it cannot be bounded
)

// maxStack bounds the stack of the interpreter: a script that calls itself without an end is told so.
const maxStack = 8 << 20

// errOver ends what still runs when another function of a parallel failed.
var errOver = errors.New("another function of parallel failed")

// ResultName is the global whose value is the result; lastName that of the last expression.
const (
	ResultName = "result"
	lastName   = "_last_expression"
)

// A run is a script that runs.
type run struct {
	source       string
	steps        uint64
	most         int         // functions of a parallel at once
	ahead        *wire.Ahead // of a dry pass; nil: the script runs
	foreseenArgs int         // bytes
	parallels    int
	printed      strings.Builder
	room         int // bytes that printed may still take
	dropped      int64

	mu      sync.Mutex
	out     io.Writer
	next    int
	waiting map[int]chan *wire.Reply
}

// Main is the whole life of a child. It does not return to the program that it is a copy of.
func Main(in io.Reader, out io.Writer) int {
	debug.SetMaxStack(maxStack)
	if err := bound(); err != nil { // before it is ready: it waits for a script meanwhile
		fmt.Fprintln(os.Stderr, err)
		return exitBound
	}
	if err := wire.Write(out, wire.Up{Ready: true}); err != nil {
		return exitTalk
	}
	var first wire.Down
	err := wire.Read(in, &first)
	if errors.Is(err, io.EOF) { // it was not needed
		return 0
	}
	if err != nil || first.Start == nil {
		return exitTalk
	}
	s := first.Start
	if s.Dry {
		if status, begins := foretell(s, in, out); !begins {
			return status
		}
	}
	r := &run{
		source: s.Source, steps: s.Steps, most: s.Parallel, room: s.Printed,
		out: out, waiting: map[int]chan *wire.Reply{},
	}
	go r.listen(in) // ends with the process
	done := r.script(s)
	done.Printed, done.Dropped = r.printed.String(), r.dropped
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := wire.Write(out, wire.Up{Done: done}); err != nil {
		return exitTalk
	}
	return 0
}

// listen hands replies to those who wait for them.
func (r *run) listen(in io.Reader) {
	for {
		var d wire.Down
		if err := wire.Read(in, &d); err != nil || d.Reply == nil {
			os.Exit(exitTalk) // nobody is there to whom it could tell anything
		}
		r.mu.Lock()
		wait := r.waiting[d.Reply.ID]
		delete(r.waiting, d.Reply.ID)
		r.mu.Unlock()
		if wait != nil {
			wait <- d.Reply
		}
	}
}

// send sends a call. Its reply comes on the channel.
func (r *run) send(c *wire.Call) (chan *wire.Reply, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next++
	c.ID = r.next
	wait := make(chan *wire.Reply, 1)
	r.waiting[c.ID] = wait
	if err := wire.Write(r.out, wire.Up{Call: c}); err != nil {
		os.Exit(exitTalk)
	}
	return wait, nil
}

// thread is a thread of the interpreter for a branch.
func (r *run) thread(b *branch) *starlark.Thread {
	t := &starlark.Thread{Name: b.name, Print: r.print}
	t.SetLocal(branchKey, b)
	return t
}

// print keeps what is printed while there is room. One branch runs at a time: nothing else is printed meanwhile.
func (r *run) print(_ *starlark.Thread, text string) {
	text += "\n"
	if len(text) > r.room {
		r.dropped += int64(len(text))
		r.room = 0 // what comes later would look like what follows
		return
	}
	r.printed.WriteString(text)
	r.room -= len(text)
}

var options = &syntax.FileOptions{
	Set:             true,
	While:           true,
	TopLevelControl: true,
	GlobalReassign:  true,
	Recursion:       true,
}

// fileName stands before the places in errors.
const fileName = "script"

// script runs a script to its end.
func (r *run) script(s *wire.Start) (done *wire.Done) {
	defer func() {
		if p := recover(); p != nil {
			done = &wire.Done{Err: r.failure(recovered(p))}
		}
	}()
	names, err := r.predeclared(s)
	if err != nil {
		return &wire.Done{Err: r.failure(err)}
	}
	f, err := options.Parse(fileName, s.Source, 0)
	if err != nil {
		return &wire.Done{Err: r.failure(err)}
	}
	keepLast(f)
	formats(f)
	if r.ahead != nil {
		lookAtMembers(f)
	}
	program, err := starlark.FileProgram(f, names.Has)
	if err != nil {
		return &wire.Done{Err: r.failure(err)}
	}
	t := r.thread(&branch{})
	t.SetMaxExecutionSteps(r.steps)
	if r.ahead != nil {
		r.ahead.More = true // unless it comes to its end
		if _, err := program.Init(t, names); err == nil {
			r.ahead.More = false
		}
		return &wire.Done{}
	}
	globals, err := program.Init(t, names)
	if err != nil {
		return &wire.Done{Err: r.failure(err)}
	}
	v, ok := globals[ResultName]
	if !ok {
		v, ok = globals[lastName]
	}
	if !ok || v == starlark.None {
		return &wire.Done{}
	}
	raw, err := toJSON(v, wire.MaxResult)
	if err != nil {
		return &wire.Done{Err: &wire.Failure{Message: "the result: " + err.Error(),
			Hint: "A result is made of texts, numbers, True, False, None, lists and dicts whose keys are texts."}}
	}
	return &wire.Done{Result: raw}
}

// keepLast gives the value of the last expression a name.
func keepLast(f *syntax.File) {
	if len(f.Stmts) == 0 {
		return
	}
	last, ok := f.Stmts[len(f.Stmts)-1].(*syntax.ExprStmt)
	if !ok {
		return
	}
	start, _ := last.X.Span()
	f.Stmts[len(f.Stmts)-1] = &syntax.AssignStmt{
		OpPos: start,
		Op:    syntax.EQ,
		LHS:   &syntax.Ident{NamePos: start, Name: lastName},
		RHS:   last.X,
	}
}
