package builtin

import (
	"helve/builtin/internal/bash"
	"helve/builtin/internal/fetch"
	"helve/builtin/internal/files"
	"helve/builtin/internal/todo"
	"helve/builtin/internal/undo"
	"helve/tool"
)

// All are the built-in tools of a workspace. This list is what there is: nothing registers itself.
func All(t *Toolbox) []tool.Tool { return append(Local(t), Fetch(t)) }

// Local are those of them that reach no network: a program with these alone links no pages and no way to get them.
func Local(t *Toolbox) []tool.Tool {
	return []tool.Tool{
		Read(t),
		Write(t),
		Edit(t),
		MultiEdit(t),
		Ls(t),
		Glob(t),
		Grep(t),
		Bash(t),
		BashOutput(t),
		BashKill(t),
		TodoRead(t),
		TodoWrite(t),
	}
}

// Past are history, diff, undo and redo for a model, which knows the calls of its own session. They are not among All:
// whoever has them offered says so.
func Past(t *Toolbox) []tool.Tool { return undo.Tools(t.records, false) }

// PastByPerson are the same for a person, who knows the calls of everybody.
func PastByPerson(t *Toolbox) []tool.Tool { return undo.Tools(t.records, true) }

// Read shows what is in a file: text in any encoding as numbered lines, pictures as such, PDF and notebooks as text.
func Read(t *Toolbox) tool.Tool { return files.Read(t.files) }

// Write makes a file with its directories, replaces one as a whole, or adds to its end.
func Write(t *Toolbox) tool.Tool { return files.Write(t.files) }

// Edit replaces one text in one file.
func Edit(t *Toolbox) tool.Tool { return files.Edit(t.files) }

// MultiEdit makes several replacements in one file.
func MultiEdit(t *Toolbox) tool.Tool { return files.MultiEdit(t.files) }

// Ls shows a directory as a tree.
func Ls(t *Toolbox) tool.Tool { return files.Ls(t.files) }

// Glob finds files by name.
func Glob(t *Toolbox) tool.Tool { return files.Glob(t.files) }

// Grep finds lines by content.
func Grep(t *Toolbox) tool.Tool { return files.Grep(t.files) }

// Bash runs a command line in a sandbox: bash's, or PowerShell's where there is no bash.
func Bash(t *Toolbox) tool.Tool { return bash.Tool(t.commands) }

// BashOutput brings what a background command printed since the last time.
func BashOutput(t *Toolbox) tool.Tool { return bash.Output(t.commands) }

// BashKill ends a background command with its whole tree.
func BashKill(t *Toolbox) tool.Tool { return bash.Kill(t.commands) }

// Fetch gets a web page as text.
func Fetch(t *Toolbox) tool.Tool { return FetchBy(t, t.summarizer) }

// FetchBy is Fetch with somebody who answers what is asked about a page; nil: the passages of the page that have the
// question's words do.
func FetchBy(t *Toolbox, s Summarizer) tool.Tool { return fetch.Tool(fetch.New(t.at, s, t.web)) }

// TodoRead shows the list of what is to be done.
func TodoRead(t *Toolbox) tool.Tool { return todo.Read(t.todos) }

// TodoWrite replaces the list.
func TodoWrite(t *Toolbox) tool.Tool { return todo.Write(t.todos) }
