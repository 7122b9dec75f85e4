package upstream

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"helve/engine/sandbox"
	"helve/internal/programs"
	"helve/internal/resolved"
	"helve/internal/sections"
	"helve/internal/spawn"
)

//go:embed light.txt
var lightText string

var lightTable = sync.OnceValue(func() map[string][]string { return sections.Read(lightText) })

// A Light is a Launcher that confines servers so that nearly all of them work as before: they read everything but
// secrets and helve's own files, change the caches they are fetched into, temporary folders and what stands in their
// words, reach sockets and the network, and end with all that they started. Where this machine cannot do that, and
// for programs that start the server elsewhere, the server is started as it is, and [Source.Confinement] says why.
type Light struct {
	// Box is of the level Light: its roots, what else may be changed, what is masked, the home, and the network.
	Box sandbox.Options
	// Own are helve's own folders, which no word of a server opens.
	Own []string
	// Warn is told once why a server runs unconfined. Nil: nobody wants to know.
	Warn func(text string)

	warned atomic.Bool
	hinted atomic.Bool
	last   atomic.Pointer[Confinement] // of the last start
}

// Launch starts one server.
func (l *Light) Launch(c Command) (Process, error) {
	if program := elsewhere(c.Argv); program != "" {
		l.loosely(program + " starts it where no confinement reaches it")
		return plainLauncher{}.Launch(c)
	}
	path, err := spawn.LookPath(c.Argv[0], c.Env)
	if err == nil {
		_, err = os.Stat(inDir(path, c.Dir))
	}
	if err != nil {
		return plainLauncher{}.Launch(c) // it says what is wrong
	}
	reached, err := sandbox.Reach(context.Background(), l.Box)
	if err != nil {
		l.loosely(err.Error())
		return plainLauncher{}.Launch(c)
	}
	l.note(Confinement{Mechanism: reached.Mechanism, Gaps: reached.Gaps})
	made := folders{home: filepath.Clean(l.Box.Home)}
	for _, dir := range l.wanted(c) {
		made.hold(dir)
	}
	box := l.box(c)
	return confined{options: box, after: made.release}.Launch(c)
}

