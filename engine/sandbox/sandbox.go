// Package sandbox runs a command so that it reaches only what a level promises, and says which level was reached, by
// what means, and with which gaps.
//
// Levels are promises, mechanisms are how this machine keeps them: own namespaces in pure Go with Landlock, seccomp
// and limits; else bubblewrap; else Landlock and seccomp alone; else none. A level that cannot be kept is an error,
// never silently less.
//
// A program that uses this package calls [Init] first in main: the sandbox is prepared by a second copy of the
// program, which Init takes over. Programs that cannot be run again name an installed helve in Options.Launcher.
//
// All functions may be called concurrently.
package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"helve/engine/sandbox/internal/proc"
	"helve/internal/resolved"
	"helve/internal/secrets"
)

// The words of a running command; see their own comments.
type (
	Spec    = proc.Spec
	Process = proc.Process
	Exit    = proc.Exit
	Chunk   = proc.Chunk
	Output  = proc.Output

	Terminal = proc.Terminal
)

// Level is what a command may reach.
type Level int

const (
	// ReadOnly, the zero value: nothing can be changed but a private temporary directory, of what lies outside the
	// roots only the system and programs can be read, secrets are masked, no network.
	ReadOnly Level = iota
	// WorkspaceWrite: the roots and Options.Writable can be changed too, but not their protected paths; network and
	// sockets if granted. It reads no more than ReadOnly.
	WorkspaceWrite
	// Off: no confinement. The user's explicit choice, never a model's or a workspace's.
	Off
	// Light: for programs that the person chose, such as MCP servers. It reads everything but what is masked; it
	// changes the roots, Options.Writable and the machine's own temporary directories, which it shares with others;
	// it reaches sockets, and the network if granted. It ends with all that it started.
	Light
)

// String returns the word of the configuration.
func (l Level) String() string {
	switch l {
	case ReadOnly:
		return "read-only"
	case WorkspaceWrite:
		return "workspace-write"
	case Off:
		return "off"
	case Light:
		return "light"
	}
	return "unknown"
}

// ParseLevel is the inverse of String.
func ParseLevel(s string) (Level, bool) {
	for _, l := range []Level{ReadOnly, WorkspaceWrite, Off, Light} {
		if l.String() == s {
			return l, true
		}
	}
	return ReadOnly, false
}

// The mechanisms, best first.
const (
	Namespaces = "namespaces" // own user, mount, PID, IPC, UTS and network namespaces, Landlock, seccomp, limits
	Bubblewrap = "bubblewrap" // the same by the system's bwrap, then Landlock, seccomp, limits
	Landlock   = "landlock"   // Landlock, seccomp, limits, without namespaces
	Seatbelt   = "seatbelt"   // macOS: sandbox-exec with a generated profile
	JobObject  = "job object" // Windows: the tree is ended, nothing is confined
	None       = "none"

	// LowIntegrity is the first step of a sandbox on Windows: a restricted token of low integrity keeps a command from
	// changing files. It can read what the person can, and reach the network.
	LowIntegrity = "low integrity"
)

var (
	// ErrNoInit: the program did not call Init first, so that a second copy of it would do anything but prepare a
	// sandbox.
	ErrNoInit = errors.New("sandbox: Init was not called: " +
		"call sandbox.Init() first in main, or set Options.Launcher to an installed helve")
	// ErrLevel: no mechanism of this machine keeps the level.
	ErrLevel = errors.New("sandbox: the level cannot be kept on this machine")
)

