//go:build unix

package uncommitted_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"helve/internal/change"
	"helve/internal/uncommitted"
)

// at is a path in the folder of a draft.
func (g *ground) at(id string, names ...string) string {
	return filepath.Join(append([]string{g.store.Dir, id}, names...)...)
}

// relist has the list of a draft say something else.
func (g *ground) relist(id string, change func(map[string]any)) {
	g.Helper()
	text, err := os.ReadFile(g.at(id, "draft.json"))
	g.must(err)
	all := map[string]any{}
	g.must(json.Unmarshal(text, &all))
	change(all)
	text, err = json.Marshal(all)
	g.must(err)
	g.must(os.WriteFile(g.at(id, "draft.json"), text, 0o600))
}

// list puts a text in the place of a list.
func (g *ground) list(id, text string) {
	g.Helper()
	g.must(os.WriteFile(g.at(id, "draft.json"), []byte(text), 0o600))
}

// aside puts what stands at a path elsewhere, and returns where.
func (g *ground) aside(path string) string {
	g.Helper()
	to := filepath.Join(g.TempDir(), "x")
	g.must(os.Rename(path, to))
	return to
}

// Whatever a draft on disk was made to be, it is counted as one that cannot be read: nothing is waited for, nothing that
// it names is touched, and the others are there.
func TestForgedDraftsAreCounted(t *testing.T) {
	file := func(key string, value any) func(*ground, string) {
		return func(g *ground, id string) {
			g.relist(id, func(all map[string]any) { all["files"].([]any)[0].(map[string]any)[key] = value })
		}
	}
	whole := func(key string, value any) func(*ground, string) {
		return func(g *ground, id string) { g.relist(id, func(all map[string]any) { all[key] = value }) }
	}
	text := func(text string) func(*ground, string) { return func(g *ground, id string) { g.list(id, text) } }
	for name, forge := range map[string]func(*ground, string){
		"a folder that is not there": file("root", 7),
		"a folder below zero":        file("root", -1),
		"a path out":                 file("path", "../out"),
		"a path out by a detour":     file("path", "a/../../out"),
		"an absolute path":           file("path", "/etc/passwd"),
		"no path":                    file("path", ""),
		"a NUL in a path":            file("path", "a\x00b"),
		"a long path":                file("path", strings.Repeat("a/", 3000)+"a"),
		"a state of its own":         file("state", "\x1b[2Jopen"),
		"no state":                   file("state", ""),
		"a pipe":                     file("will", map[string]any{"type": 4}),
		"a device":                   file("was", map[string]any{"type": 6}),
		"a type beyond":              file("was", map[string]any{"type": 77}),
		"a relative folder":          whole("roots", []string{"."}),
		"no folders":                 whole("roots", nil),
		"another ID":                 whole("id", "bbbbbbbbbb"),
		"an ID that is a path":       whole("id", "../../x"),
		"files that are none":        whole("files", "x"),
		"a time that is none":        whole("made", "yesterday"),
		"nested deep":                text(`{"files":` + strings.Repeat("[", 1<<20)),
		"many empty files":           text(`{"files":[` + strings.Repeat("{},", 1<<18) + `{}]}`),
		"many numbers":               text(`{"files":[` + strings.Repeat("0,", 1<<18) + `0]}`),
		"cut": func(g *ground, id string) {
			st, err := os.Stat(g.at(id, "draft.json"))
			g.must(err)
			g.must(os.Truncate(g.at(id, "draft.json"), st.Size()/2))
		},
		"a hundred megabytes": func(g *ground, id string) { g.must(os.Truncate(g.at(id, "draft.json"), 100<<20)) },
		"a list that is a link": func(g *ground, id string) {
			g.must(os.Symlink(g.aside(g.at(id, "draft.json")), g.at(id, "draft.json")))
		},
		"a list that is a pipe": func(g *ground, id string) {
			g.must(errors.Join(os.Remove(g.at(id, "draft.json")), syscall.Mkfifo(g.at(id, "draft.json"), 0o600)))
		},
		"a list that is a folder": func(g *ground, id string) {
			g.must(errors.Join(os.Remove(g.at(id, "draft.json")), os.Mkdir(g.at(id, "draft.json"), 0o700)))
		},
		"a list that others write":   func(g *ground, id string) { g.must(os.Chmod(g.at(id, "draft.json"), 0o666)) },
		"a folder that others write": func(g *ground, id string) { g.must(os.Chmod(g.at(id), 0o770)) },
		"a list of somebody else":    func(g *ground, id string) { g.own(g.at(id, "draft.json")) },
		"a folder of somebody else":  func(g *ground, id string) { g.own(g.at(id)) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			good, forged := g.keep("a", "a\n"), g.keep("b", "b\n")
			forge(g, forged.ID)
			all, damaged, err := g.store.List()
			if err != nil || damaged != 1 || len(all) != 1 || all[0].ID != good.ID {
				t.Errorf("%d, %d damaged, %v", len(all), damaged, err)
			}
			if _, err := g.store.Take(forged.ID); err == nil || errors.Is(err, uncommitted.ErrUnknown) {
				t.Errorf("taken: %v", err)
			}
			if made, _, _ := g.apply(good.ID); made != 1 {
				t.Error("the other one cannot be made")
			}
		})
	}
}

