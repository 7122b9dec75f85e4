package acp

import (
	"context"
	"maps"
	"slices"
	"strings"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/tool"
)

// A heldUndo is an undo that was made in the editor, of files that were not saved there. The history does not know it.
type heldUndo struct {
	calls []string           // their IDs in the history
	texts map[string]putting // by path
}

// past is what calls changed. Who gives a command means it.
func (s *session) past() workspace.Past {
	return s.host.Workspace().Past().Asking(func(_ context.Context, q *tool.Question) (tool.Answer, error) {
		by := tool.Approver{Kind: tool.ByPerson, Via: "acp", Client: s.e.capable().Info.Name}
		return tool.Answer{Yes: !q.Late, By: by}, nil
	})
}

// undo takes a call back: of this conversation, where none is named. What the editor holds unsaved is taken back there.
func (s *session) undo(ctx context.Context, id string) (string, error) {
	calls, err := s.callsOf(ctx, id)
	if err != nil {
		return "", err
	}
	if len(calls) == 0 {
		if id == "" {
			return "Nothing of this conversation is there to be taken back.", nil
		}
		return s.showPast(s.past().Undo(ctx, workspace.UndoOptions{Call: id})) // which says what is wrong with it
	}
	said, done, err := s.undoHeld(ctx, calls)
	if done || err != nil {
		return said, err
	}
	s.undone = nil // redo is of this one
	return s.showPast(s.past().Undo(ctx, workspace.UndoOptions{Call: undoneAs(calls[0])}))
}

// undoneAs is what undo takes of a call: calls that one call made are one undo.
func undoneAs(c workspace.PastCall) string {
	if c.Parent != "" {
		return c.Parent
	}
	return c.ID
}

// callsOf are the calls that an ID or its beginning means, or the newest of this conversation that are not undone; none
// where it means several.
func (s *session) callsOf(ctx context.Context, id string) ([]workspace.PastCall, error) {
	calls, _, err := s.past().Calls(ctx, 0)
	if err != nil {
		return nil, err
	}
	var out []workspace.PastCall
	for _, c := range calls {
		name := undoneAs(c)
		switch {
		case c.ID == id || c.Parent == id && id != "":
			return family(calls, name), nil
		case id == "" && (c.Session != s.id || c.Undone || len(c.Of) > 0 || s.taken[c.ID]):
			continue
		case !strings.HasPrefix(c.ID, id) && !strings.HasPrefix(c.Parent, id):
			continue
		}
		switch {
		case out == nil:
			out = family(calls, name)
		case id != "" && name != undoneAs(out[0]):
			return nil, nil
		}
	}
	return out, nil
}

// family are the calls that are one undo.
func family(calls []workspace.PastCall, name string) (out []workspace.PastCall) {
	for _, c := range calls {
		if undoneAs(c) == name {
			out = append(out, c)
		}
	}
	return out
}

// saveFirst refuses to take back what the editor holds unsaved.
func saveFirst(files []string) string {
	const first = "Nothing was taken back: save or revert what is unsaved in the editor first: "
	return first + command.OneLine(strings.Join(files, ", "))
}

// undoHeld takes calls back whose files the editor holds unsaved, as they left them; done is false where it holds none
// so. What somebody typed since is theirs: nothing is taken back then.
func (s *session) undoHeld(ctx context.Context, calls []workspace.PastCall) (said string, done bool, err error) {
	var theirs []string
	ours := map[string]putting{}
	dirty, times, err := s.unsavedOf(ctx, calls)
	if err != nil {
		return "", false, err
	}
	for path, text := range dirty {
		if put, ok := joined(s.puttings[path], times[path]); ok && put.after == text {
			ours[path] = put
		} else {
			theirs = append(theirs, path)
		}
	}
	paths := slices.Sorted(maps.Keys(ours))
	slices.Sort(theirs)
	switch {
	case len(theirs) > 0 || len(ours) > 0 && len(ours) < len(times):
		return saveFirst(append(theirs, paths...)), true, nil
	case len(ours) == 0:
		return "", false, nil
	}
	undo := heldUndo{texts: ours}
	for _, path := range paths {
		if err := s.put(ctx, path, ours[path].before); err != nil {
			return "", false, err
		}
		s.puttings[path] = s.puttings[path][:len(s.puttings[path])-times[path]]
	}
	if s.taken == nil {
		s.taken = map[string]bool{}
	}
	for _, c := range calls {
		s.taken[c.ID] = true
		undo.calls = append(undo.calls, c.ID)
	}
	s.undone = append(s.undone, undo)
	return "Taken back in the editor, where it was not saved: " + command.OneLine(strings.Join(paths, ", ")), true, nil
}

// joined are the last n texts that the editor was given of a file, as one; ok is false where somebody typed in between.
func joined(list []putting, n int) (one putting, ok bool) {
	if n == 0 || n > len(list) {
		return one, false
	}
	list = list[len(list)-n:]
	for i := range list[1:] {
		if list[i].after != list[i+1].before {
			return one, false
		}
	}
	return putting{list[0].before, list[n-1].after}, true
}

// unsavedOf are the texts that the editor holds unsaved of the files of calls, and how many of these calls changed each
// file, by path.
func (s *session) unsavedOf(
	ctx context.Context, calls []workspace.PastCall,
) (dirty map[string]string, times map[string]int, err error) {
	dirty, times = map[string]string{}, map[string]int{}
	for _, c := range calls {
		for _, f := range c.Files {
			for _, name := range []string{f.Path, f.From} {
				path := pathOf(s.host.Workspace().Dirs(), name)
				if path == "" {
					continue
				}
				times[path]++
				if times[path] > 1 {
					continue
				}
				text, changed, err := s.unsaved(ctx, path)
				if err != nil {
					return nil, nil, err
				}
				if changed {
					dirty[path] = text
				}
			}
		}
	}
	return dirty, times, nil
}

// redo takes the last undo back: where it was made, on the disk or in the editor.
func (s *session) redo(ctx context.Context, _ string) (string, error) {
	if n := len(s.undone); n > 0 {
		return s.redoHeld(ctx, s.undone[n-1])
	}
	calls, _, err := s.past().Calls(ctx, 0)
	if err != nil {
		return "", err
	}
	last := slices.IndexFunc(calls, func(c workspace.PastCall) bool { return c.Tool == "undo" && !c.Undone })
	if last >= 0 {
		dirty, _, err := s.unsavedOf(ctx, calls[last:last+1])
		if err != nil {
			return "", err
		}
		if len(dirty) > 0 {
			return saveFirst(slices.Sorted(maps.Keys(dirty))), nil
		}
	}
	return s.showPast(s.past().Redo(ctx, false))
}

// redoHeld takes an undo back that was made in the editor, as long as the files are there as it left them.
func (s *session) redoHeld(ctx context.Context, undo heldUndo) (string, error) {
	paths := slices.Sorted(maps.Keys(undo.texts))
	for _, path := range paths {
		text, _, err := s.Text(ctx, path)
		if err != nil {
			return "", err
		}
		if oneLineEnd(text) != oneLineEnd(undo.texts[path].before) {
			return "Nothing was redone: it was changed in the editor since: " + command.OneLine(path), nil
		}
	}
	for _, path := range paths {
		if err := s.put(ctx, path, undo.texts[path].after); err != nil {
			return "", err
		}
		s.puttings[path] = append(s.puttings[path], undo.texts[path])
	}
	for _, id := range undo.calls {
		delete(s.taken, id)
	}
	s.undone = s.undone[:len(s.undone)-1]
	return "Made again in the editor: " + command.OneLine(strings.Join(paths, ", ")), nil
}