// inDir is a path as a program that starts in dir would take it.
func inDir(path, dir string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// A Confinement tells how a server that was started is confined.
type Confinement struct {
	Level     string   `json:"level"`               // light, read-only, workspace-write, off
	Mechanism string   `json:"mechanism,omitempty"` // what keeps it; "": nothing, or no server was started yet
	Gaps      []string `json:"gaps,omitempty"`      // what that does not keep
	Why       string   `json:"why,omitempty"`       // why nothing is kept
}

// loosely notes that the server runs unconfined.
func (l *Light) loosely(why string) {
	l.note(Confinement{Why: why})
	if l.Warn != nil && !l.warned.Swap(true) {
		l.Warn("it runs unconfined: " + why)
	}
}

func (l *Light) note(c Confinement) {
	c.Level = sandbox.Light.String()
	l.last.Store(&c)
}

// confinedBy tells how a launcher confines what it starts.
func confinedBy(by Launcher) Confinement {
	switch l := by.(type) {
	case *Light:
		if c := l.last.Load(); c != nil {
			return *c
		}
		return Confinement{Level: sandbox.Light.String()}
	case confined:
		return Confinement{Level: l.options.Level.String()}
	}
	return Confinement{Level: sandbox.Off.String()}
}

// elsewhere is the program among the words of a command that starts the server elsewhere, "" if there is none.
func elsewhere(argv []string) string {
	table := lightTable()
	program := base(argv[0])
	switch {
	case slices.Contains(table["elsewhere"], program), strings.HasPrefix(argv[0], "/snap/bin/"):
		return program
	case !slices.Contains(table["wrappers"], program):
		return ""
	}
	for _, word := range argv[1:] {
		for part := range strings.FieldsSeq(word) {
			if name := base(part); slices.Contains(table["elsewhere"], name) {
				return name
			}
		}
	}
	return ""
}

func base(program string) string { return strings.TrimSuffix(filepath.Base(program), ".exe") }

// box is the sandbox of one server.
func (l *Light) box(c Command) sandbox.Options {
	box := l.Box
	box.Masked = slices.Concat(box.Masked, l.Own)
	args := programs.Paths(c.Argv[1:], c.Dir, box.Home)
	words := append(slices.Clone(args), programs.Paths(c.Set, c.Dir, box.Home)...)
	box.Named = l.seen(append(slices.Clone(words), l.purpose(c.Argv)...))
	box.Writable = append(slices.Clone(box.Writable), l.caches(c)...)
	if dir := resolved.Path(c.Dir); dir != "/" {
		box.Writable = l.add(box.Writable, dir)
	}
	for _, path := range words {
		open := l.opened(resolved.Path(path), slices.Contains(args, path))
		box.Writable = l.add(box.Writable, open)
	}
	return box
}

// seen are the named paths, links resolved, without helve's own.
func (l *Light) seen(words []string) []string {
	var out []string
	for _, path := range words {
		if !l.own(path) {
			out = append(out, resolved.Path(path))
		}
	}
	return out
}

// add adds what may be changed, unless it is a secret place or one of helve's own.
func (l *Light) add(to []string, path string) []string {
	inside := func(place string) bool { return resolved.Within(place, path) }
	if path == "" || l.own(path) || slices.ContainsFunc(places(l.Box.Home), inside) {
		return to
	}
	return append(to, path)
}

// places are the secret places of a home and a machine.
func places(home string) []string {
	var out []string
	for _, p := range sandbox.DefaultMasked() {
		if below, ok := strings.CutPrefix(p, "~/"); ok {
			p = filepath.Join(home, below)
		}
		out = append(out, resolved.Path(p))
	}
	return out
}

// own tells that a path is helve's own, or lies there.
func (l *Light) own(path string) bool {
	return slices.ContainsFunc(l.Own, func(o string) bool { return resolved.Within(resolved.Path(o), resolved.Path(path)) })
}

// opened is what a server may change because a path stands in its words: a directory; of a file the folder, in which
// programs keep further files beside it; "" where that would be too much. A folder in the home that is missing is
// made, as the server would. Only an argument opens the home, or a directory of the system.
func (l *Light) opened(path string, argument bool) string {
	if isDir(path) {
		if path == "/" || !argument && l.broad(path) {
			return ""
		}
		return path
	}
	folder := filepath.Dir(path)
	if l.broad(folder) {
		return dataFile(path)
	}
	if isDir(folder) {
		return folder
	}
	home := resolved.Path(l.Box.Home)
	if home == "/" || !resolved.Within(home, folder) || os.MkdirAll(folder, 0o700) != nil {
		return ""
	}
	return folder
}

// dataFile is the path of a file that is there and is no program, which others may start.
func dataFile(path string) string {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Mode().Perm()&0o111 != 0 || system(path) {
		return ""
	}
	return path
}

// broad tells that a directory holds more than one program's files: a home, or what holds one, or a part of the system.
func (l *Light) broad(dir string) bool {
	home := resolved.Path(l.Box.Home)
	return dir == "/" || home != "" && resolved.Within(dir, home) || system(dir) ||
		slices.ContainsFunc(l.Own, func(o string) bool { return resolved.Within(dir, resolved.Path(o)) })
}

// system tells that a path is a part of the machine's own files.
func system(path string) bool {
	parts := strings.SplitN(path, "/", 3)
	if len(parts) < 3 { // /srv, /home, /var
		return true
	}
	switch parts[1] {
	case "bin", "sbin", "lib", "lib32", "lib64", "usr", "etc", "boot", "dev", "proc", "sys", "run", "nix", "gnu", "snap":
		return true
	}
	return filepath.Base(path) == "bin" // programs, which others start
}

// caches are the folders in which programs keep what they fetch.
func (l *Light) caches(c Command) []string {
	var out []string
	for _, rel := range lightTable()["caches"] {
		out = append(out, l.cache(rel, c.Env))
	}
	out = append(out, l.told(c)...)
	return slices.DeleteFunc(out, func(dir string) bool { return dir == "" || l.own(dir) })
}

// told are the folders that variables name for the same.
func (l *Light) told(c Command) []string {
	var out []string
	for _, name := range lightTable()["variables"] {
		if dir := valueIn(c.Env, name); filepath.IsAbs(dir) && !l.broad(dir) {
			out = append(out, filepath.Clean(dir))
		}
	}
	return out
}

// wanted are the caches that a server may be about to make: only what is there can be opened for it. In the home itself
// these are those of the programs that it is started by.
func (l *Light) wanted(c Command) []string {
	home := resolved.Path(l.Box.Home)
	if l.Box.Home == "" || home == "/" || !isDir(home) {
		return nil
	}
	table := lightTable()
	var out []string
	for _, rel := range table["caches"] {
		if strings.HasPrefix(rel, ".cache/") {
			out = append(out, l.cache(rel, c.Env))
		}
	}
	for _, word := range c.Argv {
		for _, rel := range table["made "+base(word)] {
			out = append(out, l.cache(rel, c.Env))
		}
	}
	out = append(out, l.told(c)...)
	inHome := func(dir string) bool {
		real := resolved.Path(dir)
		return resolved.Within(home, real) && len(l.add(nil, real)) > 0
	}
	return slices.DeleteFunc(out, func(dir string) bool { return !inHome(dir) })
}

// cache is where an entry of the table lies.
func (l *Light) cache(rel string, env []string) string {
	for prefix, name := range map[string]string{".cache/": "XDG_CACHE_HOME", ".local/share/": "XDG_DATA_HOME"} {
		below, ok := strings.CutPrefix(rel, prefix)
		if dir := valueIn(env, name); ok && filepath.IsAbs(dir) {
			return filepath.Join(dir, below)
		}
	}
	if l.Box.Home == "" {
		return ""
	}
	return filepath.Join(l.Box.Home, rel)
}

// purpose are the secret places that a program is there for.
func (l *Light) purpose(argv []string) []string {
	var out []string
	for _, rel := range lightTable()["purpose "+base(argv[0])] {
		out = append(out, filepath.Join(l.Box.Home, rel))
	}
	return out
}

// valueIn is a variable of an environment; of several the last counts.
func valueIn(env []string, name string) string {
	for _, e := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}

// stopped are the words with which programs say that they were kept from something.
var stopped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)read-only file ?system|EROFS|EACCES|EPERM|EBUSY|permission denied|operation not permitted`)
})

// hint says what may be behind a failure of a confined server, at the first one that looks like it; "" otherwise.
func (l *Light) hint(server, said string) string {
	if c := l.last.Load(); c == nil || c.Mechanism == "" || !stopped().MatchString(said) || l.hinted.Swap(true) {
		return ""
	}
	return fmt.Sprintf("The server %s runs in a light confinement: it may change its caches, temporary folders, the workspace "+
		"and the paths that stand in its args and env, and sees no secrets. If that stopped it, name the path there or in "+
		"sandbox.writable, or set mcp_servers.%s.sandbox to off.", server, server)
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
