package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"helve/builtin/internal/edit"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	filetext "helve/builtin/internal/text"
	"helve/internal/fsroot"
	"helve/tool"
)

// EditedFile is the largest file that is edited: two copies of it are in memory meanwhile.
const EditedFile = 256 << 20

// An editing is one call of edit or multi_edit, understood.
type editing struct {
	fileChange
	edits []edit.Edit
}

// An edited is a file with its new text.
type edited struct {
	*edit.Plan
	encoding filetext.Encoding
	raw      []byte // the old content
	bytes    []byte // the new content where that is not the plan's text
}

// editMeta is the metadata of edit and multi_edit.
type editMeta struct {
	FilePath     string `json:"file_path"`          // as it was asked for
	Replacements int    `json:"replacements"`       // of all edits together
	Preview      string `json:"old_string_preview"` // the beginning of the first old_string
	Edits        []int  `json:"edits,omitempty"`    // replacements by edit, of multi_edit
	Encoding     string `json:"encoding,omitempty"` // if it is not UTF-8
	DryRun       bool   `json:"dry_run,omitempty"`  // nothing was written
	record.UndoMeta
}

// edit is the job of a call of edit or multi_edit.
func (w *Files) edit(c *tool.Call, p fsroot.Path, edits []edit.Edit, dry bool) *editing {
	e := &editing{edits: edits}
	e.fileChange = fileChange{
		w:         w,
		call:      c,
		tool:      "edit",
		session:   c.Session,
		path:      p,
		most:      EditedFile,
		dry:       dry,
		plan:      e.plan,
		fileError: e.fileError,
	}
	return e
}

// job adds to a change what edits have of their own. multi_edit is remembered by the rule of edit: both do the same.
func (e *editing) job(in fmt.Stringer) *tool.Job {
	e.title = in.String()
	j := e.fileChange.job()
	j.Title = e.title
	j.Rule = render.DirRule("Edit", e.path)
	return j
}

// show is the changed part of the file, with the notes on how the places were found.
func (e *editing) show(now *edited, most int) tool.Diff {
	before, after, line := now.Window()
	d := render.Change(e.path, before, after, line, most)
	d.Note = strings.Join(now.Notes, "\n")
	return d
}

// plan finds the places, or refuses: first what the file is, then what the texts are, last what they match.
func (e *editing) plan(read look) (*revision, error) {
	if err := e.refuse(); err != nil {
		return nil, err
	}
	raw, fi, err := read()
	if err != nil {
		return nil, e.fileError(err)
	}
	err = SeenBy(e.session).Check(e.path, fi, raw)
	if err != nil {
		return nil, err
	}
	now, err := e.edited(raw)
	if err != nil {
		return nil, err
	}
	return &revision{
		id:      now.Digest, // of these lines, wherever they stand: other edits elsewhere do not disturb it
		size:    now.size(),
		write:   now.write,
		content: now.content,
		same:    now.size() == int64(len(raw)) && bytes.Equal(raw, now.content()),
		show:    func(most int) tool.Diff { return e.show(now, most) },
		result:  func() *tool.Result { return e.result(now) },
	}, nil
}

// edited is the file with its new text. Only a file whose every byte comes back from its text is edited.
func (e *editing) edited(raw []byte) (*edited, error) {
	out := &edited{raw: raw}
	var err error
	out.encoding, err = filetext.Detect(raw)
	if err != nil {
		return nil, e.notText(err)
	}
	content, err := out.encoding.Decode(raw)
	if err != nil {
		return nil, e.notText(err)
	}
	out.Plan, err = edit.Make(content, e.edits...)
	if err != nil {
		return nil, e.refused(err)
	}
	return out, out.encode()
}

// refuse is what can be said without the content: the file is missing or none, old and new are the same, old is empty.
func (e *editing) refuse() error {
	st, err := e.w.Files.Stat(e.path)
	switch {
	case err != nil:
		return e.fileError(err)
	case st.IsDir():
		return tool.Errorf(tool.Validation, "%s is a directory, not a file", e.path.Shown())
	}
	for i, one := range e.edits {
		if one.Old == one.New {
			return tool.Errorf(tool.Validation, "%sold_string and new_string are identical", e.which(i))
		}
	}
	for i, one := range e.edits {
		if one.Old == "" {
			return tool.Errorf(tool.Validation, "%sold_string is empty", e.which(i)).
				WithHint("Give the text to replace, or use write to replace the whole file.")
		}
		if strings.ContainsRune(one.New, 0) {
			return tool.Errorf(tool.Validation,
				"%snew_string holds a NUL character: the file would count as binary from then on", e.which(i)).
				WithHint("Write it as the language of the file escapes it, \\x00 for one.")
		}
	}
	return nil
}

// which names one of several edits.
func (e *editing) which(i int) string {
	if len(e.edits) < 2 {
		return ""
	}
	return fmt.Sprintf("edits[%d]: ", i)
}

// fileError words what is wrong with the file, with the tool that would be right for it.
func (e *editing) fileError(err error) error {
	switch {
	case folders.IsMissing(err):
		return tool.Errorf(tool.Validation, "File not found: %s", e.path.Shown()).
			WithHint("Use write to create it.")
	case errors.Is(err, fsroot.ErrDirectory):
		return tool.Errorf(tool.Validation, "%s is a directory, not a file", e.path.Shown())
	case errors.Is(err, fsroot.ErrTooLarge):
		return tool.Errorf(tool.Validation, "%s is larger than %d MB, the most that is edited",
			e.path.Shown(), EditedFile>>20)
	}
	return folders.ToolError(err)
}

