package files

import (
	"context"
	"crypto/sha256"
	"io"
	"io/fs"
	"slices"

	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/internal/fsroot"
	"helve/tool"
)

// A fileChange is one call that gives one file a new content: edit, multi_edit and write plan it, and it is made
// here. The file is locked, the change is planned again from what stands there now, compared with what was approved,
// and put in place as a whole. Whatever fails on the way leaves the file as it was.
type fileChange struct {
	w       *Files
	call    *tool.Call
	tool    string // its name, and what the call does, for the history
	title   string
	session *tool.Session // nil: nothing counts as unread
	path    fsroot.Path
	most    int64 // bytes of the old file that are read
	creates bool  // the file may be new, and so may its directories
	dry     bool  // it is only shown

	// plan says what the file becomes, or refuses in the tool's words. It is called for the preview, and again when the
	// change is made; it changes nothing.
	plan func(look) (*revision, error)

	// fileError gives an error of the file the tool's words.
	fileError func(error) error

	held     *held              // what an editor holds of the old file, unsaved; nil: what is on the disk
	approved *[sha256.Size]byte // the revision that was shown; nil: none was

	record.UndoMeta          // what the history has of it, once it is made
	note            string   // why it cannot be undone
	broke           []string // what it broke, path:line: message

	unchecked string // why that may not be all; "": it is
}

// look reads the old file; the error is fs.ErrNotExist where there is none.
type look func() ([]byte, fs.FileInfo, error)

// A revision is a file as a change would leave it, planned from its content at one moment.
type revision struct {
	// id names what a person approves of it: if it is another one later, the approval was for something else.
	id func() [sha256.Size]byte

	size    int64
	write   func(io.Writer) error
	content func() []byte // the whole new file; nil where it is too large to be known by it
	unseen  bool          // the session does not know all that is in it then
	same    bool          // it is as it was, to the last byte

	show   func(most int) tool.Diff // with so many lines at most
	result func() *tool.Result
}

// job is the change without title and rule, which are the tool's.
func (c *fileChange) job() *tool.Job {
	j := &tool.Job{
		Effects:   WriteEffects(c.path, c.dry),
		Signature: c.path.String(),
		Run:       c.run,
	}
	if !c.dry {
		j.Preview = c.preview
	}
	return j
}

// WriteEffects are those of a call that changes one file; a dry run reads it only.
func WriteEffects(p fsroot.Path, dry bool) []tool.Effect {
	if dry {
		return []tool.Effect{{Kind: tool.Read, Target: p.Target()}}
	}
	return []tool.Effect{{Kind: tool.Write, Target: p.Target()}}
}

// preview shows the whole change, and notes what was shown. It takes no lock: a person may look at it for hours.
func (c *fileChange) preview(ctx context.Context) (tool.Display, error) {
	now, err := c.plan(c.over(ctx, c.read))
	if err != nil {
		return nil, err
	}
	id := now.id()
	c.approved = &id
	shown := now.show(render.WholeDiff)
	shown.Unchanged = now.same
	return shown, nil
}

// read is the look of those who only look.
func (c *fileChange) read() ([]byte, fs.FileInfo, error) { return c.w.Files.ReadFile(c.path, c.most) }

// run makes the change, or in a dry run only plans it. The model reads the tool's words about the revision that came
// of it.
func (c *fileChange) run(ctx context.Context) (*tool.Result, error) {
	var now *revision
	var err error
	if c.dry {
		now, err = c.plan(c.over(ctx, c.read))
	} else {
		now, err = c.commit(ctx)
	}
	if err != nil {
		return nil, err
	}
	return now.result(), nil
}

// commit makes the change and returns what it made. The tree and the session learn of it while the lock is held, so
// that nobody who comes next can see the new file and the old knowledge of it.
//
// The history is taken before the file, as by everybody who needs both.
func (c *fileChange) commit(ctx context.Context) (*revision, error) {
	c.w.CatchUp(ctx, c.w.PlaceOf(c.path))
	broken := c.watchCode(ctx)
	rec := c.w.Record(c.call, c.tool, c.title)
	defer rec.Close()
	if err := c.makeRoom(ctx, rec); err != nil {
		return nil, err
	}
	l, err := c.w.Files.Lock(ctx, c.path)
	if err != nil {
		rec.Refuse(c.path)
		return nil, c.fileError(err)
	}
	defer l.Unlock()
	locked := func() ([]byte, fs.FileInfo, error) {
		return l.ReadFile(c.most)
	}
	now, err := c.again(ctx, c.over(ctx, locked))
	if err != nil {
		rec.Refuse(c.path)
		return nil, err
	}
	if c.held != nil {
		return now, c.commitHeld(ctx, rec, now)
	}
	rec.Becomes(c.path, now.write)
	rec.Commit()
	fi, err := l.Replace(now.size, now.write)
	if err != nil {
		rec.Refuse(c.path)
		return nil, folders.ToolError(err)
	}
	rec.Done()
	c.UndoMeta, c.note = rec.Meta(), rec.Note()
	c.w.Touched(c.path)
	if broken != nil {
		c.broke, c.unchecked = broken(ctx)
	}
	if !now.unseen {
		SeenBy(c.session).Note(c.path, fi, now.content())
	}
	return now, nil
}

// watchCode notes what the tree knows before the change, to say afterwards what that broke; nil: nobody knows.
func (c *fileChange) watchCode(ctx context.Context) func(context.Context) (broke []string, unchecked string) {
	first := c.path.Root() == c.w.Files.Roots()[0]
	if c.w.Broken == nil || !first {
		return nil
	}
	return c.w.Broken(ctx, c.path.Rel())
}

// again plans the change from what stands there now, and compares it with what was approved.
func (c *fileChange) again(ctx context.Context, read look) (*revision, error) {
	now, err := c.plan(read)
	if err != nil {
		return nil, err
	}
	if c.approved != nil && *c.approved != now.id() {
		return nil, tool.Errorf(tool.Validation,
			"%s changed after the change was approved: nothing was written", c.path.Shown()).
			WithHint("Read it again and repeat the call.")
	}
	return now, ctx.Err()
}

// makeRoom makes the directories of a new file, without which there is nothing to lock. The history learns of them
// first, and of the file, which cannot be there yet: from then on it is to be the one that is planned now.
func (c *fileChange) makeRoom(ctx context.Context, rec *record.Recording) error {
	if !c.creates {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	missing := c.missing()
	if len(missing) > 0 {
		now, err := c.again(ctx, c.read)
		if err != nil {
			return err
		}
		id := now.id()
		c.approved = &id
		for _, dir := range missing {
			rec.Makes(dir)
		}
		rec.Becomes(c.path, now.write)
		rec.Commit()
	}
	return folders.ToolError(c.w.Files.MkdirAll(c.path.Parent()))
}

// missing are the directories on the way to the file that are not there, from the top.
func (c *fileChange) missing() []fsroot.Path {
	var out []fsroot.Path
	for p := c.path.Parent(); p.Rel() != "."; p = p.Parent() {
		if _, err := c.w.Files.Stat(p); !folders.IsMissing(err) {
			break
		}
		out = append(out, p)
	}
	slices.Reverse(out)
	return out
}
