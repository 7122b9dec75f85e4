package child

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"helve/script/internal/wire"
)

// failure is an error of the script in words that its writer can act on.
func (r *run) failure(err error) *wire.Failure {
	f := &wire.Failure{Message: err.Error(), Where: where(err)}
	if e, ok := errors.AsType[*toolError](err); ok {
		own := *e.f
		own.Where = f.Where
		return &own
	}
	if e, ok := errors.AsType[syntax.Error](err); ok {
		f.Message, f.Where = e.Msg, fmt.Sprintf("line %d", e.Pos.Line)
		f.Hint = taught(r.source)
	}
	if e, ok := errors.AsType[resolve.ErrorList](err); ok && len(e) > 0 {
		f.Message, f.Where = e[0].Msg, fmt.Sprintf("line %d", e[0].Pos.Line)
		f.Hint = joined(unresolved(e), taught(r.source))
	}
	if f.Hint == "" {
		f.Hint = missingMethod(f.Message)
	}
	f.Hint = joined(f.Hint, slipped(f.Message))
	if strings.Contains(f.Message, "too many steps") {
		f.Message = fmt.Sprintf("the script took more than %d steps", r.steps)
		f.Hint = "Is there a loop without an end? Ask tools for less, or leave the work to a tool."
	}
	return f
}

// where is the line of the script that failed, with those that called it.
func where(err error) string {
	e, ok := errors.AsType[*starlark.EvalError](err)
	if !ok {
		return ""
	}
	const most = 4 // the rest says nothing more
	var lines []string
	for i := range e.CallStack {
		pos := e.CallStack.At(i).Pos
		if pos.Filename() == fileName && len(lines) < most {
			lines = append(lines, fmt.Sprintf("line %d", pos.Line))
		}
	}
	return strings.Join(lines, ", called at ")
}

// unresolved are the names that the script does not have, each once, with what stands in their place.
func unresolved(list resolve.ErrorList) string {
	var out []string
	seen := map[string]bool{}
	for i, e := range list {
		tip := missing(e.Msg)
		if seen[e.Msg] || i > 0 && len(out) == maxLessons {
			continue
		}
		seen[e.Msg] = true
		switch {
		case len(seen) > 1: // the first is the message itself
			out = append(out, strings.TrimSpace(fmt.Sprintf("line %d: %s. %s", e.Pos.Line, e.Msg, tip)))
		case tip != "":
			out = append(out, tip)
		}
	}
	return strings.Join(out, "\n")
}

// joined are hints one below the other.
func joined(hints ...string) string {
	return strings.Join(slices.DeleteFunc(hints, func(h string) bool { return h == "" }), "\n")
}
