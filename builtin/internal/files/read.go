package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/render"
	"helve/internal/fsroot"
	"helve/internal/names"
	"helve/tool"
)

const (
	// readMany bounds the files of one call: each may bring a window.
	readMany = 20
	// readWindow is what one call brings at most, in bytes of text: what the standard limit lets through uncut
	// (cli.md), less room for notes.
	readWindow = 256<<10 - 4<<10
)

// readIn are the parameters of read.
type readIn struct {
	FilePath  string   `json:"file_path,omitempty" jsonschema:"File to read"`
	FilePaths []string `json:"file_paths,omitempty" jsonschema:"description=Or several files,maxItems=20"`
	StartLine int64    `json:"start_line,omitempty" jsonschema:"description=First line\\, from 1,minimum=1,maximum=1000000000000"`
	EndLine   int64    `json:"end_line,omitempty" jsonschema:"description=Last line,minimum=1,maximum=1000000000000"`
	Offset    int64    `json:"offset,omitempty" jsonschema:"description=Lines to skip,minimum=0,maximum=1000000000000"`
	Limit     int      `json:"limit,omitempty" jsonschema:"description=Lines at most,default=2000,minimum=1,maximum=10000"`
}

func (in readIn) String() string { return "read " + strings.Join(in.paths(), ", ") }

// Validate wants a file, and one window of lines.
func (in readIn) Validate() error {
	switch first := max(in.StartLine, in.Offset+1); {
	case in.StartLine > 0 && in.Offset > 0 && in.StartLine != in.Offset+1:
		return fmt.Errorf("start_line %d and offset %d begin at two lines: give one of them", in.StartLine, in.Offset)
	case in.EndLine > 0 && in.EndLine < first:
		return fmt.Errorf("end_line: %d is before the first line, %d", in.EndLine, first)
	}
	paths := in.paths()
	if len(paths) == 0 {
		return errors.New("file_path: want the path of a file, which is missing or empty; file_paths takes several")
	}
	for _, p := range paths {
		if p == "" {
			return errors.New("file_paths: a path is empty")
		}
	}
	return nil
}

// window is how many lines are skipped and how many may be shown.
func (in readIn) window() (skip int64, count int) {
	skip, count = max(in.Offset, in.StartLine-1), cmp.Or(in.Limit, math.MaxInt) // a program need not name a limit
	if in.EndLine > 0 {
		count = int(min(int64(count), in.EndLine-skip))
	}
	return skip, count
}

// paths are the files in the order in which they are shown.
func (in readIn) paths() []string {
	if in.FilePath == "" {
		return in.FilePaths
	}
	return append([]string{in.FilePath}, in.FilePaths...)
}

var (
	_ tool.Stringer  = readIn{}
	_ tool.Validator = readIn{}
)

// readMeta is the metadata of one file.
type readMeta struct {
	FilePath  string `json:"file_path"`          // as it was asked for
	Total     *int64 `json:"total_lines"`        // null: a large file whose lines were not all counted
	LinesRead int    `json:"lines_read"`         // shown
	Offset    int64  `json:"offset"`             // lines before the first shown
	HasMore   bool   `json:"has_more"`           // there are lines after the last
	Encoding  string `json:"encoding,omitempty"` // of a text
	Type      string `json:"type,omitempty"`     // of what is not text
	Size      int64  `json:"size"`               // bytes
}

// readManyMeta is the metadata of several files, without those that could not be read.
type readManyMeta struct {
	Files []readMeta `json:"files"`
}

