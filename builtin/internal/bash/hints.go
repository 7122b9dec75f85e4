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
	return "[do it in smaller parts, or with fewer processes at a time: make -j2, GOMAXPROCS=2, node --max-old-space-size=…]"
}

// full is what programs say when a disk is full.
var full = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)no space left on device|ENOSPC|disk (is )?full`)
})

// fullHint says that what was full is the memory that holds a command's changes, "" where it was not.
func (f *finished) fullHint(out string) string {
	if f.t == nil || f.t.layer.Memory() == 0 || !full().MatchString(out) {
		return ""
	}
	const mega = 1 << 20
	return fmt.Sprintf("[what a command changes is held in memory here until it has ended, at most %d MiB, and that was full. "+
		"What it had written is in the workspace. In smaller parts it may go; in the background (run_in_background) it writes to the disk. "+
		"The person lifts the bound by a state folder (XDG_STATE_HOME) on a file system such as ext4 or XFS]", f.t.layer.Memory()/mega)
}

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
				return "[commands do not see " + fsroot.Quote(path) + ": of what lies outside the workspace they read the " +
					"system, programs and their caches alone. Ask the person to add it: --add-dir or sandbox.readable]"
			}
		}
	}
	return ""
}

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

// joinNotes puts notes behind an output, each on a line of its own.
func joinNotes(out string, notes ...string) string {
	for _, n := range notes {
		if n != "" {
			out = strings.TrimPrefix(out+"\n"+n, "\n")
		}
	}
	return out
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
