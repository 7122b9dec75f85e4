package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"helve/engine/sandbox"
	"helve/tool"
)

// draftOf is the ID that a refusal names.
var draftOf = regexp.MustCompile(`draft: "([a-z2-7]{16})"`)

// asked is a call of a script in a conversation.
func asked(conversation string) *tool.Call {
	return &tool.Call{Name: "run_script", Parent: "family", Session: &tool.Session{ID: conversation}}
}

// inConflict leaves a draft that somebody's edit refuses, and returns its ID.
func inConflict(t *testing.T, c draftCalls, dir, path, theirs string) string {
	t.Helper()
	later(t, dir)
	if err := os.WriteFile(filepath.Join(dir, path), []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := c.d.Commit(t.Context(), asked("one"), "")
	if err != nil || out.Refused == nil {
		t.Fatalf("it became %+v: %v", out, err)
	}
	found := draftOf.FindStringSubmatch(out.Refused.Text())
	if found == nil || out.Kept != found[1] || !strings.Contains(out.Refused.Text(), "helve draft diff "+out.Kept) {
		t.Fatalf("the answer is %s, kept %q", out.Refused.Text(), out.Kept)
	}
	return out.Kept
}

// onward goes on with a draft as a script of the same conversation.
func (c draftCalls) onward(id string) (draftCalls, goneOn) {
	c.t.Helper()
	d, err := c.b.GoOnFor(c.t.Context(), asked("one"), id, false)
	if err != nil {
		c.t.Fatal(err)
	}
	gone := d.(goneOn)
	c.t.Cleanup(func() { gone.Stay() })
	c.d = gone.Draft
	return c, gone
}

// whole are all entries below a folder with their content, a line each.
func whole(t *testing.T, dir string) string {
	t.Helper()
	const line = `find . -mindepth 1 -printf '%p %y %m %l ' -a \( -type f -exec cat {} \; , -true \) -printf '\n' | sort`
	cmd := exec.Command("bash", "-ec", line)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err, string(out))
	}
	return string(out)
}

const nine = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