// Read shows what is in a file: text in any encoding as numbered lines, pictures as pictures, PDF and notebooks as
// text, what else is binary as its type and first bytes. It reads windows of files of any size, and what the session
// keeps of results that were too long.
func Read(w *Files) tool.Tool {
	s := tool.Spec{
		Name: "read",
		Aliases: []string{
			"Read", "read_file", "view", "view_file", "open_file", "read_many_files", "cat",
		},
		Title:     "File Read",
		Origin:    folders.Origin("read"),
		Doc:       doc.Of("read"),
		Kind:      tool.Read,
		Category:  "file",
		Tags:      []string{"file", "read", "io"},
		Params:    readParams(),
		Translate: readWords(),
		Limits:    []string{"limit"},
	}
	return tool.Renders[readData](tool.Plan(s, func(_ context.Context, c *tool.Call, in readIn) (*tool.Job, error) {
		r := &reading{
			w:    w,
			call: c,
			in:   in,
			room: c.Room(readWindow),
		}
		if err := r.resolve(); err != nil {
			return nil, err
		}
		j := &tool.Job{
			Effects:   r.effects(),
			Signature: strings.Join(in.paths(), ", "),
			Run:       r.run,
		}
		if len(r.files) == 1 && r.files[0].spill == "" {
			j.Signature, j.Rule = r.files[0].path.String(), render.DirRule("Read", r.files[0].path)
		}
		return j, nil
	}))
}

// A reading is one call of read, understood.
type reading struct {
	w     *Files
	call  *tool.Call
	in    readIn
	files []readFile
	room  int // bytes of text that may still come; for a program of data
	full  bool
}

// A readFile is a file, or what the session keeps of a result that was too long.
type readFile struct {
	asked string
	path  fsroot.Path
	spill string
}

// shown is the path in a line of text.
func (f readFile) shown() string { return fsroot.Quote(f.asked) }

// resolve finds the places of the files. What a session keeps has no place, and no policy is asked about it.
func (r *reading) resolve() error {
	paths := r.in.paths()
	if len(paths) > readMany {
		return tool.Verbatim(tool.Validation,
			"Parameter validation failed: file_paths: %d files; at most %d are read at once", len(paths), readMany)
	}
	for _, p := range paths {
		f := readFile{asked: p}
		if strings.HasPrefix(p, tool.SpillScheme) {
			f.spill = p
		} else {
			var err error
			f.path, err = r.w.Resolve(r.call, p)
			if err != nil {
				return err
			}
		}
		r.files = append(r.files, f)
	}
	return nil
}

// effects are one for each file, so that a rule about any of them decides.
func (r *reading) effects() []tool.Effect {
	out := []tool.Effect{}
	for _, f := range r.files {
		if f.spill == "" {
			out = append(out, tool.Effect{Kind: tool.Read, Target: f.path.Target()})
		}
	}
	return out
}

// A content is what a file brings.
type content struct {
	data     readOne
	pictures []tool.Part
	summary  string
}

// run reads one file, or several in one answer.
func (r *reading) run(ctx context.Context) (*tool.Result, error) {
	if len(r.files) > 1 {
		return r.many(ctx)
	}
	got, err := r.read(ctx, r.files[0])
	if err != nil {
		return nil, err
	}
	res := &tool.Result{Parts: got.data.parts(got.pictures), Display: tool.Summary(got.summary)}
	return res.WithData(readData{readOne: got.data}).WithMeta(got.data.meta()), nil
}

// many reads the files in their order. One that cannot be read says why in its place; if none can, the call failed.
func (r *reading) many(ctx context.Context) (*tool.Result, error) {
	var parts []tool.Part
	var meta readManyMeta
	var first error
	data := readData{readOne: readOne{Lines: []string{}}}
	unfinished := 0
	for _, f := range r.files {
		got, err := r.read(ctx, f)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if r.full { // a program gets all of the files
			return nil, err
		}
		if err != nil {
			if first == nil {
				first = err
			}
			got = unreadable(f, err)
		}
		head := got.data.head()
		r.room -= len(head)
		parts = append(append(parts, tool.Text(head)), got.data.parts(got.pictures)...)
		data.Files = append(data.Files, got.data)
		if err == nil {
			meta.Files = append(meta.Files, got.data.meta())
		}
		if !got.data.Complete {
			unfinished++
		}
	}
	if len(meta.Files) == 0 {
		return nil, first
	}
	if unfinished > 0 {
		data.Extent = render.ExtentOf(render.Quantity(unfinished, "file") + " not complete")
	} else {
		data.Extent = render.ExtentOf()
	}
	res := &tool.Result{Parts: parts, Display: tool.Summary("read " + render.Quantity(len(meta.Files), "file"))}
	return res.WithData(data).WithMeta(meta), nil
}

