package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A state is one of the two that are compared: a checkout, and what was built of it. Older states have
// helve-full beside helve, for what needs more than that links.
type state struct {
	name  string
	src   string
	bin   string            // where its programs are
	built map[string]string // the programs and test programs by package
	wrong map[string]error  // why others were not built
	lacks error             // nothing of it can be measured; nil: it can
}

// A bencher holds what all rows share.
type bencher struct {
	ctx  context.Context
	work string
	then *state
	now  *state
	tree string // that is searched; "" until it is made
	runs int    // sides that were opened: each has a folder of its own
}

// newBench takes over a folder.
func newBench(ctx context.Context, work string) (*bencher, error) {
	work, err := filepath.EvalSymlinks(work) // helve takes a workspace by its real path
	if err != nil {
		return nil, err
	}
	return &bencher{ctx: ctx, work: work}, nil
}

// states checks REF out, and builds it and the work tree. Without a REF that builds it goes on with the work tree
// alone.
func (b *bencher) states(ref string, stderr io.Writer) error {
	commit, err := output(b.ctx, ".", "git", "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return fmt.Errorf("git knows no commit %q: name one, such as HEAD~1", ref)
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	b.now = newState("now", here, b.work)
	b.then = newState("then", filepath.Join(b.work, "then", "src"), b.work)
	if err := b.checkOut(commit); err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	if b.same(commit) {
		fmt.Fprintf(stderr, "bench-against: %s is the work tree's state: what differs below is noise\n", ref)
	}
	if _, err := b.now.program(b.ctx, helve); err != nil {
		return fmt.Errorf("the work tree does not build: %w", err)
	}
	if _, err := b.then.program(b.ctx, helve); err != nil {
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		b.then.lacks = errors.New("it does not build")
		fmt.Fprintf(stderr, "bench-against: %s does not build, nothing is compared: %v\n", ref, err)
	}
	return nil
}

// newState is a state of which nothing is built yet.
func newState(name, src, work string) *state {
	return &state{
		name:  name,
		src:   src,
		bin:   filepath.Join(work, name, "bin"),
		built: map[string]string{},
		wrong: map[string]error{},
	}
}

// checkOut unpacks a commit. An archive leaves nothing behind in the repository, as a work tree of git would.
func (b *bencher) checkOut(commit string) error {
	if err := os.MkdirAll(b.then.src, 0o755); err != nil {
		return err
	}
	packed := filepath.Join(b.work, "then.tar")
	defer os.Remove(packed)
	if _, err := output(b.ctx, ".", "git", "archive", "--format=tar", "-o", packed, commit); err != nil {
		return err
	}
	_, err := output(b.ctx, b.then.src, "tar", "-xf", packed)
	return err
}

// same tells whether the work tree is that commit, with nothing beside it.
func (b *bencher) same(commit string) bool {
	_, changed := output(b.ctx, ".", "git", "diff", "--quiet", commit)
	others, err := output(b.ctx, ".", "git", "ls-files", "--others", "--exclude-standard")
	return changed == nil && err == nil && others == ""
}

const (
	helve     = "./cmd/helve"
	helveFull = "./cmd/helve-full"
)

// program builds a command of the state once, as releases are built.
func (s *state) program(ctx context.Context, pkg string) (string, error) {
	return s.build(ctx, pkg, "build", "-ldflags", "-s -w -buildid=")
}

// tests builds the tests of a package once.
func (s *state) tests(ctx context.Context, pkg string) (string, error) {
	return s.build(ctx, pkg, "test", "-c", "-vet=off")
}

// build runs the go command for a package, with the same flags for both states: what differs is the source.
func (s *state) build(ctx context.Context, pkg string, how ...string) (string, error) {
	if path, err := s.built[pkg], s.wrong[pkg]; path != "" || err != nil {
		return path, err
	}
	if _, err := os.Stat(filepath.Join(s.src, pkg)); err != nil {
		return "", fmt.Errorf("%s is not in it", pkg)
	}
	path := filepath.Join(s.bin, filepath.Base(pkg))
	linked := path + ".linked"
	args := append(how, "-trimpath", "-buildvcs=false", "-o", linked, pkg)
	_, err := output(ctx, s.src, "go", args...)
	if err == nil {
		err = installed(linked, path)
	}
	if err != nil {
		s.wrong[pkg] = err
		return "", err
	}
	s.built[pkg] = path
	return path, nil
}

// atOnce is how much an installer writes at once, as cp and dpkg do.
const atOnce = 128 << 10

// installed copies a program as an installer does, and takes away the one that the linker wrote. How a file was
// written decides in what pieces it lies in the page cache: what the linker wrote page by page starts a fifth slower,
// the more so the larger it is, and what was written at once is mapped by two megabytes, which all count as resident.
func installed(linked, path string) error {
	from, err := os.Open(linked)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	// Without their other methods: the kernel would copy in pieces of its own.
	_, err = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, atOnce))
	if err := errors.Join(err, to.Close()); err != nil {
		return err
	}
	return os.Remove(linked)
}

// buildTime bounds one command of git and go: a cold build of everything takes a few minutes.
const buildTime = 20 * time.Minute

// output runs a command in a folder. What it says is a part of its error.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, buildTime)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, lastLines(text))
	}
	return text, nil
}

// lastLines is the end of what a program said, in one line.
func lastLines(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = "…" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}