// A script goes on with what it drafted: deletions, renames, folders that go or take another one's place, links, closed
// files and names that are no UTF-8 are as it left them, and all of it is made in the end.
func TestAScriptGoesOnWithItsDraftInConflict(t *testing.T) {
	files := map[string]string{
		"a.txt": nine, "b.txt": "b\n", "z.txt": "z\n", "old/x": "x\n", "old/y/z": "z\n", "new/was": "was\n", "far.txt": nine,
	}
	const line = "rm z.txt; mv b.txt c.txt; rm -r old new; mkdir new; echo is >new/is; ln -s a.txt l; ln -s nowhere new/l; " +
		`printf shut >shut; chmod 000 shut; echo n >"$(printf 'n\377')"`
	c, dir := draftingIn(t, files)
	c.call("edit", map[string]any{"file_path": "a.txt", "old_string": "9", "new_string": "nine"})
	c.call("edit", map[string]any{"file_path": "far.txt", "old_string": "9", "new_string": "nine"})
	c.call("bash", map[string]any{"command": line})
	later(t, dir)
	far := strings.Replace(nine, "1", "ONE", 1)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "far.txt"), []byte(far), 0o644),
		os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("theirs\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	id := inConflict(t, c, dir, "a.txt", strings.Replace(nine, "9", "IX", 1))
	before := whole(t, dir)

	person, err := c.b.OpenDraft(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	v, err := person.View(t.Context())
	if err != nil || len(v.Conflicts) != 1 || v.Conflicts[0].Path != "a.txt" || !strings.Contains(v.Conflicts[0].Since, "+IX") {
		t.Errorf("a person sees %+v: %v", v, err)
	}
	if out, err := person.Commit(t.Context(), nil); err != nil || len(out.Conflicts) != 1 || len(out.Changes) > 0 {
		t.Errorf("a person commits %+v: %v", out, err)
	}
	if err := person.Leave(); err != nil {
		t.Fatal(err)
	}

	c, gone := c.onward(id[:10])
	if res := c.call("read", map[string]any{"file_path": "a.txt"}); !strings.Contains(res.Text(), "nine") {
		t.Errorf("it reads %s", res.Text())
	}
	if res := c.call("bash", map[string]any{"command": "cat c.txt new/is mine.txt far.txt; ls z.txt old new/was"}); !strings.Contains(res.Text(), "b\nis\ntheirs\nONE\n") ||
		strings.Count(res.Text(), "No such file") != 3 {
		t.Errorf("it sees %s", res.Text())
	}
	c.call("edit", map[string]any{"file_path": "a.txt", "old_string": "nine", "new_string": "IX nine"})
	if after := whole(t, dir); after != before {
		t.Errorf("on disk is %s, and was %s", after, before)
	}
	out, err := gone.Commit(t.Context(), asked("one"), "")
	if err != nil || out.Refused != nil {
		t.Fatalf("it became %+v: %v", out, err)
	}
	want := map[string]string{"a.txt": strings.Replace(nine, "9", "IX nine", 1), "b.txt": "b\n"}
	want["far.txt"] = strings.Replace(far, "9", "nine", 1)
	plain, expected := draftingIn(t, files)
	plain.d.Drop()
	for name, text := range want {
		if err := os.WriteFile(filepath.Join(expected, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sh := exec.Command("bash", "-ec", line+"; echo theirs >mine.txt")
	sh.Dir = expected
	if said, err := sh.CombinedOutput(); err != nil {
		t.Fatal(err, string(said))
	}
	if got, want := whole(t, dir), whole(t, expected); got != want {
		t.Errorf("on disk is\n%s\nwant\n%s", got, want)
	}
	if d, err := c.b.records.ReadDraft(id); err != nil || d.State != "committed" || d.Undo == "" {
		t.Errorf("it is %+v: %v", d, err)
	}
	_, err = c.b.GoOnFor(t.Context(), asked("one"), id, false)
	if err == nil || !strings.Contains(err.Error(), "was committed at") {
		t.Errorf("going on with what is committed: %v", err)
	}
}

// What a script does not write anew stays in conflict: going on alone overwrites nothing. What somebody changes while it
// goes on is kept, too: other lines are merged, the same ones are a conflict again.
func TestAConflictThatNobodyTouchesStands(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"a.txt": nine, "b.txt": "b\n"})
	c.call("edit", map[string]any{"file_path": "a.txt", "old_string": "9", "new_string": "nine"})
	c.call("bash", map[string]any{"command": "echo B >b.txt"})
	theirs := strings.Replace(nine, "9", "IX", 1)
	id := inConflict(t, c, dir, "a.txt", theirs)
	edit := func(from, to string) {
		later(t, dir)
		theirs = strings.Replace(theirs, from, to, 1)
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte(theirs), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(gone goneOn) {
		t.Helper()
		out, err := gone.Commit(t.Context(), asked("one"), "")
		if err != nil || out.Refused == nil || out.Kept != id || !strings.Contains(out.Refused.Text(), `draft: "`+id+`"`) {
			t.Fatalf("it became %+v: %v", out, err)
		}
		if left, err := gone.Stay(); left != id || err != nil {
			t.Fatalf("left %q: %v", left, err)
		}
		a, _ := os.ReadFile(filepath.Join(dir, "a.txt"))
		b, _ := os.ReadFile(filepath.Join(dir, "b.txt"))
		if string(a) != theirs || string(b) != "b\n" {
			t.Fatalf("on disk is %q and %q", a, b)
		}
	}
	on, gone := c.onward(id)
	on.call("bash", map[string]any{"command": "echo more >>b.txt"})
	refused(gone)

	on, gone = c.onward(id)
	on.call("edit", map[string]any{"file_path": "a.txt", "old_string": "nine", "new_string": "IX nine"})
	edit("IX", "ix")
	refused(gone)

	_, gone = c.onward(id)
	refused(gone)

	on, gone = c.onward(id)
	on.call("edit", map[string]any{"file_path": "a.txt", "old_string": "IX nine", "new_string": "ix nine"})
	edit("1", "ONE")
	out, err := gone.Commit(t.Context(), asked("one"), "")
	if err != nil || out.Refused != nil || !strings.Contains(strings.Join(out.Notes, "\n"), "merged: a.txt") {
		t.Fatalf("it became %+v: %v", out, err)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "a.txt"))
	b, _ := os.ReadFile(filepath.Join(dir, "b.txt"))
	if want := strings.Replace(theirs, "ix", "ix nine", 1); string(a) != want || string(b) != "B\nmore\n" {
		t.Errorf("on disk is %q and %q, want %q", a, b, want)
	}
}

// What somebody saves while the question stands is a conflict that can be gone on with as well.
func TestAnEditWhileTheQuestionStandsKeepsTheDraft(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"a.txt": nine})
	c.shown = true
	c.call("bash", map[string]any{"command": "sed -i s/9/nine/ a.txt"})
	call := asked("one")
	call.Ask = func(context.Context, tool.Late) (tool.Answer, error) {
		later(t, dir)
		return tool.Answer{Yes: true}, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("saved\n"), 0o644)
	}
	out, err := c.d.Commit(t.Context(), call, "")
	if err != nil || out.Refused == nil || out.Kept == "" {
		t.Fatalf("it became %+v: %v", out, err)
	}
	on, gone := c.onward(out.Kept)
	on.call("write", map[string]any{"file_path": "a.txt", "contents": "saved\nnine\n"})
	shown := 0
	call.Ask = func(context.Context, tool.Late) (tool.Answer, error) {
		shown++
		return tool.Answer{Note: "no"}, nil
	}
	done, err := gone.Commit(t.Context(), call, "") // what a person had to see then is shown now
	if err != nil || done.Refused == nil || done.Kept != "" || shown != 1 {
		t.Errorf("it became %+v: %v, shown %d times", done, err, shown)
	}
	if left, err := gone.Stay(); left != "" || err != nil {
		t.Errorf("after a no %q stays: %v", left, err)
	}
	if a, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(a) != "saved\n" {
		t.Errorf("on disk is %q", a)
	}
}

