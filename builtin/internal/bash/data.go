package bash

import (
	"fmt"
	"strings"

	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/engine/sandbox"
)

// bashData is what a command printed, how it ended, and what it changed.
type bashData struct {
	printed
	ExitCode  int        `json:"exit_code" jsonschema:"-1 where a signal ended it; 0 of one in the background"`
	Signal    string     `json:"signal,omitempty" jsonschema:"That ended it"`
	TimedOut  bool       `json:"timed_out,omitempty" jsonschema:"It was ended because it took too long"`
	Cancelled bool       `json:"cancelled,omitempty" jsonschema:"It was ended because nobody waits any more"`
	Lost      bool       `json:"lost,omitempty" jsonschema:"Nothing that it changed was kept"`
	Proposed  string     `json:"proposed,omitempty" jsonschema:"The diff of changes that a person did not let be made"`
	Failed    string     `json:"failed,omitempty" jsonschema:"Why the call failed, in words"`
	TaskID    string     `json:"task_id,omitempty" jsonschema:"Of a command in the background, for bash_output"`
	Dir       string     `json:"working_directory" jsonschema:"Absolute"`
	Notes     []string   `json:"notes,omitempty" jsonschema:"What the model is told beside the output"`
	Held      []heldBack `json:"held_back,omitempty" jsonschema:"Not made: another program would follow it"`
	Refused   []heldBack `json:"refused,omitempty" jsonschema:"Changes not made: somebody else changed it meanwhile"`
	Left      []string   `json:"left,omitempty" jsonschema:"Files of the private temporary directory, gone with the command"`
	record.UndoMeta
	render.Extent
}

// printed is what a command printed.
type printed struct {
	Stdout    string     `json:"stdout" jsonschema:"Without the line ends that close it"`
	Stderr    string     `json:"stderr" jsonschema:"Likewise"`
	StdoutCut *cutOutput `json:"stdout_cut,omitempty" jsonschema:"Where a part of it is missing"`
	StderrCut *cutOutput `json:"stderr_cut,omitempty" jsonschema:"Likewise"`
}

// A cutOutput is a gap in a stream.
type cutOutput struct {
	At    int    `json:"at" jsonschema:"Bytes of it before the gap"`
	Bytes int64  `json:"bytes" jsonschema:"That are missing"`
	How   string `json:"how" jsonschema:"To get at them"`
}

// Text is what a model reads: how it failed, if it did, what it printed, and the notes.
func (d bashData) Text() string {
	if d.TaskID != "" {
		const started = "Started in the background as %[1]s. " +
			"Its output: bash_output {\"task_id\":%[1]q}; to end it: bash_kill {\"task_id\":%[1]q}."
		return joinNotes(fmt.Sprintf(started, d.TaskID), d.Notes...)
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

// reach says whether all that was printed is here.
func (p printed) reach() render.Extent {
	if p.StdoutCut == nil && p.StderrCut == nil {
		return render.ExtentOf()
	}
	return render.ExtentOf("a part of the output is missing")
}

// bashMeta is the metadata of a command.
type bashMeta struct {
	Command  string       `json:"command"`              // as it was given
	ExitCode int          `json:"exit_code"`            // -1 where a signal ended it
	Dir      string       `json:"working_directory"`    // absolute
	Signal   string       `json:"signal,omitempty"`     // by its name, where one ended it
	TaskID   string       `json:"task_id,omitempty"`    // of a background command
	Left     []string     `json:"left,omitempty"`       // in the private temporary directory, gone with the command
	Held     []heldBack   `json:"held_back,omitempty"`  // not made: another program would run or follow it
	Told     []heldBack   `json:"would_wait,omitempty"` // made, and would wait for a person elsewhere
	Refused  []heldBack   `json:"refused,omitempty"`    // not made: somebody else changed it meanwhile
	Sandbox  *sandboxMeta `json:"sandbox,omitempty"`
	record.UndoMeta
}

// sandboxMeta says what the sandbox promised and kept: the level, by which of the system's means, and what it could
// not keep.
type sandboxMeta struct {
	Level     string   `json:"level"`     // read-only, workspace-write or off
	Mechanism string   `json:"mechanism"` // what enforces it
	Gaps      []string `json:"gaps"`      // what it does not keep, in words
}

// MetaOf gives gaps as a list, also where there are none: a program that reads it need not tell null from empty.
func metaOf(r sandbox.Reached) *sandboxMeta {
	return &sandboxMeta{r.Level.String(), r.Mechanism, append([]string{}, r.Gaps...)}
}

// joinNotes puts notes behind an output, each on a line of its own.
func joinNotes(out string, notes ...string) string {
	for _, n := range notes {
		if n != "" {
			out = strings.TrimPrefix(out+"\n"+n, "\n")
		}
	}
	return out
}
