// Command publish gives the module another path: imports, go.mod, documents, templates and
// release.toml.
//
//	publish -root FOLDER NEWPATH
//
// Only what means the module is changed. The program's name, its folders in a home and what it
// calls itself over protocols stay "helve". Publishing back under the old path restores every byte.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	root := flag.String("root", ".", "the checkout")
	flag.Parse()
	if err := run(*root, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "publish-as:", err)
		os.Exit(1)
	}
}

func run(root string, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: scripts/publish-as NEWPATH, for example scripts/publish-as example.com/you/helve")
	}
	to := args[0]
	if !modulePath.MatchString(to) {
		const want = "%q is no module path: want something like example.com/you/helve"
		return fmt.Errorf(want, to)
	}
	from, err := module(root)
	if err != nil {
		return err
	}
	folders, err := packageFolders(root)
	if err != nil {
		return err
	}
	files, err := tracked(root)
	if err != nil {
		return err
	}
	rewrite := rewriter(from, to, folders)
	changed := 0
	for _, file := range files {
		if file == "" { // behind the last NUL
			continue
		}
		one, err := rewriteFile(filepath.Join(root, file), rewrite)
		if err != nil {
			return err
		}
		changed += one
	}
	fmt.Printf("%s is now %s: %d files changed\n", from, to, changed)
	return nil
}

// modulePath is what Go takes for the path of a module, major versions included.
var modulePath = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9._~-]*(/[a-zA-Z0-9._~-]+)*$`)

var moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)

// module is the path that go.mod gives the checkout now.
func module(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	m := moduleLine.FindSubmatch(b)
	if m == nil {
		return "", errors.New("go.mod names no module")
	}
	return string(m[1]), nil
}

// packageFolders are the folders at the root: a path of a package goes on with one of them.
func packageFolders(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	out := []string{"tools"} // the module of the development tools, which stands in internal/tools
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			out = append(out, regexp.QuoteMeta(e.Name()))
		}
	}
	return out, nil
}

// tracked are the files that git knows or would take: nothing that was built is rewritten.
func tracked(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	return strings.Split(string(out), "\x00"), nil
}

// rewriter changes the text of one file.
func rewriter(from, to string, folders []string) func(string, []byte) []byte {
	path := regexp.QuoteMeta(from)
	// A package: the path and one of the folders, apart from other words. A path that only ends
	// like it is somebody else's, and helve/ alone may be a folder of a home.
	const before, behind = `(^|[^\w./~-])`, "(?:[/\\s\"'`).,:;@\\]]|$)"
	folder := `/(?:` + strings.Join(folders, "|") + `)`
	packages := regexp.MustCompile(before + path + `(` + folder + behind + `)`)
	// The root package: an import on a line of its own, under its own name or under any other. Only a return looks alike.
	imported := regexp.MustCompile(`(?m)^(\s*(?:import\s+)?(?:[\pL_.][\pL\pN_]*\s+)?")` + path + `"$`)
	returned := regexp.MustCompile(`^\s*return\s`)
	// The module itself: what go.mod and release.toml say of it.
	const saying = `(module\s+|module\s*=\s*"|(?:require|replace)\s+|\t)`
	named := regexp.MustCompile(`(?m)^` + saying + path + `((?:"|\s+v[0-9]|\s+=>).*)?$`)
	return func(name string, b []byte) []byte {
		b = packages.ReplaceAll(b, []byte("${1}"+to+"${2}"))
		if strings.HasSuffix(name, ".mod") || strings.HasSuffix(name, ".toml") {
			return named.ReplaceAll(b, []byte("${1}"+to+"${2}"))
		}
		b = imported.ReplaceAllFunc(b, func(line []byte) []byte {
			if returned.Match(line) {
				return line
			}
			return imported.ReplaceAll(line, []byte("${1}"+to+`"`))
		})
		if strings.HasSuffix(name, ".md") {
			b = program.ReplaceAllFunc(b, formatted)
		}
		return b
	}
}

// program is a whole program in a document.
var program = regexp.MustCompile("(?s)(?:^|\n)```go\npackage .*?\n```")

// formatted sorts the imports of a program in a document anew, as gofmt does those of files.
func formatted(block []byte) []byte {
	head, rest, _ := bytes.Cut(block, []byte("```go\n"))
	text, err := format.Source(bytes.TrimSuffix(rest, []byte("```")))
	if err != nil { // an example that is not meant to be built
		return block
	}
	return slices.Concat(head, []byte("```go\n"), text, []byte("```"))
}

// rewriteFile tells how many files it changed: one or none. Links and what holds no text stay.
func rewriteFile(path string, rewrite func(string, []byte) []byte) (int, error) {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	old, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	if bytes.IndexByte(old, 0) >= 0 || filepath.Base(path) == "go.sum" {
		return 0, nil
	}
	now := rewrite(path, old)
	if bytes.Equal(old, now) {
		return 0, nil
	}
	return 1, os.WriteFile(path, now, st.Mode().Perm())
}
