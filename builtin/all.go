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