// notText refuses a file that would not come back byte for byte.
func (e *editing) notText(err error) error {
	return tool.Errorf(tool.Validation, "%s: %w", e.path.Shown(), err).
		WithHint("Nothing was changed: a file is only edited if every byte outside the edit stays as it is.")
}

// refused gives the engine's refusal the words that models know from other edit tools; the hint is the engine's own
// sentence, with the places.
func (e *editing) refused(err error) error {
	var r *edit.Refusal
	if !errors.As(err, &r) {
		return err
	}
	out := tool.Verbatim(tool.Validation, "Error: %s%s", e.which(r.Edit), refusalWords(r))
	if r.Kind != edit.Identical {
		own := *r
		own.Of = 0 // the message names the edit
		out.Hint = own.Error()
	}
	out.Details = refusalDetails{e.path.Asked(), r.Edit, r.Count, r.Capped, string(r.Cause), r.Places}
	return out
}

// refusalDetails is what a program may want of a refusal: which edit, how many places matched, and where.
type refusalDetails struct {
	FilePath string       `json:"file_path"`
	Edit     int          `json:"edit"`             // its place in edits, from 0
	Count    int          `json:"count,omitempty"`  // places that match
	Capped   bool         `json:"capped,omitempty"` // there are more than that
	Cause    string       `json:"cause,omitempty"`  // why nothing matches, where that is known
	Places   []edit.Place `json:"places,omitempty"` // those that match or nearly do
}

// refusalWords is a refusal without its place. Models are trained on these sentences: they know what to do next.
func refusalWords(r *edit.Refusal) string {
	switch r.Kind {
	case edit.Multiple:
		n := fmt.Sprint(r.Count)
		if r.Capped {
			n = "more than " + n
		}
		return fmt.Sprintf("Multiple matches (%s) found for old_string. Either:\n"+
			"1. Provide more context in old_string to make it unique\n"+
			"2. Set replace_all=true to replace all occurrences", n)
	case edit.Identical:
		return "old_string and new_string are identical"
	case edit.NotFound, edit.Ambiguous:
		return "old_string not found in file. Make sure you have read the file first and the content is up to date."
	case edit.AlreadyApplied:
		return "the edit seems to have been made before."
	case edit.Placeholder:
		return "the text is not complete."
	case edit.LineNumbers:
		return "the text has line numbers in it."
	default:
		return "the edit is too large."
	}
}

// encode makes the new bytes of a file that is not plain UTF-8.
func (d *edited) encode() (err error) {
	if d.encoding.Plain() {
		return nil
	}
	d.bytes, err = d.encoding.Encode(d.After())
	if err != nil {
		return tool.Errorf(tool.Validation, "new_string: %w", err)
	}
	return nil
}

// size is that of the new file, in bytes.
func (d *edited) size() int64 {
	if d.encoding.Plain() {
		return d.Size()
	}
	return int64(len(d.bytes))
}

// write writes the new file. A plan writes itself piece by piece, without a copy of the whole.
func (d *edited) write(w io.Writer) (err error) {
	if d.encoding.Plain() {
		_, err = d.WriteTo(w)
	} else {
		_, err = w.Write(d.bytes)
	}
	return err
}

// content is the new file as bytes, nil where it is too large to be known by them.
func (d *edited) content() []byte {
	switch {
	case d.size() > hashedFile:
		return nil
	case d.encoding.Plain():
		return d.After()
	}
	return d.bytes
}

// result tells the model what was done and what it may not expect: how a place was found, what no longer parses.
func (e *editing) result(now *edited) *tool.Result {
	total := 0
	for _, n := range now.Replacements {
		total += n
	}
	meta := editMeta{
		FilePath:     e.path.Asked(),
		Replacements: total,
		Preview:      preview50(e.edits[0].Old),
		DryRun:       e.dry,
		UndoMeta:     e.UndoMeta,
	}
	if len(e.edits) > 1 {
		meta.Edits = now.Replacements
	}
	if !now.encoding.Plain() {
		meta.Encoding = now.encoding.Name()
	}
	shown := e.show(now, e.shownLines())
	notes := append(now.Notes, now.syntax(e.path)...)
	if e.note != "" {
		notes = append(notes, e.note)
	}
	of := comparison{
		old:   now.raw,
		size:  now.size(),
		write: now.write,
		diff:  shown,
	}
	data := editData{
		Replacements: total,
		Edits:        meta.Edits,
		changeData:   e.data(of, notes),
	}
	data.Encoding = meta.Encoding
	res := tool.Render(data).WithMeta(meta)
	res.Display = shown
	return res
}

// syntax notes that the edit broke the file's syntax, if it did.
func (d *edited) syntax(p fsroot.Path) []string {
	if d.Size() > parsedFile {
		return nil
	}
	note := syntaxNote(p, d.Before(), d.After())
	if note != "" {
		return []string{note}
	}
	return nil
}

// preview50 is the beginning of the old text: 50 characters.
func preview50(s string) string {
	n := 0
	for i := range s {
		n++
		if n > 50 {
			return s[:i] + "..."
		}
	}
	return s
}
