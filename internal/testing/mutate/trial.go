package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
	if err := t.clean(ctx, target); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	io.WriteString(h, name)
	random := rand.New(rand.NewPCG(t.seed, h.Sum64()))
	random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	for i := range faults {
		if t.at == "" && r.Tried+len(r.Equivalent) >= t.n || ctx.Err() != nil {
			break
		}
		if err := t.fault(ctx, r, &faults[i]); err != nil {
			return nil, err
		}
	}
	return r, nil
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
			if t.at == "" || t.at == fmt.Sprintf("%s:%d", f.File, f.Line) {
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// clean runs the tests without a fault. What is red already notices nothing.
func (t *trial) clean(ctx context.Context, target target) error {
	t.suites, t.limits = []suite{{target.name, ""}}, nil
	if !t.own {
		t.suites = append(t.suites, target.owners...)
	}
	for _, s := range t.suites {
		if refused, err := t.build(ctx, s.folder); err != nil || refused != "" {
			return errors.Join(err, errors.New(refused))
		}
		e := t.test(ctx, s, cleanTime)
		if e.failed {
			return &redError{s.folder, e.test, tail(e.said)}
		}
		fmt.Fprintf(t.log, "%s: %s %s takes %.1f s\n", target.name, s.folder, s.run, e.took.Seconds())
		t.limits = append(t.limits, slower*e.took+while)
	}
	return nil
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

// fault tries one fault and counts it.
func (t *trial) fault(ctx context.Context, r *result, f *fault) error {
	if t.at == "" && t.equivalents.has(f) {
		r.Equivalent = append(r.Equivalent, *f)
		return nil
	}
	file := filepath.Join(t.dir, filepath.FromSlash(f.File))
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, f.put(src), 0o644); err != nil {
		return err
	}
	defer os.WriteFile(file, src, 0o644)
	for i, s := range t.suites {
		refused, err := t.build(ctx, s.folder)
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
		e := t.test(ctx, s, t.limits[i])
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
