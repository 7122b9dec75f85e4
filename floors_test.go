package helve_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// floors are the layers of docs/ARCHITECTURE.md, lowest first. A package imports its own floor's leaves and lower floors only; the
// shelves of floor 4 never know each other.
var floors = [][]string{
	0: {"internal/"},
	1: {"schema", "dialect", "tree", "search", "code", "shell", "sandbox"},
	2: {"tool"},
	3: {"internal/foreign"}, // what several shelves share
	4: {"policy", "wrap", "builtin", "codetool", "source/command", "source/mcp", "server", "agent", "tooltest"},
	5: {"internal/app"},
	6: {"cmd/"},
}

// places say where third-party code may be imported (directly or not); what is not named may be imported anywhere.
var places = map[string][]string{
	"github.com/modelcontextprotocol/go-sdk": {"server", "source/mcp", "internal/app", "cmd/"},
	"github.com/openai/openai-go":            {"agent/model/openai", "cmd/helve-agent"},
	"github.com/anthropics/anthropic-sdk-go": {"agent/model/anthropic", "cmd/helve-agent"},
	"google.golang.org/genai":                {"agent/model/gemini", "cmd/helve-agent"},
	"github.com/spf13/cobra":                 {"internal/app", "cmd/"},
	"github.com/schollz/progressbar":         {"internal/app", "cmd/"},
	"golang.org/x/tools/":                    {},
}

type pkg struct {
	ImportPath    string
	Imports, Deps []string
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
	switch {
	case to < at:
		return true
	case own == name, strings.HasPrefix(own, name+"/"), strings.HasPrefix(name, own+"/"): // a package and what is below it
		return true
	}
	return at == to && at <= 1 // leaves and engines may use one another; the compiler refuses circles
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
	own, ok := strings.CutPrefix(path, "helve/")
	if !ok {
		return 0, ""
	}
	for n := len(floors) - 1; n >= 0; n-- {
		if within(own, floors[n]) {
			return n, own
		}
	}
	return -1, own
}

func TestEveryPackageHasAFloor(t *testing.T) {
	for _, p := range packages(t) {
		if n, own := floor(p.ImportPath); own != "" && n < 0 && !strings.HasPrefix(own, "examples") {
			t.Errorf("%s stands on no floor", p.ImportPath)
		}
	}
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "./...")
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
		all = append(all, p)
	}
}
