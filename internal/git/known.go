package git

import (
	"bufio"
	"bytes"
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

// command is git on the repository at dir, for what runs no program that it names and fetches nothing.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	all := append([]string{"--git-dir=" + dir, "-c", "protocol.allow=never"}, args...)
	cmd := exec.CommandContext(ctx, "git", all...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "HOME=/", "GIT_NO_LAZY_FETCH=1"}
	return cmd
}

// Named are the objects that expressions such as "COMMIT:PATH" name, by the expression. What names none is not in it;
// an expression with a line end names none.
func Named(ctx context.Context, dir string, expressions []string) (map[string]string, error) {
	var in strings.Builder
	var asked []string
	for _, e := range expressions {
		if !strings.Contains(e, "\n") {
			asked = append(asked, e)
			in.WriteString(e + "\n")
		}
	}
	cmd := command(ctx, dir, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	cmd.Stdin = strings.NewReader(in.String())
	text, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for i := 0; lines.Scan() && i < len(asked); i++ {
		name, kind, _ := strings.Cut(lines.Text(), " ")
		if isObjectName(name) && (kind == "blob" || kind == "tree") {
			out[asked[i]] = name
		}
	}
	return out, lines.Err()
}

// MaxNew bounds what New lists.
const MaxNew = 20_000

// New lists the commits that one can reach from a commit, and not from others; false where they are more than MaxNew.
func New(ctx context.Context, dir, from string, not []string) (commits []string, all bool, err error) {
	args := append([]string{"rev-list", "--max-count=" + strconv.Itoa(MaxNew+1), from, "--not"}, not...)
	text, err := command(ctx, dir, args...).Output()
	if err != nil {
		return nil, false, err
	}
	commits = strings.Fields(string(text))
	return commits, len(commits) <= MaxNew, nil
}
