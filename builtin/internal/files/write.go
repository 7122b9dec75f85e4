package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"strings"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	filetext "helve/builtin/internal/text"
	"helve/internal/fsroot"
	"helve/tool"
)

// overwrittenFile is the largest file that is replaced by a text: it is read first, to be shown and kept in its
// encoding.
const overwrittenFile = 64 << 20

// writeIn are the parameters of write.
type writeIn struct {
	FilePath   string `json:"file_path" jsonschema:"description=File to write,minLength=1"`
	Contents   string `json:"contents" jsonschema:"The whole new text"`
	Append     bool   `json:"append,omitempty" jsonschema:"Add to the end"`
	CreateOnly bool   `json:"create_only,omitempty" jsonschema:"Fail if it exists"`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"Only show the diff"`
}

func (in writeIn) String() string { return "write " + in.FilePath }

// Validate refuses what cannot be both.
func (in writeIn) Validate() error {
	if in.Append && in.CreateOnly {
		return errors.New("append and create_only: a new file has nothing to add to: give one of them")
	}
	return nil
}

var (
	_ tool.Stringer  = writeIn{}
	_ tool.Validator = writeIn{}
)

// What became of the text's last line end.
const (
	newlineAdded = "added"
	newlineKept  = "kept"
	newlineNone  = "none"
)

// writeMeta is the metadata of write.
type writeMeta struct {
	FilePath     string `json:"file_path"`           // as it was asked for
	IsOverwrite  bool   `json:"is_overwrite"`        // there was such a file
	Appended     bool   `json:"appended,omitempty"`  // its old text stays
	Lines        int    `json:"line_count"`          // of the new file
	Bytes        int    `json:"byte_count"`          // of the new file
	FinalNewline string `json:"final_newline"`       // added, kept or none
	Encoding     string `json:"encoding,omitempty"`  // that was kept, if it is not UTF-8
	LineEnds     string `json:"line_ends,omitempty"` // that were kept: CRLF, CR or mixed
	DryRun       bool   `json:"dry_run,omitempty"`   // nothing was written
	record.UndoMeta
}

// Write makes a file with its directories, replaces one as a whole, or adds to its end. A file that is replaced keeps
// its encoding, its line ends and its mode; a text without a line end at its end gets one. In a session only a file
// that it has read as it is now is replaced.
func Write(w *Files) tool.Tool {
	s := tool.Spec{
		Name:      "write",
		Aliases:   []string{"Write", "write_file", "create_file", "write_to_file", "create_new_file"},
		Title:     "File Write",
		Origin:    folders.Origin("write"),
		Doc:       doc.Of("write"),
		Kind:      tool.Write,
		Category:  "file",
		Tags:      []string{"file", "write"},
		Params:    writeParams(),
		Translate: writeWords(),
	}
	return tool.Renders[writeData](tool.Plan(s, func(_ context.Context, c *tool.Call, in writeIn) (*tool.Job, error) {
		p, err := w.ResolveWrite(c, in.FilePath)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(in.FilePath, "/") {
			return nil, tool.Verbatim(tool.Validation, "Path is a directory, not a file: %s", fsroot.Quote(in.FilePath)).
				WithHint("Name the file in it; its directories are made.")
		}
		j := w.write(c, p, in).job()
		j.Rule = render.DirRule("Write", p)
		return j, nil
	}))
}

// A writing is one call of write, understood.
type writing struct {
	fileChange
	in writeIn
}

// write is the change that a call of write asks for.
func (w *Files) write(c *tool.Call, p fsroot.Path, in writeIn) *writing {
	x := &writing{in: in}
	x.fileChange = fileChange{
		w:         w,
		call:      c,
		tool:      "write",
		title:     in.String(),
		session:   c.Session,
		path:      p,
		most:      overwrittenFile,
		creates:   true,
		dry:       in.DryRun,
		plan:      x.plan,
		fileError: x.fileError,
	}
	return x
}

// A written is a file as it is and as it will be.
type written struct {
	exists       bool
	old          []byte // the bytes
	oldText      []byte // decoded, for the view
	encoding     filetext.Encoding
	lineEnds     string // of the old text, where the new one took them: see writeMeta
	finalNewline string // what became of the last one
	text         []byte // the new content
	bytes        []byte // and in its encoding
	known        bool   // the session knew what was there before
	joined       bool   // the last line was not ended, and a line end stands before what was added
}

// id names what will be lost: the new text is in the call, and does not change.
func (n *written) id() [sha256.Size]byte {
	h := sha256.Sum256(n.old)
	if n.exists {
		h[0] |= 1
	} else {
		h[0] &^= 1
	}
	return h
}

// plan reads what stands there, if anything does, and gives the new text its form.
func (x *writing) plan(read look) (*revision, error) {
	now := &written{encoding: filetext.UTF8, known: true}
	old, fi, err := read()
	if err != nil && !folders.IsMissing(err) {
		return nil, x.fileError(err)
	}
	if err == nil {
		err := x.replaces(now, old, fi)
		if err != nil {
			return nil, err
		}
	}
	now.text = now.endings(x.in.Contents)
	if x.in.Append {
		now.add()
	}
	now.bytes, err = now.encoding.Encode(now.text)
	if err != nil {
		return nil, tool.Errorf(tool.Validation, "contents: %w", err)
	}
	return x.revision(now), nil
}

// replaces notes what stands there, or refuses to replace it.
func (x *writing) replaces(now *written, old []byte, fi fs.FileInfo) error {
	if x.in.CreateOnly {
		return tool.Errorf(tool.Validation, "File exists already: %s", x.path.Shown()).
			WithHint("It was left as it is. Choose another name, or leave out create_only to replace it.")
	}
	unknown := SeenBy(x.session).Check(x.path, fi, old)
	if unknown != nil && !x.in.Append { // what is added to a file loses nothing of it
		return unknown
	}
	now.exists, now.old, now.known = true, old, unknown == nil
	text := now.keepForm()
	if !text && x.in.Append {
		return tool.Errorf(tool.Validation, "%s is no text: nothing can be added to it", x.path.Shown())
	}
	return nil
}

// revision is the planned file as change takes it. An id of the old content is enough: the new text is in the call.
func (x *writing) revision(now *written) *revision {
	return &revision{
		id:      now.id,
		size:    int64(len(now.bytes)),
		write:   now.write,
		content: func() []byte { return now.bytes },
		unseen:  !now.known,
		same:    now.exists && bytes.Equal(now.old, now.bytes),
		show: func(most int) tool.Diff {
			return render.Change(x.path, now.oldText, now.text, 0, most)
		},
		result: func() *tool.Result { return x.result(now) },
	}
}

// write writes the new file.
func (n *written) write(w io.Writer) error {
	_, err := w.Write(n.bytes)
	return err
}

// fileError words what is wrong with the file.
func (x *writing) fileError(err error) error {
	switch {
	case errors.Is(err, fsroot.ErrDirectory):
		return tool.Verbatim(tool.Validation, "Path is a directory, not a file: %s", x.path.Shown())
	case errors.Is(err, fsroot.ErrTooLarge):
		return tool.Errorf(tool.Validation, "%s is larger than %d MB, the most that is overwritten",
			x.path.Shown(), overwrittenFile>>20)
	}
	return folders.ToolError(err)
}

// keepForm has a text keep its encoding when its content is replaced. What was no text becomes UTF-8; text is false
// for it.
func (n *written) keepForm() (text bool) {
	n.oldText = n.old
	e, err := filetext.Detect(n.old)
	if err != nil {
		n.oldText = []byte("(binary, " + render.Quantity(len(n.old), "byte") + ")\n")
		return false
	}
	decoded, err := e.Decode(n.old)
	if err == nil {
		n.encoding, n.oldText = e, decoded
	}
	return err == nil
}

// add puts the new text behind the old one. A last line without its end gets one, so that the two do not run together.
func (n *written) add() {
	before := bytes.Clone(n.oldText)
	if n.open() && len(n.text) > 0 {
		before = append(before, ownEnd(string(n.oldText))...)
		n.joined = true
	}
	n.text = append(before, n.text...)
}

// open tells that the old text's last line has no end.
func (n *written) open() bool {
	if len(n.oldText) == 0 {
		return false
	}
	last := n.oldText[len(n.oldText)-1]
	return last != '\n' && last != '\r'
}

// endings gives the new text the old one's line ends, where it brings none of its own, and its last one.
func (n *written) endings(s string) []byte {
	s = n.closeLastLine(s)
	breaks := bytes.ContainsRune(n.oldText, '\n')
	switch {
	case strings.ContainsRune(s, '\r'):
		return []byte(s)
	case !breaks && bytes.ContainsRune(n.oldText, '\r'):
		n.lineEnds = "CR"
		return []byte(strings.ReplaceAll(s, "\n", "\r"))
	case !bytes.Contains(n.oldText, []byte("\r\n")):
		return []byte(s)
	}
	n.lineEnds = "CRLF"
	if bytes.Count(n.oldText, []byte("\n")) == bytes.Count(n.oldText, []byte("\r\n")) {
		return []byte(strings.ReplaceAll(s, "\n", "\r\n"))
	}
	n.lineEnds = "mixed"
	return mixedEnds(string(n.oldText), s)
}

// closeLastLine ends the last line, where the text does not and the file that it replaces did not do without: tools
// and diffs expect it.
func (n *written) closeLastLine(s string) string {
	switch {
	case strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\r"):
		n.finalNewline = newlineKept
	case s == "" || n.open():
		n.finalNewline = newlineNone
	default:
		n.finalNewline = newlineAdded
		return s + ownEnd(s)
	}
	return s
}

// ownEnd is how a text ends its lines, as its last line that is ended shows.
func ownEnd(s string) string {
	i := strings.LastIndexAny(s, "\r\n")
	switch {
	case i > 0 && s[i] == '\n' && s[i-1] == '\r':
		return "\r\n"
	case i >= 0 && s[i] == '\r':
		return "\r"
	}
	return "\n"
}

// result tells the model what was written, and which of it is not as it said: line ends, encoding, a line end at the
// end.
func (x *writing) result(now *written) *tool.Result {
	meta := writeMeta{
		FilePath:     x.path.Asked(),
		IsOverwrite:  now.exists && !x.in.Append,
		Appended:     now.exists && x.in.Append,
		Lines:        lineCount(now.text),
		Bytes:        len(now.bytes),
		FinalNewline: now.finalNewline,
		LineEnds:     now.lineEnds,
		DryRun:       x.in.DryRun,
		UndoMeta:     x.UndoMeta,
	}
	var notes []string
	if now.joined {
		notes = append(notes, "the last line had no end; it was given one before what was added")
	}
	if now.lineEnds != "" {
		notes = append(notes, "the file's line ends were kept ("+now.lineEnds+")")
	}
	if !now.encoding.Plain() {
		meta.Encoding = now.encoding.Name()
		notes = append(notes, "the file's encoding was kept ("+meta.Encoding+")")
	}
	for _, note := range []string{syntaxNote(x.path, now.oldText, now.text), x.note} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	of := comparison{
		size:  int64(len(now.bytes)),
		write: now.write,
		diff:  render.Change(x.path, now.oldText, now.text, 0, x.shownLines()),
	}
	if now.exists {
		of.old = now.old
		if of.old == nil { // an empty file is a file
			of.old = []byte{}
		}
	}
	data := writeData{
		Overwrote:    meta.IsOverwrite,
		Appended:     meta.Appended,
		Lines:        meta.Lines,
		Bytes:        meta.Bytes,
		FinalNewline: meta.FinalNewline,
		LineEnds:     meta.LineEnds,
		changeData:   x.data(of, notes),
	}
	data.Encoding = meta.Encoding
	if meta.Appended {
		data.LinesAdded = meta.Lines - lineCount(now.oldText)
	}
	res := tool.Render(data).WithMeta(meta)
	res.Display = of.diff
	return res
}

// lineCount is the number of lines; a final line end adds none.
func lineCount(b []byte) int {
	n := bytes.Count(b, []byte("\n"))
	if len(b) > 0 && b[len(b)-1] != '\n' {
		n++
	}
	return n
}
