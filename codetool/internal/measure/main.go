// Command measure times the index of code on a folder: one phase a process, so that memory is that of the phase.
//
//	measure cold FOLDER CACHE       builds the index
//	measure warm FOLDER CACHE       takes up the saved one
//	measure edit FOLDER CACHE NAME  edits files of the folder and asks for the dependents of NAME: give it a copy
//	measure ask FOLDER CACHE FILE   answers the questions of a file with the eight tools and the eighteen
//
// scripts/bench-code runs the first three, scripts/score-questions the last.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"helve/codetool"
	"helve/engine/code"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

// arguments are how many each phase takes, with its name.
var arguments = map[string]int{"cold": 3, "warm": 3, "edit": 4, "ask": 4}

// run is one phase of the measurement.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 || len(args) != arguments[args[0]] {
		return errors.New("usage: measure cold|warm|edit|ask FOLDER CACHE [NAME|FILE]")
	}
	phase := args[0]
	x, err := codetool.Open(codetool.Options{Dir: args[1], Cache: args[2], Resident: phase == "edit"})
	if err != nil {
		return err
	}
	defer x.Close()
	began, cpu := time.Now(), processor()
	s, err := ready(ctx, x)
	if err != nil {
		return err
	}
	switch phase {
	case "ask":
		return questions(ctx, out, x, args[1], args[3])
	case "edit":
		return edits(ctx, out, x, args[1], args[3])
	}
	f := figures{wall: time.Since(began), cpu: processor() - cpu, peak: memory("VmHWM")}
	debug.FreeOSMemory() // what is kept, not what the collector has not given back yet
	f.resident = memory("VmRSS")
	f.code, err = size(args[1])
	if err != nil {
		return err
	}
	sum, err := s.Summary(ctx)
	if err != nil {
		return err
	}
	f.write(out, phase, sum)
	return nil
}

// figures are what one phase took. Memory is read from the kernel, so it is that of the whole process.
type figures struct {
	wall, cpu      time.Duration
	peak, resident int64 // bytes of memory
	code           int64 // bytes of the files with code
}

// write prints the figures in one line, with what they were measured on: without its size no figure says much.
func (f figures) write(out io.Writer, phase string, sum code.Summary) {
	fmt.Fprintf(out, "%-5s %d files, %d with code, %.1f MB of it, %d lines, %d functions: ",
		phase, sum.Files, sum.Indexed, megabytes(f.code), sum.Lines, sum.Functions)
	fmt.Fprintf(out, "CPU %.2f s, wall %.2f s, ", f.cpu.Seconds(), f.wall.Seconds())
	fmt.Fprintf(out, "peak %.1f MB (%.2f of the code), then %.1f MB\n",
		megabytes(f.peak), float64(f.peak)/float64(f.code), megabytes(f.resident))
}

// ready waits for the index, however long it takes: one call waits less than the largest trees need.
func ready(ctx context.Context, x *codetool.Index) (*code.Snapshot, error) {
	for {
		s, err := x.Snapshot(ctx)
		if err == nil || !strings.Contains(err.Error(), "being built") {
			return s, err
		}
	}
}

const (
	// rounds is how many edits are timed; the median counts.
	rounds = 41
	// settled is how long the kernel may take to tell of a change.
	settled = 20 * time.Millisecond
)

// edits adds a line to the file of a symbol, again and again, and asks for its dependents each time.
func edits(ctx context.Context, out io.Writer, x *codetool.Index, dir, name string) error {
	s, err := x.Snapshot(ctx)
	if err != nil {
		return err
	}
	found, err := s.Find(ctx, name, code.Page{})
	if err != nil || len(found.Matches) == 0 {
		return fmt.Errorf("nothing is called %s: %w", name, err)
	}
	path := filepath.Join(dir, filepath.FromSlash(found.Matches[0].Path))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, _, err = ask(ctx, x, name) // the first question makes what later ones share
	if err != nil {
		return err
	}
	var edited, dirty []time.Duration
	for range rounds {
		// A line at the end moves no definition: what is timed is the reading of one file, not of all
		// that use it.
		text = append(text, '\n')
		err := os.WriteFile(path, text, 0o644)
		if err != nil {
			return err
		}
		time.Sleep(settled)
		fresh, question, err := ask(ctx, x, name)
		if err != nil {
			return err
		}
		edited = append(edited, fresh)
		dirty = append(dirty, question)
	}
	fmt.Fprintf(out, "edit  the file of %s (%d bytes): ", name, len(text))
	fmt.Fprintf(out, "CPU %.1f ms until the index knows; its dependents, on the dirty tree: %.1f ms\n",
		milliseconds(median(edited)), milliseconds(median(dirty)))
	return nil
}

// median is what is reported: the machine does other things too, and a mean would be theirs.
func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// ask is the processor time until the index is fresh, and that of one question on it. Time by the clock would be that
// of the neighbours.
func ask(ctx context.Context, x *codetool.Index, name string) (fresh, question time.Duration, err error) {
	runtime.GC() // or this round would pay for the garbage of the one before
	cpu := processor()
	s, err := x.Snapshot(ctx)
	if err != nil {
		return 0, 0, err
	}
	fresh = processor() - cpu
	_, err = s.Dependents(ctx, name, code.Page{})
	if err != nil {
		return 0, 0, err
	}
	return fresh, processor() - cpu - fresh, nil
}

// size is how many bytes of code a folder holds, by the names of the files as the index goes by them first.
func size(dir string) (int64, error) {
	var n int64
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !code.LanguageOf(p, nil).Code() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// megabytes and milliseconds are for printing.
func megabytes(n int64) float64 { return float64(n) / 1e6 }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
