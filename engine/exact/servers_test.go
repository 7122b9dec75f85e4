package exact

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/sandbox"
)

// lanterns have two types with a method of one name, and callers whose receivers only a type checker knows.
var lanterns = map[string]string{
	"go.mod": "module example.com/lantern\n\ngo 1.24\n",
	"a.go":   "package lantern\n\ntype Lamp struct{}\n\nfunc (Lamp) Kindle() {}\n\ntype Fire struct{}\n\nfunc (Fire) Kindle() {}\n",
	"b.go": "package lantern\n\nfunc first[T any](list []T) T { return list[0] }\n\n" +
		"func One() { first([]Lamp{{}}).Kindle() }\n\nfunc Two() { first([]Fire{{}}).Kindle() }\n",
}

func TestGoplsSettlesWhatNamesLeaveOpen(t *testing.T) {
	if _, err := exec.LookPath("gopls"); err != nil {
		t.Skip("gopls is not installed: go install golang.org/x/tools/gopls@latest")
	}
	failed := func(program string, err error) { t.Errorf("%s: %v", program, err) }
	dir, _, x := workspace(t, Options{Notice: failed}, lanterns)
	eventually(t, x, "Lamp.Kindle", "b.go#One checked")
	eventually(t, x, "Fire.Kindle", "b.go#Two checked")

	// What changes is seen: in the file that is asked about, and in another.
	write(t, dir, "b.go", strings.Replace(lanterns["b.go"], "[]Fire{{}}", "[]Lamp{{}}", 1))
	eventually(t, x, "Lamp.Kindle", "b.go#One checked, b.go#Two checked")
	write(t, dir, "c.go", "package lantern\n\ntype Torch = Fire\n\nfunc Three() { first([]Torch{}).Kindle() }\n")
	eventually(t, x, "Fire.Kindle", "c.go#Three checked")
	write(t, dir, "c.go", "package lantern\n\ntype Torch = Lamp\n\nfunc Three() { first([]Torch{}).Kindle() }\n")
	eventually(t, x, "Lamp.Kindle", "b.go#One checked, b.go#Two checked, c.go#Three checked")
}

// TestAServerChangesNothing: it runs in the sandbox, and its caches are not in the workspace.
func TestAServerChangesNothing(t *testing.T) {
	if _, err := exec.LookPath("gopls"); err != nil {
		t.Skip("gopls is not installed: go install golang.org/x/tools/gopls@latest")
	}
	dir, c, x := workspace(t, Options{}, lanterns)
	eventually(t, x, "Lamp.Kindle", "b.go#One checked")
	c.Close()
	left, err := folder(dir).Files(t.Context())
	if err != nil || len(left.Files) != len(lanterns) {
		t.Errorf("files afterwards: %v, %v", left.Files, err)
	}
	if got := users(t, x, "Lamp.Kindle"); got != "b.go#One ambiguous(2), b.go#Two ambiguous(2)" && got != "b.go#One unique name, b.go#Two unique name" {
		t.Errorf("without a server: %s", got)
	}
}

// nodeServer are options with a PATH in which a script of a package of npm stands under the name of a server.
func nodeServer(t *testing.T, program, script string) Options {
	t.Helper()
	npm := os.Getenv("HELVE_NPM")
	if npm == "" {
		t.Skip("HELVE_NPM is not set: see scripts/npm-tools")
	}
	file := filepath.Join(npm, "code", "node_modules", filepath.FromSlash(script))
	if _, err := os.Stat(file); err != nil {
		t.Skipf("%v: see scripts/npm-tools", err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	bin := filepath.Join(t.TempDir(), "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	start := "#!/bin/sh\nexec " + node + " " + file + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, program), []byte(start), 0o755); err != nil {
		t.Fatal(err)
	}
	return Options{
		Environ: append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH")),
		Sandbox: sandbox.Options{Readable: []string{filepath.Join(npm, "code"), filepath.Dir(node)}},
		Notice:  func(program string, err error) { t.Errorf("%s: %v", program, err) },
	}
}

func TestTsserverSettlesWhatNamesLeaveOpen(t *testing.T) {
	dir, _, x := workspace(t, nodeServer(t, "tsserver", "typescript/lib/tsserver.js"), map[string]string{
		"lamp.ts": "export class Lamp { kindle() {} }\nexport class Fire { kindle() {} }\n",
		"use.ts": "import { Lamp, Fire } from \"./lamp\"\nconst pick = <T>(list: T[]) => list[0]\n" +
			"export function one() { pick([new Lamp()]).kindle() }\nexport function two() { pick([new Fire()]).kindle() }\n",
		"old.js": "const { Lamp } = require(\"./lamp\")\nfunction three() { [new Lamp()].map((l) => l.kindle()) }\n",
	})
	eventually(t, x, "Lamp.kindle", "old.js#three checked, use.ts#one checked")
	eventually(t, x, "Fire.kindle", "use.ts#two checked")
	write(t, dir, "use.ts", "import { Fire } from \"./lamp\"\nconst pick = <T>(list: T[]) => list[0]\n"+
		"export function one() { pick([new Fire()]).kindle() }\n")
	eventually(t, x, "Fire.kindle", "use.ts#one checked")
}

func TestPyrightSettlesWhatNamesLeaveOpen(t *testing.T) {
	dir, _, x := workspace(t, nodeServer(t, "pyright-langserver", "pyright/langserver.index.js"), map[string]string{
		"lamp.py": "class Lamp:\n    def kindle(self): pass\n\nclass Fire:\n    def kindle(self): pass\n",
		"use.py": "from lamp import Lamp, Fire\n\ndef one():\n    [x for x in [Lamp()]][0].kindle()\n\n" +
			"def two():\n    [x for x in [Fire()]][0].kindle()\n",
	})
	eventually(t, x, "Lamp.kindle", "use.py#one checked")
	eventually(t, x, "Fire.kindle", "use.py#two checked")
	write(t, dir, "use.py", "from lamp import Fire\n\ndef one():\n    [x for x in [Fire()]][0].kindle()\n")
	eventually(t, x, "Fire.kindle", "use.py#one checked")
}
