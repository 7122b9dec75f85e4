package exact

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"helve/engine/code"
	"helve/engine/code/refactor"
)

// refactored repeats a refactoring until a server is warm: until then it is refused.
func refactored(t *testing.T, x *code.Index, plan func(context.Context, *code.Snapshot) (*refactor.Changes, error)) *refactor.Changes {
	t.Helper()
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); {
		s, e := x.Snapshot(t.Context())
		if e != nil {
			t.Fatal(e)
		}
		var c *refactor.Changes
		if c, err = plan(t.Context(), s); err == nil {
			return c
		}
	}
	t.Fatal(err)
	return nil
}

// wantAfter compares a file as a plan leaves it, and looks for a note.
func wantAfter(t *testing.T, c *refactor.Changes, path, want, note string) {
	t.Helper()
	got := ""
	for i := range c.Files {
		if c.Files[i].Path == path {
			got = string(c.Files[i].After())
		}
	}
	if got != want {
		t.Errorf("%s afterwards:\n%s\nwant\n%s", path, got, want)
	}
	if notes := strings.Join(c.Notes, "\n"); !strings.Contains(notes, note) {
		t.Errorf("notes %q, want %q", notes, note)
	}
}

func TestGoplsSettlesARename(t *testing.T) {
	if _, err := exec.LookPath("gopls"); err != nil {
		t.Skip("gopls is not installed: go install golang.org/x/tools/gopls@latest")
	}
	_, _, x := workspace(t, Options{}, lanterns)
	c := refactored(t, x, func(ctx context.Context, s *code.Snapshot) (*refactor.Changes, error) {
		return refactor.Rename(ctx, s, "Lamp.Kindle", "Glow")
	})
	wantAfter(t, c, "b.go", strings.Replace(lanterns["b.go"], "{{}}).Kindle", "{{}}).Glow", 1), "gopls settled 2 places that names do not explain: 1 mean it, 1 do not")
}

func TestTsserverSettlesARename(t *testing.T) {
	lamp := "export interface Lamp { size: number }\nexport interface Fire { size: number }\nexport type Light = Lamp | Fire\n"
	use := "import { Lamp, Fire, Light } from \"./lamp\"\n" +
		"export const lamp: Lamp = { size: 1 }\nexport const fire: Fire = { size: 2 }\n" +
		"export function one({ size }: Lamp) { return [fire].map((f) => f.size)[0] + size }\n"
	_, _, x := workspace(t, nodeServer(t, "tsserver", "typescript/lib/tsserver.js"), map[string]string{"lamp.ts": lamp, "use.ts": use})
	c := refactored(t, x, func(ctx context.Context, s *code.Snapshot) (*refactor.Changes, error) {
		return refactor.Rename(ctx, s, "Lamp.size", "width")
	})
	want := strings.NewReplacer("{ size: 1 }", "{ width: 1 }", "({ size }", "({ width: size }").Replace(use)
	wantAfter(t, c, "use.ts", want, "tsserver settled 4 places that names do not explain: 2 mean it, 2 do not")
	if len(c.Files) != 2 || strings.Contains(strings.Join(c.Notes, "\n"), "Fire") {
		t.Errorf("%d files, notes %q: want Fire left alone", len(c.Files), c.Notes)
	}
}

// What a value of two types has is the same for both.
func TestTsserverSaysWhatIsRenamedTogether(t *testing.T) {
	lamp := "export interface Lamp { size: number }\nexport interface Fire { size: number }\n" +
		"export function one(l: Lamp | Fire) { return l.size }\n"
	_, _, x := workspace(t, nodeServer(t, "tsserver", "typescript/lib/tsserver.js"), map[string]string{"lamp.ts": lamp})
	c := refactored(t, x, func(ctx context.Context, s *code.Snapshot) (*refactor.Changes, error) {
		return refactor.Rename(ctx, s, "Lamp.size", "width")
	})
	wantAfter(t, c, "lamp.ts", strings.ReplaceAll(lamp, "size", "width"), "several types: lamp.ts#Fire.size")
}

func TestPyrightSettlesADeletionAndOtherParameters(t *testing.T) {
	use := "from lamp import Lamp, Fire\n\ndef one():\n    [x for x in [Fire()]][0].kindle()\n"
	_, _, x := workspace(t, nodeServer(t, "pyright-langserver", "pyright/langserver.index.js"), map[string]string{
		"lamp.py": "class Lamp:\n    size = 1\n    def kindle(self): pass\n\nclass Fire:\n    def kindle(self): pass\n    def burn(self): pass\n",
		"use.py":  use + "\ndef two():\n    [x for x in [Fire()]][0].burn()\n",
	})
	c := refactored(t, x, func(ctx context.Context, s *code.Snapshot) (*refactor.Changes, error) {
		return refactor.SafeDelete(ctx, s, "Lamp.kindle")
	})
	wantAfter(t, c, "lamp.py", "class Lamp:\n    size = 1\n\nclass Fire:\n    def kindle(self): pass\n    def burn(self): pass\n",
		"pyright-langserver settled 1 places that names do not explain: 0 mean it, 1 do not")
	c = refactored(t, x, func(ctx context.Context, s *code.Snapshot) (*refactor.Changes, error) {
		return refactor.ChangeSignature(ctx, s, "Fire.burn", []refactor.Parameter{{Name: "long", Value: "2"}})
	})
	wantAfter(t, c, "use.py", use+"\ndef two():\n    [x for x in [Fire()]][0].burn(2)\n", "1 mean it, 0 do not")
}
