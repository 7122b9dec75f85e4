package bash

import (
	"fmt"
	"slices"

	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/engine/sandbox"
	"helve/tool"
)

// bashData is what a command printed, how it ended, and what it changed.
type bashData struct {
	printed
	ExitCode  int        `json:"exit_code" jsonschema:"description=-1 where a signal ended it; 0 of one in the background"`
	Signal    string     `json:"signal,omitempty" jsonschema:"description=That ended it"`
	TimedOut  bool       `json:"timed_out,omitempty" jsonschema:"description=It was ended because it took too long"`
	Cancelled bool       `json:"cancelled,omitempty" jsonschema:"description=It was ended because nobody waits any more"`
	Lost      bool       `json:"lost,omitempty" jsonschema:"description=Nothing that it changed was kept"`
	Proposed  string     `json:"proposed,omitempty" jsonschema:"description=The diff of changes that a person did not let be made"`
	Failed    string     `json:"failed,omitempty" jsonschema:"description=Why the call failed\\, in words"`
	TaskID    string     `json:"task_id,omitempty" jsonschema:"description=Of a command in the background\\, for bash_output"`
	Dir       string     `json:"working_directory" jsonschema:"description=Absolute"`
	Notes     []string   `json:"notes,omitempty" jsonschema:"description=What the model is told beside the output"`
	Held      []heldBack `json:"held_back,omitempty" jsonschema:"description=Changes not made: a program would run or obey them later"`
	Refused   []heldBack `json:"refused,omitempty" jsonschema:"description=Changes not made: somebody else changed it meanwhile"`
	Left      []string   `json:"left,omitempty" jsonschema:"description=Files of the private temporary directory\\, gone with the command"`
	record.UndoMeta
	render.Extent
}

// printed is what a command printed.
type printed struct {
	Stdout    string     `json:"stdout" jsonschema:"description=Without the line ends that close it"`
	Stderr    string     `json:"stderr" jsonschema:"description=Likewise"`
	StdoutCut *cutOutput `json:"stdout_cut,omitempty" jsonschema:"description=Where a part of it is missing"`
	StderrCut *cutOutput `json:"stderr_cut,omitempty" jsonschema:"description=Likewise"`
}

// A cutOutput is a gap in a stream.
type cutOutput struct {
	At    int    `json:"at" jsonschema:"description=Bytes of it before the gap"`
	Bytes int64  `json:"bytes" jsonschema:"description=That are missing"`
	How   string `json:"how" jsonschema:"description=To get at them"`
}

// Text is what a model reads: how it failed, if it did, what it printed, and the notes.
func (d bashData) Text() string {
	if d.TaskID != "" {
		text := fmt.Sprintf("Started in the background as %s. "+
			"Its output: bash_output {\"task_id\":%q}; to end it: bash_kill {\"task_id\":%q}.", d.TaskID, d.TaskID, d.TaskID)
		return joinNotes(text, d.Notes...)
	}
	out := joinNotes(d.printed.String(), d.Notes...)
	if d.Proposed != "" {
		out += "\n" + d.Proposed
	}
	if out == "" && !d.TimedOut && !d.Cancelled && !d.Lost {
		out = "(no output)"
	}
	switch {
	case d.Failed == "":
		return out
	case out == "":
		return d.Failed
	}
	return d.Failed + "\n" + out
}

// String is stdout, and stderr under a heading of its own.
func (p printed) String() string {
	out := withGap(p.Stdout, p.StdoutCut, "stdout")
	e := withGap(p.Stderr, p.StderrCut, "stderr")
	if e == "" {
		return out
	}
	if out != "" {
		out += "\n\n"
	}
	return out + "[stderr]\n" + e
}

// withGap is a stream's text: all of it, or head and tail with a word on where the rest is.
func withGap(text string, cut *cutOutput, name string) string {
	if cut == nil {
		return text
	}
	at := min(max(cut.At, 0), len(text))
	return fmt.Sprintf("%s\n[… %d bytes of %s cut: %s …]\n%s", text[:at], cut.Bytes, name, cut.How, text[at:])
}

// printedBy is what a process printed: for a model head and tail of it, for a program all that it takes.
func printedBy(call *tool.Call, p *sandbox.Process) printed {
	var out printed
	out.Stdout, out.StdoutCut = stream(call, p.Stdout)
	out.Stderr, out.StderrCut = stream(call, p.Stderr)
	return out
}

// stream is one of the two.
func stream(call *tool.Call, o *sandbox.Output) (string, *cutOutput) {
	head, tail, between := o.HeadTail(call.Room(bashShown))
	if between == 0 {
		return clean(head), nil
	}
	size := len(head) + len(tail)
	head, tail = wholeRunes(head), afterRune(tail)
	between += int64(size - len(head) - len(tail))
	text := clean(head)
	cut := &cutOutput{At: len(text), Bytes: between}
	if err := o.Err(); err != nil {
		cut.How = "it could not be kept: " + err.Error()
	} else {
		cut.How = kept(call.Session, o.Reader())
	}
	return text + clean(tail), cut
}

// reach says whether all that was printed is here.
func (p printed) reach() render.Extent {
	if p.StdoutCut == nil && p.StderrCut == nil {
		return render.ExtentOf()
	}
	return render.ExtentOf("a part of the output is missing")
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
