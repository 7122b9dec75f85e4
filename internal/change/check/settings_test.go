package check

import (
	"slices"
	"testing"
)

// The values of the keys that count are read of any form that settings have, with what is indented below them; a text
// that may mean something else than it seems to counts as a whole.
func TestValuesAreReadOfSettingsOfAnyForm(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"pnpm-workspace.yaml", "packages:\n  - 'p/*'\npnpmfile: ./a.cjs\n", []string{"pnpmfile ./a.cjs"}},
		{"pnpm-workspace.yaml", "{packages: [x], \"pnpmfile\": './a.cjs'}", []string{"pnpmfile ./a.cjs'}"}},
		{"pnpm-workspace.yaml", "# pnpmfile: x\ncatalog:\n  react: 1\n", nil},
		{"pnpm-workspace.yaml", "{packages: [\"x\n# y\"], pnpmfile: ./a.cjs}", []string{"pnpmfile ./a.cjs}"}},
		{"pnpm-workspace.yaml", "{\n// y: 1, pnpmfile: ./a.cjs}", []string{"pnpmfile ./a.cjs}"}},
		{".mcp.json", "{/*\n// */ \"command\": \"./a\"}", []string{"command ./a\"}"}},
		{"pnpm-workspace.yaml", "\"pnpm\\u0066ile\": x\n", []string{"\"pnpm\\u0066ile\": x\n"}},
		{"pnpm-workspace.yaml", "a: &x ./h\npnpmfile: *x\n", []string{"a: &x ./h\npnpmfile: *x\n"}},
		{"pnpm-workspace.yaml", "pnpmfile: \xff\n", []string{"pnpmfile: \xff\n"}},
		{"a/.npmrc", "script-shell = ./sh\nregistry=https://x\n", []string{"script-shell ./sh"}},
		{".yarnrc.yml", "plugins:\n  - path: .yarn/p.cjs\n    spec: x\nnodeLinker: node-modules\n", []string{"plugins \n  - path: .yarn/p.cjs\n    spec: x"}},
		{".yarnrc", "yarn-path \"./y.js\"\n", []string{"yarn-path ./y.js\""}},
		{".mcp.json", "{\"mcpServers\": {\"x\": {\"command\": \"node\", \"args\": [\n  \"./s.js\"\n]}}}", []string{
			"command node\", \"args\": [\n  \"./s.js\"", "args [\n  \"./s.js\""}},
		{".tool-versions", "node 20.1.0\npython {{exec(command='x')}}\n", []string{"exec (command='x')}}"}},
		{".tool-versions", "node path:evil\n", []string{"path evil"}},
		{".tool-versions", "node {{ exec (command='x') }}\n", []string{"exec (command='x') }}"}},
		{".cargo/config.toml", "[build]\nrustc-wrapper = \"./w\"\njobs = 4\n", []string{"rustc-wrapper ./w\""}},
	} {
		f, known := settingsAt(c.file)
		if !known {
			t.Errorf("%s is not known", c.file)
			continue
		}
		if got := f.values(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q: %q, want %q", c.file, c.text, f.values(c.text), c.want)
		}
	}
	for _, not := range []string{"x.npmrc", "config.toml", "vscode/settings.json", "package.json"} {
		if _, known := settingsAt(not); known {
			t.Errorf("%s is known", not)
		}
	}
}
