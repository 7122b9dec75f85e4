// Command measure times the index of code on a folder: one phase a process, so that memory is that of the phase.
//
//	measure cold FOLDER CACHE       builds the index
//	measure warm FOLDER CACHE       takes up the saved one
//	measure edit FOLDER CACHE NAME  edits files of the folder and asks for the dependents of NAME: give it a copy
//
// scripts/bench-code runs all three.
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

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 3 || args[0] == "edit" && len(args) < 4 {
		return errors.New("usage: measure cold|warm|edit FOLDER CACHE [NAME]")
	}
	x, err := codetool.Open(codetool.Options{Dir: args[1], Cache: args[2], Resident: args[0] == "edit"})
	if err != nil {
		return err
	}
	defer x.Close()
	began, cpu := time.Now(), processor()
	s, err := ready(ctx, x)
	if err != nil {
		return err
	}
	if args[0] == "edit" {
		return edits(ctx, out, x, args[1], args[3])
	}
	wall, used := time.Since(began), processor()-cpu
	peak := memory("VmHWM")
	debug.FreeOSMemory()
	resident := memory("VmRSS")
	sum, err := s.Summary(ctx)
	if err != nil {
		return err
	}
	bytes, err := size(args[1])
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%-5s %d files, %d with code, %.1f MB of it, %d lines, %d functions: CPU %.2f s, wall %.2f s, peak %.1f MB (%.2f of the code), then %.1f MB\n", args[0], sum.Files, sum.Indexed,
		megabytes(bytes), sum.Lines, sum.Functions, used.Seconds(), wall.Seconds(), megabytes(peak), float64(peak)/float64(bytes), megabytes(resident))
	return nil
}

// ready waits for the index, however long it takes.
func ready(ctx context.Context, x *codetool.Index) (*code.Snapshot, error) {
	for {
		s, err := x.Snapshot(ctx)
		if err == nil || !strings.Contains(err.Error(), "being built") {
			return s, err
		}
	}
}

// rounds is how many edits are timed; the median counts.
const rounds = 41

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
	var edited, dirty []time.Duration
	if _, _, err := ask(ctx, x, name); err != nil {
		return err
	}
	for range rounds {
		text = append(text, '\n')
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond) // for the word from the kernel
		fresh, question, err := ask(ctx, x, name)
		if err != nil {
			return err
		}
		edited, dirty = append(edited, fresh), append(dirty, question)
	}
	slices.Sort(edited)
	slices.Sort(dirty)
	fmt.Fprintf(out, "edit  the file of %s (%d bytes): CPU %.1f ms until the index knows; its dependents, on the dirty tree: %.1f ms\n",
		name, len(text), milliseconds(edited[rounds/2]), milliseconds(dirty[rounds/2]))
	return nil
}

// ask is the processor time until the index is fresh, and that of one question on it.
func ask(ctx context.Context, x *codetool.Index, name string) (fresh, question time.Duration, err error) {
	runtime.GC() // that of the round before
	cpu := processor()
	s, err := x.Snapshot(ctx)
	if err != nil {
		return 0, 0, err
	}
	fresh = processor() - cpu
	if _, err := s.Dependents(ctx, name, code.Page{}); err != nil {
		return 0, 0, err
	}
	return fresh, processor() - cpu - fresh, nil
}

// size is how many bytes of code a folder holds.
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

func megabytes(n int64) float64 { return float64(n) / 1e6 }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