// Options describe one confinement. The zero value is read-only, without network, with all masks.
type Options struct {
	Level Level
	// Roots are the absolute directories of the workspace: readable at ReadOnly, writable at WorkspaceWrite.
	Roots []string
	// Writable are further directories that WorkspaceWrite may change: caches of build tools.
	Writable []string
	// Caches are like Writable, and nothing in them is protected: only commands use what is there.
	Caches []string
	// Named are files and directories that the person named for this command. No mask hides them, nor what leads to
	// them; that makes nothing writable, and only Light and Readable show what no mask hides.
	Named []string
	// Protected are paths, relative to every other writable directory, that stay read-only, absent ones too. Added to
	// DefaultProtected.
	Protected []string
	// Kept are further absolute paths in writable directories that stay read-only; those that are absent are not made.
	Kept []string
	// Looked says that somebody looks for protected paths in the roots when the command has ended. Those that are
	// absent are not protected then, and nothing stands in their place while it runs.
	Looked bool
	// Masked are files and directories that cannot be read: absolute, or relative to the home directory with ~/
	// before them, or relative to every root. Added to DefaultMasked.
	Masked []string
	// NewRepository lets the command make .git in a root that has none, with its own hooks and configuration: for git
	// init alone.
	NewRepository bool
	// Network is granted; ReadOnly cannot have it.
	Network bool
	// Sockets lets the command make Unix sockets that have names, and so reach services of this machine. Without it,
	// there are pairs only, between its own processes. ReadOnly cannot have it, Light always does.
	Sockets bool
	// Mechanism to use instead of the best one: for tests and for doctor. Empty: the best.
	Mechanism string
	// Home whose secrets are masked. Empty: the user's.
	Home   string
	Limits Limits
	// Launcher is the program that prepares the sandbox; it must call Init. Empty: this program.
	Launcher string

	// Remember is a private folder in which is noted what could be made on this machine, so that the next process need
	// not try it first. Empty: each process tries for itself.
	Remember string

	// Temp is a directory that the command finds as /tmp instead of an empty one, and that outlives it: several commands
	// may share it. By Landlock alone it is where TMPDIR leads. Light takes the machine's. Empty: one that ends with it.
	// A command that makes it grow by more than Limits.TempBytes is ended within moments; so is one with more than
	// 200,000 files and folders in it.
	Temp string

	// Layer holds back what the command changes in the roots. Nil: it changes them. Protected paths are then as
	// writable as others: who makes the changes looks at them first.
	Layer *Layer

	// Readable are further files and directories that a command may read: what the person allowed. Of what lies
	// outside the roots, and what it may change, it reads only these, the system's directories, and programs with
	// their caches of modules (reads.txt); see Reached.Confined.
	Readable []string

	wide bool     // without a root directory of its own: everything can be read but what is masked
	show []string // further paths that stay visible though they lie in a temporary directory

	look resolved.Paths // what one start has seen of the file system: hundreds of paths in a few folders
}

// seen is what was seen so far. Outside of a start each question looks anew.
func (o Options) seen() resolved.Paths {
	if o.look == nil {
		return resolved.Paths{}
	}
	return o.look
}

// Limits bound what one command can use. Zero fields take the defaults.
type Limits struct {
	Processes int   // in the whole tree; default 1000. As root outside a PID namespace it cannot be kept
	OpenFiles int   // in one process; default 4096
	FileBytes int64 // of one file; default 8 GiB
	Memory    int64 // of one process's data, in bytes; default 2 GiB where reads are confined, else none
	TempBytes int64 // of the private temporary directory, or by which Options.Temp may grow; default 1 GiB

	// Total is what all processes may have together, in bytes: a command that has more is ended within moments.
	// Default:
	// 2 GiB at ReadOnly, three quarters of the machine's memory at WorkspaceWrite, no bound at Light.
	Total int64
	// Layer is how many bytes of changes a layer in memory holds; default LayerMemory.
	Layer int64
}

// The defaults leave room for what builds and tests of large projects were seen to need, and end what runs away before
// the machine is in trouble.
const (
	defaultProcesses = 1000
	defaultOpenFiles = 4096
	defaultFileBytes = 8 << 30
	defaultTempBytes = 1 << 30
	// defaultMemory bounds the data of one process that nobody approved: the expansion of {1..100000000} takes all
	// there is otherwise. Linkers and type checkers of large projects stay below it.
	defaultMemory = 2 << 30
	// tempEntries bounds the files and folders of Options.Temp: builds of large projects were seen to make some thousand.
	tempEntries = 200_000
)

