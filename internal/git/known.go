package git

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxRefs bounds the refs that are read of a repository, and maxPacked their file.
	maxRefs   = 10_000
	maxPacked = 16 << 20
)

// Refs are the commits and other objects that the refs of the repository at dir name, that of HEAD first, each once. A
// repository that keeps them in another form has none.
func Refs(dir string) ([]string, error) {
	named, err := packedRefs(dir)
	if err != nil {
		return nil, err
	}
	refs := filepath.Join(dir, "refs")
	err = filepath.WalkDir(refs, func(at string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case len(named) > maxRefs:
			return errManyRefs
		case !d.IsDir():
			rel, _ := filepath.Rel(dir, at)
			named[filepath.ToSlash(rel)] = pointer(at)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	worktrees, _ := filepath.Glob(filepath.Join(dir, "worktrees", "*", "HEAD"))
	var out []string
	add := func(object string) {
		if isObjectName(object) && !slices.Contains(out, object) {
			out = append(out, object)
		}
	}
	for _, head := range append([]string{filepath.Join(dir, "HEAD")}, worktrees...) {
		name := pointer(head)
		if ref, symbolic := strings.CutPrefix(name, "ref: "); symbolic {
			name = named[ref]
		}
		add(name)
	}
	for _, ref := range slices.Sorted(maps.Keys(named)) {
		add(named[ref])
	}
	return out, nil
}

var errManyRefs = errors.New("git: the repository has too many refs")

// packedRefs are the refs of a repository that stand in one file, by their names.
func packedRefs(dir string) (map[string]string, error) {
	packed, err := readSmall(filepath.Join(dir, "packed-refs"), maxPacked)
	out := map[string]string{}
	last := ""
	for line := range strings.Lines(string(packed)) {
		line = strings.TrimSpace(line)
		if object, peeled := strings.CutPrefix(line, "^"); peeled && last != "" { // what the tag names
			out[last] = object
			continue
		}
		object, name, ok := strings.Cut(line, " ")
		if ok && isObjectName(object) {
			out[name] = object
			last = name
		}
	}
	return out, err
}

// isObjectName reports the name of an object, in hexadecimal.
func isObjectName(name string) bool {
	return (len(name) == 40 || len(name) == 64) && strings.Trim(name, "0123456789abcdef") == ""
}

func readSmall(path string, limit int64) ([]byte, error) {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > limit {
		return nil, errors.New(path + ": is no file of git's, or too large")
	}
	return os.ReadFile(path)
}

// command is git on the repository at dir, for what runs no program that it names and fetches nothing. What a
// repository says of objects that stand for others, of other parents, and of the order of commits does not count.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := append([]string{"--git-dir=" + dir, "-c", "protocol.allow=never", "-c", "core.commitGraph=false"}, args...)
	cmd := exec.CommandContext(ctx, "git", all...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=" + os.DevNull, "GIT_SHALLOW_FILE=",
	}
	return cmd
}

// Existing are those of some objects that the repository at dir has.
func Existing(ctx context.Context, dir string, names []string) ([]string, error) {
	cmd := command(ctx, dir, "cat-file", "--batch-check=%(objectname)")
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	text, err := cmd.Output()
	var out []string
	for line := range strings.Lines(string(text)) {
		if name := strings.TrimSpace(line); isObjectName(name) {
			out = append(out, name)
		}
	}
	return out, err
}

// MaxNew bounds what New lists.
const MaxNew = 20_000

// New lists the commits that one can reach from some, and not from others; false where they are more than MaxNew.
// Options are rev-list's.
func New(
	ctx context.Context, dir string, from, not []string, options ...string,
) (commits []string, all bool, err error) {
	args := append([]string{"rev-list", "--max-count=" + strconv.Itoa(MaxNew+1), "--stdin"}, options...)
	var in strings.Builder
	for _, name := range from {
		in.WriteString(name + "\n")
	}
	for _, name := range not {
		in.WriteString("^" + name + "\n")
	}
	cmd := command(ctx, dir, args...)
	cmd.Stdin = strings.NewReader(in.String())
	text, err := cmd.Output()
	if err != nil {
		return nil, false, err
	}
	commits = strings.Fields(string(text))
	return commits, len(commits) <= MaxNew, nil
}
