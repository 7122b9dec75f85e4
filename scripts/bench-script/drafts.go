package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

const (
	// draftRounds is how often each row of a table is measured, all of them in turn.
	draftRounds = 9
	// inOneDraft is how many commands are run in one draft.
	inOneDraft = 5
	// edited and renamed are how many files the scripts change that somebody is asked about.
	edited, renamed = 48, 1000
)

// compareDrafts prints what a draft costs beside the same work without one, and what a script asks that changes much.
func compareDrafts(ctx context.Context, out io.Writer, temp string) error {
	y := &yard{dir: filepath.Join(temp, "drafts")}
	if err := y.fill(ctx); err != nil {
		return err
	}
	s, err := y.serve(ctx, "auto", nil)
	if err != nil {
		return err
	}
	defer s.close()
	d := &drafting{s, 0}
	fmt.Fprintf(out, "%-46s %8s %8s %8s %7s %10s\n", "each by itself, and in the draft of a script: ms",
		"alone", "drafted", "more", "times", "processor")
	for _, entries := range []int{0, 10, 100, 1000} {
		name := fmt.Sprintf("a command, with %d entries in the draft", entries)
		drafted := d.script(commandsAfter(entries, inOneDraft), commandsAfter(entries, 0))
		if err := d.row(out, name, d.commands(inOneDraft), drafted, inOneDraft); err != nil {
			return err
		}
	}
	for _, n := range []int{1, 10, 100} {
		name := fmt.Sprintf("%d writes, less a script with %d reads", n, n)
		if err := d.row(out, name, d.writes(n), d.written(n), 1); err != nil {
			return err
		}
	}
	drafted := d.turns(inOneDraft)
	if err := d.row(out, "a write and a command in turn", d.turnsAlone(inOneDraft), drafted, inOneDraft); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return y.asked(ctx, out)
}

// A drafting helve is one whose work is measured.
type drafting struct {
	*servedHelve
	made int // names, so that each file is a new one
}

// work is what is measured: what it took, and how much of the processor.
type work func() (time.Duration, time.Duration, error)

// done measures something. Before it a model thinks, and after it what goes on in the background comes to its end.
func (d *drafting) done(do func() error) (took, processor time.Duration, err error) {
	time.Sleep(thinking)
	before, err := d.used()
	if err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	if err := do(); err != nil {
		return 0, 0, err
	}
	took = time.Since(begun)
	time.Sleep(thinking)
	after, err := d.used()
	return took, after - before, err
}

// row prints what work took alone and in a draft: for each of so many, and the middle of all rounds.
func (d *drafting) row(out io.Writer, name string, alone, drafted work, parts int) error {
	var a, b, more, processor []float64
	for round := range draftRounds + 1 {
		x, px, err := alone()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		y, py, err := drafted()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if round == 0 { // which opens files
			continue
		}
		ms := func(t time.Duration) float64 { return float64(t.Microseconds()) / 1000 / float64(parts) }
		a, b = append(a, ms(x)), append(b, ms(y))
		more, processor = append(more, ms(y-x)), append(processor, ms(py-px))
	}
	_, err := fmt.Fprintf(out, "%-46s %8.1f %8.1f %8.1f %7.2f %10.1f\n",
		name, middle(a), middle(b), middle(more), middle(b)/middle(a), mean(processor))
	return err
}

