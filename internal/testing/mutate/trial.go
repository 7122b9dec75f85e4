package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A trial tries faults of one package after the other.
type trial struct {
	*module
	settings
	equivalents equivalents
	log         io.Writer

	suites []suite
	limits []time.Duration
	alone  bool // the tests bear no batch: each fault is built alone
	single bool // no batch is wanted
}

// The time that tests with a fault have is so many times what they take without, and a while more.
const (
	slower = 4
	while  = 20 * time.Second
	// cleanTime bounds tests without a fault.
	cleanTime = 15 * time.Minute
)

// pkg tries the faults of a package.
func (t *trial) pkg(ctx context.Context, name string) (*result, error) {
	target := found(name)
	r := &result{Package: name, Waist: target.waist}
	faults, err := t.candidates(ctx, name)
	if err != nil {
		return nil, err
	}
	r.Possible = len(faults)
	t.suites, t.limits, t.alone = []suite{{target.name, target.own}}, nil, false
	if !t.own {
		t.suites = append(t.suites, target.owners...)
	}
	h := fnv.New64a()
	io.WriteString(h, name)
	random := rand.New(rand.NewPCG(t.seed, h.Sum64()))
	random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	for t.wants(r) > 0 && len(faults) > 0 && ctx.Err() == nil {
		n := min(len(faults), t.wants(r)+spare)
		if err := t.batch(ctx, r, faults[:n]); err != nil {
			return nil, err
		}
		faults = faults[n:]
	}
	return r, nil
}

// spare is how many faults a batch has beside those that are wanted: the compiler refuses some.
const spare = 8

// wants is how many faults are still to be counted.
func (t *trial) wants(r *result) int {
	if t.at != "" {
		return math.MaxInt - spare
	}
	return t.n - r.Tried - len(r.Equivalent)
}

// candidates are the faults that can be put into a package, in the order of its files.
func (t *trial) candidates(ctx context.Context, name string) ([]fault, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-json=GoFiles", "./"+name)
	cmd.Dir = t.dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list its files: %w", err)
	}
	var listed struct{ GoFiles []string }
	if err := json.Unmarshal(out, &listed); err != nil {
		return nil, err
	}
	var all []fault
	for _, file := range listed.GoFiles {
		src, err := os.ReadFile(filepath.Join(t.dir, name, file))
		if err != nil {
			return nil, err
		}
		faults, err := faultsOf(filepath.Join(name, file), src)
		if err != nil {
			return nil, err
		}
		for _, f := range faults {
			if t.at == "" || slices.Contains(strings.Split(t.at, ","), fmt.Sprintf("%s:%d", f.File, f.Line)) {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// clean runs the tests of programs that have no fault or none at work. What is red already notices nothing.
func (t *trial) clean(ctx context.Context, in string) error {
	t.limits = nil
	for _, s := range t.suites {
		e := t.test(ctx, s, in, cleanTime)
		if e.failed || bytes.Contains(e.said, []byte("no tests to run")) { // who looks at nothing notices nothing
			return &redError{s.folder, e.test, tail(e.said)}
		}
		fmt.Fprintf(t.log, "%s: %s %s takes %.1f s\n", t.suites[0].folder, s.folder, s.run, e.took.Seconds())
		t.limits = append(t.limits, slower*e.took+while)
	}
	return nil
}

// buildAll makes the programs of all suites, of which the package's own is the first to be refused.
func (t *trial) buildAll(ctx context.Context, in string) (refused string, err error) {
	for _, s := range t.suites {
		if refused, err = t.build(ctx, s.folder, in); err != nil || refused != "" {
			return refused, err
		}
	}
	return "", nil
}

// A redError says that tests fail without a fault: they notice nothing.
type redError struct {
	folder, test string
	said         []byte
}

func (e *redError) Error() string {
	return fmt.Sprintf("the tests of %s fail without a fault: %s\n%s", e.folder, e.test, e.said)
}

// tailMost bounds what is shown of a failure.
const tailMost = 2000

func tail(b []byte) []byte { return b[max(0, len(b)-tailMost):] }

// fault tries one fault and counts it. With a batch, its programs have it; else they are built one by one.
func (t *trial) fault(ctx context.Context, r *result, f *fault, b *batch) error {
	file := filepath.Join(t.dir, filepath.FromSlash(f.File))
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	// Tests that build programs of their own get the fault as well.
	if err := os.WriteFile(file, f.put(src), 0o644); err != nil {
		return err
	}
	defer os.WriteFile(file, src, 0o644)
	for i, s := range t.suites {
		in, refused, err := t.programs(ctx, f, b, s)
		if ctx.Err() != nil {
			return nil // what was tried until now is told
		}
		if err != nil {
			return err
		}
		if refused != "" {
			r.Refused++
			return nil
		}
		e := t.test(ctx, s, in, t.limits[i])
		if ctx.Err() != nil {
			return nil
		}
		if e.failed {
			r.noticed(s, e)
			fmt.Fprintf(t.log, "noticed   %s:%d %s, by %s %s\n", f.File, f.Line, f.Kind, s.folder, e.test)
			return nil
		}
	}
	r.Tried++
	r.Survivors = append(r.Survivors, survivor{*f, f.difference(src)})
	fmt.Fprintf(t.log, "SURVIVED  %s:%d %s: %s -> %s\n", f.File, f.Line, f.Kind, f.Before, f.After)
	return nil
}

// programs has a suite's program hold a fault, and tells the folder that it is in.
func (t *trial) programs(ctx context.Context, f *fault, b *batch, s suite) (in, refused string, err error) {
	if b.has(f) {
		return t.bin, "", choose(program(t.bin, s.folder), f.number)
	}
	refused, err = t.build(ctx, s.folder, t.one)
	return t.one, refused, err
}

// put is a file with the fault.
func (f *fault) put(src []byte) []byte {
	return bytes.Join([][]byte{src[:f.from], []byte(f.with), src[f.to:]}, nil)
}

// difference shows the lines that the fault changes, as a patch does.
func (f *fault) difference(src []byte) string {
	from := bytes.LastIndexByte(src[:f.from], '\n') + 1
	to := len(src)
	if i := bytes.IndexByte(src[f.to:], '\n'); i >= 0 {
		to = f.to + i
	}
	var out strings.Builder
	for line := range strings.SplitSeq(string(src[from:to]), "\n") {
		out.WriteString("-" + line + "\n")
	}
	changed := string(src[from:f.from]) + f.with + string(src[f.to:to])
	for line := range strings.SplitSeq(changed, "\n") {
		if strings.TrimSpace(line) != "" {
			out.WriteString("+" + line + "\n")
		}
	}
	return out.String()
}
