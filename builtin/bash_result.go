package builtin

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/tool"
)

const (
	// bashKeep is how much of each stream is kept, half of it head and half tail: more than a model pages through.
	bashKeep = 10 << 20
	// bashShown is how much of each stream the model sees; both stay below the limit on a result.
	bashShown = 18_000
)

// bashMeta is the metadata of a command.
type bashMeta struct {
	Command  string       `json:"command"`             // as it was given
	ExitCode int          `json:"exit_code"`           // -1 where a signal ended it
	Dir      string       `json:"working_directory"`   // absolute
	Signal   string       `json:"signal,omitempty"`    // by its name, where one ended it
	TaskID   string       `json:"task_id,omitempty"`   // of a background command
	Left     []string     `json:"left,omitempty"`      // in the private temporary directory, gone with the command
	Held     []heldBack   `json:"held_back,omitempty"` // not made: a program would run or obey it later
	Refused  []heldBack   `json:"refused,omitempty"`   // not made: somebody else changed it meanwhile
	Sandbox  *sandboxMeta `json:"sandbox,omitempty"`
	undoMeta
}

// sandboxMeta says what the sandbox promised and kept: the level, by which of the system's means, and what it could
// not keep.
type sandboxMeta struct {
	Level     string   `json:"level"`     // read-only, workspace-write or off
	Mechanism string   `json:"mechanism"` // what enforces it
	Gaps      []string `json:"gaps"`      // what it does not keep, in words
}

// metaOf gives gaps as a list, also where there are none: a program that reads it need not tell null from empty.
func metaOf(r sandbox.Reached) *sandboxMeta {
	return &sandboxMeta{r.Level.String(), r.Mechanism, append([]string{}, r.Gaps...)}
}

// shownOutput is stdout, and stderr under a heading of its own.
func shownOutput(s *tool.Session, p *sandbox.Process) string {
	out := shown(s, p.Stdout, "stdout")
	e := shown(s, p.Stderr, "stderr")
	if e != "" {
		if out != "" {
			out += "\n\n"
		}
		out += "[stderr]\n" + e
	}
	return out
}

// shown is a stream's text: all of it, or head and tail with a word on where the rest is.
func shown(s *tool.Session, o *sandbox.Output, name string) string {
	head, tail, between := o.HeadTail(bashShown)
	if between == 0 {
		return clean(head)
	}
	size := len(head) + len(tail)
	head, tail = wholeRunes(head), afterRune(tail)
	between += int64(size - len(head) - len(tail))
	where := kept(s, o.Reader())
	return fmt.Sprintf("%s\n[… %d bytes of %s cut: %s …]\n%s", clean(head), between, name, where, clean(tail))
}

