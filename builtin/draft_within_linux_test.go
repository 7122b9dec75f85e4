package builtin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/tool"
	"helve/tool/drafting"
)

// withinCalls calls tools in a draft within one that stays.
type withinCalls struct {
	draftCalls
	kept *KeptDraft
	in   drafting.Draft
}

// within begins a draft in one that stays.
func (c draftCalls) within(k *KeptDraft) withinCalls {
	c.t.Helper()
	in, err := k.Within(c.t.Context(), "run_script", "the script")
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { in.Drop() })
	c.d = in.(inner).Draft
	return withinCalls{c, k, in}
}

// commit commits it. No question may come.
func (c withinCalls) commit() *drafting.Committed {
	c.t.Helper()
	done, err := c.in.Commit(c.t.Context(), &tool.Call{Name: "run_script"}, "")
	if err != nil || done.Need != nil {
		c.t.Fatal(done, err)
	}
	return done
}

// again opens a draft anew, as the next process does.
func (c draftCalls) again(k *KeptDraft) (draftCalls, *KeptDraft) {
	c.t.Helper()
	id := k.State().ID
	if err := k.Leave(); err != nil {
		c.t.Fatal(err)
	}
	k, err := c.b.OpenDraft(c.t.Context(), id)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { k.Drop() })
	c.d = k.Draft
	return c, k
}

// made commits a draft that stays.
func made(t *testing.T, k *KeptDraft) {
	t.Helper()
	out, err := k.Commit(t.Context(), nil)
	if err != nil || out.Refused != nil || len(out.Conflicts) > 0 || len(out.Waits) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
}

// wantFiles wants files of a folder to have these texts; "-" is for none.
func wantFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			got = []byte("-")
		}
		if string(got) != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

// What a draft in another one may do to what that one did, and to the base: each is as the commands before it and those
// in it were one after another.
func TestADraftInADraftChangesWhatThatOneDid(t *testing.T) {
	for name, one := range map[string]struct {
		outer, inner string
		want         map[string]string
	}{
		"deletes what it made": {"echo n >n; mkdir d; echo x >d/x", "rm -r n d", map[string]string{"n": "-", "d/x": "-"}},
		"edits what it wrote":  {"echo n >a", "echo m >>a", map[string]string{"a": "n\nm\n"}},
		"renames a folder of the base": {"echo o >sub/o", "mv sub moved; echo m >moved/m",
			map[string]string{"sub/s": "-", "sub/o": "-", "moved/s": "s\n", "moved/o": "o\n", "moved/m": "m\n"}},
		"puts a file in place of a folder, and a folder again": {"rm -r sub; echo f >sub", "rm sub; mkdir sub; echo x >sub/x",
			map[string]string{"sub/s": "-", "sub/x": "x\n"}},
		"brings back what it deleted":    {"rm -r sub a", "mkdir sub; echo s >sub/s; echo a >a", map[string]string{"sub/s": "s\n", "a": "a\n"}},
		"empties a folder that it wrote": {"echo o >sub/o", "rm -r sub; mkdir sub", map[string]string{"sub/s": "-", "sub/o": "-"}},
		"writes through its link":        {"ln -s a l; ln -s sub/s far", "echo l >l; echo f >far", map[string]string{"a": "l\n", "sub/s": "f\n"}},
		"writes one name of its two":     {"echo 1 >one; ln one two", "echo 2 >one", map[string]string{"one": "2\n", "two": "2\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, k, dir := keepingIn(t, map[string]string{"a": "a\n", "sub/s": "s\n"})
			c.call("bash", map[string]any{"command": one.outer})
			lost := c.within(k)
			lost.call("bash", map[string]any{"command": one.inner + "; echo lost >lost"})
			if err := lost.in.Drop(); err != nil {
				t.Fatal(err)
			}
			w := c.within(k)
			w.call("bash", map[string]any{"command": one.inner})
			if changed, err := w.in.Changed(); err != nil || !changed {
				t.Errorf("changed: %v %v", changed, err)
			}
			if done := w.commit(); done.Refused != nil || !done.Outer {
				t.Fatalf("%+v", done)
			}
			wantFiles(t, dir, map[string]string{"a": "a\n", "sub/s": "s\n"})
			_, k = c.again(k)
			made(t, k)
			wantFiles(t, dir, one.want)
			wantFiles(t, dir, map[string]string{"lost": "-"})
		})
	}
}

