// Package builtin holds the tools that every agent needs. All is the list; below internal each kind of tool has a package.
//
// The tools of one Toolbox share what they know of it: the roots that they may touch, the locks on its files, the
// trees that are searched. What a session has read or started belongs to the session.
//
// They decide nobody's rights. A call tells by its effects what it would do, and the kit's policy judges that. What no
// policy can allow is refused here: paths outside the roots, files that steer other programs, private addresses, and
// command lines that would destroy more than a workspace.
//
// Arguments that are wrong, and work that fails, become results with an error, which the model reads; its hint is the
// next step.
package builtin

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"helve/builtin/internal/bash"
	"helve/builtin/internal/fetch"
	"helve/builtin/internal/files"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/builtin/internal/review"
	"helve/builtin/internal/todo"
	"helve/builtin/internal/web"
	"helve/engine/sandbox"
	"helve/engine/tree"
	"helve/internal/uncommitted"
	"helve/tool"
)

// Options say where the tools work, and what of the machine they use. The zero value but for Dirs keeps nothing on
// disk, confines commands to reading, and reaches public hosts only.
type Options struct {
	Dirs []string // the workspace's folders; the first is the default for relative paths

	// State is a private folder outside Dirs for locks, and for what commands change until that was looked at. "":
	// locks are kept within this process, and commands change the workspace while they run.
	State string

	// Protected refuses writes to what steers helve or other programs; nil: Steering. See fsroot.Options.
	Protected func(root, folded string) error

	// Environ is the person's environment, as os.Environ gives it: where their ignore file is, and what a command's
	// environment is made of (sandbox.Env). nil: that of this process.
	Environ []string

	Sandbox Sandbox

	// History says what is remembered of what calls change. The zero value: nothing.
	History History

	// Cache is a private folder for search indexes and for the build caches of commands; "" means to do without.
	// Resident says that the workspace lives long: its trees are then watched and its indexes kept up to date in the
	// background.
	Cache    string
	Resident bool

	// Trees are the trees that others of the process look at too, so that a resident one is watched once and
	// everybody knows of the tools' own writes. nil: the workspace has its own.
	Trees *tree.Set

	// Pages is a private folder in which fetch keeps pages for other processes; one inside Dirs is not used. "": it
	// remembers them in this process only.
	Pages string

	// ReadsFolders says that kits take a read of a path that ends in a slash for ls: read then tells of it.
	ReadsFolders bool

	// Denied tells whether a file, as a target of an effect, must not be read. grep leaves it out, since nobody
	// judges every file of a directory that it searches. It is called by several goroutines at once. nil: none.
	Denied func(target string) bool

	// Secret tells whether a file, as a target of an effect, may hold secrets. Searches leave it out, commands that
	// run unasked do not see it, and the history does not keep its content. It is called by several goroutines at
	// once. nil: the usual names, which docs/security.md describes.
	Secret func(target string) bool

	// SecretList names what Secret decides by at this moment: while it is the same, what Secret said about a file is
	// remembered, in Cache too. nil: nothing is remembered, unless Secret is nil.
	SecretList func() string

	// DeniedWrite tells whether a file must not be written. Undo leaves it alone. It is called by several goroutines at
	// once. nil: none.
	DeniedWrite func(target string) bool

	// Guarded tells why a file is never written by a tool, "" if it may be: an undo leaves it alone instead of being
	// refused as a whole. It is called by several goroutines at once. nil: every file may be.
	Guarded func(target string) string

	// Asks tells why what a command does to a file is held back whatever anybody says, for what has another program ask
	// us; "" if it is not. Asking are those files, absolute: where nothing holds a command's changes back, those that
	// are there are read-only for it, and the others are not made. nil: there are none.
	Asks   func(target string) string
	Asking func() []string

	// SomeDenied tells whether Denied can say yes at all, so that nobody looks through a workspace for nothing. nil:
	// it can.
	SomeDenied func() bool

	// Broken is asked before a file of the first folder is changed by edit, multi_edit or write. What it returns is
	// called when the change is made, and names what that broke, a line each, and why that may not be all, "" if it is;
	// nil says nothing. nil: nobody is asked.
	Broken func(ctx context.Context, path string) func(context.Context) (broke []string, unchecked string)

	// Buffers are the files of an editor that the person works in: read, edit, multi_edit and write see what is unsaved
	// there, and change it there. Commands and searches see the disk. nil: there is none.
	Buffers Buffers

	// ReportNew says that what a command nobody was asked about makes under a new hidden name, or a name by which other
	// programs or models follow it, is made and told, not held back for a person.
	ReportNew bool

	// OneCall says that this process ends after a call: it cannot keep background commands.
	OneCall bool

	// Attached says that bash runs one command for somebody who is as near to it as to one of their own. nil: its
	// output is in the result alone.
	Attached *Attached

	// AllowPrivate names hosts of the private network that fetch may reach: "localhost:8080", "10.0.0.7",
	// "*.corp.example". Only a person says so, never a workspace.
	AllowPrivate []string

	// Summarizer answers fetch's prompts; nil: the passages of the page that have the prompt's words do.
	Summarizer Summarizer

	// Lookup resolves the names of hosts for fetch; nil: the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
}

// What options name.
type (
	Sandbox    = bash.Sandbox     // how commands that were approved are confined
	Attached   = bash.Attached    // how somebody stands to the one command that they have bash run
	Shell      = bash.Shell       // the program that runs command lines
	History    = record.History   // what is remembered of what calls change
	Summarizer = fetch.Summarizer // answers a question from a text
	Buffers    = files.Buffers    // what an editor holds of files
)

