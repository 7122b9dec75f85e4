package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"helve/script/internal/wire"
)

// A toolError is the failure of a call, in the script.
type toolError struct{ f *wire.Failure }

func (e *toolError) Error() string {
	words := e.f.Message
	if e.f.Hint != "" {
		words += "\n" + e.f.Hint
	}
	return words
}

// A branch is a line of the script in which one thing comes after the other: the script itself, or one function of a
// parallel.
type branch struct {
	name  string
	calls int // that it made

	// Of a branch of parallel. It runs from a message on turn to one on stop: of all branches only one runs at a time,
	// and which one does not depend on time.
	turn chan *wire.Reply
	stop chan pause
}

// A pause of a branch: it waits for a reply, or it is over.
type pause struct {
	wait  chan *wire.Reply
	value starlark.Value
	err   error
}

const branchKey = "branch"

func branchOf(t *starlark.Thread) *branch { return t.Local(branchKey).(*branch) }

// predeclared are the names that a script finds.
func (r *run) predeclared(s *wire.Start) (starlark.StringDict, error) {
	out := starlark.StringDict{
		"try_call": starlark.NewBuiltin("try_call", r.tryCall),
		"parallel": starlark.NewBuiltin("parallel", r.parallel),
		"inputs":   starlark.None,
	}
	maps.Copy(out, modules())
	maps.Copy(out, formatting())
	groups := map[string]starlark.StringDict{}
	for _, f := range s.Functions {
		b := r.function(f)
		if f.Group == "" {
			out[f.Name] = b
			continue
		}
		if groups[f.Group] == nil {
			groups[f.Group] = starlark.StringDict{}
		}
		groups[f.Group][f.Name] = b
	}
	for name, members := range groups {
		out[name] = &starlarkstruct.Module{Name: name, Members: members}
	}
	if r.ahead != nil {
		out["print"] = starlark.NewBuiltin("print", printNothing)
		out[lookName] = starlark.NewBuiltin(lookName, look)
	}
	if len(s.Inputs) > 0 {
		v, err := fromJSON(r.thread(&branch{}), s.Inputs, nil)
		if err != nil {
			return nil, fmt.Errorf("inputs: %w", err)
		}
		out["inputs"] = v
	}
	return out, nil
}

// function is a tool as a value of the script.
func (r *run) function(f wire.Function) *starlark.Builtin {
	name := f.Name
	if f.Group != "" {
		name = f.Group + "." + f.Name
	}
	return starlark.NewBuiltin(name, func(
		t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
	) (starlark.Value, error) {
		given, err := named(f, name, args, kwargs)
		if err != nil {
			return nil, err
		}
		raw, err := toJSON(given, wire.MaxArguments)
		if err != nil {
			return nil, fmt.Errorf("%s: arguments: %w", name, err)
		}
		return r.call(t, f, raw)
	})
}

// named are the arguments by name. None is what is left out, but where it is a value.
func named(f wire.Function, name string, args starlark.Tuple, kwargs []starlark.Tuple) (*starlark.Dict, error) {
	if len(args) > len(f.Params) {
		return nil, fmt.Errorf("%s: %d arguments without a name: it has the parameters %s",
			name, len(args), strings.Join(f.Params, ", "))
	}
	out := starlark.NewDict(len(args) + len(kwargs))
	for i, v := range args {
		if v == starlark.None && !slices.Contains(f.Nulls, f.Params[i]) {
			continue
		}
		if err := out.SetKey(starlark.String(f.Params[i]), v); err != nil {
			return nil, err
		}
	}
	for _, kv := range kwargs {
		key := parameter(f, string(kv[0].(starlark.String)))
		if i := slices.Index(f.Params, key); i >= 0 && i < len(args) {
			return nil, fmt.Errorf("%s: %s is given twice, by its place and by its name", name, key)
		}
		if kv[1] == starlark.None && !slices.Contains(f.Nulls, key) {
			continue
		}
		if err := out.SetKey(starlark.String(key), kv[1]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// parameter is the parameter that a keyword means: one that Python keeps for itself is written with _ behind it.
func parameter(f wire.Function, key string) string {
	plain, cut := strings.CutSuffix(key, "_")
	if cut && !slices.Contains(f.Params, key) && slices.Contains(f.Params, plain) {
		return plain
	}
	return key
}

// call makes a call and waits for its reply.
func (r *run) call(t *starlark.Thread, f wire.Function, args json.RawMessage) (starlark.Value, error) {
	b := branchOf(t)
	c := &wire.Call{Branch: b.name, Index: b.calls, Tool: f.Tool, Args: args}
	b.calls++
	if r.ahead != nil {
		return r.foresee(c)
	}
	wait, err := r.send(c)
	if err != nil {
		return nil, err
	}
	var reply *wire.Reply
	if b.stop == nil {
		reply = <-wait
	} else {
		b.stop <- pause{wait: wait}
		reply = <-b.turn
	}
	switch {
	case reply.Err != nil:
		return nil, &toolError{reply.Err}
	case reply.Data != nil:
		return fromJSON(t, reply.Data, f.Data)
	}
	return starlark.String(reply.Text), nil
}

// tryCall is try_call(f, …): (value, None), or (None, error) where it failed. What ends the script is not caught.
func (r *run) tryCall(
	t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple,
) (starlark.Value, error) {
	if len(args) == 0 {
		return nil, errors.New("try_call: want a function and its arguments: try_call(read, file_path=\"a\")")
	}
	before := r.foreseen()
	v, err := starlark.Call(t, args[0], args[1:], kwargs)
	if err == nil {
		if r.foreseen() > before { // nobody knows whether it fails
			return unknown{}, nil
		}
		return starlark.Tuple{v, starlark.None}, nil
	}
	if r.ahead != nil || t.ExecutionSteps() >= r.steps || errors.Is(err, errOver) {
		return nil, err
	}
	if e, ok := errors.AsType[*toolError](err); ok {
		return starlark.Tuple{starlark.None, failed(e.f)}, nil
	}
	words := err.Error()
	return starlark.Tuple{starlark.None, failed(&wire.Failure{Code: "script_error", Message: words})}, nil
}