// own gives a path to somebody else, which only the superuser can.
func (g *ground) own(path string) {
	g.Helper()
	if err := os.Chown(path, 65534, 65534); err != nil {
		g.Skip("only the superuser gives files away: ", err)
	}
}

// What is no draft's folder by its kind or its name is left alone.
func TestOnlyFoldersAreDrafts(t *testing.T) {
	g := newGround(t)
	d := g.keep("a", "a\n")
	to := g.aside(g.at(d.ID))
	g.must(os.Symlink(to, g.at(d.ID)))
	g.must(syscall.Mkfifo(g.at("aaaaaaaaaa"), 0o600))
	g.must(os.WriteFile(g.at("bbbbbbbbbb"), []byte("{}"), 0o600))
	g.must(os.Mkdir(g.at("cccccccccc"), 0o700)) // as one that is being removed
	if all, damaged, err := g.store.List(); len(all)+damaged != 0 || err != nil {
		t.Errorf("%d, %d damaged, %v", len(all), damaged, err)
	}
	for _, id := range []string{d.ID, "aaaaaaaaaa", "bbbbbbbbbb", "cccccccccc"} {
		if _, err := g.store.Take(id); !errors.Is(err, uncommitted.ErrUnknown) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// A store that others may write to, or that is somebody else's, is not read: what waits there may be theirs. One that
// is no folder, and a lock that is a pipe, are errors and are not waited for.
func TestAStoreOfOthersIsNotBelieved(t *testing.T) {
	for name, spoil := range map[string]func(*ground){
		"others write":  func(g *ground) { g.must(os.Chmod(g.store.Dir, 0o777)) },
		"a group does":  func(g *ground) { g.must(os.Chmod(g.store.Dir, 0o770)) },
		"somebody else": func(g *ground) { g.own(g.store.Dir) },
		"a file": func(g *ground) {
			g.aside(g.store.Dir)
			g.must(os.WriteFile(g.store.Dir, nil, 0o600))
		},
		"a pipe": func(g *ground) {
			g.aside(g.store.Dir)
			g.must(syscall.Mkfifo(g.store.Dir, 0o600))
		},
		"locks that are pipes": func(g *ground) {
			locks, err := filepath.Glob(filepath.Join(g.store.Dir, "locks", "*"))
			g.must(err)
			for _, path := range locks {
				g.must(errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			d := g.keep("a", "a\n")
			taken, err := g.store.Take(d.ID)
			g.must(err)
			taken.Close()
			spoil(g)
			if _, err := g.store.Take(d.ID); err == nil {
				t.Error("it was taken")
			}
			if _, _, err := g.store.List(); err == nil && !strings.Contains(name, "locks") {
				t.Error("it was listed")
			}
		})
	}
}

// Whatever the mask of new files is, others read nothing of what waits.
func TestWhatWaitsIsPrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	g := newGround(t)
	d := g.keep("a", "secret\n")
	taken, err := g.store.Take(d.ID)
	g.must(err)
	defer taken.Close()
	g.must(taken.Mark(uncommitted.Open, change.Place{Path: "a"}))
	g.must(filepath.WalkDir(g.store.Dir, func(path string, e os.DirEntry, err error) error {
		g.must(err)
		st, err := e.Info()
		g.must(err)
		if st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", path, st.Mode())
		}
		return nil
	}))
}

// Content that is not what was kept is neither shown nor made, whatever stands in its place, and nothing else of the
// draft is made with it.
func TestDamagedContentIsNotMade(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(at string) error{
		"missing":  os.Remove,
		"another":  func(at string) error { return os.WriteFile(at, []byte("b\n"), 0o600) },
		"cut":      func(at string) error { return os.Truncate(at, 1) },
		"longer":   func(at string) error { return os.Truncate(at, 100<<20) },
		"a link":   func(at string) error { return errors.Join(os.Remove(at), os.Symlink(secret, at)) },
		"a pipe":   func(at string) error { return errors.Join(os.Remove(at), syscall.Mkfifo(at, 0o600)) },
		"a folder": func(at string) error { return errors.Join(os.Remove(at), os.Mkdir(at, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			d := g.keep("a", "a\n", "b", "whole\n")
			g.must(spoil(g.at(d.ID, "0.new")))
			taken, err := g.store.Take(d.ID)
			g.must(err)
			defer taken.Close()
			if _, after, ok := taken.Texts(change.Place{Path: "a"}, 1<<20); ok || after != nil {
				t.Errorf("shown: %q", after)
			}
			set, _, _, err := taken.Set(func(change.Place) bool { return true })
			g.must(err)
			tx, err := change.Begin(change.Options{Roots: taken.Roots, State: g.state})
			g.must(err)
			defer tx.Close()
			if _, err := tx.Apply(t.Context(), set); err == nil {
				t.Error("it was made")
			}
			if a, b := g.read("a"), g.read("b"); a != "-" || b != "-" {
				t.Errorf("a is %q, b is %q", a, b)
			}
		})
	}
}

// Whatever came to stand where a file waits for, or on the way there, is a conflict: it is as it was, what lies out of
// the workspace too, and the other files of the draft are made.
func TestWhateverStandsInTheWayIsAConflict(t *testing.T) {
	for name, spoil := range map[string]func(g *ground, out string){
		"edited":      func(g *ground, _ string) { g.write("d/a", "mine\n") },
		"of one size": func(g *ground, _ string) { g.write("d/a", "3\n") },
		"deleted":     func(g *ground, _ string) { g.must(os.Remove(filepath.Join(g.root, "d/a"))) },
		"a folder":    func(g *ground, _ string) { g.replace("d/a", func(at string) error { return os.Mkdir(at, 0o755) }) },
		"a pipe": func(g *ground, _ string) {
			g.replace("d/a", func(at string) error { return syscall.Mkfifo(at, 0o644) })
		},
		"a link out": func(g *ground, out string) {
			g.replace("d/a", func(at string) error { return os.Symlink(out+"/a", at) })
		},
		"a mode":       func(g *ground, _ string) { g.must(os.Chmod(filepath.Join(g.root, "d/a"), 0o755)) },
		"a huge file":  func(g *ground, _ string) { g.must(os.Truncate(filepath.Join(g.root, "d/a"), 1<<40)) },
		"no way there": func(g *ground, _ string) { g.must(os.RemoveAll(filepath.Join(g.root, "d"))) },
		"a way out":    func(g *ground, out string) { g.replace("d", func(at string) error { return os.Symlink(out, at) }) },
		"a file on the way": func(g *ground, _ string) {
			g.replace("d", func(at string) error { return os.WriteFile(at, nil, 0o644) })
		},
		"a pipe on the way": func(g *ground, _ string) {
			g.replace("d", func(at string) error { return syscall.Mkfifo(at, 0o644) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGround(t)
			g.write("d/a", "1\n")
			d := g.keep("d/a", "2\n", "e", "e\n")
			out := t.TempDir()
			g.must(os.WriteFile(filepath.Join(out, "a"), []byte("1\n"), 0o644))
			spoil(g, out)
			before := g.tree(g.root) + g.tree(out)
			made, done, no := g.apply(d.ID)
			if made != 1 || len(done) != 0 || len(no) != 1 || g.read("e") != "e\n" {
				t.Errorf("made %d, done %v, conflicts %v", made, done, no)
			}
			g.must(os.Remove(filepath.Join(g.root, "e")))
			if after := g.tree(g.root) + g.tree(out); after != before {
				t.Errorf("it was\n%s\nand is\n%s", before, after)
			}
		})
	}

	// A new file whose folder leads out by now.
	g := newGround(t)
	d := g.keep("d/new", "2\n", "e", "e\n")
	out := t.TempDir()
	g.must(os.Symlink(out, filepath.Join(g.root, "d")))
	if made, _, _ := g.apply(d.ID); made != 1 || g.tree(out) != "" {
		t.Errorf("made %d, outside:\n%s", made, g.tree(out))
	}
}

// replace has something else stand at a path of the workspace.
func (g *ground) replace(name string, by func(at string) error) {
	g.Helper()
	at := filepath.Join(g.root, name)
	g.must(errors.Join(os.RemoveAll(at), by(at)))
}

// tree is what stands below a folder, in words.
func (g *ground) tree(dir string) string {
	g.Helper()
	var out bytes.Buffer
	g.must(filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		g.must(err)
		st, err := e.Info()
		g.must(err)
		if path != dir {
			fmt.Fprintln(&out, strings.TrimPrefix(path, dir), st.Mode(), st.Size())
		}
		return nil
	}))
	return out.String()
}

// A folder of the workspace that is gone has what waits in the others be made and dropped all the same.
func TestAFolderThatIsGoneTakesNothingWithIt(t *testing.T) {
	g := newGround(t)
	roots := []string{g.root, filepath.Join(g.TempDir(), "gone")}
	w, err := g.store.New(uncommitted.Draft{Kind: uncommitted.Waits, Roots: roots})
	g.must(err)
	there, before, after := g.file("a", "a\n")
	away := there
	away.Root = 1
	g.must(errors.Join(w.Add(there, before, after), w.Add(away, before, after)))
	d, err := w.Keep()
	g.must(err)
	taken, err := g.store.Take(d.ID)
	g.must(err)
	g.must(taken.Mark(uncommitted.Committing, there.Place, away.Place))
	taken.Close()
	taken, err = g.store.Take(d.ID) // it was killed
	g.must(err)
	defer taken.Close()
	set, done, no, err := taken.Set(func(change.Place) bool { return true })
	g.must(err)
	if len(set.Changes) != 1 || len(done) != 0 || len(no) != 1 || no[0].Err == nil {
		t.Errorf("%d changes, done %v, conflicts %+v", len(set.Changes), done, no)
	}
	g.must(taken.Mark(uncommitted.Dropped, there.Place, away.Place))
}