// afterRune is b without the end of a character that it cuts.
func afterRune(b []byte) []byte {
	for i := 0; i < utf8.UTFMax && i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// clean is a stream as text, without the line ends that close it. Blanks at its start stay: they tell " M" from "M "
// in git's short status, and are the indentation of what sed -n cuts out of a file. Nothing but blanks is nothing.
func clean(b []byte) string {
	text := strings.TrimRight(strings.ToValidUTF8(string(b), "\ufffd"), "\r\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// kept keeps the whole for the session's read and grep, and says how to get at it.
func kept(s *tool.Session, r io.Reader) string {
	if s == nil {
		return "filter the command's output, with grep or tail"
	}
	ref, err := s.Keep(r)
	if err != nil {
		return "the whole could not be kept: " + err.Error()
	}
	return fmt.Sprintf("page the whole with read {\"file_path\":%q,\"offset\":…} or search it with grep {\"path\":%q}",
		ref.ID, ref.ID)
}

// result tells how a command ended. What it printed comes first, then what the sandbox may have had to do with it: a
// model that does not know tries the same again.
func (c *command) result(exit sandbox.Exit, out string, reached sandbox.Reached, made *changes) *tool.Result {
	display := c.in.Description
	if display == "" {
		display = c.in.Command
	}
	line := made.line()
	if line != "" {
		display += " " + line
	}
	meta := bashMeta{
		Command:  c.in.Command,
		ExitCode: exit.Code,
		Dir:      c.dir.Abs(),
		Signal:   exit.Signal,
		Left:     exit.Left,
		Sandbox:  metaOf(reached),
	}
	made.meta(&meta)
	hint, left := c.protectedHint(out), leftHint(exit.Left)
	if hint == "" && exit.Code > 0 {
		hint = c.sandboxHint(out)
	}
	if hint == "" && strings.Contains(out, refusals[0]) {
		hint = c.wallHint(out)
	}
	out = joinNotes(out, hint, left, line)
	out = joinNotes(out, made.notes()...)
	body := out
	if body == "" {
		body = "(no output)"
	}
	switch {
	case exit.TimedOut:
		words := fmt.Sprintf("Command timed out after %dms: %s", c.in.limit().Milliseconds(), c.in.Command)
		return bashFailed(tool.TimedOut, words, out, meta)
	case exit.Idle:
		return bashFailed(tool.TimedOut, "Command ended: it printed nothing for too long: "+c.in.Command, out, meta)
	case exit.Cancelled:
		return bashFailed(tool.Cancelled, "Command cancelled: "+c.in.Command, out, meta)
	case exit.Signal != "":
		return bashFailed(tool.Execution, "Command ended by signal "+exit.Signal+":", body, meta)
	case exit.Code != 0:
		return bashFailed(tool.Execution, fmt.Sprintf("Command failed with exit code %d:", exit.Code), body, meta)
	}
	return tool.NewResult(tool.Text(body)).WithSummary("%s", display).WithMeta(meta)
}

// lost is the result of a command whose changes could not be made.
func (c *command) lost(exit sandbox.Exit, out string, reached sandbox.Reached, err error) *tool.Result {
	meta := bashMeta{
		Command:  c.in.Command,
		ExitCode: exit.Code,
		Dir:      c.dir.Abs(),
		Signal:   exit.Signal,
		Left:     exit.Left,
		Sandbox:  metaOf(reached),
	}
	return bashFailed(tool.Execution, "The "+err.Error()+":", out, meta)
}

// sandboxHint says what the sandbox may have to do with a failure: models otherwise try the same thing again.
func (c *command) sandboxHint(out string) string {
	switch {
	case c.confine.Level == sandbox.Off:
		return ""
	case c.line.Verdict != shell.ReadOnly && c.confine.Level == sandbox.ReadOnly && c.reach.Confined,
		c.wallHint(out) != "":
		return c.wallHint(out)
	case c.confine.Level == sandbox.ReadOnly:
		return "[it ran in a read-only sandbox without network]"
	case !c.confine.Network && (c.wantsNetwork() || offline().MatchString(out)):
		return "[it ran without network; network=true asks for it]"
	}
	return ""
}

// offline is what programs say when they miss the network.
var offline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)resolve host|name resolution|network is unreachable|no route to host|` +
		`connection refused|could not connect|dial tcp|ENOTFOUND|EAI_AGAIN|ECONNREFUSED`)
})

// wantsNetwork tells whether the analysis found a program that reaches the network.
func (c *command) wantsNetwork() bool {
	return slices.ContainsFunc(c.line.Effects, func(e shell.Effect) bool {
		return e.Kind == shell.Net
	})
}

// bashFailed is the result of a command that did not succeed. The model reads head and output, the error has the
// head alone.
func bashFailed(code tool.Code, head, out string, meta bashMeta) *tool.Result {
	msg := head
	if out != "" {
		msg += "\n" + out
	}
	short := strings.TrimSuffix(head, ":")
	e := tool.Verbatim(code, "%s", short)
	e.Details = map[string]any{"exit_code": meta.ExitCode}
	r := tool.NewResult(tool.Text(msg)).WithSummary("%s", short).WithMeta(meta)
	r.Err = e
	return r
}