// A draft is gone on with by a script of the conversation that left it, within ten minutes, and by nobody else.
func TestADraftIsGoneOnWithByNobodyElse(t *testing.T) {
	fresh := func(t *testing.T) (c draftCalls, dir, id string) {
		c, dir = draftingIn(t, map[string]string{"a.txt": nine})
		c.call("edit", map[string]any{"file_path": "a.txt", "old_string": "9", "new_string": "nine"})
		return c, dir, inConflict(t, c, dir, "a.txt", strings.Replace(nine, "9", "IX", 1))
	}
	person := func(t *testing.T, b *Toolbox, id string) *KeptDraft {
		d, err := b.OpenDraft(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Leave() })
		return d
	}
	down := func(b *Toolbox, id string) string { return filepath.Join(b.records.DraftsDir(), id+".json") }
	for name, one := range map[string]struct {
		spoil func(t *testing.T, c draftCalls, id string) (word string)
		want  string
		code  tool.Code
	}{
		"nothing": {func(*testing.T, draftCalls, string) string { return "abcdefghabcdefgh" }, "there is no such draft", tool.Validation},
		"no ID":   {func(*testing.T, draftCalls, string) string { return "../../etc" }, "is no ID of one", tool.Validation},
		"dropped": {func(t *testing.T, c draftCalls, id string) string {
			if _, err := c.b.DropDraft(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			return id
		}, "was dropped at", tool.Validation},
		"busy": {func(t *testing.T, c draftCalls, id string) string {
			person(t, c.b, id)
			return id
		}, "another helve works in this draft", tool.Busy},
		"damaged": {func(t *testing.T, c draftCalls, id string) string {
			if err := os.WriteFile(down(c.b, id), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
			return id
		}, "cannot be read", tool.Validation},
		"a person's": {func(t *testing.T, c draftCalls, _ string) string {
			d, err := c.b.KeepDraft(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Leave(); err != nil {
				t.Fatal(err)
			}
			return d.State().ID[:12]
		}, "is a person's", tool.Permission},
		"a person worked in it": {func(t *testing.T, c draftCalls, id string) string {
			d := person(t, c.b, id)
			c.d = d.Draft
			c.call("write", map[string]any{"file_path": "mine.txt", "contents": "mine\n"})
			if err := d.Leave(); err != nil {
				t.Fatal(err)
			}
			return id
		}, "is a person's", tool.Permission},
		"old": {func(t *testing.T, c draftCalls, id string) string {
			d, err := c.b.records.ReadDraft(id)
			if err != nil {
				t.Fatal(err)
			}
			d.Script.Left = time.Now().Add(-11 * time.Minute)
			if err := c.b.records.WriteDraft(d); err != nil {
				t.Fatal(err)
			}
			return id
		}, "was left 11 minutes ago", tool.Permission},
		"committed": {func(t *testing.T, c draftCalls, id string) string {
			if err := os.WriteFile(c.b.at.Options.Dirs[0]+"/a.txt", []byte(strings.Replace(nine, "1", "IX", 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := person(t, c.b, id).Commit(t.Context(), nil)
			if err != nil || out.State != "committed" {
				t.Fatalf("a person's commit is %+v: %v", out, err)
			}
			return id
		}, "was committed at", tool.Validation},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, dir, id := fresh(t)
			word := one.spoil(t, c, id)
			_, err := c.b.GoOnFor(t.Context(), asked("one"), word, false)
			bad, is := errors.AsType[*tool.Error](err)
			if !is || bad.Code != one.code || !strings.Contains(bad.Text(), one.want) || bad.Hint == "" {
				t.Errorf("it says %v", err)
			}
			if a, _ := os.ReadFile(filepath.Join(dir, "a.txt")); !strings.Contains(string(a), "IX\n") {
				t.Errorf("on disk is %q", a)
			}
		})
	}
	t.Run("another conversation's", func(t *testing.T) {
		c, _, id := fresh(t)
		was, _ := os.ReadFile(down(c.b, id))
		_, err := c.b.GoOnFor(t.Context(), asked("two"), id, false)
		if err == nil || !strings.Contains(err.Error(), "another conversation") {
			t.Errorf("it says %v", err)
		}
		if is, _ := os.ReadFile(down(c.b, id)); string(is) != string(was) {
			t.Errorf("it is now %s", is)
		}
		d, err := c.b.GoOnFor(t.Context(), asked("two"), id, true)
		if err != nil {
			t.Fatal("a person goes on with any:", err)
		}
		d.Stay()
	})
	t.Run("one of many, by the beginning of an ID", func(t *testing.T) {
		c, _, id := fresh(t)
		call := asked("one")
		call.Session.Shared = true
		_, err := c.b.GoOnFor(t.Context(), call, id[:8], false)
		if err == nil || !strings.Contains(err.Error(), "want the whole ID") {
			t.Errorf("it says %v", err)
		}
		d, err := c.b.GoOnFor(t.Context(), call, id, false)
		if err != nil {
			t.Fatal(err)
		}
		d.Stay()
	})
	t.Run("another workspace's", func(t *testing.T) {
		c, dir, id := fresh(t)
		other, err := Open(Options{
			Dirs:    []string{t.TempDir()},
			State:   c.b.at.Options.State,
			Sandbox: Sandbox{Level: sandbox.WorkspaceWrite, Network: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		_, err = other.GoOnFor(t.Context(), asked("one"), id, false)
		if err == nil || !strings.Contains(err.Error(), "of another workspace") || strings.Contains(err.Error(), dir) {
			t.Errorf("it says %v", err)
		}
	})
	t.Run("two at once", func(t *testing.T) {
		t.Parallel()
		c, _, id := fresh(t)
		c.onward(id)
		_, err := c.b.GoOnFor(t.Context(), asked("one"), id, false)
		if err == nil || !strings.Contains(err.Error(), "another helve works in this draft") {
			t.Errorf("it says %v", err)
		}
	})
}

// What a draft relied upon is written down so that other processes read it.
func TestADraftInConflictIsWrittenDown(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"a.txt": nine})
	c.call("edit", map[string]any{"file_path": "a.txt", "old_string": "9", "new_string": "nine"})
	id := inConflict(t, c, dir, "a.txt", "other\n")
	text, err := os.ReadFile(filepath.Join(c.b.records.DraftsDir(), id+".json"))
	var d DraftState
	if err := errors.Join(err, json.Unmarshal(text, &d)); err != nil {
		t.Fatal(err)
	}
	if d.Script == nil || d.Script.By == "" || strings.Contains(string(text), `"one"`) || len(d.Places) == 0 {
		t.Errorf("it says %s", text)
	}
	if left, _ := filepath.Glob(filepath.Join(c.b.records.ChangesDir(), "*", "upper-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// Whatever is in conflict, a script that goes on takes what somebody made of it or insists on its own; untouched it
// stands.
func TestAConflictOfAnyKindIsSettledByTheNextScript(t *testing.T) {
	files := map[string]string{"f.txt": "f\n", "old/x": "x\n", "old/y": "y\n", "other.txt": "o\n"}
	const saved = "printf 'saved\\n' >f.txt"
	for name, one := range map[string]struct{ drafts, theirs, settles, want string }{
		"a deletion, taken back":         {"rm f.txt", saved, "printf 'saved\\n' >f.txt", "f.txt saved"},
		"a deletion, insisted on":        {"rm f.txt", saved, "touch f.txt; rm f.txt", ""},
		"a removed file, made anew":      {"echo mine >f.txt", "rm f.txt", "cp f.txt c; rm f.txt; mv c f.txt", "f.txt mine"},
		"a removed file, given up":       {"echo mine >f.txt", "rm f.txt", "rm f.txt", ""},
		"a rename, of what went":         {"mv f.txt g.txt", "mv f.txt h.txt", "rm g.txt", "h.txt f"},
		"a folder that goes, insisted":   {"rm -r old", "echo new >old/x", "mkdir old; rmdir old", "f.txt f"},
		"a folder that goes, taken back": {"rm -r old", "echo new >old/x", "mkdir old; echo new >old/x; echo y >old/y", "f.txt f old/x new old/y y"},
		"a link in a file's place":       {"ln -sf other.txt f.txt", saved, "ln -sf old/x f.txt", "f.txt x"},
	} {
		t.Run(name, func(t *testing.T) {
			c, dir := draftingIn(t, files)
			sh := func(line string) string {
				t.Helper()
				cmd := exec.Command("bash", "-ec", line)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatal(line, err, string(out))
				}
				return string(out)
			}
			c.call("bash", map[string]any{"command": one.drafts + "; echo O >other.txt"})
			later(t, dir)
			sh(one.theirs)
			out, err := c.d.Commit(t.Context(), asked("one"), "")
			if err != nil || out.Kept == "" {
				t.Fatalf("it became %+v: %v", out, err)
			}
			id, before := out.Kept, whole(t, dir)
			_, gone := c.onward(id)
			done, err := gone.Commit(t.Context(), asked("one"), "")
			if err != nil || done.Kept != id || whole(t, dir) != before {
				t.Fatalf("untouched it became %+v: %v, on disk %s", done, err, whole(t, dir))
			}
			if _, err := gone.Stay(); err != nil {
				t.Fatal(err)
			}
			on, gone := c.onward(id)
			if res := on.call("bash", map[string]any{"command": one.settles}); res.Err != nil {
				t.Fatal(res.Text())
			}
			if done, err = gone.Commit(t.Context(), asked("one"), ""); err != nil || done.Refused != nil {
				t.Fatalf("it became %+v: %v", done, err)
			}
			got := sh("for f in f.txt g.txt h.txt old/x old/y; do if test -e $f; then echo $f $(cat $f); fi; done; cat other.txt")
			got = strings.Join(strings.Fields(got), " ")
			if !strings.Contains(one.drafts, "old") {
				one.want = strings.TrimSpace(one.want + " old/x x old/y y")
			}
			if want := strings.TrimSpace(one.want + " O"); got != want {
				t.Errorf("on disk is %q, want %q", got, want)
			}
		})
	}
}

// What the calls of one reply drafted stays for a person, and no script goes on with it.
func TestAReplyInConflictStaysForAPerson(t *testing.T) {
	c, dir := draftingIn(t, map[string]string{"a.txt": nine})
	c.d.Named("turn", "the calls of this turn")
	c.call("edit", map[string]any{"file_path": "a.txt", "old_string": "9", "new_string": "nine"})
	later(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := c.d.Commit(t.Context(), asked("one"), "")
	if err != nil || out.Kept == "" || !strings.Contains(out.Refused.Text(), "stays for a person: helve draft diff, commit or drop "+out.Kept) ||
		strings.Contains(out.Refused.Text(), "run_script") {
		t.Fatalf("it became %+v: %v", out, err)
	}
	if _, err := c.b.GoOnFor(t.Context(), asked("one"), out.Kept, false); err == nil || !strings.Contains(err.Error(), "is a person's") {
		t.Errorf("a script goes on: %v", err)
	}
	if _, err := c.b.DropDraft(t.Context(), out.Kept); err != nil {
		t.Error(err)
	}
}
