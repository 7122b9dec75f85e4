package bash

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	shellquote "github.com/kballard/go-shellquote"

	"helve/builtin/internal/history"
	"helve/builtin/internal/record"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/internal/fsroot"
	"helve/tool"
)

// namedChanges is how many paths a result names to the model: it knows most of them, and can ask git.
const namedChanges = 10

// changes are what a command changed in the workspace, as people and models are told. Paths are relative to their root,
// sorted; a directory that came or went as a whole ends in a slash and stands for everything in it.
type changes struct {
	Changed []string // content, mode or target
	New     []string
	Deleted []string
	Git     []string   // git directories in which git's own files were changed
	Held    []heldBack // not made: another program would run or follow it
	Refused []heldBack // not made: somebody else changed it meanwhile

	answer  tool.Answer // to what was held back
	undo    record.UndoMeta
	lasting string // why it cannot be undone; "" if it can, or nobody would
}

// A heldBack change was not made.
type heldBack struct {
	Path string `json:"path"`
	Why  string `json:"why"`
	Kept string `json:"kept,omitempty"`   // where what was to stand there is kept, absolute
	ID   string `json:"review,omitempty"` // under which it waits for a person: helve review

	asked  bool  // somebody may say yes to it
	aside  bool  // it was made, found afterwards and put aside
	err    error // why the place of one that was put aside is not as before
	unkept error // why it does not wait for a person, who may say yes to it
}

// changesOf sorts what became of a set.
func (w *Commands) changesOf(r *change.Report, held []change.Refusal) *changes {
	c := &changes{}
	for i := range r.Made {
		c.add(w, &r.Made[i])
	}
	for _, list := range []*[]string{&c.Changed, &c.New, &c.Deleted, &c.Git} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	for _, h := range held {
		one := w.heldBack(h)
		one.asked = !w.neverAsked(check.Finding{Place: h.Place, Why: one.Why})
		c.Held = append(c.Held, one)
	}
	for _, h := range r.Refused {
		c.Refused = append(c.Refused, w.heldBack(h))
	}
	return c
}

// changesOfRecord is what people and models are told of changes that nothing held back; nil where there are none.
func changesOfRecord(r *record.Recording) *changes {
	if r == nil {
		return nil
	}
	files := r.Files()
	out := &changes{lasting: r.Note()}
	if files != nil {
		out.undo = r.MetaOf(files, record.MaxChanged)
	} else if out.lasting == "" {
		return nil
	}
	for _, f := range files {
		out.addFile(f)
	}
	return out
}

// add notes one change. The times of directories follow what is in them, and are nobody's news.
func (c *changes) add(w *Commands, m *change.Made) {
	isDir := m.Now.Type == change.Dir || m.Now.Type == change.None && m.Was.Type == change.Dir
	if m.Now.Type == change.Dir && m.Was.Type == change.Dir && m.Was.Mode == m.Now.Mode && !m.Whole {
		return
	}
	if git, in := gitDirOf(string(m.Path)); in {
		c.Git = append(c.Git, w.ShownPath(change.Place{Root: m.Root, Path: change.Name(git)}))
		return
	}
	name := w.ShownPath(m.Place)
	if isDir {
		name += "/"
	}
	switch {
	case m.Was.Type == change.None:
		c.New = append(c.New, name)
	case m.Now.Type == change.None:
		c.Deleted = append(c.Deleted, name)
	default:
		c.Changed = append(c.Changed, name)
	}
}

// addFile notes one change as the history tells it.
func (c *changes) addFile(f record.ChangedFile) {
	name := strings.TrimSuffix(f.Path, "/")
	switch {
	case fsroot.Fold(path.Base(name)) == ".git":
		c.Git = append(c.Git, name)
	case f.Change == string(history.Renamed):
		c.New = append(c.New, f.Path)
		c.Deleted = append(c.Deleted, f.From)
	case f.Change == string(history.Created):
		c.New = append(c.New, f.Path)
	case f.Change == string(history.Deleted):
		c.Deleted = append(c.Deleted, f.Path)
	default:
		c.Changed = append(c.Changed, f.Path)
	}
}

// gitDirOf is the git directory that a path is in or is.
func gitDirOf(at string) (string, bool) {
	dir := ""
	for name := range strings.SplitSeq(at, "/") {
		dir += name
		if fsroot.Fold(name) == ".git" {
			return dir, true
		}
		dir += "/"
	}
	return "", false
}

// heldBack is a refusal in words.
func (w *Commands) heldBack(r change.Refusal) heldBack {
	return heldBack{
		Path: w.ShownPath(r.Place),
		Why:  r.Why.Error(),
		Kept: r.Kept,
	}
}

// count is how many changes were made.
func (c *changes) count() int { return len(c.Changed) + len(c.New) + len(c.Deleted) }

// waits notes under which ID it waits for a person what was held back, or why it does not.
func (c *changes) waits(id string, unkept error, w *Commands, found []check.Finding) {
	waiting := make(map[string]bool, len(found))
	for _, f := range found {
		waiting[w.ShownPath(f.Place)] = true
	}
	for i := range c.Held {
		h := &c.Held[i]
		if waiting[h.Path] {
			h.ID, h.unkept = id, unkept
		}
	}
}

