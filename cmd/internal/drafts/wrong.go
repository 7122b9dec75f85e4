package drafts

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	shellquote "github.com/kballard/go-shellquote"

	"helve/builtin"
	"helve/cmd/internal/command"
	"helve/engine/sandbox"
	"helve/internal/workspace"
)

// wrong gives errors of a choice the next step.
func wrong(err error) error {
	if _, told := errors.AsType[*command.ExitError](err); told || err == nil {
		return err
	}
	return Wrong(err)
}

// Wrong is the error of a draft that cannot be had, with the next step.
func Wrong(err error) error {
	const lists = "\nhint: helve draft list lists the drafts"
	text := command.Printable(strings.TrimPrefix(err.Error(), sandbox.ErrNoLayer.Error()+": "))
	elsewhere, is := errors.AsType[*builtin.DraftElsewhereError](err)
	switch {
	case is:
		there := shellquote.Join(command.Printable(elsewhere.Dir))
		hint := "helve -C " + there + " draft diff, commit or drop " + elsewhere.ID
		if elsewhere.Gone {
			hint = "bring the folder back to that place, or make an empty one there; then " + hint
		}
		return command.Usage("draft: %s\nhint: %s", text, hint)
	case errors.Is(err, builtin.ErrDraftFolders):
		return command.Usage("draft: %s\n"+
			"hint: name the same further folders with --add-dir; helve draft drop needs none", text)
	case errors.Is(err, builtin.ErrDraftUnknown), errors.Is(err, builtin.ErrDraftAmbiguous):
		return command.Usage("draft: %s%s", text, lists)
	case errors.Is(err, builtin.ErrDraftHasNot):
		return command.Usage("draft: %s\nhint: helve draft diff shows what it changes", text)
	case errors.Is(err, builtin.ErrDraftOver):
		return command.Failed(fmt.Errorf("draft: %s%s", text, lists))
	case errors.Is(err, builtin.ErrDraftBusy):
		return command.Failed(fmt.Errorf("draft: %s\nhint: try again when its call has ended", text))
	case errors.Is(err, builtin.ErrDraftDamaged):
		return command.Failed(fmt.Errorf("draft: %s\n"+
			"hint: nothing of it was made, and it stays; helve draft drop loses it", text))
	case errors.Is(err, sandbox.ErrNoLayer):
		return command.Failed(fmt.Errorf("draft: this machine can hold no draft of this workspace: %s\n"+
			"hint: calls without --draft change the files at once, and helve undo takes them back", text))
	case errors.Is(err, syscall.ENOSPC):
		return command.Failed(fmt.Errorf("draft: %s\n"+
			"hint: make room and do it again, or helve draft drop, which needs none", text))
	}
	return command.Failed(fmt.Errorf("draft: %s", text))
}

// waits tells of the ID of what waits in helve review.
func waits(ws *workspace.Assembly, id string) bool {
	sets, _, _ := ws.Review().List(false)
	for _, set := range sets {
		if id != "" && strings.HasPrefix(set.ID, id) {
			return true
		}
	}
	return false
}
