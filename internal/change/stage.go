package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"helve/internal/fsroot"
)

// Near slots are called as the temporary files of tools are, which every listing leaves out.
const (
	nearPrefix = ".helve-"
	nearSuffix = ".tmp"
	// idInNames is how much of a transaction's id is in them.
	idInNames = 8
)

// nearName is the name of an entry that is in a root for a moment.
func (t *Transaction) nearName(what string) string {
	return nearPrefix + t.id[:idInNames] + "-" + what + nearSuffix
}

// choose gives every step its slot.
func (t *Transaction) choose(p *plan) error {
	var notes []note
	for i, st := range p.steps {
		if st.why != nil || st.Do == alter {
			continue
		}
		switch {
		case t.near[st.Root]:
			up := t.nearest(p, st)
			name := t.nearName(strconv.Itoa(i))
			st.Slot = slot{Path: in(up.Path, name), Near: true}
			notes = append(notes, note{Place: Place{st.Root, st.Slot.Path}})
		case st.change != nil && st.change.From != "":
			st.Slot = slot{Path: st.change.From}
		default:
			st.Slot = slot{Path: in(slotsName, strconv.Itoa(i))}
		}
	}
	return t.noteDown(notes)
}

// nearest is the directory for a near slot: the deepest on the way to the place that is there and stays.
func (t *Transaction) nearest(p *plan, st *step) Place {
	for up := st.parent(); up.Path != "."; up = up.parent() {
		if _, err := t.roots.dir(up); err == nil && !p.ends(up) {
			return up
		}
	}
	return Place{st.Root, "."}
}

// stage makes the new content of every step in its slot. Nothing can be seen of it in the roots but near slots.
func (t *Transaction) stage(ctx context.Context, p *plan) error {
	for _, st := range p.steps {
		if st.why != nil || st.met || st.Do == alter || st.Do == take {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.fill(st); err != nil {
			return fmt.Errorf("prepare %s: %w", quoted(st.Path), err)
		}
		t.at("staged")
	}
	return nil
}

// fill puts the new content of a step in its slot, and notes what it is from now on.
func (t *Transaction) fill(st *step) error {
	t.roots.parent(st.Place) // opened first, so that it closes no slot; it may not be there yet
	where, name, err := t.slotOf(st)
	if err != nil {
		return err
	}
	from := st.change.From
	switch {
	case from != "" && st.Slot.Near:
		err = t.carry(from, where, name)
	case from != "":
	case st.Will.Type == Dir:
		err = t.fresh(st, where, name, where.mkdir(name))
	case st.Will.Type == Link:
		err = t.fresh(st, where, name, where.symlink(string(st.Will.Target), name))
	case st.Will.Type == File:
		err = t.write(st, where, name)
	default:
		err = errors.New("there is no content for it")
	}
	if err != nil {
		return err
	}
	now, err := where.look(name)
	if err != nil {
		return err
	}
	if now.Type != st.Will.Type {
		return fmt.Errorf("%s lies ready, not %s", now.Type, st.Will.Type)
	}
	st.Will = now
	return nil
}

// slotOf opens the directory of a step's slot. It is valid until another directory below the roots is opened.
func (t *Transaction) slotOf(st *step) (*dir, string, error) {
	at := Place{st.Root, st.Slot.Path}
	if st.Slot.Near {
		up, err := t.roots.parent(at)
		return up, at.base(), err
	}
	if name, ok := strings.CutPrefix(string(st.Slot.Path), slotsName+"/"); ok {
		return t.slots, name, nil
	}
	up, err := t.layer.dir(Place{Path: at.parent().Path})
	return up, at.base(), err
}

// write writes a file's new content, and gives it what the old file had beside its own.
func (t *Transaction) write(st *step, where *dir, name string) error {
	f, err := where.create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := st.change.Write(f); err != nil {
		return err
	}
	if err := t.inherit(st, f); err != nil {
		return err
	}
	if err := t.flush(f); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return t.fresh(st, where, name, nil)
}

// inherit copies access lists and other attributes of the file that is replaced.
func (t *Transaction) inherit(st *step, f *os.File) error {
	if st.Do != swap || st.Was.Type != File {
		return nil
	}
	up, err := t.roots.parent(st.Place)
	if err != nil {
		return err
	}
	old, err := up.open(st.base())
	if err != nil {
		return err
	}
	defer old.Close()
	return fsroot.KeepAttrs(f, old)
}

// fresh gives what was just made in a slot its owner, mode and time. made is the error of making it.
func (t *Transaction) fresh(st *step, where *dir, name string, made error) error {
	if made != nil {
		return made
	}
	return where.dress(name, st.Will)
}

// dress sets owner, mode and time of an entry to those of e. An owner that is unknown or already right is left alone,
// because only root may change it.
func (d *dir) dress(name string, e Entry) error {
	if e.Owner.Known {
		now, err := d.look(name)
		if err != nil {
			return err
		}
		if now.Owner != e.Owner {
			if err := d.chown(name, e.Owner); err != nil {
				return err
			}
		}
	}
	if e.Type != Link { // a link has no mode of its own
		if err := d.chmod(name, e.Mode); err != nil {
			return err
		}
	}
	if e.Time == 0 {
		return nil
	}
	return d.touch(name, e.Time)
}

// carry copies what lies ready in the folder to a near slot.
func (t *Transaction) carry(from Name, where *dir, name string) error {
	up, err := t.layer.dir(Place{Path: Place{Path: from}.parent().Path})
	if err != nil {
		return err
	}
	return (&copying{}).entry(up, base(from), where, name)
}

// A copying copies entries with what belongs to them. The zero value is ready.
type copying struct {
	depth int
}

// entry copies what stands at a name, whole directories too, to a name that is free.
func (c *copying) entry(from *dir, name string, to *dir, newName string) error {
	e, err := from.look(name)
	if err != nil {
		return err
	}
	switch e.Type {
	case File:
		err = c.file(from, name, to, newName, e)
	case Dir:
		err = c.dir(from, name, to, newName)
	case Link:
		err = to.symlink(string(e.Target), newName)
	default:
		err = fmt.Errorf("%s: %s cannot be copied", quoted(Name(name)), e.Type)
	}
	if err != nil {
		return err
	}
	return to.dress(newName, e)
}

func (c *copying) file(from *dir, name string, to *dir, newName string, e Entry) error {
	in, err := from.open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := to.create(newName)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := copySparse(out, in, e.Size); err != nil {
		return err
	}
	if err := fsroot.KeepAttrs(out, in); err != nil {
		return err
	}
	return out.Close()
}

func (c *copying) dir(from *dir, name string, to *dir, newName string) error {
	if c.depth >= maxDepth {
		return errDeep
	}
	c.depth++
	defer func() { c.depth-- }()
	if err := to.mkdir(newName); err != nil {
		return err
	}
	in, err := from.enter(name)
	if err != nil {
		return err
	}
	defer in.close()
	out, err := to.enter(newName)
	if err != nil {
		return err
	}
	defer out.close()
	names, _, err := in.names(MaxEntries)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := c.entry(in, n, out, n); err != nil {
			return err
		}
	}
	return nil
}

// copyPlain copies size bytes, and what came behind them meanwhile.
func copyPlain(out, in *os.File) error {
	_, err := io.Copy(out, in)
	return err
}