// mean is for what is told in ticks of ten milliseconds.
func mean(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// less is work without what another work takes of it.
func (d *drafting) less(do, without func() error) work {
	return func() (time.Duration, time.Duration, error) {
		x, px, err := d.done(without)
		if err != nil {
			return 0, 0, err
		}
		y, py, err := d.done(do)
		return y - x, py - px, err
	}
}

// run runs a script.
func (d *drafting) run(script string) error {
	_, err := d.call("run_script", map[string]any{"script": script}, false)
	return err
}

// script is a script without what a shorter one takes.
func (d *drafting) script(whole, without string) work {
	return d.less(func() error { return d.run(whole) }, func() error { return d.run(without) })
}

const oneCommand = "echo x > out.txt"

// commandsAfter is a script that makes so many entries by one command, and then runs so many commands.
func commandsAfter(entries, commands int) string {
	fill := "true > first.txt"
	if entries > 0 {
		fill = fmt.Sprintf("for i in $(seq %d); do echo $i > made-%d-$i.txt; done", entries, entries)
	}
	return fmt.Sprintf("bash(command=%q)\nlen([bash(command=%q) for i in range(%d)])", fill, oneCommand, commands)
}

// commands are commands outside a script.
func (d *drafting) commands(n int) work {
	return func() (time.Duration, time.Duration, error) {
		return d.done(func() error {
			for range n {
				if _, err := d.call("bash", map[string]any{"command": oneCommand}, false); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// names are those of new files.
func (d *drafting) names(n int) (out []string) {
	for range n {
		d.made++
		out = append(out, fmt.Sprintf("written/%d.txt", d.made))
	}
	return out
}

// write writes a new file.
func (d *drafting) write(name string) error {
	_, err := d.call("write", map[string]any{"file_path": name, "contents": "x\n"}, false)
	return err
}

func (d *drafting) writes(n int) work {
	return func() (time.Duration, time.Duration, error) {
		names := d.names(n)
		return d.done(func() error {
			for _, name := range names {
				if err := d.write(name); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// forEach is a script that does something for each name.
func forEach(names []string, do string) string {
	list, _ := json.Marshal(names) // texts: nothing in it can fail
	return fmt.Sprintf("for name in %s:\n    %s\n", list, do)
}

// written are writes in a script, without what as many reads in a script take.
func (d *drafting) written(n int) work {
	return func() (time.Duration, time.Duration, error) {
		names := d.names(n)
		writes := forEach(names, `write(file_path=name, contents="x\n")`)
		reads := forEach(names, `read(file_path="a.txt")`)
		return d.less(func() error { return d.run(writes) }, func() error { return d.run(reads) })()
	}
}

const appended = "echo x >> log.txt"

func (d *drafting) turnsAlone(n int) work {
	return func() (time.Duration, time.Duration, error) {
		names := d.names(n)
		return d.done(func() error {
			for _, name := range names {
				if err := d.write(name); err != nil {
					return err
				}
				if _, err := d.call("bash", map[string]any{"command": appended}, false); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// turns are writes and commands in a script, each after the other.
func (d *drafting) turns(n int) work {
	return func() (time.Duration, time.Duration, error) {
		names := d.names(n)
		do := fmt.Sprintf(`write(file_path=name, contents="x\n"); bash(command=%q)`, appended)
		return d.less(func() error { return d.run(forEach(names, do)) }, func() error { return d.run(oneRead) })()
	}
}

// asked has scripts change many files in mode ask, and wants one question, one entry of the history, and one undo that
// brings all of it back.
func (y *yard) asked(ctx context.Context, out io.Writer) error {
	rename := `for f in ren/*.js; do mv "$f" "${f%.js}.ts"; done`
	fmt.Fprintf(out, "%-46s %9s %8s %8s %8s %8s\n", "a script in mode ask: seconds",
		"questions", "script", "bare", "entries", "undo")
	for _, c := range []struct {
		name, dir, script, bare string
		files                   int
	}{
		{fmt.Sprintf("%d edits", edited), "src", `for f in glob(pattern="src/*").files:
    read(file_path=f.path)
    edit(file_path=f.path, old_string="old", new_string="new")
`, "sed -i s/old/new/ src/*", edited},
		{fmt.Sprintf("%d files renamed by a command", renamed), "ren",
			fmt.Sprintf("bash(command=%q)", rename), rename, renamed},
	} {
		before := map[string]string{}
		for i := range c.files {
			before[fmt.Sprintf("%d.js", i)] = fmt.Sprintf("%d is old\n", i)
		}
		if err := y.put(c.dir, before); err != nil {
			return err
		}
		begun := time.Now()
		bare := exec.CommandContext(ctx, "bash", "-c", c.bare)
		bare.Dir = y.path("ws")
		if text, err := bare.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", c.bare, err, text)
		}
		alone := time.Since(begun)
		if err := y.put(c.dir, before); err != nil {
			return err
		}
		row, err := y.changed(ctx, c.script, c.dir, before)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(out, "%-46s %9d %8.2f %8.2f %8d %8.2f\n",
			c.name, row.questions, row.took.Seconds(), alone.Seconds(), row.entries, row.undo.Seconds())
	}
	return nil
}

// put makes a folder of the workspace have these files.
func (y *yard) put(dir string, files map[string]string) error {
	at := filepath.Join(y.path("ws"), dir)
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	if err := os.MkdirAll(at, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// What came of a script that somebody is asked about.
type askedRow struct {
	questions, entries int
	took, undo         time.Duration
}

// changed runs a script in mode ask, says yes, and takes back what it did.
func (y *yard) changed(ctx context.Context, script, dir string, before map[string]string) (row askedRow, err error) {
	were, err := y.entries(ctx)
	if err != nil {
		return row, err
	}
	s, err := y.serve(ctx, "ask", func() { row.questions++ })
	if err != nil {
		return row, err
	}
	begun := time.Now()
	_, err = s.call("run_script", map[string]any{"script": script}, false)
	row.took = time.Since(begun)
	if ended := s.close(); err == nil {
		err = ended
	}
	if err != nil {
		return row, err
	}
	if y.holds(dir, before) {
		return row, fmt.Errorf("the script changed nothing")
	}
	are, err := y.entries(ctx)
	if err != nil {
		return row, err
	}
	row.entries = are - were
	begun = time.Now()
	if err := y.command(ctx, "helve", "undo", "--yes").Run(); err != nil {
		return row, err
	}
	row.undo = time.Since(begun)
	if !y.holds(dir, before) {
		return row, fmt.Errorf("one undo did not bring everything back")
	}
	return row, nil
}

// entries is how many calls the history has.
func (y *yard) entries(ctx context.Context) (int, error) {
	text, err := y.command(ctx, "helve", "history", "--limit", "10000", "--json").Output()
	var list []json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	return len(list), err
}

// holds tells whether a folder has these files, and no others.
func (y *yard) holds(dir string, files map[string]string) bool {
	at := filepath.Join(y.path("ws"), dir)
	list, err := os.ReadDir(at)
	return err == nil && len(list) == len(files) && !slices.ContainsFunc(list, func(e os.DirEntry) bool {
		text, err := os.ReadFile(filepath.Join(at, e.Name()))
		return err != nil || !bytes.Equal(text, []byte(files[e.Name()]))
	})
}
