// Package programs tells what a program that the configuration names needs to read: its file and those that its
// words name, the interpreter of a script, the folder of a script, the modules and the environment of a tool, and what
// links lead to. A sandbox that hides the home shows this of it, and nothing else. It reads the file system, and
// starts nothing.
package programs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/resolved"
	"helve/internal/spawn"
)

// A Command is a line of the configuration as it will be started.
type Command struct {
	Argv  []string // only words of the configuration: what a model or a server says names nothing
	Dir   string   // where it starts
	Env   []string // its whole environment
	Home  string
	Roots []string // the workspace, which its sandbox shows anyway
}

// A Need is what a command reads beside what every command may.
type Need struct {
	// Readable are absolute paths that are there. A folder is never one that is or holds the home, or has a name of
	// secrets. Links are not resolved: whoever shows them shows where they lead, too.
	Readable []string
	// Named are the files among them that the configuration means: no list of secrets hides these from the command.
	Named []string
	// Masked are files in these folders that hold secrets by their names.
	Masked []string
	// Missing says why it cannot start; nil: nothing is known to be missing.
	Missing error
}

const (
	// maxDepth bounds how far programs lead to others: a script to env, env to a shim, a shim to bash.
	maxDepth = 8
	// maxReadable bounds what is shown: each path becomes a mount.
	maxReadable = 200
)

// For works out what a command needs.
func For(c Command) Need {
	s := &search{c: c, seen: map[string]bool{}}
	if len(c.Argv) == 0 {
		return s.need
	}
	s.need.Missing = s.program(c.Argv[0], 0)
	s.words(c.Argv, 0)
	for _, path := range Paths(c.Argv[1:], c.Dir, c.Home) {
		s.named(path)
	}
	slices.Sort(s.need.Readable)
	s.need.Readable = slices.Compact(s.need.Readable)
	return s.need
}

// A search goes from a command to what it needs.
type search struct {
	c      Command
	need   Need
	seen   map[string]bool
	looked int // entries of folders so far
}

// program adds a program by its name or its path.
func (s *search) program(word string, depth int) error {
	path, err := spawn.LookPath(word, s.c.Env)
	if err != nil {
		return notInPath(word)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.c.Dir, path)
	}
	if depth > maxDepth || s.seen[path] {
		return nil
	}
	s.seen[path] = true
	st, err := os.Stat(path)
	if err := startable(path, st, err); err != nil {
		return err
	}
	s.file(path)
	return s.runs(path, depth)
}

// runs adds what a program's file, which is there, needs to be run: what stands beside it, and its interpreter.
func (s *search) runs(path string, depth int) error {
	real := resolved.Path(path)
	s.beside(real, depth)
	words := firstLine(real)
	if len(words) == 0 {
		return nil
	}
	next := words[0]
	if filepath.Base(next) == "env" {
		if err := s.program(next, depth+1); err != nil {
			return wants(path, next, err)
		}
		next = wrapped(words[1:])
	}
	if next == "" {
		return nil
	}
	if err := s.program(next, depth+1); err != nil {
		return wants(path, next, err)
	}
	return nil
}

// file adds a file alone.
func (s *search) file(path string) {
	if s.shown(path) || len(s.need.Readable) >= maxReadable {
		return
	}
	s.need.Readable = append(s.need.Readable, path)
	s.need.Named = append(s.need.Named, path)
}

// shown tells that a path, and where it leads, can be read anyway.
func (s *search) shown(path string) bool {
	return s.ofAll(path) && s.ofAll(resolved.Path(path))
}

// ofAll tells that a path lies in the workspace or among the programs of the system.
func (s *search) ofAll(path string) bool {
	in := func(dir string) bool { return resolved.Within(dir, path) || resolved.Within(resolved.Path(dir), path) }
	return slices.ContainsFunc(s.c.Roots, in) || slices.ContainsFunc(system, in)
}

// system are folders of programs of the machine, which hold nobody's own files.
var system = []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/opt", "/nix", "/snap"}

// named adds what an argument names: a folder, a file, or a file that is a program.
func (s *search) named(path string) {
	st, err := os.Stat(path)
	switch {
	case err != nil || len(s.need.Readable) >= maxReadable:
	case st.IsDir():
		s.folder(path, s.closed)
	case st.Mode().IsRegular():
		s.file(path)
		if isScript(path, st) {
			s.runs(path, 1) // what is missing the program itself will say
		}
	}
}

// wrappers are programs whose arguments name the one that counts.
var wrappers = []string{"env", "nice", "ionice", "timeout", "stdbuf", "nohup", "setsid", "exec", "command"}

// shells are those that take a line behind -c.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "fish"}

// words adds the programs that stand among the words of a line: behind a wrapper, and in a line for a shell.
func (s *search) words(argv []string, depth int) {
	if len(argv) < 2 || depth > maxDepth {
		return
	}
	name := filepath.Base(argv[0])
	switch {
	case slices.Contains(wrappers, name):
		if next := wrapped(argv[1:]); next != "" {
			s.program(next, depth+1)
			s.words(argv[slices.Index(argv, next):], depth+1)
		}
	case slices.Contains(shells, name):
		s.shell(argv[1:], depth)
	}
}

// shell adds what the line behind -c names.
func (s *search) shell(args []string, depth int) {
	for i, a := range args {
		isLine := strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c")
		if !isLine || i+1 == len(args) {
			continue
		}
		for _, command := range commands(args[i+1], s.c.Home) {
			s.program(command[0], depth+1)
			s.words(command, depth+1)
			for _, path := range Paths(command, s.c.Dir, s.c.Home) {
				s.named(path)
			}
		}
		return
	}
}

// wrapped is the first word that is a program's: behind options, assignments and numbers.
func wrapped(words []string) string {
	for _, w := range words {
		option := strings.HasPrefix(w, "-") || strings.Contains(w, "=")
		number := strings.Trim(w, "0123456789.smhd") == ""
		if !option && !number {
			return w
		}
	}
	return ""
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// startable says why a file cannot be started; nil: it may be.
func startable(path string, st os.FileInfo, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		if _, link := os.Readlink(path); link == nil {
			return missing("%s is a link to a file that is not there: correct the link, or name another program", path)
		}
		return missing("there is no file %s: make it, or correct the path in the configuration", path)
	case err != nil:
		return missing("%s cannot be looked at, outside of its sandbox neither: %w", path, err)
	case st.IsDir():
		return missing("%s is a folder: name the program in it", path)
	case st.Mode().Perm()&0o111 == 0:
		return missing("%s is there, and may not be executed: chmod +x makes it a program", path)
	}
	return nil
}
