// Package shell says what a bash command line would do, without running it.
//
// [Analyze] parses the text as bash does, judges every simple command in it, also those in substitutions, behind
// wrappers such as sudo and timeout and in strings given to another shell, and returns a verdict with its reason, its
// place, the effects on files, programs and network, and the narrowest pattern under which an approval may be
// remembered.
//
// The verdict ReadOnly is a judgement of the words alone: a repository's configuration may make git run programs, a
// link may lead out of the workspace. What is allowed without a question belongs in a read-only sandbox (package
// sandbox).
//
// The package does no I/O and starts nothing. All functions may be called concurrently.
package shell

import (
	"errors"
	"time"
)

// Verdict is what a command line deserves.
type Verdict int

const (
	// Ask is the zero value: a person decides.
	Ask Verdict = iota
	// ReadOnly commands change nothing by their own words and may run unasked in a read-only sandbox.
	ReadOnly
	// Catastrophic commands are refused wherever they stand; no approval makes them run.
	Catastrophic
)

// String returns ask, read-only or catastrophic.
func (v Verdict) String() string {
	switch v {
	case ReadOnly:
		return "read-only"
	case Catastrophic:
		return "catastrophic"
	}
	return "ask"
}

// The reasons for which a text is not judged at all. The verdict stays Ask.
var (
	ErrEmpty    = errors.New("shell: the command is empty: write the command to run")
	ErrTooLong  = errors.New("shell: the command is too long: put the script into a file and run that")
	ErrNUL      = errors.New("shell: the command contains a NUL byte, which bash cannot take: remove it")
	ErrDeadline = errors.New("shell: the command is too complex to judge in time: split it into several")
	ErrSyntax   = errors.New("shell: the command is not valid bash: check quotes, brackets and here-documents")
)

const (
	// MaxLength of a command in bytes. Parsing is quadratic in hostile input: 64 KiB of "(" takes over a second.
	MaxLength = 16 << 10
	// DefaultDeadline bounds one analysis; a person waits for the answer, and so does the model. A small script is
	// judged however long a busy machine takes for it.
	DefaultDeadline = 50 * time.Millisecond
)

// Options say where the command would run and what else its user takes as read-only. The zero value is the strictest.
type Options struct {
	// Dir is the absolute directory in which the command starts. Empty: unknown; relative words then stay as they are.
	Dir string
	// Roots are the absolute directories that may be read unasked. Nil: Dir alone.
	Roots []string
	// Home is what ~ and $HOME stand for. Empty: unknown; both then count as outside the roots.
	Home string
	// Readable are the absolute directories outside the roots that a line may read where it is tried
	// (Analysis.Tries). A line that names another place there, such as a file of the home, is not tried: the person
	// can be asked for it.
	Readable []string
	// Secret tells of a path whether it may hold secrets; such a one is not read unasked. It is pure. Nil: the list of
	// usual names.
	Secret func(path string) bool
	// ReadOnly names further programs that the user takes as read-only: "find", "terraform show". Programs that run
	// code (shells, interpreters, build tools, wrappers) are not accepted, and options known to be dangerous are
	// still asked about.
	ReadOnly []string
	// Protected are paths whose writing is catastrophic, relative ones in every directory. Nil: .helve, where an
	// agent's own permissions are configured.
	Protected []string
	// Deadline of the analysis of what is not small. Zero: DefaultDeadline.
	Deadline time.Duration
}

// Analysis is a command line understood.
type Analysis struct {
	Verdict Verdict
	// Reason of the verdict, in words for a person; empty for ReadOnly. Line and Col (from 1, bytes) point at its
	// cause.
	Reason    string
	Line, Col int
	// Tries says of a line that would be asked about that nothing in its words wants to change or send anything: it may
	// be tried unasked where it can do neither, and can read nothing that is private. Its words promise nothing.
	Tries bool
	// Commands in the order of the text: every simple command, then what it wraps.
	Commands []Command
	// Effects sorted by kind and target, without repetition.
	Effects []Effect
	// Grant is the narrowest pattern (see Matches) that may be remembered after an approval: it covers every command
	// here that is not read-only. Empty: this must be asked each time.
	Grant string
	// Err tells why the text could not be judged: one of the errors of this package, possibly wrapped. The verdict is
	// then Ask.
	Err error

	barred bool // something other than a command asks: no pattern covers it
}

// Command is one simple command as bash would run it, as far as the text shows.
type Command struct {
	// Words after quote removal, the program first. A word that is computed at run time stands here as its source text.
	Words []string
	// Program is the base name of the first word: curl for /usr/bin/curl; empty when it is computed at run time.
	Program string
	// Static says that all words are known.
	Static bool
	// Unread says that it may run any other command besides: one that stands in what it reads, in what is added to its
	// words, or in a text that is computed at run time.
	Unread bool
	// Wrapped commands were found behind another one: sudo, timeout, sh -c, find -exec.
	Wrapped bool
	Verdict Verdict
	Reason  string
	// Grant is the pattern that covers this command alone; empty: never remembered.
	Grant     string
	Line, Col int

	guessed bool // the words of another command, which may run them
}

// EffectKind orders effects from harmless to far-reaching.
type EffectKind string

const (
	Read  EffectKind = "read"
	Write EffectKind = "write"
	Exec  EffectKind = "exec"
	Net   EffectKind = "net"
)

// Effect is one thing that the command would do. Target is a cleaned path (relative to Options.Dir where it lies
// inside it, else absolute), a program's name, a host, or "*" where the text does not tell.
type Effect struct {
	Kind   EffectKind
	Target string
}
