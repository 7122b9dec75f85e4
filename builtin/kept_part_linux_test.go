package builtin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"helve/tool"
)

// partWork is what the drafts of these tests do.
const partWork = `echo A >a; rm b; echo X >d/x; mv d/y d/z; mkdir n; echo 1 >n/1
	rm -r old; mkdir old; echo new >old/1; echo new >old/2`

var partFiles = map[string]string{"a": "a\n", "b": "b\n", "d/x": "x\n", "d/y": "y\n", "old/1": "1\n", "old/3": "3\n"}

// What is taken out of a draft is as on disk again, for its calls and for its commit, and the rest is made.
func TestAPartIsTakenOutOfADraft(t *testing.T) {
	all := map[string]string{
		"a": "A\n", "b": "-", "d/x": "X\n", "d/y": "-", "d/z": "y\n", "n/1": "1\n",
		"old/1": "new\n", "old/2": "new\n", "old/3": "-",
	}
	for name, c := range map[string]struct {
		paths []string
		says  string            // "": it is done
		left  map[string]string // what is otherwise than all
	}{
		"a file":                  {[]string{"a"}, "", map[string]string{"a": "a\n"}},
		"one that goes":           {[]string{"./b"}, "", map[string]string{"b": "b\n"}},
		"a folder":                {[]string{"d/"}, "", map[string]string{"d/x": "x\n", "d/y": "y\n", "d/z": "-"}},
		"a new folder":            {[]string{"n"}, "", map[string]string{"n/1": "-"}},
		"one in a new folder":     {[]string{"n/1"}, "", map[string]string{"n/1": "-"}},
		"a folder and one in it":  {[]string{"d/x", "d"}, "", map[string]string{"d/x": "x\n", "d/y": "y\n", "d/z": "-"}},
		"a folder for another":    {[]string{"old"}, "", map[string]string{"old/1": "1\n", "old/2": "-", "old/3": "3\n"}},
		"a new one in it":         {[]string{"old/2"}, "", map[string]string{"old/2": "-"}},
		"what it hides":           {[]string{"old/1"}, "old/1 lies in old, which is another folder than on disk", nil},
		"what it does not change": {[]string{"a", "none"}, "changes nothing there: none", nil},
		"above the workspace":     {[]string{"../a"}, "changes nothing there: ../a", nil},
	} {
		t.Run(name, func(t *testing.T) {
			calls, k, dir := keepingIn(t, partFiles)
			calls.call("bash", map[string]any{"command": partWork})
			calls, k = calls.again(k)
			out, err := k.TakeOut(c.paths)
			switch {
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Fatalf("%q, %v, want %s", out, err, c.says)
			case c.says == "" && (err != nil || len(out) == 0):
				t.Fatalf("%q, %v", out, err)
			}
			want := map[string]string{}
			for path, text := range all {
				want[path] = text
			}
			for path, text := range c.left {
				want[path] = text
			}
			for path, text := range want { // as its commands see it
				res := calls.call("bash", map[string]any{"command": "cat " + path + " 2>/dev/null || echo -"})
				if got := strings.TrimSpace(res.Text()); got != strings.TrimSpace(text) {
					t.Errorf("in the draft %s is %q, want %q", path, got, text)
				}
			}
			_, k = calls.again(k)
			made(t, k)
			wantFiles(t, dir, want)
		})
	}
}

// A part can be taken out by its absolute path, and it can be changed anew: by the state of the disk then.
func TestWhatWasTakenOutIsReliedUponAnew(t *testing.T) {
	c, k, dir := keepingIn(t, partFiles)
	c.call("bash", map[string]any{"command": partWork})
	if _, err := k.TakeOut([]string{filepath.Join(dir, "a")}); err != nil {
		t.Fatal(err)
	}
	later(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, k = c.again(k)
	c.call("edit", map[string]any{"file_path": "a", "old_string": "theirs", "new_string": "both"})
	_, k = c.again(k)
	made(t, k)
	wantFiles(t, dir, map[string]string{"a": "both\n", "d/x": "X\n"})
}

// What is in conflict is taken out, and the rest is made; a no makes nothing, and leaves what was not taken out.
func TestANoAfterAPartWasTakenOutMakesNothing(t *testing.T) {
	c, k, dir := keepingIn(t, partFiles)
	c.call("bash", map[string]any{"command": partWork})
	later(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, k = c.again(k)
	out, err := k.Commit(t.Context(), nil)
	if err != nil || len(out.Conflicts) != 1 || out.Conflicts[0].Path != "a" {
		t.Fatalf("%+v, %v", out, err)
	}
	if _, err := k.TakeOut([]string{"a"}); err != nil {
		t.Fatal(err)
	}
	no := func(_ context.Context, q tool.Late) (tool.Answer, error) {
		if text := q.Preview.String(); strings.Contains(text, "a/a") || !strings.Contains(text, "d/x") {
			t.Errorf("it asks about\n%s", text)
		}
		return tool.Answer{By: tool.Approver{Kind: tool.ByPerson}}, nil
	}
	if out, err := k.Commit(t.Context(), no); err != nil || out.Refused == nil {
		t.Fatalf("%+v, %v", out, err)
	}
	wantFiles(t, dir, map[string]string{"a": "theirs\n", "b": "b\n", "d/x": "x\n", "n/1": "-"})
	_, k = c.again(k)
	made(t, k)
	wantFiles(t, dir, map[string]string{"a": "theirs\n", "b": "-", "d/x": "X\n", "n/1": "1\n"})
	if _, err := k.TakeOut([]string{"d"}); !errors.Is(err, ErrDraftOver) {
		t.Errorf("of one that is over: %v", err)
	}
}
