package child

import (
	"cmp"
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"helve/script/internal/wire"
)

// parallel is parallel([f, g, …]): the values of the functions, whose calls run at the same time. The functions
// themselves take turns: each runs until it makes a call or is over, then the next one, always in the order of the
// list. So two of them never touch a value at once, and what they do does not depend on which reply came first.
func (r *run) parallel(
	t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	var list starlark.Iterable
	if err := starlark.UnpackPositionalArgs("parallel", args, kwargs, 1, &list); err != nil {
		return nil, err
	}
	if branchOf(t).stop != nil {
		return nil, errors.New("parallel: inside of another parallel: put all functions into one list")
	}
	var functions []starlark.Callable
	it := list.Iterate()
	defer it.Done()
	var x starlark.Value
	for it.Next(&x) {
		f, ok := x.(starlark.Callable)
		if !ok {
			return nil, fmt.Errorf("parallel: item %d is a %s: want functions: parallel([lambda: read(file_path=\"a\")])",
				len(functions), x.Type())
		}
		functions = append(functions, f)
	}
	r.parallels++
	g := group{r: r, of: t, name: fmt.Sprintf("p%d", r.parallels), functions: functions}
	return g.all()
}

// A group are the functions of one parallel.
type group struct {
	r         *run
	of        *starlark.Thread // that called parallel
	name      string
	functions []starlark.Callable
	values    []starlark.Value
	active    []*member // in the order in which they take turns
	next      int       // function that was not begun
	err       error     // the first failure
	unknown   error     // of a dry pass: where a function ended
}

// A member is a function that was begun and is not over.
type member struct {
	*branch
	place  int
	thread *starlark.Thread
	wait   chan *wire.Reply // of its call
}

func (g *group) all() (starlark.Value, error) {
	g.values = make([]starlark.Value, len(g.functions))
	for g.fill(); len(g.active) > 0; g.fill() {
		m := g.active[0]
		g.active = g.active[1:]
		reply := <-m.wait // also of a call that nobody wants any more: it was made
		if g.err != nil {
			m.thread.Cancel(errOver.Error())
		}
		m.turn <- reply
		g.stopped(m)
	}
	if err := cmp.Or(g.err, g.unknown); err != nil {
		return nil, err
	}
	return starlark.NewList(g.values), nil
}

// fill begins functions while there is room. After a failure no more are begun.
func (g *group) fill() {
	for g.err == nil && len(g.active) < g.r.most && g.next < len(g.functions) {
		m := &member{place: g.next, branch: &branch{
			name: fmt.Sprintf("%s.%d", g.name, g.next),
			turn: make(chan *wire.Reply),
			stop: make(chan pause),
		}}
		g.next++
		m.thread = g.r.thread(m.branch)
		m.thread.SetMaxExecutionSteps(left(g.of, g.r.steps))
		go func() {
			v, err := g.run(m)
			m.stop <- pause{value: v, err: err}
		}()
		g.stopped(m)
	}
}

// run runs a function in its branch. In a dry pass it ends at the first value that is not known.
func (g *group) run(m *member) (v starlark.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, recovered(p)
		}
	}()
	return starlark.Call(m.thread, g.functions[m.place], nil, nil)
}

// left are the steps that a thread may still make.
func left(t *starlark.Thread, most uint64) uint64 {
	if t.ExecutionSteps() >= most {
		return 1
	}
	return most - t.ExecutionSteps()
}

// stopped waits until a function pauses.
func (g *group) stopped(m *member) {
	p := <-m.stop
	if p.wait != nil {
		m.wait = p.wait
		g.active = append(g.active, m)
		return
	}
	g.of.Steps += m.thread.ExecutionSteps() // they are the script's
	g.values[m.place] = p.value
	switch {
	case p.err == nil:
	case g.r.ahead != nil: // the others begin all the same
		g.unknown = p.err
	case g.err == nil:
		g.err = p.err
	}
}
