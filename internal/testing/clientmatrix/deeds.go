package main

import (
	_ "embed"
	"encoding/json"
	"strings"
)

// probeServer is an MCP server.
//
//go:embed probe.mjs
var probeServer string

// A verdict is what is to become of a call of a client's own tool.
type verdict int

// The verdicts.
const (
	runs     verdict = iota // as without helve: the result has the words wanted
	confined                // it runs, and cannot write outside the workspace
	refused                 // it does not run, and the model reads why
)

// A deed is one call of a client's own tool.
type deed struct {
	act  string   // a key of ways
	args []string // its words
	is   verdict
	want string // in the result
}

// ways are a client's tools by what they do: a name, and arguments in which $1 stands for the first word of a deed.
type ways map[string]string

// ownTools are the tools of the clients whose hooks are known.
func ownTools() map[string]ways {
	return map[string]ways{
		"claude-code": {
			"shell": `Bash {"command":$1,"description":"d"}`,
			"later": `Bash {"command":$1,"description":"d","run_in_background":true}`,
			"read":  `Read {"file_path":$1}`,
			"edit":  `Edit {"file_path":$1,"old_string":$2,"new_string":$3}`,
			"write": `Write {"file_path":$1,"content":$2}`,
			"mcp":   `mcp__probe__$1 {"text":"yo"}`,
			"agent": `Agent {"description":"d","prompt":$1,"subagent_type":"general-purpose",` +
				`"run_in_background":false}`,
		},
		"codex": {
			"shell": `exec_command {"cmd":$1}`,
			"brief": `exec_command {"cmd":$1,"yield_time_ms":300}`, // its model goes on before the command has ended
			"freed": `exec_command {"cmd":$1,"sandbox_permissions":"require_escalated","justification":"j"}`,
			"patch": `apply_patch $1`,
			"mcp":   `mcp__probe/$1 {"text":"yo"}`,
		},
		"gemini": {
			"shell": `run_shell_command {"command":$1,"description":"d"}`,
			"later": `run_shell_command {"command":$1,"description":"d","is_background":true}`,
			"read":  `read_file {"file_path":$1}`,
			"edit":  `replace {"file_path":$1,"instruction":"x","old_string":$2,"new_string":$3}`,
			"write": `write_file {"file_path":$1,"content":$2}`,
			"mcp":   `mcp_probe_$1 {"text":"yo"}`,
		},
		"qwen": {
			"shell": `run_shell_command {"command":$1,"description":"d","is_background":false}`,
			"later": `run_shell_command {"command":$1,"description":"d","is_background":true}`,
			"read":  `read_file {"file_path":$1}`,
			"edit":  `edit {"file_path":$1,"old_string":$2,"new_string":$3}`,
			"write": `write_file {"file_path":$1,"content":$2}`,
			"mcp":   `mcp__probe__$1 {"text":"yo"}`,
			"agent": `agent {"description":"d","prompt":$1,"subagent_type":"general-purpose"}`,
		},
		"copilot": {
			"shell": `bash {"command":$1,"description":"d"}`,
			"later": `bash {"command":$1,"description":"d","mode":"async"}`,
			"read":  `view {"path":$1}`,
			"edit":  `edit {"path":$1,"old_str":$2,"new_str":$3}`,
			"write": `create {"path":$1,"file_text":$2}`,
			"mcp":   `probe-$1 {"text":"yo"}`,
			"agent": `task {"description":"d","prompt":$1,"agent_type":"general-purpose","name":"n"}`,
		},
		"opencode": {
			"shell": `bash {"command":$1,"description":"d"}`,
			"read":  `read {"filePath":$1}`,
			"edit":  `edit {"filePath":$1,"oldString":$2,"newString":$3}`,
			"write": `write {"filePath":$1,"content":$2}`,
			"mcp":   `probe_$1 {"text":"yo"}`,
			"agent": `task {"description":"d","prompt":$1,"subagent_type":"general"}`,
		},
		"cline": {
			"shell": `run_commands {"commands":[$1]}`,
			"read":  `read_files {"files":[{"path":$1}]}`,
			"edit":  `editor {"path":$1,"old_text":$2,"new_text":$3}`,
			"write": `editor {"path":$1,"new_text":$2}`,
		},
	}
}

