package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A batch is faults that are built together, since building takes longer than most tests: each is a second body of its
// function, and a number in the program says whose turn it is. It stands in the program itself, so that whatever the
// tests start of it has the same fault.
type batch struct {
	dir    string
	folder string
	faults []*fault
	plain  map[string][]byte // the files without a fault
}

// has reports a fault that the batch's programs hold.
func (b *batch) has(f *fault) bool { return b != nil && slices.Contains(b.faults, f) }

// batch tries faults, in their order, until enough are counted.
func (t *trial) batch(ctx context.Context, r *result, faults []fault) error {
	known := map[*fault]bool{}
	refused := map[int]bool{}
	b := &batch{dir: t.dir, folder: t.suites[0].folder, plain: map[string][]byte{}}
	for i := range faults {
		f := &faults[i]
		f.number = i + 1
		known[f] = t.at == "" && t.equivalents.has(f)
		if f.in != nil && !f.in.alone && !known[f] {
			b.faults = append(b.faults, f)
		}
	}
	if !t.alone {
		var err error
		if refused, err = t.together(ctx, b); err != nil {
			return err
		}
	}
	if t.alone {
		b = nil
	}
	for i := range faults {
		f := &faults[i]
		switch {
		case t.wants(r) == 0 || ctx.Err() != nil:
			return nil
		case known[f]:
			r.Equivalent = append(r.Equivalent, *f)
			continue
		case refused[f.number]:
			r.Refused++
			continue
		}
		if err := t.fault(ctx, r, f, b); err != nil {
			return err
		}
	}
	return nil
}

// together builds a batch, without the faults that the compiler refuses, and runs the tests with none at work. Where
// they fail then and do not without the batch, its faults are tried alone.
func (t *trial) together(ctx context.Context, b *batch) (refused map[int]bool, err error) {
	why := "so it is wanted"
	if !t.single {
		if refused, why, err = t.built(ctx, b); err != nil {
			return nil, err
		}
		if why == "" && t.limits == nil {
			if err := t.clean(ctx, t.bin); err != nil {
				why = err.Error()
			}
		}
		if why == "" {
			return refused, nil
		}
	}
	fmt.Fprintf(t.log, "%s: each fault is built alone: %s\n", b.folder, why)
	t.alone = true
	said, err := t.buildAll(ctx, t.one)
	if err != nil || said != "" {
		return nil, errors.Join(err, errors.New(said))
	}
	return map[int]bool{}, t.clean(ctx, t.one)
}

// built builds a batch without the faults that are refused. It reports what else the compiler said.
func (t *trial) built(ctx context.Context, b *batch) (refused map[int]bool, said string, err error) {
	refused = map[int]bool{}
	for range maxRefusals {
		if err := b.write(); err != nil {
			return nil, "", err
		}
		said, err = t.buildAll(ctx, t.bin)
		if err := errors.Join(err, b.restore()); err != nil {
			return nil, "", err
		}
		if said == "" || !b.refuse(said, refused) {
			break
		}
	}
	return refused, said, nil
}

// maxRefusals bounds how often a batch is built: the compiler tells of some mistakes when others are gone.
const maxRefusals = 6

var refusedFault = regexp.MustCompile(`\bfault(\d+)\.go:\d`)

// refuse takes the faults out of which the compiler speaks.
func (b *batch) refuse(said string, refused map[int]bool) (found bool) {
	for _, m := range refusedFault.FindAllStringSubmatch(said, -1) {
		n, _ := strconv.Atoi(m[1])
		refused[n] = true
	}
	before := len(b.faults)
	b.faults = slices.DeleteFunc(b.faults, func(f *fault) bool { return refused[f.number] })
	return len(b.faults) < before
}

// numberFile is the file that has the number.
const numberFile = "mutate_number.go"

// write puts all faults into the files of the copy.
func (b *batch) write() error {
	in := map[string][]*fault{}
	for _, f := range b.faults {
		in[f.File] = append(in[f.File], f)
	}
	name := ""
	for file, faults := range in {
		path := filepath.Join(b.dir, filepath.FromSlash(file))
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b.plain[path] = src
		if err := os.WriteFile(path, bodies(file, src, faults), 0o644); err != nil {
			return err
		}
		name = packageName.FindString(string(src))
	}
	if name == "" {
		return nil
	}
	text := fmt.Sprintf(numberText, name, mark)
	return os.WriteFile(filepath.Join(b.dir, b.folder, numberFile), []byte(text), 0o644)
}

var packageName = regexp.MustCompile(`(?m)^package \w+`)

// restore takes them out.
func (b *batch) restore() error {
	var all error
	for path, src := range b.plain {
		all = errors.Join(all, os.WriteFile(path, src, 0o644))
	}
	return errors.Join(all, os.RemoveAll(filepath.Join(b.dir, b.folder, numberFile)))
}

// bodies is a file whose functions have a body more for each fault. A fault is named as a file to the compiler, and
// what is behind it has the lines that it had.
func bodies(file string, src []byte, faults []*fault) []byte {
	more := map[int]string{}
	for _, f := range faults {
		body := string(src[f.in.from:f.from]) + f.with + string(src[f.to:f.in.to])
		run := "func() {" + body + "\n}()\nreturn"
		if f.in.results != "" {
			run = "return func() " + f.in.results + " {" + body + "\n}()"
		}
		more[f.in.from] += fmt.Sprintf("\n//line fault%d.go:1\nif mutateNumber == %d {\n%s\n}\n//line %s:%d\n",
			f.number, f.number, run, filepath.Base(file), f.in.line)
	}
	var out strings.Builder
	last := 0
	for _, at := range slices.Sorted(maps.Keys(more)) {
		out.Write(src[last:at])
		out.WriteString(more[at])
		last = at
	}
	out.Write(src[last:])
	return []byte(out.String())
}

// mark stands before the number in a program, which has as many digits as nought.
const (
	mark   = "helve-mutate-number:"
	nought = "0000"
)

const numberText = `%s

var mutateNumber = func(s string) (n int) {
	for _, c := range s[len(s)-4:] {
		n = 10*n + int(c-'0')
	}
	return n
}(mutateMark)

var mutateMark = "%s0000"
`

// choose has a program run a fault of its batch.
func choose(program string, number int) error {
	b, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(program, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	found := false
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte(mark))
		if i < 0 {
			break
		}
		at += i + len(mark)
		if _, err := strconv.Atoi(string(b[at : at+len(nought)])); err != nil {
			continue
		}
		found = true
		if _, err := f.WriteAt(fmt.Appendf(nil, "%04d", number), int64(at)); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("%s: it has no number of a fault", program)
	}
	return nil
}