// Modes and times of what the outer one changed stay as they are, in the draft and on disk.
func TestADraftInADraftLeavesTheRestAsItIs(t *testing.T) {
	c, k, dir := keepingIn(t, map[string]string{"sub/s": "s\n"})
	c.call("bash", map[string]any{"command": "echo x >sub/x; chmod 750 sub/x; touch -d @1000000000.5 sub/x; " +
		"mkdir -m 700 own; ln -s nowhere own/l; chmod 711 sub"})
	w := c.within(k)
	w.call("write", map[string]any{"file_path": "n", "contents": "n\n"})
	w.commit()
	c, k = c.again(k)
	out := c.call("bash", map[string]any{"command": "stat -c '%a %.9Y %n' sub/x; stat -c '%a %n' own sub; readlink own/l"})
	const want = "750 1000000000.500000000 sub/x\n700 own\n711 sub\nnowhere"
	if !strings.Contains(out.Text(), want) {
		t.Errorf("the draft shows %s", out.Text())
	}
	made(t, k)
	st, err := os.Stat(filepath.Join(dir, "sub/x"))
	if err != nil || st.Mode().Perm() != 0o750 || st.ModTime().UnixMilli() != 1000000000500 {
		t.Errorf("%v %v", st, err)
	}
}

// A command that changes nothing leaves nothing for the draft to take.
func TestADraftInADraftThatChangesNothingIsEmpty(t *testing.T) {
	c, k, _ := keepingIn(t, map[string]string{"sub/s": "s\n"})
	c.call("bash", map[string]any{"command": "mv sub moved; mkdir sub; rm moved/s"})
	c, k = c.again(k)
	w := c.within(k)
	w.call("bash", map[string]any{"command": "ls -R; cat sub/s; true"})
	if changed, err := w.in.Changed(); changed || err != nil {
		t.Errorf("changed: %v %v", changed, err)
	}
	w.in.Drop()
	// An empty folder in place of one of the base is a change that only a note of the overlay tells.
	c, k, _ = keepingIn(t, map[string]string{"sub/s": "s\n"})
	c.call("bash", map[string]any{"command": "touch sub/x; rm sub/x"})
	w = c.within(k)
	w.call("bash", map[string]any{"command": "rm -r sub; mkdir sub"})
	if changed, err := w.in.Changed(); !changed || err != nil {
		t.Errorf("changed: %v %v", changed, err)
	}
}

// Several folders, and one in another: a draft in a draft is over all of them.
func TestADraftInADraftIsOverAllFolders(t *testing.T) {
	c, k, dir := keepingIn(t, map[string]string{"a": "a\n", "in/b": "b\n"}, "in")
	c.call("bash", map[string]any{"command": "echo o >>a; echo o >>in/b"})
	w := c.within(k)
	w.call("bash", map[string]any{"command": "echo i >>a; echo i >>in/b"})
	w.call("write", map[string]any{"file_path": "in/n", "contents": "n\n"})
	w.commit()
	_, k = c.again(k)
	made(t, k)
	wantFiles(t, dir, map[string]string{"a": "a\no\ni\n", "in/b": "b\no\ni\n", "in/n": "n\n"})
}