// tooLarge ends a reading that brings more than a program takes.
func (r *reading) tooLarge() error {
	r.full = true
	return r.call.TooLarge()
}

// unreadable stands in the place of one of several files.
func unreadable(f readFile, err error) *content {
	return &content{data: readOne{
		Path:   f.asked,
		Lines:  []string{},
		Error:  err.Error(),
		Extent: render.ExtentOf("it could not be read"),
	}}
}

// read reads one file.
func (r *reading) read(ctx context.Context, f readFile) (*content, error) {
	if f.spill != "" {
		return r.spilled(ctx, f)
	}
	file, fi, err := r.w.Files.Open(f.path)
	switch {
	case folders.IsMissing(err): // models misspell names, and take another directory for theirs
		return nil, r.w.missing(f)
	case errors.Is(err, fsroot.ErrDirectory):
		return nil, tool.Verbatim(tool.Validation, "Path is a directory, not a file: %s", f.shown()).
			WithHint("%s", r.w.folderHint())
	case err != nil:
		return nil, folders.ToolError(err)
	}
	defer file.Close()
	return r.opened(ctx, f, file, fi)
}

// folderHint is how a folder is looked at.
func (w *Files) folderHint() string {
	if w.ReadsFolders {
		return "Use ls to see what is in it, or read with a / at the end of the path."
	}
	return "Use ls to see what is in it."
}

// maxSiblings bounds the names that are looked through for the one that was meant.
const maxSiblings = 2000

// missing says that a file is not there, and which one in its directory may be meant.
func (w *Files) missing(f readFile) error {
	err := tool.Verbatim(tool.Execution, "File not found: %s", f.shown())
	entries, _, _ := w.Files.ReadDir(f.path.Parent(), maxSiblings) // nothing to suggest if it cannot be listed
	var siblings []string
	for _, e := range entries {
		siblings = append(siblings, e.Name())
		lost := f.path.Parent().Join(e.Name())
		if lost.Pattern() == f.path.Pattern() { // JSON cannot say a byte that is no UTF-8
			return err.WithHint("Did you mean %s?", lost)
		}
	}
	near := names.Near(path.Base(f.path.Rel()), siblings, 3)
	if len(near) > 0 {
		for i := range near {
			near[i] = f.path.Parent().Join(near[i]).String()
		}
		return err.WithHint("Did you mean %s?", strings.Join(near, ", "))
	}
	return err
}

// spilled reads what the session keeps of a result: always text in UTF-8.
func (r *reading) spilled(ctx context.Context, f readFile) (*content, error) {
	blob, err := r.call.Session.Kept(f.spill)
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%s: not kept in this session", fsroot.Quote(f.spill))
	}
	defer blob.Close()
	return r.text(ctx, f, source{r: blob, size: blob.Size()})
}

// String is the line that a person sees of it.
func (m *readMeta) String() string {
	from, to := m.Offset+1, m.Offset+int64(m.LinesRead)
	switch {
	case m.Total != nil && m.Offset == 0 && !m.HasMore:
		return fmt.Sprintf("read %s (%s)", m.FilePath, render.Quantity(m.LinesRead, "line"))
	case m.Total != nil:
		return fmt.Sprintf("read %s (lines %d-%d of %d)", m.FilePath, from, to, *m.Total)
	}
	return fmt.Sprintf("read %s (lines %d-%d, and more)", m.FilePath, from, to)
}
