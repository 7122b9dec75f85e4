package builtin

import "helve/tool"

// All are the built-in tools of a workspace. This list is what there is: nothing registers itself.
func All(w *Workspace) []tool.Tool {
	return []tool.Tool{
		Read(w),
		Write(w),
		Edit(w),
		MultiEdit(w),
		Ls(w),
		Glob(w),
		Grep(w),
		Bash(w),
		BashOutput(w),
		BashKill(w),
		Fetch(w),
		TodoRead(w),
		TodoWrite(w),
	}
}

// Past are history, diff, undo and redo for a model, which knows the calls of its own session. They are not among All:
// whoever has them offered says so.
func Past(w *Workspace) []tool.Tool {
	return w.pastTools(false)
}

// PastByPerson are the same for a person, who knows the calls of everybody.
func PastByPerson(w *Workspace) []tool.Tool {
	return w.pastTools(true)
}

func (w *Workspace) pastTools(person bool) []tool.Tool {
	return []tool.Tool{
		w.historyTool(person),
		w.diffTool(person),
		w.undoTool(person),
		w.redoTool(person),
	}
}
