package files

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"

	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	filetext "helve/builtin/internal/text"
	"helve/internal/fsroot"
	"helve/tool"
)

// Buffers are files as an editor holds them, unsaved changes included. Paths are absolute. The methods are safe for
// concurrent use.
type Buffers interface {
	// Text is what the editor holds of a file; ok is false where it holds none.
	Text(ctx context.Context, path string) (text string, ok bool, err error)
	// Put gives a file that it holds another text in place of what it was. Whether it saves that is its own business. It
	// is an error where somebody typed meanwhile.
	Put(ctx context.Context, path, was, text string) error
}

// maxHeld is up to which size the editor is asked for a file: what is larger was written by a program.
const maxHeld = hashedFile

// A held file is one that an editor holds with changes that are not saved.
type held struct {
	raw      []byte // its text as a file would have it
	encoding filetext.Encoding
	plain    bool // the editor has line feeds where the file has CRLF
}

// unsaved is what an editor holds of a file, of which disk is the content; nil: what is on the disk.
func (w *Files) unsaved(ctx context.Context, p fsroot.Path, disk []byte) (*held, error) {
	if w.Buffers == nil || len(disk) > maxHeld {
		return nil, nil
	}
	encoding, err := filetext.Detect(disk)
	if err != nil {
		return nil, nil // it is no text
	}
	content, err := encoding.Decode(disk)
	if err != nil {
		return nil, nil
	}
	text, ok, err := w.Buffers.Text(ctx, p.Abs())
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%s: the editor cannot be asked for its unsaved text: %w", p.Shown(), err)
	}
	if !ok || sameLines(text, string(content)) {
		return nil, nil
	}
	out := &held{encoding: encoding}
	if strings.Contains(string(content), "\r\n") && !strings.Contains(text, "\r") {
		out.plain = true
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	out.raw, err = encoding.Encode([]byte(text))
	if err != nil {
		return nil, tool.Errorf(tool.Execution, "%s: what the editor holds of it does not fit its encoding: %w", p.Shown(), err)
	}
	return out, nil
}

// sameLines compares texts as editors do: many of them have line feeds only, whatever the file has.
func sameLines(a, b string) bool {
	if len(a) == len(b) {
		return a == b
	}
	return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// text is the new content of a held file as the editor takes it.
func (h *held) text(write func(io.Writer) error) (string, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return "", err
	}
	text, err := h.encoding.Decode(b.Bytes())
	if err != nil {
		return "", err
	}
	if h.plain {
		return strings.ReplaceAll(string(text), "\r\n", "\n"), nil
	}
	return string(text), nil
}

// over is a look that sees what the editor holds in place of what is on the disk. A file that changed in both places
// since the session last read it is refused.
func (c *fileChange) over(ctx context.Context, read look) look {
	if c.w.Buffers == nil {
		return read
	}
	return func() ([]byte, fs.FileInfo, error) {
		c.held = nil
		disk, fi, err := read()
		if err != nil {
			return disk, fi, err
		}
		now, err := c.w.unsaved(ctx, c.path, disk)
		if now == nil || err != nil {
			return disk, fi, err
		}
		if SeenBy(c.session).Check(c.path, fi, now.raw) != nil && SeenBy(c.session).moved(c.path, fi, disk) {
			return nil, nil, c.both(disk, now)
		}
		c.held = now
		return now.raw, fi, nil
	}
}

// both refuses a change to a file that somebody changed on the disk and somebody else in the editor.
func (c *fileChange) both(disk []byte, now *held) error {
	d := render.Change(c.path, disk, now.raw, 0, render.ShownDiff)
	return tool.Errorf(tool.Validation,
		"%s changed on the disk and in the editor since it was read: nothing was written", c.path.Shown()).
		WithHint("The person has to bring the two together. From the disk to the editor:\n%s", d.Unified)
}

// commitHeld gives the editor the new text of a file that it holds with unsaved changes. The history has what the editor
// held, and what it was given.
func (c *fileChange) commitHeld(ctx context.Context, rec *record.Recording, now *revision) error {
	text, err := c.held.text(now.write)
	if err != nil {
		return err
	}
	was, err := c.held.text(func(w io.Writer) error {
		_, err := w.Write(c.held.raw)
		return err
	})
	if err != nil {
		return err
	}
	rec.Replaces(c.path, c.held.raw, now.write)
	rec.Commit()
	if err := c.w.Buffers.Put(ctx, c.path.Abs(), was, text); err != nil {
		rec.Refuse(c.path)
		return tool.Errorf(tool.Execution, "%s: the editor did not take the new text: %w", c.path.Shown(), err)
	}
	rec.Done()
	c.UndoMeta = rec.Meta()
	c.note = "the file has unsaved changes in the editor: the new text is there"
	disk, fi, err := c.w.Files.ReadFile(c.path, c.most)
	if err != nil {
		return folders.ToolError(err)
	}
	if !now.unseen {
		SeenBy(c.session).Note(c.path, fi, now.content())
		SeenBy(c.session).noteDisk(c.path, fi, disk)
	}
	if bytes.Equal(disk, now.content()) {
		c.note += ", and saved"
		c.w.Touched(c.path)
	} else {
		c.note += ", and not saved yet: commands see the old file"
	}
	return nil
}