// filled replaces what is not set, or is no bound, by the default.
func (l Limits) filled() Limits {
	fill(&l.Processes, defaultProcesses)
	fill(&l.OpenFiles, defaultOpenFiles)
	fill(&l.FileBytes, defaultFileBytes)
	fill(&l.TempBytes, defaultTempBytes)
	return l
}

func fill[T int | int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// Reached is what a command really gets. It is part of every result.
type Reached struct {
	Level     Level
	Mechanism string
	// Gaps are the promises of the level that this mechanism does not keep, in words. Sorted.
	Gaps []string
	// Confined: of what lies outside the roots the command can read nothing but Options.Readable, the system and
	// programs.
	Confined bool
}

// DefaultProtected returns the paths in a workspace by which later commands, editors and agents are configured. Those
// that end in a slash are directories.
func DefaultProtected() []string {
	return []string{
		".git/hooks/", ".git/config", ".git/modules/", ".gitmodules",
		".mcp.json", ".helve/", ".claude/", ".codex/", ".cursor/", ".gemini/",
		".vscode/", ".idea/", ".envrc",
	}
}

// DefaultMasked returns where secrets and the sockets of powerful services usually are.
func DefaultMasked() []string { return secrets.Places() }

// marker tells a launched copy of this program what it is.
const marker = "HELVE_SANDBOX"

// initialized is set by Init and never unset.
var initialized atomic.Bool

// Init must be called first in main. In a launched copy it does not return. Elsewhere it only notes that it was called.
func Init() {
	switch os.Getenv(marker) {
	case "":
	case "probe":
		os.Exit(probeMain(os.Args[1:]))
	case "view":
		os.Exit(viewMain())
	default:
		os.Exit(launched())
	}
	initialized.Store(true)
}

// mustNotBeLaunched ends a launched copy that went past Init: it must never start another.
func mustNotBeLaunched() {
	if os.Getenv(marker) != "" {
		os.Exit(proc.ExitRefused)
	}
}

func (o Options) home() string {
	if o.Home != "" {
		return o.Home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// masked returns the absolute paths to mask.
func (o Options) masked() []string {
	list := append(DefaultMasked(), o.Masked...)
	if o.Level == ReadOnly {
		list = append(list, ".env") // a command that may write was looked at by somebody; this one was not
	}
	var out []string
	for _, m := range list {
		rest, inHome := strings.CutPrefix(m, "~/")
		switch {
		case inHome && o.home() != "":
			out = append(out, filepath.Join(o.home(), rest))
		case filepath.IsAbs(m):
			out = append(out, filepath.Clean(m))
		case !inHome:
			for _, r := range o.Roots {
				out = append(out, filepath.Join(r, m))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// writable returns the directories that may be changed at this level, outer ones first.
func (o Options) writable() []string {
	if o.Level != WorkspaceWrite && o.Level != Light {
		return nil
	}
	return o.clean(slices.Concat(o.Roots, o.Writable, o.Caches))
}

// clean returns existing absolute paths with links resolved, sorted so that outer directories come first.
func (o Options) clean(list []string) []string {
	look := o.seen()
	var out []string
	for _, p := range list {
		real, ok := realPath(look, p)
		if ok && filepath.IsAbs(real) {
			out = append(out, real)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// realPath is a path that is there, with its links resolved. ".." behind a link is what the system takes it for.
func realPath(look resolved.Paths, path string) (string, bool) {
	if filepath.IsAbs(path) && filepath.Clean(path) == path {
		return look.There(path)
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

// inside reports that p is dir or lies below it.
func inside(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, dir+"/")
}

// insideAny reports that p is one of dirs or lies below one.
func insideAny(p string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return inside(p, d) })
}

// holdsAny reports that one of the paths is dir or lies below it.
func holdsAny(dir string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return inside(p, dir) })
}

// tempPrefix is how the names of private temporary directories begin that are on disk.
const tempPrefix = "helve-command-"

// withTemp returns an environment in which programs find their private temporary directory. The caller's own array
// stays as it is.
func withTemp(env []string, dir string) []string {
	const name = "TMPDIR="
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, name) })
	return append(env, name+dir)
}
