package child

import (
	"errors"
	"fmt"
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
		f.Hint = python(e.Msg)
	}
	if e, ok := errors.AsType[resolve.ErrorList](err); ok && len(e) > 0 {
		f.Message, f.Where = e[0].Msg, fmt.Sprintf("line %d", e[0].Pos.Line)
		f.Hint = missing(e[0].Msg)
	}
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

// python tells who writes Python what to write instead.
func python(words string) string {
	const language = "Scripts are Starlark: Python without "
	switch {
	case strings.Contains(words, "got string literal"):
		return language + `f-strings: "%s: %d" % (a, b), or "{}".format(a).`
	case strings.Contains(words, "import"):
		return language + "import: json and math are there, and the tools are functions."
	case strings.Contains(words, "try"), strings.Contains(words, "except"), strings.Contains(words, "raise"):
		return language + "try: value, error = try_call(f, …); fail(…) ends the script."
	case strings.Contains(words, "class"), strings.Contains(words, "with"), strings.Contains(words, "yield"):
		return language + "classes, with, yield and exceptions: functions, lists and dicts do it."
	}
	return ""
}

// missing tells what stands in place of a name of Python.
func missing(words string) string {
	_, name, ok := strings.Cut(words, "undefined: ")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "sum":
		return "Starlark has no sum: add in a loop."
	case "open":
		return "A script has no files of its own: the tools read and write."
	case "run_script":
		return "A script cannot run another one: write it as a function."
	}
	return ""
}