// What a draft in a draft relied upon the outer one relies upon after it: what somebody changes meanwhile in other lines
// is merged at the outer commit, what is gone is not made anew.
func TestWhatADraftInADraftReliesOnIsKept(t *testing.T) {
	c, k, dir := keepingIn(t, map[string]string{"a": "1\n2\n3\n4\n5\n", "b": "b\n"})
	w := c.within(k)
	w.call("edit", map[string]any{"file_path": "a", "old_string": "5", "new_string": "five"})
	w.commit()
	later(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("one\n2\n3\n4\n5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, k = c.again(k)
	made(t, k)
	wantFiles(t, dir, map[string]string{"a": "one\n2\n3\n4\nfive\n"})

	c, k, dir = keepingIn(t, map[string]string{"b": "b\n"})
	w = c.within(k)
	w.call("bash", map[string]any{"command": "echo more >>b"})
	w.commit()
	if err := os.Remove(filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	_, k = c.again(k)
	out, err := k.Commit(t.Context(), nil)
	if err != nil || len(out.Conflicts) != 1 || out.Conflicts[0].Path != "b" {
		t.Errorf("%+v, %v", out, err)
	}
	wantFiles(t, dir, map[string]string{"b": "-"})
}

// Two drafts in one: what the second relied upon is another one by then, and it makes nothing. One whose outer draft is
// over makes nothing either.
func TestOfTwoDraftsInADraftTheSecondMakesNothing(t *testing.T) {
	c, k, _ := keepingIn(t, map[string]string{"a": "a\n"})
	first, second := c.within(k), c.within(k)
	first.call("bash", map[string]any{"command": "echo 1 >>a"})
	second.call("bash", map[string]any{"command": "echo 2 >>a"})
	first.commit()
	if done := second.commit(); done.Refused == nil || !strings.Contains(done.Refused.Text(), "changed meanwhile") {
		t.Errorf("%+v", done)
	}
	if out := c.call("bash", map[string]any{"command": "cat a"}).Text(); !strings.Contains(out, "a\n1") {
		t.Errorf("the draft has %q", out)
	}
	third := c.within(k)
	third.call("bash", map[string]any{"command": "echo 3 >>a"})
	if err := k.Drop(); err != nil {
		t.Fatal(err)
	}
	if done := third.commit(); done.Refused == nil || !strings.Contains(done.Refused.Text(), "is over") {
		t.Errorf("%+v", done)
	}
	if _, err := k.Within(t.Context(), "run_script", "the script"); !errors.Is(err, ErrDraftOver) {
		t.Error(err)
	}
}

// Where it cannot be written down that the outer draft has another layer, it has the one that it had.
func TestADraftInADraftThatCannotBeTakenChangesNothing(t *testing.T) {
	c, k, _ := keepingIn(t, map[string]string{"a": "a\n"})
	c.call("bash", map[string]any{"command": "echo outer >>a; mkdir d"})
	w := c.within(k)
	w.call("bash", map[string]any{"command": "rm -r d; echo inner >>a"})
	file := filepath.Join(c.b.records.DraftsDir(), k.State().ID+".json")
	text, err := os.ReadFile(file)
	err = errors.Join(err, os.Remove(file), os.MkdirAll(filepath.Join(file, "in the way"), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	if done := w.commit(); done.Refused == nil || !strings.Contains(done.Refused.Text(), "nothing was made in the draft") {
		t.Errorf("%+v", done)
	}
	if err := errors.Join(os.RemoveAll(file), os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
	c, _ = c.again(k)
	if out := c.call("bash", map[string]any{"command": "cat a; ls"}).Text(); !strings.Contains(out, "a\nouter\na\nd") {
		t.Errorf("the draft has %q", out)
	}
}

// What is left of a draft in a draft whose process was killed before or after the outer one took it is removed at the
// next opening, and what the file says counts.
func TestWhatAKilledDraftInADraftLeavesIsRemoved(t *testing.T) {
	c, k, _ := keepingIn(t, map[string]string{"a": "a\n"})
	w := c.within(k)
	w.call("bash", map[string]any{"command": "echo inner >>a"})
	w.commit()
	folder := filepath.Join(c.b.records.DraftsDir(), k.State().ID)
	for _, left := range []string{"layer-untaken/upper-0/x", "upper-0/y", "work-9-9/z"} {
		if err := os.MkdirAll(filepath.Join(folder, left), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c, k = c.again(k)
	left, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(left) != 2 || filepath.Base(left[0]) != string(k.State().Layer) || filepath.Base(left[1]) != "slots" {
		t.Errorf("left over: %q", left)
	}
	if out := c.call("bash", map[string]any{"command": "cat a"}).Text(); !strings.Contains(out, "a\ninner") {
		t.Errorf("the draft has %q", out)
	}
	k.State().Layer = "../elsewhere"
	if err := k.Leave(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.b.OpenDraft(t.Context(), k.State().ID); err == nil || !strings.Contains(err.Error(), "is no layer") {
		t.Errorf("a layer elsewhere is opened: %v", err)
	}
	if _, err := c.b.DropDraft(t.Context(), k.State().ID); err != nil {
		t.Error(err)
	}
}
