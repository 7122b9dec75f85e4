package exact

import (
	"os/exec"
	"strings"
	"testing"
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
