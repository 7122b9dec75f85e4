package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"helve/engine/sandbox"
)

// A guardedClient is what has a client ask, and an event of it in which another call is put.
type guardedClient struct {
	name                string // with its version: the folder of recorded events
	shell, edit         string // recorded events
	file                string // that the edit is of
	person, project     string // its files, in the home and in the workspace
	variable, variable2 string // what moves its home, and its file there
}

var guardedClients = []guardedClient{
	{"claude-code-2.1.330", "01-PreToolUse-Bash", "07-PreToolUse-Write", "@/b.txt",
		".claude/settings.json", ".claude/settings.local.json", "CLAUDE_CONFIG_DIR", "settings.json"},
	{"codex-0.169.0", "01-PreToolUse-Bash", "03-PreToolUse-apply_patch", "a.txt",
		".codex/hooks.json", ".codex/config.toml", "CODEX_HOME", "hooks.json"},
	{"gemini-0.61.0", "01-BeforeTool-run_shell_command", "07-BeforeTool-write_file", "@/b.txt",
		".gemini/settings.json", ".gemini/settings.json", "GEMINI_CLI_HOME", ".gemini/settings.json"},
	{"qwen-0.24.4", "01-PreToolUse-run_shell_command", "07-PreToolUse-write_file", "@/b.txt",
		".qwen/settings.json", ".qwen/settings.json", "QWEN_HOME", "settings.json"},
	{"copilot-1.0.102", "01-preToolUse-bash", "07-preToolUse-create", "@/b.txt",
		".copilot/hooks/helve.json", ".github/hooks/own.json", "COPILOT_HOME", "hooks/helve.json"},
	{"opencode-1.18.33", "01-tool.execute.before-bash", "07-tool.execute.before-write", "@/b.txt",
		".config/opencode/plugin/helve.js", ".opencode/plugin/own.js", "OPENCODE_CONFIG_DIR", "plugin/helve.js"},
	{"cline-3.0.65", "01-PreToolUse-run_commands", "05-PreToolUse-editor", "@/a.txt",
		".cline/hooks/PreToolUse", ".cline/hooks/PreToolUse", "CLINE_HOOKS_DIR", "PreToolUse"},
}

// A way is one attempt to end a client's questions: an edit of a file, or a line for its shell. PERSON, PROJECT, FOLDER
// (of PROJECT), MOVED, HELVE and CLIENT are put in.
type way struct {
	name, edit, line string
}

var ways = []way{
	{"edits the person's file", "PERSON", ""},
	{"edits the project's file", "PROJECT", ""},
	{"edits it by a link", "link", ""},
	{"edits it by a second name", "second", ""},
	{"edits the file that the person's is a link to", "dot/linked", ""},
	{"edits the file of a home that was moved", "MOVED", ""},
	{"edits helve's configuration", "CONFIG", ""},
	{"edits helve itself", "HELVE", ""},
	{"writes it", "", "echo off > PROJECT"},
	{"writes by a link that it makes", "", "ln -s PERSON l && echo off > l"},
	{"writes by a second name that it makes", "", "ln PROJECT n && echo off > n"},
	{"puts a link there", "", "ln -sf /dev/null PROJECT"},
	{"removes it", "", "rm -f PERSON"},
	{"removes it by the words of another", "", "echo PERSON | xargs rm -f"},
	{"moves its folder", "", "mv FOLDER away"},
	{"moves the folder of the link's file", "", "mv dot away"},
	{"writes it by an interpreter", "", `python3 -c 'open("PROJECT", "w").write("off")'`},
	{"writes the moved one by an interpreter", "", `python3 -c 'open("MOVED", "w").write("off")'`},
	{"moves the moved home", "", "mv conf away"},
	{"empties the moved home", "", "find conf -type f -delete"},
	{"changes its mode", "", "chmod 000 PERSON"},
	{"removes helve", "", "rm -f HELVE"},
	{"removes what helve knows", "", "rm -rf ~/state/helve"},
	{"sets helve", "", `helve config set -g client_hooks '{"broken":"allow"}'`},
	{"takes the hooks out", "", "helve init --client CLIENT --hooks --undo"},
}

func TestNothingThatAClientRunsEndsItsQuestions(t *testing.T) {
	if _, err := sandbox.Reach(t.Context(), sandbox.Options{Level: sandbox.WorkspaceWrite}); err != nil {
		t.Skip("commands are confined nowhere here: ", err)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no interpreter to try: ", err)
	}
	for i, c := range guardedClients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for j, way := range ways {
				if (i+j)%*share == 0 { // each way at some clients
					tryWay(t, c, way)
				}
			}
		})
	}
}

// tryWay asks about one way, runs what the client would run, and looks at what stands afterwards.
func tryWay(t *testing.T, c guardedClient, way way) {
	w := newHookWorld(t)
	moved := filepath.Join(w.work, "conf", c.variable2)
	w.env = append(w.env, c.variable+"="+filepath.Join(w.work, "conf"))
	person, project := filepath.Join(w.home, c.person), filepath.Join(w.work, c.project)
	config := filepath.Join(w.home, ".config/helve/config.json")
	linked := filepath.Join(w.work, "dot/linked")
	kept := map[string]string{person: "person", project: "project", moved: "moved", config: "", linked: "person"}
	for path, text := range kept {
		kept[path] = `{"is":"` + text + `"}`
		switch {
		case path == config:
			kept[path] = "{}"
		case filepath.Ext(path) == ".toml":
			kept[path] = `is = "` + text + `"`
		}
		w.write(path, kept[path])
	}
	w.must(os.Remove(person))
	w.must(os.Symlink(linked, person))
	w.must(os.Symlink(person, filepath.Join(w.work, "link")))
	w.must(os.Link(project, filepath.Join(w.work, "second")))
	name := c.name[:strings.LastIndex(c.name, "-")]
	put := strings.NewReplacer("PERSON", person, "PROJECT", c.project, "FOLDER", filepath.Dir(c.project), "MOVED", moved,
		"HELVE", w.bin, "CONFIG", config, "CLIENT", name).Replace
	event, old, text := c.shell, "echo hi; touch made1", put(way.line)
	if way.edit != "" {
		event, old, text = c.edit, strings.Replace(c.file, "@", w.work, 1), put(way.edit)
		if !filepath.IsAbs(text) && name != "codex" {
			text = filepath.Join(w.work, text)
		}
	}
	_, when, raw := w.event(filepath.Join("testdata/hooks", c.name, event+".json"))
	answer, err := w.hook(name, when, inEvent(raw, old, text))
	ran := ""
	switch line := rewrittenIn(answer); {
	case err != nil:
		t.Errorf("%s: %v", way.name, err)
	case line != "":
		ran = w.shell(line)
	case !strings.Contains(answer, "helve refuses this"):
		t.Errorf("%s: answered with %q, and would run", way.name, answer)
	}
	for path, want := range kept {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %s has %q (%v), want %q\nthe answer was %s\nit printed %s", way.name, path, got, err, want, answer, ran)
		}
	}
	if _, err := os.Stat(w.bin); err != nil {
		t.Errorf("%s: %v\nthe answer was %s", way.name, err, answer)
	}
}

// must ends the test where the world cannot be made so.
func (w *hookWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}
