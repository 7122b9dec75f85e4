package child

import (
	"errors"
	"io"
	"runtime"
	"runtime/debug"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"helve/script/internal/wire"
)

const (
	// drySteps bound a dry pass: it is to be over before anybody notices, and most scripts begin with their calls.
	drySteps = 20_000
	// maxForeseen bounds the calls that it finds: more than anybody is asked about at once.
	maxForeseen = 100
	// maxForeseenArgs bounds their arguments, in bytes: longer ones are not asked about with others.
	maxForeseenArgs = 256 << 10
)

var (
	// errUnknown ends a dry pass: the script looks at what a call would bring.
	errUnknown = errors.New("the value is not known before the call is made")
	// errEnough ends it, too.
	errEnough = errors.New("there are calls enough")
)

// foretell makes a dry pass, says what it found, and waits for the word to begin.
func foretell(s *wire.Start, in io.Reader, out io.Writer) (status int, begins bool) {
	r := &run{steps: min(s.Steps, drySteps), most: s.Parallel, ahead: &wire.Ahead{}}
	before := held()
	r.script(s)
	if held() > before+keptBytes {
		debug.FreeOSMemory() // the script has the room that it would have without a dry pass
	}
	if err := wire.Write(out, wire.Up{Ahead: r.ahead}); err != nil {
		return exitTalk, false
	}
	var next wire.Down
	err := wire.Read(in, &next)
	switch {
	case errors.Is(err, io.EOF): // somebody said no
		return 0, false
	case err != nil || !next.Go:
		return exitTalk, false
	}
	return 0, true
}

// keptBytes is how much of a dry pass may stay in memory: looking for the rest costs some milliseconds.
const keptBytes = 4 << 20

// held is what the heap holds, in bytes.
func held() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// foresee notes a call of a dry pass.
func (r *run) foresee(c *wire.Call) (starlark.Value, error) {
	r.foreseenArgs += len(c.Args)
	if len(r.ahead.Calls) == maxForeseen || r.foreseenArgs > maxForeseenArgs {
		return nil, errEnough
	}
	r.ahead.Calls = append(r.ahead.Calls, *c)
	return unknown{}, nil
}

// foreseen is how many calls a dry pass found so far; 0 where the script runs.
func (r *run) foreseen() int {
	if r.ahead == nil {
		return 0
	}
	return len(r.ahead.Calls)
}

// printNothing is print in a dry pass: a script may print what is not known.
func printNothing(
	*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple,
) (starlark.Value, error) {
	return starlark.None, nil
}

// lookName is a function of dry passes alone: it looks at a value, and gives it back. No script can write the name.
const lookName = "look at"

// lookAtMembers has a dry pass look at what stands left of in: for a list of texts the interpreter compares without
// asking the value.
func lookAtMembers(f *syntax.File) {
	syntax.Walk(f, func(n syntax.Node) bool {
		e, ok := n.(*syntax.BinaryExpr)
		if ok && (e.Op == syntax.IN || e.Op == syntax.NOT_IN) {
			e.X = callOf(lookName, e.X)
		}
		return true
	})
}

// look looks at a value.
func look(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	return args[0], known(args[0])
}

// known ends a dry pass at a value that is not known.
func known(v starlark.Value) error {
	if _, ok := v.(unknown); ok {
		return errUnknown
	}
	return nil
}

// unknown is what a call brings in a dry pass. A script can carry it around and give it to nobody: whatever looks at
// it, be it only at its type, ends the pass. An error instead of a panic would not do: hasattr, getattr and
// comparisons make an answer of it.
type unknown struct{}

var (
	_ starlark.HasAttrs   = unknown{}
	_ starlark.Mapping    = unknown{}
	_ starlark.Comparable = unknown{}
)

func (unknown) String() string                                   { panic(errUnknown) }
func (unknown) Type() string                                     { panic(errUnknown) }
func (unknown) Freeze()                                          {}
func (unknown) Truth() starlark.Bool                             { panic(errUnknown) }
func (unknown) Hash() (uint32, error)                            { panic(errUnknown) }
func (unknown) Attr(string) (starlark.Value, error)              { panic(errUnknown) }
func (unknown) AttrNames() []string                              { panic(errUnknown) }
func (unknown) Get(starlark.Value) (starlark.Value, bool, error) { panic(errUnknown) }

func (unknown) CompareSameType(syntax.Token, starlark.Value, int) (bool, error) { panic(errUnknown) }

// recovered is the error of a panic: of a value that is not known, or a mistake of the interpreter.
func recovered(p any) error {
	if err, ok := p.(error); ok && errors.Is(err, errUnknown) {
		return errUnknown
	}
	panic(p)
}
