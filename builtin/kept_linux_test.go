package builtin

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"helve/engine/sandbox"
)

// keepingIn opens a draft that stays, of a folder with some files.
func keepingIn(t *testing.T, files map[string]string, roots ...string) (c draftCalls, k *KeptDraft, dir string) {
	t.Helper()
	b, dir := draftsIn(t, files, roots...)
	k, err := b.KeepDraft(t.Context())
	if errors.Is(err, sandbox.ErrNoLayer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Drop() })
	return draftCalls{t: t, d: k.Draft, b: b}, k, dir
}

// What a draft that stays puts into a folder which somebody removes meanwhile does not bring the folder back.
func TestAFolderThatIsRemovedWhileADraftStaysIsNotMadeAnew(t *testing.T) {
	for _, command := range []string{"echo n >sub/in/n", "chmod 700 sub/in; mkdir sub/in/own", "rm sub/in/s"} {
		c, k, dir := keepingIn(t, map[string]string{"sub/in/s": "s\n", "a": "a\n"})
		c.call("bash", map[string]any{"command": command + "; echo A >a"})
		if err := os.RemoveAll(filepath.Join(dir, "sub")); err != nil {
			t.Fatal(err)
		}
		_, k = c.again(k)
		out, err := k.Commit(t.Context(), nil)
		if err != nil || command != "rm sub/in/s" && (len(out.Conflicts) != 1 || out.Conflicts[0].Path != "sub") {
			t.Errorf("%s: %+v, %v", command, out, err)
		}
		if left, err := os.ReadDir(filepath.Join(dir, "sub")); err == nil {
			t.Errorf("%s: the folder is there again, with %v", command, left)
		}
	}
}
