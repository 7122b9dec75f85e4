package bash

import (
	"fmt"
	"slices"
	"strings"

	"helve/tool"
)

// result tells how a command ended. What it printed comes first, then what the sandbox may have had to do with it: a
// model that does not know tries the same again.
func (f *finished) result(made *changes) *tool.Result {
	c, exit, out := f.c, f.exit, joinNotes(f.out.String(), f.notes...)
	display := c.in.Description
	if display == "" {
		display = c.in.Command
	}
	line := made.line()
	if line != "" {
		display += " " + line
	}
	meta := f.meta()
	made.meta(&meta)
	hint, left := c.protectedHint(out), leftHint(exit.Left)
	if hint == "" && exit.Code > 0 {
		hint = c.sandboxHint(out)
	}
	if hint == "" && strings.Contains(out, refusals[0]) {
		hint = c.wallHint(out)
	}
	if full := fullHint(out, f.t.memory()); full != "" {
		hint = full
	}
	meta.Told = f.told
	data := f.data(meta, slices.Concat([]string{hint, left, f.temp, line}, made.notes(), f.toldNotes())...)
	switch {
	case exit.TimedOut:
		words := fmt.Sprintf("Command timed out after %dms: %s", c.in.limit().Milliseconds(), c.in.Command)
		return bashFailed(tool.TimedOut, words, data, meta)
	case exit.Idle:
		return bashFailed(tool.TimedOut, "Command ended: it printed nothing for too long: "+c.in.Command, data, meta)
	case exit.Over != "":
		data.Notes = append(data.Notes, c.overHint())
		return bashFailed(tool.Execution, "Command ended, because "+exit.Over+": "+c.in.Command, data, meta)
	case exit.Cancelled:
		return bashFailed(tool.Cancelled, "Command cancelled: "+c.in.Command, data, meta)
	case exit.Signal != "":
		return bashFailed(tool.Execution, "Command ended by signal "+exit.Signal+":", data, meta)
	case exit.Code != 0:
		return bashFailed(tool.Execution, fmt.Sprintf("Command failed with exit code %d:", exit.Code), data, meta)
	}
	return tool.Render(data).WithSummary("%s", display).WithMeta(meta)
}

// meta is the metadata of a command that has ended.
func (f *finished) meta() bashMeta {
	return bashMeta{
		Command:  f.c.in.Command,
		ExitCode: f.exit.Code,
		Dir:      f.c.dir.Abs(),
		Signal:   f.exit.Signal,
		Left:     f.exit.Left,
		Sandbox:  metaOf(f.reached),
	}
}

// lost is the result of a command whose changes could not be made.
func (f *finished) lost(err error) *tool.Result {
	meta := f.meta()
	data := f.data(meta)
	data.Lost = true
	return bashFailed(tool.Execution, "The command ran, and "+err.Error()+":", data, meta)
}

// data is what is told of a command that has ended.
func (f *finished) data(meta bashMeta, notes ...string) bashData {
	d := bashData{
		printed:   f.out,
		ExitCode:  meta.ExitCode,
		Signal:    meta.Signal,
		TimedOut:  f.exit.TimedOut || f.exit.Idle,
		Cancelled: f.exit.Cancelled,
		Dir:       meta.Dir,
		Held:      meta.Held,
		Refused:   meta.Refused,
		Left:      meta.Left,
		UndoMeta:  meta.UndoMeta,
		Extent:    f.out.reach(),
	}
	for _, n := range slices.Concat(f.notes, notes) {
		if n != "" {
			d.Notes = append(d.Notes, n)
		}
	}
	return d
}

// bashFailed is the result of a command that did not succeed. The model reads head and output, the error has the
// head alone.
func bashFailed(code tool.Code, head string, data bashData, meta bashMeta) *tool.Result {
	data.Failed = head
	short := strings.TrimSuffix(head, ":")
	e := tool.Verbatim(code, "%s", short)
	e.Details = map[string]any{"exit_code": meta.ExitCode}
	r := tool.Render(data).WithSummary("%s", short).WithMeta(meta)
	r.Err = e
	return r
}

// toldNotes are a line each about what was made and would have waited.
func (f *finished) toldNotes() []string {
	var out []string
	for i, h := range f.told {
		if i == namedChanges {
			return append(out, fmt.Sprintf("[%d more would wait for a person elsewhere]", len(f.told)-i))
		}
		out = append(out, "["+h.Path+" was made, and would wait for a person elsewhere: "+h.Why+"]")
	}
	return out
}
