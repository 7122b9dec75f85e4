package sandbox

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"helve/internal/sections"
)

//go:embed reads.txt
var readsText string

// readsTable are the sections of reads.txt.
var readsTable = sync.OnceValue(func() map[string][]string { return sections.Read(readsText) })

// readable are the absolute paths that a command may read whose reads are confined, beside the roots: the system, and
// programs with their caches of modules. They are known by name; what stands beside a program that PATH finds is not
// read for that. env is the environment of the command.
func (o Options) readable(env []string) []string {
	home := o.home()
	out := slices.Clone(readsTable()["system"])
	if filepath.IsAbs(home) {
		for _, rel := range readsTable()["home"] {
			out = append(out, matching(filepath.Join(home, rel))...)
		}
	}
	for _, v := range readsTable()["variables"] {
		out = append(out, ofVariable(env, v)...)
	}
	out = append(out, programDirs(env)...)
	out = slices.DeleteFunc(out, func(p string) bool { return holdsHome(p, home) })
	return append(out, o.Readable...) // the person knows what they name
}

// MayRead are the absolute paths outside the roots that a command whose reads are confined may read, whether they are
// there or not. env is its environment.
func (o Options) MayRead(env []string) []string {
	return append(o.readable(env), "/proc", "/sys", "/dev")
}

// ofVariable are the directories that a variable of the environment names, or the parts of them that are shown.
func ofVariable(env []string, entry string) []string {
	name, part, _ := strings.Cut(entry, "/")
	var out []string
	for _, dir := range filepath.SplitList(valueOf(env, name)) {
		if filepath.IsAbs(dir) {
			out = append(out, matching(filepath.Join(dir, part))...)
		}
	}
	return out
}

// matching are the paths that an entry of the table means.
func matching(path string) []string {
	if !strings.Contains(path, "*") {
		return []string{path}
	}
	out, _ := filepath.Glob(path) // the table has no bad pattern; a home that looks like one shows nothing
	return out
}

// valueOf is a variable of an environment; of several the last counts.
func valueOf(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		value, ok := strings.CutPrefix(e, name+"=")
		if ok {
			return value
		}
	}
	return ""
}

// programDirs are the entries of PATH that hold programs by their name. Any other directory may hold anything.
func programDirs(env []string) []string {
	var out []string
	for _, dir := range filepath.SplitList(valueOf(env, "PATH")) {
		switch filepath.Base(dir) {
		case "bin", "sbin", "shims", ".bin", "libexec", "games":
			if filepath.IsAbs(dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// holdsHome reports a path that would show the whole home directory, or more.
func holdsHome(path, home string) bool {
	path = filepath.Clean(path)
	return path == "/" || home != "" && inside(filepath.Clean(home), path)
}

// Shows adds what one command needs to see beside what every command may: what it may read, the files among that which
// the configuration names, so that no list of secrets hides them, and what is hidden of the rest. What the person
// masked stays masked.
func (o Options) Shows(readable, named, masked []string) Options {
	var closed []string
	for _, m := range o.Masked {
		if rest, inHome := strings.CutPrefix(m, "~/"); inHome {
			m = filepath.Join(o.home(), rest)
		}
		closed = append(closed, m)
	}
	closed = o.clean(closed)
	isClosed := func(path string) bool { return liesBelow(path, closed) }
	o.Named = slices.Concat(o.Named, slices.DeleteFunc(slices.Clone(named), isClosed))
	o.Readable = slices.Concat(o.Readable, readable)
	o.Masked = slices.Concat(o.Masked, masked)
	return o
}

// liesBelow reports that a path, with its links resolved, is one of dirs or lies below one.
func liesBelow(path string, dirs []string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = filepath.Clean(path)
	}
	return insideAny(real, dirs)
}
