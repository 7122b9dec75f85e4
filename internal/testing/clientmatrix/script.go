package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A task is one call that the model makes, and what has to come of it.
type task struct {
	tool string // the name that helve gives the tool
	args map[string]any
	sure bool   // it is called though the client does not show it: its model knows it by a search of the provider's
	text string // "": its arguments are args, else this, which is no object

	want string                       // what the result holds, as the model reads it
	disk func(workspace string) error // what has to be so on the disk afterwards; nil: nothing
}

// The workspace of every run: a file that the tasks find, read and change.
const (
	source = "package shop\n\n// Greet says hello.\nfunc Greet(name string) string {\n\treturn \"hello \" + name\n}\n"
	file   = "greet.go"
	made   = "made.txt"
)

// prompt begins the conversation. The model knows its own requests by it: clients ask for titles
// and summaries besides.
const prompt = "Follow the matrix script, please."

// five are the calls that every client has to pass on: two that look, two that write, one that
// knows the code.
func five(workspace string) []task {
	path := filepath.Join(workspace, file)
	return []task{
		{tool: "grep", args: map[string]any{"pattern": "func Greet"}, want: file + ":4:"},
		{tool: "read", args: map[string]any{"file_path": path}, want: "Greet says hello."},
		{
			tool: "edit",
			args: map[string]any{"file_path": path, "old_string": "hello \"", "new_string": "good day \""},
			want: "Successfully edited",
			disk: func(dir string) error { return holds(dir, file, "return \"good day \" + name") },
		},
		{
			tool: "bash",
			args: map[string]any{
				"command":     "printf written > " + made + " && echo did it",
				"description": "Writes a file",
			},
			want: "did it",
			disk: func(dir string) error { return holds(dir, made, "written") },
		},
		{tool: "find", args: map[string]any{"name": "Greet"}, want: file + "#Greet"},
	}
}

// denyRules are in the user's configuration for the second run, in which the two calls that write
// must do nothing.
const denyRules = `{"rules": [{"deny": "edit:**/` + file + `"}, {"deny": "bash:printf *"}]}`

// denied are the calls of the second run. The reading comes first: an edit of what nobody has read
// is refused for another reason.
func denied(workspace string) []task {
	all := five(workspace)
	read, edit, bash := all[1], all[2], all[3]
	edit.want, bash.want = "refused by policy", "refused by policy"
	edit.disk = func(dir string) error { return holds(dir, file, "return \"hello \" + name") }
	bash.disk = func(dir string) error {
		if _, err := os.Stat(filepath.Join(dir, made)); !os.IsNotExist(err) {
			return fmt.Errorf("%s is there", made)
		}
		return nil
	}
	return []task{read, edit, bash}
}

// holds is nil if a file of a folder has a text in it.
func holds(dir, name, text string) error {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	if !strings.Contains(string(b), text) {
		return fmt.Errorf("%s does not hold %s", name, text)
	}
	return nil
}

// came is nil if the result of a task holds what it should. Gemini's requests carry results inside
// JSON, where quotes and line ends have other letters: the words wanted have none.
func (t task) came(result string) error {
	if strings.Contains(result, t.want) {
		return nil
	}
	return fmt.Errorf("the model does not read %q but %s", t.want, short(result))
}

// short is a text in one line of a report.
func short(s string) string {
	const most = 300 // two or three lines of a terminal
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		s = s[:most] + " …"
	}
	return s
}

// arguments are those of the call, as the model writes them.
func (t task) arguments() string { return or(t.text, written(t.args)) }

func written(args map[string]any) string {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err) // of what this program made
	}
	return string(b)
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