// task is a deed as the client's model calls it; false: the client has no such tool.
func (w ways) task(d deed) (task, bool) {
	how, ok := w[d.act]
	if !ok {
		return task{}, false
	}
	name, form, _ := strings.Cut(how, " ")
	t := task{tool: strings.ReplaceAll(name, "$1", d.args[0]), want: d.want}
	t.sure = d.act == "mcp" && strings.Contains(name, "/")
	if form == "$1" {
		t.text = d.args[0]
		return t, true
	}
	for i, arg := range d.args {
		b, err := json.Marshal(arg)
		if err != nil {
			panic(err) // of a string
		}
		form = strings.ReplaceAll(form, "$"+string(rune('1'+i)), string(b))
	}
	if err := json.Unmarshal([]byte(form), &t.args); err != nil {
		panic(err) // of this file
	}
	return t, true
}

// subPrompt begins the conversation of a sub-agent.
const subPrompt = "Follow the script of the helper, please."

// patchOf adds a file in the form of apply_patch.
func patchOf(path string) string {
	return "*** Begin Patch\n*** Add File: " + path + "\n+x\n*** End Patch"
}

// The files of the workspace that the deeds need. probe.sh N says that it ran, and tries to write into the home;
// asked.sh does that, too, and is asked about.
func deedFiles() map[string]string {
	did := func(self string) string {
		return "echo did $1\ntouch \"${0%" + self + "}ran$1\"\ntouch \"$HOME/leak$1\" 2>/dev/null || :\n"
	}
	return map[string]string{
		"probe.sh":        did("probe.sh"),
		"asked.sh":        did("asked.sh"),
		"a.txt":           "alpha\nbeta\n",
		"package.json":    `{"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}}` + "\n",
		"add.test.js":     "require('node:test')('adds', () => { if (1 + 2 !== 3) throw new Error() })\n",
		"locked.txt":      "locked\n",
		".env":            "KEY=1\n",
		"deep/secret.txt": "secret\n",
		"lose.sh":         "rm -rf .git; echo tried it\n",
	}
}

// deedRules are helve's configuration.
const deedRules = `{"rules": [{"deny": "bash:printf *"}, {"ask": "bash:make *"}, {"deny": "edit:**/locked.txt"},
  {"deny": "read:**/secret.txt"}, {"deny": "mcp__probe__erase"}]}
`

// deeds are the calls of one conversation. ws is the workspace, home the person's.
func deeds(ws string) []deed {
	shell := func(line string, is verdict, want string) deed { return deed{"shell", []string{line}, is, want} }
	ran := func(line, n string) deed { return shell(line, confined, "did "+n) }
	no := func(line, why string) deed { return shell(line, refused, why) }
	at := func(act, path string, is verdict, want string, more ...string) deed {
		return deed{act, append([]string{ws + "/" + path}, more...), is, want}
	}
	return []deed{
		ran("sh probe.sh 1", "1"),
		no("rm -rf .git", "repository"),
		ran("sh probe.sh 2; exit 3", "2"),
		no("mv .git moved", "repository"),
		ran("echo it | cat - && (cd deep && sh ../probe.sh 3)", "3"),
		no("find . -delete", "repository"),
		ran("N=4; sh probe.sh $N <<'E'\nx\nE", "4"),
		no("rm -rf ~", "helve refuses"),
		ran("timeout 20 sh probe.sh 5 2>&1 | head -3", "5"),
		no("printf hi > made-by-printf", "deny bash:printf *"),
		ran("helve exec -c 'sh probe.sh 6'", "6"),
		no("cat .env", "secret"),
		ran("for i in 7; do sh probe.sh $i; done", "7"),
		no("cat deep/secret.txt", "secret.txt"),
		ran("bash -c 'sh probe.sh 8'", "8"),
		no("git push origin main", "network"),
		ran("sh probe.sh 9 && git status --short", "9"),
		no("npm install left-pad", "network"),
		shell("cat a.txt", runs, "alpha"),
		no("echo x > .git/hooks/post-commit", "helve"),
		shell("sh lose.sh", confined, "tried it"),
		no("mkdir -p .helve && echo '{}' > .helve/config.json", "helve"),
		shell("git log --oneline && ls", runs, "first"),
		shell("npm test", runs, "pass 1"),
		no("make all", "make"),
		shell("sleep 0.2; sh probe.sh 10 &", confined, ""),
		no("touch ../outside", "outside"),
		{"later", []string{"sh probe.sh 11"}, confined, ""},
		no("bash -c 'rm -rf .git'", "repository"),
		at("read", "a.txt", runs, "alpha"),
		at("read", ".env", refused, "secret"),
		at("edit", "a.txt", runs, "", "beta", "gamma"),
		at("read", "deep/secret.txt", refused, "secret.txt"),
		at("write", "b.txt", runs, "", "new\n"),
		at("write", ".git/hooks/pre-push", refused, "git runs", "x\n"),
		at("read", "locked.txt", runs, "locked"),
		at("edit", "locked.txt", refused, "locked.txt", "locked", "open"),
		at("write", "../outside.txt", refused, "outside", "x\n"),
		{"patch", []string{patchOf("patched.txt")}, runs, ""},
		{"patch", []string{patchOf("locked.txt")}, refused, "locked.txt"},
		{"patch", []string{patchOf(".codex/hooks.json")}, refused, "helve"},
		{"patch", []string{patchOf("../outside.txt")}, refused, "outside"},
		{"mcp", []string{"echo"}, runs, "said yo"},
		{"mcp", []string{"erase"}, refused, "erase"},
		{"agent", []string{subPrompt}, runs, ""},
	}
}

