package bash

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"helve/builtin/internal/record"
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
	if full := f.fullHint(out); full != "" {
		hint = full
	}
	data := f.data(meta, append([]string{hint, left, f.temp, line}, made.notes()...)...)
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
	return bashFailed(tool.Execution, "The "+err.Error()+":", data, meta)
}

// sandboxHint says what the sandbox may have to do with a failure: models otherwise try the same thing again.
func (c *command) sandboxHint(out string) string {
	switch {
	case c.confine.Level == sandbox.Off:
		return ""
	case c.line.Verdict != shell.ReadOnly && c.confine.Level == sandbox.ReadOnly && c.reach.Confined,
		c.wallHint(out) != "":
		return c.wallHint(out)
	case c.confine.Level == sandbox.ReadOnly && c.attached:
		return c.hiddenHint(out)
	case c.confine.Level == sandbox.ReadOnly:
		return "[it ran in a read-only sandbox without network]"
	case c.hiddenHint(out) != "":
		return c.hiddenHint(out)
	case !c.confine.Sockets && missesSocket(out):
		return socketHint
	case !c.confine.Network && (c.wantsNetwork() || offline().MatchString(out)):
		return "[it ran without network; network=true asks for it]"
	}
	return ""
}

// offline is what programs say when they miss the network.
var offline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)resolve host|name resolution|network is unreachable|no route to host|` +
		`connection refused|could(?: not|n.t) connect|failed to connect|dial tcp|` +
		`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH`)
})

// socketHint says why a program could not make a Unix socket, or connect with one.
const socketHint = "[the sandbox has Unix sockets only as pairs between a command's own processes. network=true asks for " +
	"others, too; the person may allow them always with sandbox.unix_sockets]"

// missesSocket reports words of a program that was refused a Unix socket: the error, and somewhere what it was about.
func missesSocket(out string) bool {
	words := socketWords()
	return words[0].MatchString(out) && words[1].MatchString(out)
}

var socketWords = sync.OnceValue(func() [2]*regexp.Regexp {
	return [2]*regexp.Regexp{
		regexp.MustCompile(`(?i)operation not permitted|EPERM`),
		regexp.MustCompile(`(?i)\bunix\b|AF_UNIX|socket|\blisten\b|\.sock\b|\.pipe\b`),
	}
})

// wantsNetwork tells whether the analysis found a program that reaches the network.
func (c *command) wantsNetwork() bool {
	return slices.ContainsFunc(c.line.Effects, func(e shell.Effect) bool {
		return e.Kind == shell.Net
	})
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
