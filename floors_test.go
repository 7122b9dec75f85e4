package helve_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// floors are the layers of docs/ARCHITECTURE.md, lowest first. A package imports lower floors only; what stands on one
// floor knows nothing of its neighbours, but for floors 0 and 1, whose packages may use one another.
var floors = [][]string{
	0: {"internal/"},
	1: {"engine/"},
	2: {"tool"},
	3: {"policy", "wrap", "script", "builtin", "codetool", "source", "source/internal", "source/command", "source/upstream", "server", "agent", "server/console", "tooltest"},
	4: {"internal/workspace"},
	5: {root},
	6: {"parts"},
	7: {"parts/everything"},
	8: {"cmd/internal/app"},
	9: {"cmd/", "scripts/"},
}

// root is the module's root package: what a Go program says.
const root = "helve"

// mostFolders bounds what `ls` shows at the root: a floor has a folder there, what one folder alone uses stands below it.
const mostFolders = 16

// places say where third-party code may be imported (directly or not); what is not named may be imported anywhere.
var places = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"server", "source/upstream", "parts/mcp", "parts/everything", "cmd/", "scripts/"},
	"github.com/openai/openai-go":            {}, // tests: what it sends is what we send
	"github.com/anthropics/anthropic-sdk-go": {},
	"google.golang.org/genai":                {},
	"google.golang.org/grpc":                 {},
	"github.com/nats-io/":                    {"server/nats", "source/nats", "cmd/helve"},
	"github.com/spf13/cobra":                 {"cmd/"},
	"go.opentelemetry.io/otel":               {"agent/model/", "tool/telemetry/otel", "cmd/internal/otlp", "cmd/helve"},
	"go.opentelemetry.io/otel/sdk":           {"cmd/internal/otlp", "cmd/helve"},
	"golang.org/x/tools/":                    {},
}

type pkg struct {
	ImportPath    string
	Imports, Deps []string
	Module        struct{ Path string }
}

// plain names the packages of this module as if its path were helve, whatever it is published as.
func (p *pkg) plain() {
	rename := func(path string) string {
		if rest, ok := strings.CutPrefix(path, p.Module.Path); ok && (rest == "" || rest[0] == '/') {
			return root + rest
		}
		return path
	}
	p.ImportPath = rename(p.ImportPath)
	for i := range p.Imports {
		p.Imports[i] = rename(p.Imports[i])
	}
	for i := range p.Deps {
		p.Deps[i] = rename(p.Deps[i])
	}
}

func TestEveryPackageImportsLowerFloorsOnly(t *testing.T) {
	for _, p := range packages(t) {
		at, own := floor(p.ImportPath)
		if own == "" {
			continue
		}
		for _, imp := range p.Imports {
			to, name := floor(imp)
			if name == "" || allowed(at, own, to, name) {
				continue
			}
			t.Errorf("%s (floor %d) imports %s (floor %d)", p.ImportPath, at, imp, to)
		}
	}
}

func allowed(at int, own string, to int, name string) bool {
	if home, _, ok := strings.Cut(name, "/internal/"); ok && within(own, []string{home}) {
		return true // the compiler keeps everybody else out
	}
	switch {
	case to < at:
		return true
	case own == name, within(own, []string{name}), within(name, []string{own}): // a package and what is below it
		return true
	}
	return at == to && at <= 1 // the compiler refuses circles
}

// The folders at the root are the floors as `ls` shows them: an import from one to another never goes up.
func TestTheFoldersAtTheRootSayTheFloors(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	folders := 0
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			folders++
		}
	}
	arrows, up := folderArrows(t)
	t.Logf("%d folders at the root, %d arrows between them, %d of them up", folders, len(arrows), len(up))
	if folders > mostFolders {
		t.Errorf("%d folders at the root, want at most %d", folders, mostFolders)
	}
	for _, a := range up {
		t.Errorf("%s imports %s, which stands above it", a[0], a[1])
	}
}

// folderArrows are the imports between folders at the root, each once, and those of them that go to a higher floor.
func folderArrows(t *testing.T) (arrows map[[2]string]bool, up [][2]string) {
	t.Helper()
	arrows = map[[2]string]bool{}
	for _, p := range packages(t) {
		from, own := floor(p.ImportPath)
		for _, imp := range p.Imports {
			to, name := floor(imp)
			a := [2]string{top(own), top(name)}
			if own == "" || name == "" || a[0] == a[1] || arrows[a] {
				continue
			}
			arrows[a] = true
			if to > from {
				up = append(up, a)
			}
		}
	}
	return arrows, up
}

func top(own string) string {
	first, _, _ := strings.Cut(own, "/")
	return first
}

func TestThirdPartyCodeStaysInItsPlace(t *testing.T) {
	for _, p := range packages(t) {
		_, own := floor(p.ImportPath)
		for _, dep := range p.Deps {
			for prefix, homes := range places {
				if own != "" && strings.HasPrefix(dep, prefix) && !within(own, homes) {
					t.Errorf("%s depends on %s", p.ImportPath, dep)
				}
			}
		}
	}
}

func within(own string, homes []string) bool {
	for _, h := range homes {
		if own == strings.TrimSuffix(h, "/") || strings.HasPrefix(own+"/", strings.TrimSuffix(h, "/")+"/") {
			return true
		}
	}
	return false
}

// floor is the number of a package's floor and its path in the module; "" for packages of others.
func floor(path string) (int, string) {
	own, ok := strings.CutPrefix(path, root+"/")
	switch {
	case path == root:
		own = root
	case !ok:
		return 0, ""
	}
	best, at := -1, -1
	for n, names := range floors {
		for _, name := range names {
			if len(name) > best && within(own, []string{name}) {
				best, at = len(name), n
			}
		}
	}
	return at, own
}

func TestEveryPackageHasAFloor(t *testing.T) {
	for _, p := range packages(t) {
		if n, own := floor(p.ImportPath); own != "" && n < 0 {
			t.Errorf("%s stands on no floor", p.ImportPath)
		}
	}
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps,Module", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		p.plain()
		all = append(all, p)
	}
}
