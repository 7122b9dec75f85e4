package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/internal/testing/wiretest"
)

func looksAt(id string) wiretest.Turn {
	return wiretest.Turn{Calls: []wiretest.Call{call(id, "read", `{"file_path":"a.txt"}`)}}
}

// Where only the editor's text is newer, it is what the agent reads and changes; the disk stays, and so does what the
// person typed. Undo takes the change back where it was made.
func TestAChangeGoesWhereTheNewestTextIs(t *testing.T) {
	d := newRunDesk(t, looksAt("r"), edits("e", "two", "2"), wiretest.Turn{Text: "Done."})
	path := filepath.Join(d.dir, "a.txt")
	editor := &scriptedEditor{buffers: map[string]string{path: "one\ntwo\ntyped\n"}}
	a := attach(t, d, editor)
	s := a.open()
	a.prompt(s.SessionId, "Make it a digit.")
	d.holds("a.txt", "one\ntwo\n")
	if got := editor.buffers[path]; got != "one\n2\ntyped\n" {
		t.Errorf("the editor holds %q", got)
	}
	if second := d.srv.Requests()[1]; !strings.Contains(second, "typed") || !strings.Contains(second, "unsaved changes of the editor") {
		t.Errorf("the model read %s", second)
	}
	if third := d.srv.Requests()[2]; !strings.Contains(third, "not saved yet") {
		t.Errorf("the model was not told where it is: %s", third)
	}
	a.prompt(s.SessionId, "/diff")
	if said := editor.said(); !strings.Contains(said, "-two\n+2\n typed\n") {
		t.Errorf("the history says %q", said)
	}
	a.prompt(s.SessionId, "/undo")
	if got := editor.buffers[path]; got != "one\ntwo\ntyped\n" {
		t.Errorf("after the undo the editor holds %q", got)
	}
	a.prompt(s.SessionId, "/undo")
	if said := editor.said(); !strings.HasSuffix(said, "Nothing of this conversation is there to be taken back.") {
		t.Errorf("said %q", said)
	}
	a.leave()
	d.holds("a.txt", "one\ntwo\n")
}

// What is typed before the last look at the editor's text is not written over: the read, what the edit plans, what it
// makes, and the look right before the text is given. The protocol has no change that depends on what was there.
func TestWhatIsTypedMeanwhileStays(t *testing.T) {
	meanwhile := false
	for look := 1; look <= 3; look++ {
		d := newRunDesk(t, looksAt("r"), edits("e", "two", "2"), wiretest.Turn{Text: "Done."})
		path := filepath.Join(d.dir, "a.txt")
		editor := &scriptedEditor{buffers: map[string]string{path: "one\ntwo\nmore\n"}, typesAfter: look}
		a := attach(t, d, editor)
		a.prompt(a.open().SessionId, "Make it a digit.")
		a.leave()
		editor.mu.Lock()
		got, looks := editor.buffers[path], editor.looks
		editor.mu.Unlock()
		if looks >= look && !strings.HasSuffix(got, "more\ntyped\n") {
			t.Errorf("typed after look %d of %d: the editor holds %q", look, looks, got)
		}
		meanwhile = meanwhile || strings.Contains(d.srv.Requests()[2], "changed there meanwhile")
		d.holds("a.txt", "one\ntwo\n")
	}
	if !meanwhile {
		t.Error("nothing was typed right before the change")
	}
}

// Redo makes again, in the editor, what undo took back there, unless somebody typed since; and it writes nothing to the
// disk of what the editor holds unsaved.
func TestRedoKeepsWhatTheEditorHolds(t *testing.T) {
	d := newRunDesk(t, looksAt("r"), edits("e", "two", "2"), wiretest.Turn{Text: "Done."},
		looksAt("s"), edits("f", "one", "1"), wiretest.Turn{Text: "Saved."})
	path := filepath.Join(d.dir, "a.txt")
	const typed = "one\ntwo\ntyped\n"
	editor := &scriptedEditor{buffers: map[string]string{path: typed}}
	a := attach(t, d, editor)
	s := a.open()
	a.prompt(s.SessionId, "Make it a digit.")
	holds := func(step, want string) {
		t.Helper()
		if got := editor.holds(path); got != want {
			t.Errorf("after %s the editor holds %q, want %q", step, got, want)
		}
	}
	a.prompt(s.SessionId, "/undo")
	holds("undo", typed)
	a.prompt(s.SessionId, "/redo")
	holds("redo", "one\n2\ntyped\n")
	a.prompt(s.SessionId, "/undo")
	holds("the second undo", typed)
	editor.hold(path, typed+"and more\n")
	a.prompt(s.SessionId, "/redo")
	holds("typing and redo", typed+"and more\n")
	d.holds("a.txt", "one\ntwo\n")

	editor.hold(path, "one\ntwo\n") // as on the disk
	a.prompt(s.SessionId, "Another one.")
	d.holds("a.txt", "1\ntwo\n")
	editor.hold(path, "1\ntwo\n")
	a.prompt(s.SessionId, "/undo")
	d.holds("a.txt", "one\ntwo\n")
	editor.hold(path, typed)
	a.prompt(s.SessionId, "/redo")
	d.holds("a.txt", "one\ntwo\n")
	if said := editor.said(); !strings.HasSuffix(said, "save or revert what is unsaved in the editor first: "+path) {
		t.Errorf("said %q", said)
	}
	editor.hold(path, "one\ntwo\n")
	a.prompt(s.SessionId, "/redo")
	d.holds("a.txt", "1\ntwo\n")
	a.leave()
}