// line says in one line what was changed; "" if nothing was.
func (c *changes) line() string {
	if c == nil || c.count() == 0 && len(c.Git) == 0 {
		return ""
	}
	var counts []string
	count := func(n int, what string) {
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, what))
		}
	}
	count(len(c.Changed), "changed")
	count(len(c.New), "new")
	count(len(c.Deleted), "deleted")
	var names []string
	names = append(names, c.Changed...)
	for _, n := range c.New {
		names = append(names, "+"+n)
	}
	for _, n := range c.Deleted {
		names = append(names, "-"+n)
	}
	text := named(names)
	switch {
	case len(c.Git) == 0:
		return "[" + strings.Join(counts, ", ") + ": " + text + "]"
	case len(counts) == 0:
		return "[git's own files changed: " + named(c.Git) + "]"
	}
	return "[" + strings.Join(counts, ", ") + ": " + text + "; git's own files too: " + named(c.Git) + "]"
}

// named are the first of some names.
func named(names []string) string {
	text := strings.Join(names[:min(len(names), namedChanges)], ", ")
	if more := len(names) - namedChanges; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// notes are what the model reads of the changes that were not made, a line each.
func (c *changes) notes() []string {
	if c == nil {
		return nil
	}
	var out []string
	for i, h := range c.Held {
		if i == namedChanges {
			out = append(out, fmt.Sprintf("[%d more were held back]", len(c.Held)-i))
			break
		}
		out = append(out, "["+h.words()+". "+c.remedyFor(h)+"]")
	}
	for i, h := range c.Refused {
		if i == namedChanges {
			out = append(out, fmt.Sprintf("[%d more were not changed for the same reason]", len(c.Refused)-i))
			break
		}
		line := "[" + h.Path + " was not changed: " + h.Why
		if h.Kept != "" {
			line += "; what the command made of it is kept as " + h.Kept
		}
		out = append(out, line+"]")
	}
	if c.lasting != "" {
		out = append(out, "["+c.lasting+"]")
	}
	return out
}

// lines are line and notes.
func (c *changes) lines() []string {
	out := c.notes()
	if line := c.line(); line != "" {
		out = append([]string{line}, out...)
	}
	return out
}

// remedyFor is what a model can do about something that was held back.
func (c *changes) remedyFor(h heldBack) string {
	const other = "Do not try another way: ask the person"
	ask := other + " to make this change, or leave it out"
	switch {
	case h.ID != "":
		ask = other + ", for whom it waits (helve review show " + h.ID + "), or leave it out"
	case h.unkept != nil:
		ask += ". It does not wait for one: " + h.unkept.Error()
		if h.Kept != "" && !h.aside {
			ask += "; what the command made of it is kept as " + h.Kept
		}
	}
	switch {
	case !c.answer.Yes && !c.answer.Unasked && c.answer.Note != "":
		return "The person says: " + c.answer.Note
	case !c.answer.Yes && !c.answer.Unasked && h.asked:
		return "The person declined. Do not retry; ask what to do instead"
	case h.asked && c.answer.Note != "":
		return "It needs a person's approval: " + c.answer.Note + ". " + ask
	case h.asked:
		return "It needs a person's approval, and nobody was asked. " + ask
	}
	return ask
}

// meta adds to the metadata of a result what was changed and what was not. Where nothing is remembered, the lists say
// it, without lines.
func (c *changes) meta(to *bashMeta) {
	if c == nil {
		return
	}
	to.Held, to.Refused = c.Held, c.Refused
	to.UndoMeta = c.undo
	if len(to.Changes) > 0 {
		return
	}
	lists := map[history.FileChange][]string{
		history.Modified: slices.Concat(c.Changed, c.Git),
		history.Created:  c.New,
		history.Deleted:  c.Deleted,
	}
	for word, list := range lists {
		for _, name := range list {
			to.Changes = append(to.Changes, record.ChangedFile{Path: name, Change: string(word)})
		}
	}
	sort.SliceStable(to.Changes, func(i, j int) bool { return to.Changes[i].Path < to.Changes[j].Path })
	if more := len(to.Changes) - record.MaxChanged; more > 0 {
		to.Changes, to.More = to.Changes[:record.MaxChanged], more
	}
}

// neverAsked tells of what is held back whatever anybody says: what decides about an agent's rights is written by
// people alone, and no command is a person's hand.
func (w *Commands) neverAsked(f check.Finding) bool {
	if w.Asks != nil && w.Asks(w.TargetOf(f.Place)) != "" {
		return true
	}
	if f.Why == check.Loss { // nor is a repository taken away without a rule that says so
		return true
	}
	for name := range strings.SplitSeq(fsroot.Fold(string(f.Path)), "/") {
		switch name {
		case ".helve", ".mcp.json", ".mcp-codebase-index.toml":
			return true
		}
	}
	return false
}

// words tell what became of a change that was not made, or not left.
func (h heldBack) words() string {
	if !h.aside {
		return h.Path + " was held back and is as before: " + h.Why
	}
	var b strings.Builder
	b.WriteString(h.Path + " was put aside")
	if h.err == nil {
		b.WriteString(" and is as before")
	} else {
		b.WriteString(", and what was there before could not be put back (" + h.err.Error() + ")")
	}
	b.WriteString(": " + h.Why)
	if h.Kept != "" && h.ID == "" {
		b.WriteString("; what the command made of it is kept as " + h.Kept + ". ")
		b.WriteString("The person looks at it, and has it by `" + h.remedy() + "`")
	}
	return b.String()
}

// remedy is the command by which a person has what was put aside.
func (h heldBack) remedy() string {
	return "cp -aT " + shellquote.Join(h.Kept, h.Path)
}

// asideNotes are the lines about what a task left to run later.
func asideNotes(list []heldBack, failed string) []string {
	notes := (&changes{Held: list}).notes()
	if failed != "" {
		notes = append(notes, failed)
	}
	return notes
}
