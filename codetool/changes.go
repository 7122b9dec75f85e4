package codetool

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"helve/engine/code"
	"helve/engine/sandbox"
	"helve/internal/diff"
	"helve/internal/git"
	"helve/tool"
)

const (
	// maxListing bounds the list of a commit's files: a million of them.
	maxListing = 128 << 20
	// maxHashed bounds the bytes that are read to compare files of equal size: some seconds.
	maxHashed = 1 << 30
	// maxDiffed bounds the text of which the changed lines are looked for; larger files count as changed throughout.
	maxDiffed = 1 << 20
	// maxChanged bounds the changed files that are looked into.
	maxChanged = 200
)

// committed is a file of the last commit.
type committed struct {
	id   string // of its blob
	size int64
}

// changes are the parts of files that differ from the last commit, staged or not, with a note on what they leave out.
// git only lists and prints objects here, confined to reading and without any transport: nothing that a repository
// configures (filters, hooks, textconv, monitors) takes part.
func (x *Index) changes(ctx context.Context) ([]code.Range, string, error) {
	head, err := x.head(ctx)
	if err != nil {
		return nil, "", err
	}
	o, err := x.work()
	if err != nil {
		return nil, "", err
	}
	files, err := o.source.Files(ctx)
	if err != nil {
		return nil, "", err
	}
	c := comparison{x: x, o: o}
	for _, f := range files.Files {
		if len(c.files) == maxChanged {
			c.note += fmt.Sprintf("[more than %d files changed: the first ones only]\n", maxChanged)
			break
		}
		was, ok := head[f.Path]
		err := c.compare(ctx, f, was, ok)
		if err != nil {
			return nil, "", err
		}
		delete(head, f.Path)
	}
	if len(c.files) < maxChanged { // else the files behind the last one that was looked at would count as gone
		c.gone(head)
	}
	return c.ranges, c.note, nil
}

// linkMode is the mode of a symbolic link in a commit's list.
const linkMode = "120000"

// head lists the files of the last commit below the root, by path. Links and submodules define nothing.
func (x *Index) head(ctx context.Context) (map[string]committed, error) {
	out, err := x.git(ctx, maxListing, "ls-tree", "-r", "-l", "-z", "HEAD")
	if err != nil {
		return nil, err
	}
	head := map[string]committed{}
	for row := range strings.SplitSeq(string(out), "\x00") {
		about, path, _ := strings.Cut(row, "\t")
		f := strings.Fields(about) // mode, kind, name of the object, size
		if len(f) == 4 && f[1] == "blob" && f[0] != linkMode {
			size, _ := strconv.ParseInt(f[3], 10, 64)
			head[path] = committed{f[2], size}
		}
	}
	return head, nil
}

// gitSettings keep git to what lies in the repository: no fetching of missing objects, no other repository's objects
// in place of its own, nothing written.
var gitSettings = []string{
	"GIT_ALLOW_PROTOCOL=none",
	"GIT_DISCOVERY_ACROSS_FILESYSTEM=1",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_REPLACE_OBJECTS=1",
}

// noChanges is the error where git cannot say what changed.
func noChanges(format string, args ...any) error {
	err := tool.Errorf(tool.Execution, "uncommitted changes: "+format, args...)
	return err.WithHint("give the name of a symbol or a file")
}

// git runs one of git's readers of objects, and returns what it printed.
func (x *Index) git(ctx context.Context, limit int, args ...string) ([]byte, error) {
	shared, err := git.Outside(x.dir())
	if err != nil {
		return nil, noChanges("%v", err)
	}
	confined := sandbox.Options{
		Level: sandbox.ReadOnly,
		Roots: append([]string{x.dir()}, shared...),
		Home:  x.getenv("HOME"),
	}
	p, _, err := sandbox.Start(ctx, confined, sandbox.Spec{
		Argv: append([]string{"git", "--no-pager", "-c", "core.fsmonitor=false"}, args...),
		Dir:  x.dir(),
		Env:  append(sandbox.Env(x.o.Environ), gitSettings...),
	})
	if err != nil {
		return nil, fmt.Errorf("uncommitted changes: git: %w", err)
	}
	defer p.Close()
	exit, err := p.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if exit.Code != 0 {
		said, _, _ := p.Stderr.HeadTail(lineBytes)
		return nil, noChanges("git: %s", bytes.TrimSpace(said))
	}
	out, err := io.ReadAll(io.LimitReader(p.Stdout.Reader(), int64(limit)+1))
	if err == nil && len(out) > limit {
		err = tool.Errorf(tool.Execution, "uncommitted changes: git %s: more than %d bytes", args[0], limit)
	}
	return out, err
}

// A comparison of the tree with the last commit as it goes on.
type comparison struct {
	x      *Index
	o      *opened
	hashed int64 // bytes read so far to compare files of equal size
	files  []string
	ranges []code.Range
	note   string // what the comparison leaves out
}

// compare adds what differs in one file. A file of another size differs; one of the same size is hashed, which costs
// less than asking git for its text.
func (c *comparison) compare(ctx context.Context, f code.Entry, was committed, known bool) error {
	if !known {
		c.whole(f.Path)
		return nil
	}
	if was.size == f.Size {
		if c.hashed+f.Size > maxHashed {
			c.note = "[too much text to compare: some files were not]\n"
			return nil
		}
		c.hashed += f.Size
		id, err := c.blob(f)
		if err != nil || id == was.id {
			return nil // what cannot be read has no symbols
		}
	}
	if max(f.Size, was.size) > maxDiffed {
		c.whole(f.Path)
		return nil
	}
	return c.lines(ctx, f, was)
}

// whole adds a file of which every line counts as changed.
func (c *comparison) whole(path string) {
	c.files = append(c.files, path)
	c.ranges = append(c.ranges, code.Range{Path: path})
}

// blob is git's name for the content of a file.
func (c *comparison) blob(f code.Entry) (string, error) {
	r, err := c.o.source.Open(f.Path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", f.Size)
	_, err = io.Copy(h, r)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// lines adds the changed lines of a file: a definition counts as changed only if one of its own lines is.
func (c *comparison) lines(ctx context.Context, f code.Entry, was committed) error {
	old, err := c.x.git(ctx, maxDiffed, "cat-file", "blob", was.id)
	if err != nil {
		return err
	}
	r, err := c.o.source.Open(f.Path)
	if err != nil {
		return nil // gone meanwhile
	}
	defer r.Close()
	now, err := io.ReadAll(io.LimitReader(r, maxDiffed))
	if err != nil {
		return err
	}
	hunks := diff.Of(string(old), string(now), diff.Options{Context: -1}).Hunks
	for _, h := range hunks {
		from := max(h.New, 1) // where lines went, those around them count
		to := from + max(h.NewLines, 1) - 1
		c.ranges = append(c.ranges, code.Range{Path: f.Path, From: from, To: to})
	}
	if len(hunks) > 0 {
		c.files = append(c.files, f.Path)
	}
	return nil
}

// gone notes the files of the commit that are no longer there. Nothing of the tree as it is now says what they defined.
func (c *comparison) gone(head map[string]committed) {
	n := 0
	for path := range head {
		_, _, err := c.o.tree.Lookup(path)
		if err != nil { // one that is there is ignored: it is in the commit all the same
			n++
		}
	}
	if n > 0 {
		c.note += fmt.Sprintf("[%d files of the last commit are gone: what they defined is not looked for]\n", n)
	}
}
