package bash

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"helve/engine/sandbox"
	"helve/engine/shell"
	"helve/internal/fsroot"
	"helve/internal/resolved"
)

// refusals are how programs say that the sandbox keeps a path as it is: it stands under a mount of its own, or must
// not be made.
var refusals = []string{
	"Read-only file system",
	"Device or resource busy",
	"File exists",
	"Permission denied",
	"Operation not permitted",
}

// overHint says what to do about a command that used more than it may.
func (c *command) overHint() string {
	if c.confine.Level == sandbox.ReadOnly && !c.more {
		return "[nobody was asked about it; one that is asked about, by ask=true, may use more of the machine]"
	}
	return "[do it in smaller parts, or with fewer processes at a time: " +
		"make -j2, GOMAXPROCS=2, node --max-old-space-size=…]"
}

// full is what programs say when a disk is full.
var full = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)no space left on device|ENOSPC|disk (is )?full`)
})

// fullHint says that what was full is the memory that holds a command's changes, "" where it was not, or none does.
func fullHint(out string, memory int64) string {
	if memory == 0 || !full().MatchString(out) {
		return ""
	}
	const mega = 1 << 20
	return fmt.Sprintf(memoryFull, memory/mega)
}

// memoryFull is told of a command whose changes filled the memory that holds them.
const memoryFull = "[what a command changes is held in memory here until it has ended, at most %d MiB, " +
	"and that was full. What it had written is in the workspace. In smaller parts it may go; " +
	"in the background (run_in_background) it writes to the disk. " +
	"The person lifts the bound by a state folder (XDG_STATE_HOME) on a file system such as ext4 or XFS]"

// protectedHint says in one line that a protected path stopped a command, which is not to be seen in what programs say.
func (c *command) protectedHint(out string) string {
	if c.confine.Level != sandbox.WorkspaceWrite {
		return ""
	}
	for line := range strings.Lines(out) {
		refuses := func(r string) bool { return strings.Contains(line, r) }
		if !slices.ContainsFunc(refusals, refuses) {
			continue
		}
		p := c.protectedIn(line)
		if p != "" {
			return "[" + p + " stays as it is in the sandbox: " + remedy(p) + "]"
		}
		if strings.Contains(line, refusals[0]) && !strings.Contains(line, c.dir.Root().Dir()) {
			return "[outside the workspace, commands write to folders that the person names in sandbox.writable only]"
		}
	}
	return ""
}

// hiddenHint says that a program looked for a path which commands do not see, "" if none did.
func (c *command) hiddenHint(out string) string {
	if !c.reach.Confined {
		return ""
	}
	for line := range strings.Lines(out) {
		if !notThere().MatchString(line) {
			continue
		}
		for _, found := range absolutePaths().FindAllStringSubmatch(line, -1) {
			path := filepath.Clean(found[1])
			if !c.sees(path) {
				return "[commands do not see " + fsroot.Quote(path) + ": " + outsideShown
			}
		}
	}
	return ""
}

// outsideShown ends a hint with what commands see.
const outsideShown = "of what lies outside the workspace they read the system, programs and their caches alone. " +
	"Ask the person to add it: --add-dir or sandbox.readable]"

// sees reports a path that a confined command reads if it is there.
func (c *command) sees(path string) bool {
	shown := slices.Concat(c.confine.Roots, c.confine.Writable, c.confine.Caches, c.confine.MayRead(c.environ))
	shown = append(shown, "/tmp", "/var/tmp", "/run")
	return slices.ContainsFunc(shown, func(dir string) bool { return resolved.Within(dir, path) })
}

// notThere is how programs say that they do not find a file.
var notThere = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)no such file|ENOENT|cannot find|not found|does not exist|cannot access`)
})

// absolutePaths are the paths of a line that begin with a slash, behind nothing that would make them a part of a name
// or of an address.
var absolutePaths = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s'"` + "`" + `‘“(\[=:])(/[\w.@%+~-][^\s'"` + "`" + `’”)\]:,;]*)`)
})

// protectedIn returns the protected path that a line names, "" if it names none.
func (c *command) protectedIn(line string) string {
	words := strings.FieldsFunc(line, func(r rune) bool {
		return strings.ContainsRune(" '\"‘’“”:,;()\n", r)
	})
	protected := sandbox.DefaultProtected()
	for _, path := range c.confine.Kept {
		if rel, err := filepath.Rel(c.dir.Root().Dir(), path); err == nil {
			protected = append(protected, filepath.ToSlash(rel))
		}
	}
	for _, p := range protected {
		p = strings.TrimSuffix(p, "/")
		names := func(w string) bool { return strings.Contains("/"+w+"/", "/"+p+"/") }
		if slices.ContainsFunc(words, names) {
			return p
		}
	}
	return ""
}

// remedy is what to do instead of writing a protected path.
func remedy(p string) string {
	switch p {
	case ".git/config":
		return "git runs what it names. For one command use git -c KEY=VALUE; git init must stand alone; " +
			"to keep a setting, ask the person to run it"
	case ".git/hooks", ".git/modules", ".gitmodules":
		return "git runs what it names. Ask the person to run this"
	}
	return "it steers what other programs run. Ask the person to change it"
}

// shownLeft is how many of the files that are lost a result names.
const shownLeft = 3

// leftHint says that files are gone which the next command may count on.
func leftHint(left []string) string {
	if len(left) == 0 {
		return ""
	}
	names := strings.Join(left[:min(len(left), shownLeft)], ", ")
	more := len(left) - shownLeft
	if more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return "[each command has a temporary directory of its own; gone with it: " + names +
		". Later commands find what lies in the workspace]"
}

// gitInit are the options of git init that copy no templates into the new repository.
var gitInit = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-q|--quiet|-b|--initial-branch(=.*)?|[^-].*)$`)
})

// makesRepository reports a command line that does nothing but git init: .git, which is protected even while it is
// absent, may then be made. Anything beside it could fill .git with programs.
func makesRepository(line shell.Analysis) bool {
	if !line.Covered([]string{"git init *"}) {
		return false
	}
	other := func(c shell.Command) bool {
		return shell.Matches("git init *", c) && !isGitInit(c)
	}
	return slices.ContainsFunc(line.Commands, isGitInit) && !slices.ContainsFunc(line.Commands, other)
}

// isGitInit tells git init with options that run and copy nothing.
func isGitInit(c shell.Command) bool {
	other := func(w string) bool { return !gitInit().MatchString(w) }
	return shell.Matches("git init *", c) && !slices.ContainsFunc(c.Words[2:], other)
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
const socketHint = "[the sandbox has Unix sockets only as pairs between a command's own processes. " +
	"network=true asks for others, too; the person may allow them always with sandbox.unix_sockets]"

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

// unaskedHint says where a command ran that may have wanted more.
const unaskedHint = "[nobody was asked: it ran where nothing can be changed, without network, " +
	"and of what lies outside the workspace with the system and programs alone. " +
	"ask=true asks the person for more, network=true for the network]"

// walls is what programs say when they try to change something where nothing can be, look for what is not shown there,
// or miss the network.
var walls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)read-only file system|EROFS|no such file or directory|ENOENT|not found|` +
		`cannot access|permission denied|operation not permitted|` + offline().String()[len("(?i)"):])
})

// wallHint says where a command ran that nobody was asked about, if its words sound as if it had met the wall.
func (c *command) wallHint(out string) string {
	unasked := c.confine.Level == sandbox.ReadOnly && c.reach.Confined && !c.more && !c.attached
	if unasked && walls().MatchString(out) {
		return unaskedHint
	}
	return ""
}
