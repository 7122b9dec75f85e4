package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// A hookFile is one file in which a client keeps what is asked before its tools run.
type hookFile struct {
	name string // of this file among those of the client
	file place
	form hookForm
	runs bool // the client runs the file itself
}

// A hookForm is how such a file has a line of helve's.
type hookForm interface {
	// set puts the lines into the text, in the place of those that are there.
	set(text []byte, l hookLine) ([]byte, error)
	// unset takes them out; nil: nothing is left.
	unset(text []byte) ([]byte, error)
}

// errForeignHook is about a file that holds one hook, which is not ours.
var errForeignHook = errors.New("a hook of somebody else's stands there, and the client takes one only: " +
	"move it away, or have it call the line of `--print`")

func (h *hookFile) mode() fs.FileMode {
	if h.runs {
		return 0o700
	}
	return 0o600
}

// A hookLine is what a client runs before and after its tools.
type hookLine struct {
	program string // helve's own path
	client  string // as helve init names it
	file    string // that has the line, for what is said when it fails
	system  string // linux, darwin, windows
}

// text is the line for an event: what cannot judge stops the call. The words name the file, so that nobody looks for
// what stops every call. It stays the same from version to version: some clients trust a line by its digest.
func (l hookLine) text(event string) string {
	words := quotedPath(l.program) + " hook " + l.client + " " + event
	if l.system == "windows" {
		return words
	}
	said := strings.NewReplacer(`"`, "", "`", "", "$", "", `\`, "").Replace(l.file)
	failed := "helve hook failed and stopped the call; " + said + " has the line that runs it"
	return words + ` || { echo "` + failed + `" >&2; exit 2; }`
}

// quotedPath is a path as one word of a shell.
func quotedPath(path string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("/._-+@%:", r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// isHookLine tells that a line is one of ours for a client, whatever path stands before it.
func isHookLine(line, client string) bool {
	before, _, found := strings.Cut(line, " hook "+client+" ")
	if !found {
		return false
	}
	name := strings.Trim(before[strings.LastIndexAny(before, `/\`)+1:], `'"`)
	return strings.TrimSuffix(name, ".exe") == Name
}

// hookFiles are the files of the clients whose hooks are known, by the client's name.
func hookFiles() map[string][]hookFile {
	edits := "Edit|MultiEdit|Write|NotebookEdit"
	claude := groupHooks{client: "claude-code", unit: 1, before: "PreToolUse", after: "PostToolUse", ends: edits}
	codex := groupHooks{client: "codex", unit: 1, before: "PreToolUse", after: "PostToolUse", ends: "apply_patch|Bash"}
	gemini := groupHooks{client: "gemini", unit: 1000, named: true, before: "BeforeTool", after: "AfterTool"}
	gemini.ends = "replace|write_file"
	qwen := groupHooks{client: "qwen", unit: 1000, named: true, before: "PreToolUse", after: "PostToolUse"}
	qwen.ends = "edit|write_file|notebook_edit"
	return map[string][]hookFile{
		"claude-code": {
			{name: "settings", file: movable("CLAUDE_CONFIG_DIR", inHome(".claude"), "settings.json"), form: claude},
			{name: "managed", file: managedClaude, form: claude},
		},
		"codex":  {{name: "hooks", file: movable("CODEX_HOME", inHome(".codex"), "hooks.json"), form: codex}},
		"gemini": {{name: "settings", file: inHome(".gemini", "settings.json"), form: gemini}},
		"qwen":   {{name: "settings", file: inHome(".qwen", "settings.json"), form: qwen}},
		"copilot": {
			{
				name: "hooks",
				file: movable("COPILOT_HOME", inHome(".copilot"), filepath.Join("hooks", "helve.json")),
				form: copilotHooks{},
			},
		},
		"opencode": {{name: "plugin", file: opencodePlugin, form: pluginHooks{}}},
		"cline": {
			{name: "before", file: inHome(".cline", "hooks", "PreToolUse"), form: scriptHooks{"PreToolUse"}, runs: true},
			{name: "after", file: inHome(".cline", "hooks", "PostToolUse"), form: scriptHooks{"PostToolUse"}, runs: true},
		},
	}
}

func opencodePlugin(h Home) string { return filepath.Join(h.xdg(), "opencode", "plugin", "helve.js") }

// managedClaude is the administrator's file of Claude Code: its hooks hold whatever the person's settings say.
func managedClaude(h Home) string {
	if h.OS == "darwin" {
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	}
	return "/etc/claude-code/managed-settings.json"
}

func (c Client) hookFile(name string) *hookFile {
	files := hookFiles()[c.Name]
	i := slices.IndexFunc(files, func(f hookFile) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &files[i]
}

// HasHooks tells whether the client's hooks are known.
func (c Client) HasHooks() bool { return len(hookFiles()[c.Name]) > 0 }

// HookFiles are the files in which the client keeps its hooks; those of the administrator if managed.
func (c Client) HookFiles(h Home, managed bool) []string {
	var out []string
	for _, f := range c.chosenHooks(managed) {
		out = append(out, f.file(h))
	}
	return out
}

// HooksAmongSettings tells that a client's hooks stand in a file with other settings.
func (c Client) HooksAmongSettings() bool {
	files := c.chosenHooks(false)
	return len(files) > 0 && files[0].name == "settings"
}

// Program is the client's name on the command line; "": it has none.
func (c Client) Program() string { return c.program }

func (c Client) chosenHooks(managed bool) []hookFile {
	return slices.DeleteFunc(hookFiles()[c.Name], func(f hookFile) bool { return managed != (f.name == "managed") })
}

// PlanHooks tells what a client's files would hold to have it ask helve; program is helve's own path. It writes
// nothing.
func PlanHooks(c Client, h Home, program string, managed bool) ([]Change, error) {
	files := c.chosenHooks(managed)
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: its hooks are not known, or the administrator has no file for them", c.Title)
	}
	var out []Change
	for i := range files {
		f := &files[i]
		ch := Change{Client: c, File: f.file(h), hooks: f}
		if err := ch.planHooks(hookLine{program, c.Name, ch.File, h.OS}); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", c.Title, ch.File, err)
		}
		out = append(out, ch)
	}
	return out, nil
}

func (ch *Change) planHooks(l hookLine) (err error) {
	if ch.Target, err = target(ch.File); err != nil {
		return err
	}
	ch.Before, err = read(ch.Target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		ch.Missing = true
	case err != nil:
		return err
	}
	if ch.After, err = ch.hooks.form.set(ch.Before, l); err != nil {
		return err
	}
	if ch.None() {
		return nil
	}
	return writable(ch.Target, ch.Missing)
}

// HookSnippet is what a person would put into the client's files by hand, by file.
func HookSnippet(c Client, h Home, program string) (string, error) {
	var b strings.Builder
	for _, f := range c.chosenHooks(false) {
		text, err := f.form.set(nil, hookLine{program, c.Name, f.file(h), h.OS})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s: %s\n%s", c.Title, f.file(h), text)
	}
	return b.String(), nil
}

// HookLine is what a client runs for an event, where PlanHooks has nothing to change.
func HookLine(c Client, h Home, program, event string) string {
	file := ""
	if files := c.HookFiles(h, false); len(files) > 0 {
		file = files[0]
	}
	return hookLine{program, c.Name, file, h.OS}.text(event)
}
