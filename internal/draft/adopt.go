package draft

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"helve/internal/change"
)

// What an inner draft changes comes to the outer one in a folder of its own: first all new contents, where a full disk
// shows, then the list of what becomes of which place. From there on it is made, by this process or by the next
// one that loads the draft. Each step can be made twice.
const (
	adoptName = "adopt"
	stepsName = "steps"
)

// A step is what becomes of one place.
type step struct {
	change.Place
	Will change.Entry `json:"will,omitzero"`
	Size int64        `json:"size,omitempty"`
	New  int          `json:"new,omitempty"` // the number of the new content; 0: it has none
}

// adopt makes a set, all of it or nothing. What somebody changed since the set was planned is refused.
func (d *Draft) adopt(s *change.Set) (*change.Report, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil, ErrOver
	}
	refused, err := d.stale(s)
	if err != nil {
		return nil, err
	}
	if len(refused) > 0 {
		return &change.Report{Refused: refused}, nil
	}
	if err := d.stage(s); err != nil {
		return nil, errors.Join(err, os.RemoveAll(filepath.Join(d.folder, adoptName)))
	}
	return &change.Report{}, d.finish()
}

// stale are the changes of a set whose places are not as they were when it was planned.
func (d *Draft) stale(s *change.Set) ([]change.Refusal, error) {
	var out []change.Refusal
	goes, dirs := map[change.Place]bool{}, map[change.Place]bool{}
	for i := range s.Changes {
		c := &s.Changes[i]
		goes[c.Place()] = c.Will.Type == change.None
		dirs[c.Place()] = c.Will.Type == change.Dir
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		now, err := d.look(c.Place())
		if err != nil {
			return nil, err
		}
		lost, err := d.homeless(c, dirs)
		if err != nil {
			return nil, err
		}
		if lost {
			out = append(out, change.Refusal{Place: c.Place(), Index: i, Why: change.ErrGone})
			continue
		}
		why := change.ErrChanged
		filled := false
		if now.Type == change.Dir && c.Will.Type != change.Dir {
			if filled, err = d.filled(c.Place(), goes); err != nil {
				return nil, err
			}
			why = change.ErrFilled
		}
		if filled || !c.Was.Unchanged(now) {
			out = append(out, change.Refusal{Place: c.Place(), Index: i, Why: why})
		}
	}
	return out, nil
}

// homeless tells of what is to come where no directory is, nor comes.
func (d *Draft) homeless(c *change.Change, dirs map[change.Place]bool) (bool, error) {
	up := c.Place().Parent()
	if c.Will.Type == change.None || up.Path == "." {
		return false, nil
	}
	if is, known := dirs[up]; known {
		return !is, nil
	}
	now, err := d.look(up)
	return now.Type != change.Dir, err
}

// filled tells of a directory that is to go, and of something in it that is not.
func (d *Draft) filled(p change.Place, goes map[change.Place]bool) (bool, error) {
	names, err := d.names(p)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(names, func(name string) bool { return !goes[p.Child(name)] }), nil
}

// stage writes new contents and the list of steps.
func (d *Draft) stage(s *change.Set) error {
	dir := filepath.Join(d.folder, adoptName)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if len(d.entries)+len(s.Changes) > MaxEntries {
		return ErrFull
	}
	steps := make([]step, 0, len(s.Changes))
	taken := int64(0)
	for i := range s.Changes {
		c := &s.Changes[i]
		st := step{Place: c.Place(), Will: c.Will}
		if c.Write != nil {
			st.New = i + 1
			size, err := d.stageOne(filepath.Join(dir, strconv.Itoa(st.New)), c, taken)
			if err != nil {
				return err
			}
			st.Size = size
			taken += size
		}
		steps = append(steps, st)
	}
	text, err := json.Marshal(inOrder(steps))
	if err != nil {
		return err
	}
	temp := filepath.Join(dir, stepsName+".tmp")
	if err := os.WriteFile(temp, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, stepsName))
}

// stageOne writes one content.
func (d *Draft) stageOne(path string, c *change.Change, taken int64) (int64, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w := &bounded{to: f, room: MaxBytes - d.bytes - taken}
	if err := c.Write(w); err != nil {
		return 0, err
	}
	if err := f.Chmod(c.Will.Mode); err != nil {
		return 0, err
	}
	return w.wrote, f.Close()
}

// inOrder has what goes go first, what is in a directory before it, and then what comes, directories first.
func inOrder(steps []step) []step {
	slices.SortStableFunc(steps, func(a, b step) int {
		aGoes, bGoes := a.Will.Type == change.None, b.Will.Type == change.None
		switch {
		case aGoes && bGoes:
			return strings.Compare(string(b.Path), string(a.Path))
		case aGoes:
			return -1
		case bGoes:
			return 1
		}
		return strings.Compare(string(a.Path), string(b.Path))
	})
	return steps
}

// maxSteps bounds the list: as many paths as a draft has places.
const maxSteps = 512 << 20

// finish makes what lies ready, if its list is there, and removes the rest.
func (d *Draft) finish() error {
	dir := filepath.Join(d.folder, adoptName)
	info, err := os.Lstat(filepath.Join(dir, stepsName))
	if errors.Is(err, fs.ErrNotExist) {
		return os.RemoveAll(dir)
	}
	if err != nil {
		return err
	}
	if info.Size() > maxSteps {
		return fmt.Errorf("a list of %d bytes", info.Size())
	}
	text, err := os.ReadFile(filepath.Join(dir, stepsName))
	if err != nil {
		return err
	}
	var steps []step
	if err := json.Unmarshal(text, &steps); err != nil {
		return err
	}
	for _, st := range steps {
		if err := st.Check(len(d.layer.trees)); err != nil {
			return err
		}
		if err := d.make(st, dir); err != nil {
			return pathError("adopt", st.Place, err)
		}
	}
	return os.RemoveAll(dir)
}

// make makes one step, which may have been made already.
func (d *Draft) make(st step, dir string) error {
	if st.Will.Type == change.None {
		return d.takeAway(st.Place)
	}
	if st.New != 0 {
		if _, err := os.Lstat(filepath.Join(dir, strconv.Itoa(st.New))); errors.Is(err, fs.ErrNotExist) {
			return nil // all was made, and it was being removed
		}
	}
	now, err := d.layer.Look(st.Place)
	if err != nil {
		return err
	}
	if now.Type != change.None && (now.Type == change.Dir) != (st.Will.Type == change.Dir) {
		if err := os.RemoveAll(d.path(st.Place)); err != nil {
			return err
		}
	}
	return d.put(st.Place, func(temp string) (int64, error) {
		switch st.Will.Type {
		case change.File: // what lies ready stays there until all is made: whoever goes on makes it again
			return st.Size, linkOrCopy(filepath.Join(dir, strconv.Itoa(st.New)), temp)
		case change.Link:
			return 0, os.Symlink(string(st.Will.Target), temp)
		}
		return 0, os.Mkdir(temp, st.Will.Mode|0o700)
	})
}

// linkOrCopy gives a file another name, or makes a copy where the file system has one name for each.
func linkOrCopy(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return errors.Join(out.Chmod(st.Mode()), out.Close())
}
