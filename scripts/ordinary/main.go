// Ordinary does the work of twenty repositories in mode auto, and the same without helve: which share of the commands
// is held back or asked about, and what the two leave behind.
//
//	go run ./scripts/ordinary [-most 2] [-only NAME] [-all] [-v] HELVE
//
// It fails where the share is too large, a line ended otherwise or something else was left. Where somebody is asked
// about a line, it did not run: what its repository comes to is told, and counts for nothing but the share.
//
// HELVE is the program. NODE=DIR has a node_modules with husky, prettier, eslint, typescript, create-vite and mocha;
// without it, and without a tool that a kind of repository needs, that kind is left out and said, and with -all it fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"helve/internal/testing/ordinary"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ordinary:", err)
		os.Exit(1)
	}
}

// A tally counts.
type tally struct{ lines, held, asked, failed, differ int }

func (t *tally) add(o tally) {
	t.lines += o.lines
	t.held += o.held
	t.asked += o.asked
	t.failed += o.failed
	t.differ += o.differ
}

// A trial is what is tried, and where.
type trial struct {
	helve, dir string
	env        []string
	verbose    bool
	whole      bool // a kind that has to be left out is a failure
	out        io.Writer
}

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("ordinary", flag.ContinueOnError)
	most := f.Float64("most", 2, "the largest share of commands that may be held back or asked about, in percent")
	only := f.String("only", "", "the repository of this name alone")
	whole := f.Bool("all", false, "no kind of repository may be left out")
	verbose := f.Bool("v", false, "each line that did not run as without helve")
	if err := f.Parse(args); err != nil || f.NArg() != 1 {
		return fmt.Errorf("want the program helve: %w", err)
	}
	helve, err := filepath.Abs(f.Arg(0))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ordinary-*")
	if err != nil {
		return err
	}
	defer clear(dir)
	env, err := environ(ctx, dir)
	if err != nil {
		return err
	}
	all, err := trial{helve, dir, env, *verbose, *whole, out}.all(ctx, *only)
	if err != nil {
		return err
	}
	share := 100 * float64(all.held+all.asked) / float64(max(1, all.lines))
	fmt.Fprintf(out, "%d commands: %d held back, %d asked about (%.1f %%); ", all.lines, all.held, all.asked, share)
	fmt.Fprintf(out, "%d ended otherwise, %d paths differ\n", all.failed, all.differ)
	switch {
	case all.lines == 0:
		return errors.New("nothing was done")
	case share > *most:
		return fmt.Errorf("more than %.1f %% are held back or asked about", *most)
	case all.failed+all.differ > 0:
		return errors.New("it is not the same with helve as without")
	}
	return nil
}

// all does the work of all repositories, or of the only one.
func (t trial) all(ctx context.Context, only string) (all tally, err error) {
	for _, r := range ordinary.Repositories() {
		if only != "" && only != r.Name {
			continue
		}
		if tool := r.Missing(t.env); tool != "" {
			fmt.Fprintf(t.out, "%s: left out, there is no %s\n", r.Name, tool)
			if t.whole {
				return all, fmt.Errorf("%s needs %s, which is not here", r.Name, tool)
			}
			continue
		}
		one, err := t.both(ctx, r)
		if err != nil {
			return all, err
		}
		if one.asked > 0 { // a line that did not run leaves nothing for those that follow
			one.failed, one.differ = 0, 0
		}
		all.add(one)
	}
	return all, nil
}

// clear removes what was made: caches of Go modules are read-only.
func clear(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// environ is a home of its own with what people have there, and where the machine keeps tools and modules.
func environ(ctx context.Context, dir string) ([]string, error) {
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	const config = "[user]\n\tname = A Person\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	env := []string{
		"HOME=" + home, "PATH=" + path(ctx), "LANG=C.UTF-8", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOTOOLCHAIN=local",
	}
	if node := os.Getenv("NODE"); node != "" {
		env = append(env, "NODE="+node)
	}
	for name, asked := range places() {
		if text, err := exec.CommandContext(ctx, asked[0], asked[1:]...).Output(); err == nil {
			env = append(env, name+"="+strings.TrimSpace(string(text)))
		}
	}
	return env, nil
}

// places are the variables that say where tools are which else lie in the home, with the commands that know it.
func places() map[string][]string {
	return map[string][]string{
		"MODULES":     {"go", "env", "GOMODCACHE"},
		"RUSTUP_HOME": {"rustup", "show", "home"},
		"PYENV_ROOT":  {"pyenv", "root"},
	}
}

// path is where programs are. What chooses a toolchain by the home stands behind the one that it would choose.
func path(ctx context.Context) string {
	out := os.Getenv("PATH")
	for _, which := range [][]string{{"rustup", "which", "cargo"}, {"pyenv", "which", "python3"}} {
		if at, err := exec.CommandContext(ctx, which[0], which[1:]...).Output(); err == nil {
			out = filepath.Dir(strings.TrimSpace(string(at))) + ":" + out
		}
	}
	return out
}

// both does the work of a repository without helve and with it.
func (t trial) both(ctx context.Context, r ordinary.Repository) (tally, error) {
	var deeds [2][]ordinary.Deed
	var trees [2]map[string]string
	for i, w := range []ordinary.Work{{Env: t.env}, {Env: t.env, Helve: t.helve}} {
		at := filepath.Join(t.dir, strings.ReplaceAll(r.Name, " ", "-"), fmt.Sprint(i), "work")
		err := os.MkdirAll(at, 0o755)
		if err == nil {
			deeds[i], err = w.Do(ctx, r, at)
		}
		if err == nil {
			trees[i], err = ordinary.Tree(ctx, at)
		}
		if err != nil {
			return tally{}, err
		}
	}
	sum, held := t.compare(deeds)
	differ := ordinary.Differences(trees[0], trees[1])
	differ = slices.DeleteFunc(differ, func(line string) bool {
		path, _, _ := strings.Cut(line, ": ")
		for ; path != "."; path = filepath.Dir(path) {
			if held[path] {
				return true
			}
		}
		return false
	})
	sum.differ = len(differ)
	fmt.Fprintf(t.out, "%-32s %3d commands, %d held back, %d asked about, ", r.Name, sum.lines, sum.held, sum.asked)
	fmt.Fprintf(t.out, "%d ended otherwise, %d paths differ\n", sum.failed, sum.differ)
	for _, line := range differ {
		fmt.Fprintln(t.out, "  "+line)
	}
	return sum, nil
}

// compare counts what became of lines, and what was held back: that is not there, and is no difference.
func (t trial) compare(deeds [2][]ordinary.Deed) (sum tally, held map[string]bool) {
	held = map[string]bool{}
	for i, d := range deeds[1] {
		without := deeds[0][i].Status
		sum.lines++
		switch {
		case d.Asked:
			sum.asked++
		case len(d.Held) > 0:
			sum.held++
		case d.Status != without:
			sum.failed++
		default:
			continue
		}
		for _, path := range d.Held {
			held[strings.TrimSuffix(path, "/")] = true
		}
		if t.verbose {
			fmt.Fprintf(t.out, "  %s\n    status %d, without helve %d; held %q, asked %v: %s\n",
				d.Line, d.Status, without, d.Held, d.Asked, d.Says)
		}
	}
	return sum, held
}