// The beginning of an ID is enough, and saves what is unsaved as the whole does.
func TestUndoByTheBeginningOfAnIDKeepsWhatIsUnsaved(t *testing.T) {
	d := newRunDesk(t, looksAt("r"), edits("e", "two", "2"), wiretest.Turn{Text: "Done."})
	path := filepath.Join(d.dir, "a.txt")
	editor := &scriptedEditor{}
	a := attach(t, d, editor)
	s := a.open()
	a.prompt(s.SessionId, "Make it a digit.")
	d.holds("a.txt", "one\n2\n")
	out, _ := d.helve(0, "history", "--json")
	var calls []struct{ ID string }
	if err := json.Unmarshal([]byte(out), &calls); err != nil || len(calls) != 1 {
		t.Fatalf("%s: %v", out, err)
	}
	editor.hold(path, "typed\n")
	undo := "/undo " + calls[0].ID[:len(calls[0].ID)-1]
	a.prompt(s.SessionId, undo)
	d.holds("a.txt", "one\n2\n")
	editor.hold(path, "one\n2\n")
	a.prompt(s.SessionId, undo)
	d.holds("a.txt", "one\ntwo\n")
	a.leave()
}

// What somebody typed after a change is not undone with it.
func TestWhatIsTypedAfterAChangeStays(t *testing.T) {
	d := newRunDesk(t, looksAt("r"), edits("e", "two", "2"), wiretest.Turn{Text: "Done."})
	path := filepath.Join(d.dir, "a.txt")
	editor := &scriptedEditor{buffers: map[string]string{path: "one\ntwo\ntyped\n"}}
	a := attach(t, d, editor)
	s := a.open()
	a.prompt(s.SessionId, "Make it a digit.")
	editor.mu.Lock()
	editor.buffers[path] += "and more\n"
	editor.mu.Unlock()
	a.prompt(s.SessionId, "/undo")
	a.leave()
	if got := editor.buffers[path]; got != "one\n2\ntyped\nand more\n" || !strings.Contains(editor.said(), "save or revert") {
		t.Errorf("the editor holds %q, said %q", got, editor.said())
	}
}

// An editor may save what it is given: then undo brings back on the disk what the person had typed, unsaved.
func TestAnEditorMaySaveWhatItIsGiven(t *testing.T) {
	d := newRunDesk(t, looksAt("r"), edits("e", "two", "2"), wiretest.Turn{Text: "Done."})
	path := filepath.Join(d.dir, "a.txt")
	a := attach(t, d, &scriptedEditor{saves: true, buffers: map[string]string{path: "one\ntwo\ntyped\n"}})
	s := a.open()
	a.prompt(s.SessionId, "Make it a digit.")
	d.holds("a.txt", "one\n2\ntyped\n")
	a.prompt(s.SessionId, "/undo")
	a.leave()
	d.holds("a.txt", "one\ntwo\ntyped\n")
}

// What changed on the disk and in the editor since it was read is changed in neither, and the model is told both.
func TestWhatChangedInBothPlacesIsLeftAlone(t *testing.T) {
	d := newRunDesk(t, looksAt("r"), wiretest.Turn{Text: "Read."}, edits("e", "two", "2"), wiretest.Turn{Text: "Refused."})
	path := filepath.Join(d.dir, "a.txt")
	editor := &scriptedEditor{}
	a := attach(t, d, editor)
	s := a.open()
	a.prompt(s.SessionId, "Look.")
	d.write("a.txt", "one\ntwo\npulled\n")
	editor.mu.Lock()
	editor.buffers[path] = "one\ntwo\ntyped\n"
	editor.mu.Unlock()
	a.prompt(s.SessionId, "Change it.")
	a.leave()
	d.holds("a.txt", "one\ntwo\npulled\n")
	last := d.srv.Requests()[3]
	if got := editor.buffers[path]; got != "one\ntwo\ntyped\n" || len(editor.written) > 0 {
		t.Errorf("the editor holds %q", got)
	}
	if !strings.Contains(last, "changed on the disk and in the editor") || !strings.Contains(last, `-pulled\n+typed`) {
		t.Errorf("the model was told %s", last)
	}
}

// An editor that has line feeds where the file has CRLF holds the same text: it goes to the disk, with its line ends.
func TestLineEndsAreNoUnsavedChange(t *testing.T) {
	d := newRunDesk(t, looksAt("r"), edits("e", "two", "2"), wiretest.Turn{Text: "Done."})
	d.write("a.txt", "one\r\ntwo\r\n")
	path := filepath.Join(d.dir, "a.txt")
	editor := &scriptedEditor{buffers: map[string]string{path: "one\ntwo\n"}}
	a := attach(t, d, editor)
	a.prompt(a.open().SessionId, "Make it a digit.")
	a.leave()
	d.holds("a.txt", "one\r\n2\r\n")
	if len(editor.written) > 0 {
		t.Errorf("written into the editor: %q", editor.written)
	}
	// And unsaved text of such a file comes back as the editor has it.
	d = newRunDesk(t, looksAt("r"), edits("e", "two", "2"), wiretest.Turn{Text: "Done."})
	d.write("a.txt", "one\r\ntwo\r\n")
	path = filepath.Join(d.dir, "a.txt")
	editor = &scriptedEditor{saves: false, buffers: map[string]string{path: "one\ntwo\ntyped\n"}}
	a = attach(t, d, editor)
	a.prompt(a.open().SessionId, "Make it a digit.")
	a.leave()
	if got := editor.buffers[path]; got != "one\n2\ntyped\n" {
		t.Errorf("the editor holds %q", got)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "one\r\ntwo\r\n" {
		t.Errorf("the disk holds %q, %v", b, err)
	}
}
