// Package ordinary is ordinary work in repositories of many kinds, for those who ask how much of it is held back, and
// whether it leaves with helve what it leaves without.
package ordinary

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

//go:embed repositories.txt
var repositories string

// A Repository is one of the kinds.
type Repository struct {
	Name  string
	Tools []string // that it needs: programs, and $NAME for variables of the environment
	Setup []string // lines for bash, which the person ran before
	Lines []string // lines for bash, in their order
}

// Repositories are all of them.
func Repositories() []Repository {
	var out []Repository
	for line := range strings.Lines(repositories) {
		line = strings.TrimRight(line, "\n")
		switch head, named := strings.CutPrefix(line, "["); {
		case line == "", strings.HasPrefix(line, "#"):
		case named && strings.HasSuffix(head, "]"):
			name, tools, _ := strings.Cut(strings.TrimSuffix(head, "]"), ": ")
			out = append(out, Repository{Name: name, Tools: strings.Fields(tools)})
		default:
			last := &out[len(out)-1]
			if setup, before := strings.CutPrefix(line, "= "); before {
				last.Setup = append(last.Setup, setup)
			} else {
				last.Lines = append(last.Lines, line)
			}
		}
	}
	return out
}

// Missing is the first of the tools that is not there; "": all are.
func (r Repository) Missing(env []string) string {
	for _, t := range r.Tools {
		if name, variable := strings.CutPrefix(t, "$"); variable {
			if !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, name+"=/") }) {
				return t
			}
			continue
		}
		if _, err := exec.LookPath(t); err != nil {
			return t
		}
	}
	return ""
}

// A Deed is what became of one line.
type Deed struct {
	Line   string
	Status int      // its exit status; -1: it did not run
	Held   []string // paths that were held back
	Asked  bool     // somebody would have been asked before
	Says   string   // what was said, where it did not run
}

// Work is how lines are run.
type Work struct {
	Helve string   // the program; "": lines are run by bash alone
	Env   []string // of all that is run
}

// lineTime is what one line may take: a build on a machine that does much else.
const lineTime = 10 * time.Minute

// Do does the work of a repository in a folder, which is empty.
func (w Work) Do(ctx context.Context, r Repository, dir string) ([]Deed, error) {
	const date = "DATE=@1700000000+0000" // trees have commits of others in them
	before := Work{Env: append(slices.Clone(w.Env), "GIT_AUTHOR_"+date, "GIT_COMMITTER_"+date)}
	for _, line := range r.Setup {
		if d := before.one(ctx, dir, line); d.Status != 0 {
			return nil, fmt.Errorf("%s: %s: status %d: %s", r.Name, line, d.Status, d.Says)
		}
	}
	var out []Deed
	for _, line := range r.Lines {
		out = append(out, w.one(ctx, dir, line))
	}
	return out, ctx.Err()
}

func (w Work) one(ctx context.Context, dir, line string) Deed {
	ctx, cancel := context.WithTimeout(ctx, lineTime)
	defer cancel()
	words := []string{"bash", "-c", line}
	if w.Helve != "" {
		words = []string{w.Helve, "--mode", "auto", "call", "--json", "bash", argument(line)}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, append(slices.Clone(w.Env), "PWD="+dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	d := Deed{Line: line, Says: strings.TrimSpace(said.String())}
	if w.Helve != "" {
		d.read(out)
		return d
	}
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		d.Status = exit.ExitCode()
	} else if err != nil {
		d.Status, d.Says = -1, err.Error()
	}
	return d
}

// argument is the call of a line that may take all its time.
func argument(line string) string {
	b, err := json.Marshal(map[string]any{"command": line, "timeout": lineTime.Milliseconds()})
	if err != nil {
		panic(err) // of a text and a number
	}
	return string(b)
}

// read reads the result of helve call --json.
func (d *Deed) read(out []byte) {
	var result struct {
		Success    bool
		LLMContent string
		Error      struct{ Type, Message string }
		Data       struct {
			ExitCode *int `json:"exit_code"`
		}
		Metadata struct {
			Held []struct{ Path string } `json:"held_back"`
		}
	}
	d.Status = -1
	if err := json.Unmarshal(out, &result); err != nil {
		d.Says += "\n" + string(out)
		return
	}
	for _, h := range result.Metadata.Held {
		d.Held = append(d.Held, h.Path)
	}
	d.Asked = result.Error.Type == "permission_error"
	switch {
	case result.Data.ExitCode != nil:
		d.Status = *result.Data.ExitCode
	case result.Success:
		d.Status = 0
	default:
		d.Says = result.Error.Message + "\n" + result.LLMContent
	}
}

// passing are the parts of paths that differ from run to run, or hold times: what programs make for themselves.
var passing = []string{"__pycache__", "target", "node_modules", ".venv", ".eslintcache", "site.tgz", "x.db", "bin"}

// Tree is what stands in a folder: paths with their kinds, modes and digests. Of git's folders it has the trees that
// its branches lead to, of what is passing only that it is there.
func Tree(ctx context.Context, dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		base := filepath.Base(path)
		if e.IsDir() && (base == ".git" || strings.HasSuffix(base, ".git")) {
			out[rel] = trees(ctx, path)
			return fs.SkipDir
		}
		if slices.Contains(passing, base) {
			out[rel] = info.Mode().Type().String()
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		out[rel] = info.Mode().String() + content(dir, path, info)
		return nil
	})
	return out, err
}

// content is the digest of a file in which the folder's own name stands for itself, or where a link leads.
func content(dir, path string, info fs.FileInfo) string {
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(path)
		return fmt.Sprint(" ", strings.ReplaceAll(to, dir, "DIR"), err)
	}
	if !info.Mode().IsRegular() {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return " " + err.Error()
	}
	if !utf8.Valid(text) { // what compilers make holds its own place
		return ""
	}
	return fmt.Sprintf(" %x", sha256.Sum256(bytes.ReplaceAll(text, []byte(dir), []byte("DIR"))))
}

// trees are the trees of a repository's branches and tags: commits hold times.
func trees(ctx context.Context, dir string) string {
	cmd := exec.CommandContext(ctx, "git", "--git-dir", dir, "for-each-ref", "--format=%(refname) %(tree) %(*tree)")
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	text, err := cmd.Output()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Differences are the paths of two trees that are not the same.
func Differences(a, b map[string]string) []string {
	var out []string
	for path, what := range a {
		if other, there := b[path]; !there {
			out = append(out, path+": only in the first")
		} else if other != what {
			out = append(out, fmt.Sprintf("%s: %s, and %s", path, what, other))
		}
	}
	for path := range b {
		if _, there := a[path]; !there {
			out = append(out, path+": only in the second")
		}
	}
	slices.Sort(out)
	return out
}
