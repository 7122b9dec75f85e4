//go:build unix

package draft

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"helve/internal/change"
)

var kills = flag.Int("kills", 40, "how many programs TestAKilledDraftIsAsAfterOneOfItsChanges kills")

// killEnv names the folder and the seed for a copy of this program, which changes a draft until it is killed.
const killEnv = "DRAFT_TEST_KILL"

func TestMain(m *testing.M) {
	if at := os.Getenv(killEnv); at != "" {
		n, err := strconv.ParseUint(os.Getenv(killEnv+"_SEED"), 10, 64)
		if err == nil {
			err = story{dir: at, r: rand.New(rand.NewPCG(n, 7))}.tell(os.Stdout)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A story is what a program does to a draft, from a seed: each of its changes is made or not.
type story struct {
	dir string
	r   *rand.Rand
}

const (
	storySteps = 40
	storyFiles = 6
)

// A part of a story changes some files of a model: one directly, or several by an inner draft.
type part struct {
	nested bool
	files  map[string]node // "": it goes
}

// next is the next part.
func (s story) next(n int) part {
	p := part{nested: s.r.IntN(4) == 0, files: map[string]node{}}
	count := 1
	if p.nested {
		count = 3
	}
	for len(p.files) < count {
		name := "f" + strconv.Itoa(s.r.IntN(storyFiles))
		text := node("file\n" + strconv.Itoa(n) + " " + strconv.Itoa(s.r.IntN(1000)))
		if s.r.IntN(5) == 0 {
			text = ""
		}
		p.files[name] = text
	}
	return p
}

// change makes a part in a draft.
func (p part) change(d *Draft) error {
	for name, text := range p.files {
		now, err := d.Look(place(name))
		if err != nil {
			return err
		}
		if text != "" {
			err = d.Put(place(name), 0, func(w io.Writer) error {
				_, err := io.WriteString(w, string(text))
				return err
			})
		} else if now.Type != change.None {
			err = d.Remove(place(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tell does all of it, and then commits it.
func (s story) tell(out io.Writer) error {
	tree, err := OpenDisk([]string{filepath.Join(s.dir, "root")})
	if err != nil {
		return err
	}
	d, err := New(filepath.Join(s.dir, "draft"), tree, 1, true)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "begins")
	for n := range storySteps {
		p := s.next(n)
		if !p.nested {
			err = p.change(d)
		} else if inner, bad := New(filepath.Join(s.dir, "inner"+strconv.Itoa(n)), d, 1, false); bad == nil {
			if err = p.change(inner); err == nil {
				_, err = inner.CommitTo(context.Background(), d)
			}
		} else {
			err = bad
		}
		if err != nil {
			return err
		}
	}
	w := &world{dir: s.dir}
	_, err = d.Commit(context.Background(), w.apply)
	return err
}

// A program that changes a draft is killed at any moment: the draft that the next one loads is as after one of the
// changes, and the tree as before the commit or as after it.
func TestAKilledDraftIsAsAfterOneOfItsChanges(t *testing.T) {
	outcomes := map[string]int{}
	for seed := range uint64(*kills) {
		dir := t.TempDir()
		root := filepath.Join(dir, "root")
		must(t, os.Mkdir(root, 0o755))
		states := []map[string]node{{}}
		for i := range storyFiles / 2 {
			name, text := "f"+strconv.Itoa(i), node("file\n"+strconv.Itoa(i))
			states[0][name] = text
			must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
		}
		s := story{r: rand.New(rand.NewPCG(seed, 7))}
		for n := range storySteps {
			next := map[string]node{}
			for name, text := range states[n] {
				next[name] = text
			}
			for name, text := range s.next(n).files {
				if text == "" {
					delete(next, name)
				} else {
					next[name] = text
				}
			}
			states = append(states, next)
		}
		killed(t, dir, seed)
		outcomes[whatIsLeft(t, dir, seed, states)]++
	}
	t.Log(outcomes)
}

// killed runs a copy of the program and kills it.
func killed(t *testing.T, dir string, seed uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{killEnv + "=" + dir, killEnv + "_SEED=" + strconv.FormatUint(seed, 10)}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if _, err := bufio.NewReader(out).ReadString('\n'); err == nil {
		r := rand.New(rand.NewPCG(seed, 8))
		time.Sleep(time.Duration(r.Int64N(int64(40 * time.Millisecond))))
	}
	cmd.Process.Kill()
	err = cmd.Wait()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if err != nil && !status.Signaled() {
		t.Fatalf("-seed %d: %v", seed, err)
	}
}

// whatIsLeft looks at draft and tree, as the next program does.
func whatIsLeft(t *testing.T, dir string, seed uint64, states []map[string]node) string {
	t.Helper()
	o := change.Options{Roots: []string{filepath.Join(dir, "root")}, State: filepath.Join(dir, "state")}
	must(t, change.Repair(t.Context(), o, nil))
	tree, err := OpenDisk(o.Roots)
	must(t, err)
	defer tree.Close()
	disk := &model{stands: map[string]node{}}
	for n, state := range [][]map[string]node{states[:1], states[storySteps:]} {
		disk.stands = state[0]
		if compare(tree, disk) == nil {
			return draftLeft(t, dir, seed, tree, states, n == 1)
		}
	}
	t.Fatalf("seed %d: the tree is neither as before nor as after", seed)
	return ""
}

// draftLeft looks at the draft that is left, over a tree as it was before the commit or as it is after it.
func draftLeft(t *testing.T, dir string, seed uint64, tree *Disk, states []map[string]node, committed bool) string {
	t.Helper()
	d, err := Load(filepath.Join(dir, "draft"), tree, 1)
	if errors.Is(err, fs.ErrNotExist) && committed {
		return "committed"
	}
	must(t, err)
	defer d.Close()
	for n, state := range states {
		if compare(d, &model{stands: state}) != nil {
			continue
		}
		if committed && n != storySteps {
			continue
		}
		if n == storySteps {
			return "all of it"
		}
		return "a part"
	}
	last := &model{stands: states[storySteps]}
	t.Errorf("seed %d: the draft is as after none of its changes: %v", seed, compare(d, last))
	return "broken"
}
