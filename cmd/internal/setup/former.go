package setup

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// FormerName is what an earlier version called its larger program, which helve is today. Files that start it start
// nothing any more.
const FormerName = Name + "-full"

const (
	// mostEntries bounds how much of a workspace is looked through: manifests stand near its top.
	mostEntries = 20_000
	// maxManifest bounds a file of systemd or Kubernetes, in bytes.
	maxManifest = 1 << 20
)

// formerWord is the former name where it may be a command: as a word of its own, or at the end of a path.
var formerWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s"'/\\\[=,(])` + FormerName + `((?:\.exe)?(?:$|["'\s,\]);]))`)
})

// named is a key whose value is called so and starts nothing: another image or object of that name may be there.
var named = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(image|name|app|component|instance|part-of)["']?\s*[:=]\s*[^\s,{]*$`)
})

// Renamed is a text in which helve stands where the former name is a command.
func Renamed(text []byte) []byte {
	if !bytes.Contains(text, []byte(FormerName)) {
		return text
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, line := range lines {
		lines[i] = renamedLine(line)
	}
	return bytes.Join(lines, nil)
}

// renamedLine is Renamed for one line.
func renamedLine(line []byte) []byte {
	var out []byte
	done := 0
	for _, m := range formerWord().FindAllSubmatchIndex(line, -1) {
		word, end := m[3], m[4]
		if named().Match(line[:word]) || isKey(line[end:]) {
			continue
		}
		out = append(append(out, line[done:word]...), Name...)
		done = end
	}
	return append(out, line[done:]...)
}

// isKey tells whether what follows a word makes it the name of a member, as of a server that is called so.
func isKey(after []byte) bool {
	after = bytes.TrimLeft(after, `"' `)
	return len(after) > 0 && (after[0] == ':' || after[0] == '=')
}

// Former are the changes of files that start the former program: files of clients in a home and in a workspace, units
// of systemd and manifests. Files that cannot be read, or changed, are errors beside the others.
func Former(h Home, dir string) ([]Change, []error) {
	var out []Change
	var errs []error
	for _, file := range formerFiles(h, dir) {
		ch, err := planFormer(file)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
		case !ch.None():
			out = append(out, ch)
		}
	}
	return out, errs
}

// planFormer is the change of one file, which may be none.
func planFormer(file string) (Change, error) {
	ch := Change{Client: Client{Name: FormerName, Title: Name + " in place of " + FormerName}, File: file, Former: true}
	var err error
	if ch.Target, err = target(file); err != nil {
		return ch, err
	}
	if ch.Before, err = read(ch.Target); err != nil {
		return ch, err
	}
	ch.After = Renamed(ch.Before)
	if ch.None() {
		return ch, nil
	}
	return ch, writable(ch.Target, false)
}

// Lines are the numbers of the lines that change, from 1.
func (ch Change) Lines() []int {
	var out []int
	after := bytes.Split(ch.After, []byte("\n"))
	for i, line := range bytes.Split(ch.Before, []byte("\n")) {
		if i < len(after) && !bytes.Equal(line, after[i]) {
			out = append(out, i+1)
		}
	}
	return out
}

// formerFiles are the files that may start the former program, each once.
func formerFiles(h Home, dir string) []string {
	var out []string
	for _, c := range Clients() {
		if file := c.File(h); there(file) {
			out = append(out, file)
		}
	}
	units := filepath.Join(h.xdg(), "systemd", "user")
	out = append(out, manifests(units)...)
	if dir != "" {
		out = append(out, ofWorkspace(dir)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ofWorkspace are the files of a workspace that may start programs. A link there may lead anywhere: none is followed.
func ofWorkspace(dir string) []string {
	files := []string{filepath.Join(dir, ".mcp.json")}
	for _, c := range Clients() {
		if file := c.Project(dir); file != "" {
			files = append(files, file)
		}
	}
	files = slices.DeleteFunc(files, func(file string) bool { return !inside(dir, file) })
	return append(files, manifests(dir)...)
}

// inside tells whether a file is there and stands in a folder itself, without a link on the way.
func inside(dir, file string) bool {
	real, err := filepath.EvalSymlinks(file)
	root, err2 := filepath.EvalSymlinks(dir)
	if err != nil || err2 != nil {
		return false
	}
	want, err := filepath.Rel(dir, file)
	return err == nil && real == filepath.Join(root, want)
}

// manifests are the units of systemd and the manifests below a folder. What cannot be listed has none.
func manifests(dir string) []string {
	var out []string
	entries := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		entries++
		switch {
		case entries > mostEntries:
			return filepath.SkipAll
		case err != nil:
			return nil
		case d.IsDir() && skipped(d.Name()) && path != dir:
			return filepath.SkipDir
		case d.Type().IsRegular() && isManifest(path) && small(d):
			out = append(out, path)
		}
		return nil
	})
	return out
}

// skipped tells whether a folder holds what nobody writes by hand.
func skipped(name string) bool { return name == ".git" || name == "node_modules" || name == "vendor" }

func isManifest(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".service", ".yaml", ".yml":
		return true
	}
	return strings.HasSuffix(filepath.Dir(path), ".service.d") && filepath.Ext(path) == ".conf"
}

func small(d fs.DirEntry) bool {
	st, err := d.Info()
	return err == nil && st.Size() <= maxManifest
}