// What waits for a person.
type (
	Review        = review.Waiting // all of it, in a workspace
	ReviewSet     = review.Set     // what one call left
	ReviewFile    = review.File    // one change of it
	ReviewOutcome = review.Outcome // what became of what somebody chose
)

// What somebody chose cannot be made or dropped: nothing of it waits, several may be meant, several begin so, or there
// is none.
var (
	ErrReviewNothing   = review.ErrNothing
	ErrReviewChoose    = review.ErrChoose
	ErrReviewAmbiguous = uncommitted.ErrAmbiguous
	ErrReviewUnknown   = uncommitted.ErrUnknown
)

// FindShell finds the shell of an environment as os.Environ gives it.
func FindShell(environ []string) Shell { return bash.FindShell(environ) }

// Steering refuses writes to files that steer helve, git, editors or other agents. It is the default of
// Options.Protected.
func Steering(root, folded string) error { return folders.Steering(root, folded) }

// A Toolbox is what the built-in tools share. It is safe for concurrent use.
type Toolbox struct {
	records  *record.Records
	commands *bash.Commands
	files    *files.Files
	todos    *todo.Todos

	// What Fetch is made of: made here it would be linked by everybody.
	at         *folders.Folders
	web        web.Options
	summarizer Summarizer
}

// Open opens the folders, of which there must be one, and starts nothing: trees are read and watched when a tool
// first needs them. A folder that is none, or cannot be read, is an error that names it. Close the toolbox when its
// kits are no longer used.
func Open(o Options) (*Toolbox, error) {
	at, err := folders.Open(folders.Options{
		Dirs:       o.Dirs,
		State:      o.State,
		Protected:  o.Protected,
		Environ:    o.Environ,
		Cache:      o.Cache,
		Resident:   o.Resident,
		Trees:      o.Trees,
		Denied:     o.Denied,
		Secret:     o.Secret,
		SecretList: o.SecretList,
	})
	if err != nil {
		return nil, err
	}
	if _, err := at.Files.Resolve("", o.Pages); err == nil { // what tools may write would become what the web said
		o.Pages = ""
	}
	records := record.Open(at, record.Options{
		History:     o.History,
		Masked:      o.Sandbox.Masked,
		Asks:        o.Asks,
		DeniedWrite: o.DeniedWrite,
		Guarded:     o.Guarded,
	})
	return &Toolbox{
		records: records,
		commands: bash.New(records, bash.Options{
			Sandbox:    o.Sandbox,
			Attached:   o.Attached,
			OneCall:    o.OneCall,
			Asking:     o.Asking,
			SomeDenied: o.SomeDenied,
			ReportNew:  o.ReportNew,
		}),
		files: files.New(records, files.Options{ReadsFolders: o.ReadsFolders, Buffers: o.Buffers, Broken: o.Broken}),
		todos: todo.New(at),
		at:    at,
		web: web.Options{
			AllowPrivate: o.AllowPrivate,
			Lookup:       o.Lookup,
			Dir:          o.Pages,
		},
		summarizer: o.Summarizer,
	}, nil
}

// Close closes the roots and ends what watches them. Background commands end with their sessions, not here. Tools that
// run after it fail.
func (t *Toolbox) Close() error {
	t.commands.CloseWaiting()
	err := t.records.CloseTrees()
	sandbox.Rest()
	return errors.Join(err, t.records.PruneAtTimes(), t.records.Files.Close())
}

// Dir is the first folder, links resolved.
func (t *Toolbox) Dir() string { return t.records.Dir() }

// Remembers tells whether what calls change is remembered here, so that it can be shown and undone.
func (t *Toolbox) Remembers() bool { return t.records.Remembers() }

// Aim is the target of an effect on a path that another program names, which may lead out of the workspace. dir is
// where that program stands. inside tells that it lies in one of the workspace's folders.
func (t *Toolbox) Aim(dir, path string) (target string, inside bool, err error) {
	return t.records.Aim(dir, path)
}

// Await keeps what stands at paths in the workspace that another program is about to change, as the work of its tool.
// Settle takes the change into the history.
func (t *Toolbox) Await(c *tool.Call, title, dir string, paths []string) error {
	return t.records.Await(c, title, dir, paths)
}

// Settle takes into the history what other programs changed that Await was told of, in one session; "" means all.
func (t *Toolbox) Settle(session string) error { return t.records.Settle(session) }

// Prune forgets what calls did before a time, and the oldest beyond so many bytes as they are stored. Zero values are
// the bounds of Options.History. It returns how many calls were forgotten and how many bytes that freed.
func (t *Toolbox) Prune(before time.Time, bytes int64) (calls int, freed int64, err error) {
	return t.records.Prune(before, bytes)
}

// ForgetCalls forgets what the calls did that are meant, by their ID and Parent and by their session, and what took
// only such calls back. It returns how many there were and how many bytes that freed.
func (t *Toolbox) ForgetCalls(meant func(names []string, session string) bool) (calls int, freed int64, err error) {
	return t.records.ForgetCalls(meant)
}

// Forget forgets what all calls did.
func (t *Toolbox) Forget() error { return t.records.Forget() }

// Review is what commands left waiting for a person.
func (t *Toolbox) Review() Review { return Review{Records: t.records} }

// Records are the files and the history that the tools share, for the packages below this one and for the workspace.
func (t *Toolbox) Records() *record.Records { return t.records }
