package tool_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Who embeds the waist gets no network, no protocol and no YAML reader with it.
func TestTheWaistBringsNoNetworkAndNoYAML(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}} {{or .Standard .Module.Main}}", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found := 0
	for line := range strings.Lines(string(out)) {
		path, ours, _ := strings.Cut(strings.TrimSpace(line), " ")
		found++
		switch {
		case path == "net" || strings.HasPrefix(path, "net/") || strings.Contains(path, "yaml") || strings.HasPrefix(path, "crypto/tls"):
			t.Errorf("package tool depends on %s", path)
		case ours != "true":
			t.Errorf("package tool depends on another module's %s", path)
		}
	}
	if found < 50 {
		t.Errorf("only %d packages are listed: %s", found, out)
	}
}
