package setup

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated document")

const recipes = "../../../docs/recipes.md"

const recipesHead = `# Recipes: helve in your client

` + "`helve init`" + ` finds the clients of your machine and asks about each. Here is each client alone: the command, the file that it changes, and what it writes there. Everything else in that file stays. ` +
	"`helve setup CLIENT --undo`" + ` brings it back as it was.

What each client does with the tools, and when it asks, stands in [clients.md](clients.md). A client that is started from a desktop gets helve's whole path, because its ` + "`PATH`" + ` may not be that of your shell. A client that ` +
	`starts its servers anywhere gets your project's folder, too. In the examples these are ` + "`/usr/local/bin/helve`" + ` and ` + "`/home/you/project`" + `.

These recipes are generated: ` + "`go test ./cmd/internal/setup -run Recipes -update`" + `. Below them: [helve in a pipeline](#recipes-helve-in-a-pipeline), and a whole task that survives being killed.
`

// byHand begins what of the page is not generated.
const byHand = "\n# Recipes: helve in a pipeline\n"

// The recipes say what helve setup writes, from the same table.
func TestTheRecipesAreFresh(t *testing.T) {
	var b strings.Builder
	b.WriteString(recipesHead)
	for _, c := range Clients() {
		fmt.Fprintf(&b, "\n## %s\n```sh\nhelve setup %s\n```\n", c.Title, c.Name)
		if _, ok := c.form.(yamlForm); ok {
			b.WriteString("helve does not write YAML: it shows the lines, and you put them in.\n")
		}
		linux := placeOn(c, "linux")
		fmt.Fprintf(&b, "It changes `%s`", linux)
		if mac := placeOn(c, "darwin"); mac != linux {
			fmt.Fprintf(&b, "; on macOS `%s`", mac)
		}
		if windows := placeOn(c, "windows"); windows != linux {
			fmt.Fprintf(&b, "; on Windows `%s`", windows)
		}
		line := c.LineFor("/usr/local/bin/helve", true, "/home/you/project")
		fmt.Fprintf(&b, ":\n```%s\n%s```\n", language(linux), c.Snippet(line))
		fmt.Fprintf(&b, "Then start %s in your project and ask: which tools do you have from helve?\n", c.Title)
	}
	got := b.String()
	want, err := os.ReadFile(recipes)
	if err != nil {
		t.Fatal(err)
	}
	generated, rest, found := strings.Cut(string(want), byHand)
	if !found {
		t.Fatalf("docs/recipes.md has no %q", byHand)
	}
	if *update {
		if err := os.WriteFile(recipes, []byte(got+byHand+rest), 0o644); err != nil {
			t.Fatal(err)
		}
		generated = got
	}
	if generated != got {
		t.Error("docs/recipes.md is stale: go test ./cmd/internal/setup -run Recipes -update")
	}
}

// placeOn is a client's file on a system, as people write it.
func placeOn(c Client, system string) string {
	h := Home{Dir: "/~", OS: system, Getenv: func(string) string { return "" }, Look: func(string) bool { return false }}
	file := filepath.ToSlash(c.File(h))
	if system == "windows" {
		file = strings.Replace(file, "/~/AppData/Roaming", "%APPDATA%", 1)
		return strings.ReplaceAll(strings.Replace(file, "/~", "%USERPROFILE%", 1), "/", `\`)
	}
	return strings.TrimPrefix(file, "/")
}

func language(file string) string {
	switch filepath.Ext(file) {
	case ".toml":
		return "toml"
	case ".yaml", ".yml":
		return "yaml"
	}
	return "json"
}