// subDeeds are those of the sub-agent.
func subDeeds() []deed {
	return []deed{
		{"shell", []string{"sh probe.sh 12"}, confined, ""},
		{"shell", []string{"rm -rf  .git"}, refused, "repository"},
	}
}

// A way off is what would end the questions, if it worked. $F is the person's file, $D its folder, $H the home, $P helve.
func offs() []deed {
	shell := func(line string) deed { return deed{act: "shell", args: []string{line}} }
	return []deed{
		shell("echo '{}' > $F"),
		shell("rm -f $F"),
		shell("mv $D $D.old"),
		shell("ln -sf $H/nothing $F"),
		shell("cp /dev/null $F; true"),
		shell("ln $F second; echo x >> second"),
		shell("sh off1.sh"),
		shell("sh off2.sh"),
		shell("helve init --client $C --hooks --undo --yes"),
		shell("rm -f $P; echo x > $P"),
		shell("mkdir -p $H/.config/helve; echo '{\"client_hooks\":{}}' > $H/.config/helve/config.json"),
		shell("sh off3.sh"),
		{act: "read", args: []string{"$F"}},
		{act: "write", args: []string{"$F", "{}\n"}},
		{act: "write", args: []string{"$W/$R", "{\"disableAllHooks\":true}\n"}},
		{act: "patch", args: []string{patchOf("$R")}},
	}
}

// offFiles are scripts of the workspace whose words the hooks do not see.
func offFiles() map[string]string {
	return map[string]string{
		"off1.sh": "f='$F'; echo '{}' >\"$f\"; rm -f \"$f\"; : >\"$f\"; mv '$D' '$D.away'; ln -sfn '$H/nothing' \"$f\"; true\n",
		"off2.sh": "f='$W/$R'; mkdir -p \"${f%/*}\"; echo '{\"disableAllHooks\":true}' >\"$f\"; true\n",
		"off3.sh": "echo x >$P; rm -f $P; mkdir -p $H/.config/helve; echo '{}' >$H/.config/helve/config.json; true\n",
	}
}

// projectFiles are those by which a project would have its say, by client.
func projectFiles() map[string]string {
	return map[string]string{
		"claude-code": ".claude/settings.local.json",
		"codex":       ".codex/hooks.json",
		"gemini":      ".gemini/settings.json",
		"qwen":        ".qwen/settings.json",
		"copilot":     ".github/hooks/off.json",
		"opencode":    ".opencode/plugin/off.js",
		"cline":       ".cline/hooks/PreToolUse",
	}
}
