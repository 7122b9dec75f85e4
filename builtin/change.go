package builtin

import (
	"context"
	"crypto/sha256"
	"io"
	"io/fs"

	"helve/internal/fsroot"
	"helve/tool"
)

// A change is one call that gives one file a new content: edit, multi_edit and write plan it, and it is made here. The
// file is locked, the change is planned again from what stands there now, compared with what was approved, and put in
// place as a whole. Whatever fails on the way leaves the file as it was.
type change struct {
	w       *Workspace
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

	approved *[sha256.Size]byte // the revision that was shown; nil: none was
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

	show   func(most int) tool.Diff // with so many lines at most
	result func() *tool.Result
}

// job is the change without title and rule, which are the tool's.
func (c *change) job() *tool.Job {
	j := &tool.Job{
		Effects:   writeEffects(c.path, c.dry),
		Signature: c.path.String(),
		Run:       c.run,
	}
	if !c.dry {
		j.Preview = c.preview
	}
	return j
}

// writeEffects are those of a call that changes one file; a dry run reads it only.
func writeEffects(p fsroot.Path, dry bool) []tool.Effect {
	if dry {
		return []tool.Effect{{Kind: tool.Read, Target: p.Target()}}
	}
	return []tool.Effect{{Kind: tool.Write, Target: p.Target()}}
}

// preview shows the whole change, and notes what was shown. It takes no lock: a person may look at it for hours.
func (c *change) preview(context.Context) (tool.Display, error) {
	now, err := c.plan(c.read)
	if err != nil {
		return nil, err
	}
	id := now.id()
	c.approved = &id
	return now.show(wholeDiff), nil
}

// read is the look of those who only look.
func (c *change) read() ([]byte, fs.FileInfo, error) { return c.w.files.ReadFile(c.path, c.most) }

// run makes the change, or in a dry run only plans it. The model reads the tool's words about the revision that came
// of it.
func (c *change) run(ctx context.Context) (*tool.Result, error) {
	var now *revision
	var err error
	if c.dry {
		now, err = c.plan(c.read)
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
func (c *change) commit(ctx context.Context) (*revision, error) {
	if err := c.makeRoom(ctx); err != nil {
		return nil, err
	}
	l, err := c.w.files.Lock(ctx, c.path)
	if err != nil {
		return nil, c.fileError(err)
	}
	defer l.Unlock()
	locked := func() ([]byte, fs.FileInfo, error) {
		return l.ReadFile(c.most)
	}
	now, err := c.plan(locked)
	if err != nil {
		return nil, err
	}
	if c.approved != nil && *c.approved != now.id() {
		return nil, tool.Errorf(tool.Validation,
			"Error: %s changed after the change was approved: nothing was written.", c.path.Asked()).
			WithHint("Read it again and repeat the call.")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fi, err := l.Replace(now.size, now.write)
	if err != nil {
		return nil, toolError(err)
	}
	c.w.touched(c.path)
	if !now.unseen {
		seenBy(c.session).note(c.path, fi, now.content())
	}
	return now, nil
}

// makeRoom makes the directories of a new file, without which there is nothing to lock.
func (c *change) makeRoom(ctx context.Context) error {
	if !c.creates {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return toolError(c.w.files.MkdirAll(c.path.Parent()))
}
