package draft

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"helve/internal/change"
)

// maxLine bounds a line of the log: a path and a link's target, escaped, and a few numbers.
const maxLine = 64 << 10

// A line of the log is written before the layer is changed. A process that ends between the two leaves a line whose
// content is not there: it counts as not written.
type line struct {
	change.Place
	entry
}

// note writes down what is about to be changed.
func (d *Draft) note(p change.Place, e *entry, gone bool) error {
	if d.log == nil {
		return nil
	}
	own := *e
	own.Gone = gone
	text, err := json.Marshal(line{p, own})
	if err != nil {
		return err
	}
	_, err = d.log.Write(append(text, '\n'))
	return err
}

// Load opens a lasting draft again that another process left.
func Load(folder string, base Tree, roots int) (*Draft, error) {
	d, err := open(folder, base, roots, true)
	if err != nil {
		return nil, err
	}
	if err := d.replay(); err != nil {
		return nil, errors.Join(fmt.Errorf("draft: %s: %w", filepath.Base(folder), err), d.Close())
	}
	return d, nil
}

// replay reads the log.
func (d *Draft) replay() error {
	os.Remove(filepath.Join(d.folder, tempName))
	before := map[change.Place]bool{} // gone before its last line
	err := d.lines(func(l line) error {
		if err := l.Check(len(d.layer.trees)); err != nil {
			return err
		}
		if had := d.entries[l.Place]; had != nil {
			before[l.Place] = had.Gone
		}
		e := l.entry
		d.entries[l.Place] = &e
		return nil
	})
	if err != nil {
		return err
	}
	if err := d.settle(before); err != nil {
		return err
	}
	return d.finish()
}

// lines reads the lines of the log. A last one that is cut was not acted upon.
func (d *Draft) lines(each func(line) error) error {
	f, err := os.Open(filepath.Join(d.folder, logName))
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxLine)
	for n := 1; ; n++ {
		text, err := r.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		var l line
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		if err == nil {
			err = each(l)
		}
		if err != nil {
			return fmt.Errorf("line %d of its list: %w", n, err)
		}
	}
}

// settle has each entry be as its layer is.
func (d *Draft) settle(wasGone map[change.Place]bool) error {
	for p, e := range d.entries {
		now, err := d.layer.Look(p)
		if err != nil {
			return err
		}
		switch {
		case e.Gone && now.Type != change.None: // it ended before the layer was changed
			if err := os.RemoveAll(d.path(p)); err != nil {
				return err
			}
		case !e.Gone && now.Type == change.None:
			if e.Gone = wasGone[p]; !e.Gone {
				delete(d.entries, p)
			}
		}
		if e.Gone && e.Was.Type == change.None {
			delete(d.entries, p)
		}
		if now.Type == change.File {
			e.size = now.Size
			d.bytes += now.Size
		}
	}
	return nil
}
