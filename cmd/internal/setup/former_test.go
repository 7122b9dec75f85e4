package setup

import (
	"os"
	"path/filepath"
	"testing"
)

// The former name is changed where it is a command, in every form of file, and nowhere else.
func TestTheFormerNameIsChangedWhereItIsACommand(t *testing.T) {
	for in, want := range map[string]string{
		`{"mcpServers": {"h": {"command": "helve-full", "args": ["serve"]}}}`:        `{"mcpServers": {"h": {"command": "helve", "args": ["serve"]}}}`,
		`"command": ["/opt/helve-full", "serve"]`:                                    `"command": ["/opt/helve", "serve"]`,
		`"command": "C:\\bin\\helve-full.exe"`:                                       `"command": "C:\\bin\\helve.exe"`,
		"command = \"helve-full\"\nargs = [\"serve\"]\n":                             "command = \"helve\"\nargs = [\"serve\"]\n",
		"ExecStart=/usr/local/bin/helve-full worker --pool a\r\n":                    "ExecStart=/usr/local/bin/helve worker --pool a\r\n",
		"ExecStart=helve-full":                                                       "ExecStart=helve",
		"command: [helve-full, worker]\n":                                            "command: [helve, worker]\n",
		"command:\n  - helve-full\n  - worker":                                       "command:\n  - helve\n  - worker",
		`args: ["-c", "helve-full worker; helve-full nodes"]`:                        `args: ["-c", "helve worker; helve nodes"]`,
		`{"helve-full": {"command": "helve-full"}}`:                                  `{"helve-full": {"command": "helve"}}`,
		"[mcp_servers.helve-full]\ncommand = 'helve-full'":                           "[mcp_servers.helve-full]\ncommand = 'helve'",
		"image: helve-full:1\nimage: helve-full\nimage: \"a.test/b/helve-full\"\n":   "image: helve-full:1\nimage: helve-full\nimage: \"a.test/b/helve-full\"\n",
		"- name: helve-full\n  labels: { app: helve-full }":                          "- name: helve-full\n  labels: { app: helve-full }",
		"my-helve-full helve-fuller helve-full-2 /x/helve-full/y helve-full.service": "my-helve-full helve-fuller helve-full-2 /x/helve-full/y helve-full.service",
		"helve\n": "helve\n",
		"":        "",
	} {
		if got := string(Renamed([]byte(in))); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", in, got, want)
		}
	}
}

// Files are looked for in a home and a workspace; a link out of the workspace is not followed, and a pipe is not waited for.
func TestFilesThatStartTheFormerProgramAreFound(t *testing.T) {
	h, dir := home(t, "linux"), t.TempDir()
	const starts = "ExecStart=/usr/bin/helve-full worker\n"
	client, _ := Find("gemini")
	found := map[string]bool{}
	for file, want := range map[string]bool{
		client.File(h): true,
		filepath.Join(h.Dir, ".config", "systemd", "user", "helve-worker.service"):          true,
		filepath.Join(h.Dir, ".config", "systemd", "user", "helve.service.d", "local.conf"): true,
		filepath.Join(dir, ".mcp.json"):                        true,
		filepath.Join(dir, ".cursor", "mcp.json"):              true,
		filepath.Join(dir, "deploy", "k8s", "worker.yaml"):     true,
		filepath.Join(dir, "node_modules", "a", "worker.yaml"): false,
		filepath.Join(dir, "deploy", "notes.txt"):              false,
	} {
		put(t, file, starts)
		found[file] = want
	}
	outside := filepath.Join(t.TempDir(), "mcp.json")
	put(t, outside, starts)
	for _, link := range []string{filepath.Join(dir, ".vscode", "mcp.json"), filepath.Join(dir, "link.yaml")} {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, link); err != nil {
			t.Skip(err)
		}
	}
	changes, errs := Former(h, dir)
	for _, err := range errs {
		t.Error(err)
	}
	for _, ch := range changes {
		if !found[ch.File] || string(ch.After) != "ExecStart=/usr/bin/helve worker\n" {
			t.Errorf("%s: found, and would have %q", ch.File, ch.After)
		}
		if lines := ch.Lines(); len(lines) != 1 || lines[0] != 1 {
			t.Errorf("%s: lines %v, want the first", ch.File, lines)
		}
		delete(found, ch.File)
	}
	for file, want := range found {
		if want {
			t.Errorf("%s is not found", file)
		}
	}
}
