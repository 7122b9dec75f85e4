package bash

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"helve/builtin/internal/record"
	"helve/internal/change"
	"helve/tool"
)

// A draft whose commit somebody's edit refuses stays: its layer goes to a draft of its own, with all that says what the
// draft relied upon, so that it is in conflict there as it was here.

// stay makes of a draft that was looked at one that stays, and returns its ID. This one is over then.
func (d *Draft) stay(call *tool.Call) (id string, err error) {
	if err := d.t.tx.PutMarksBack(); err != nil {
		return "", err
	}
	tx, err := change.Begin(d.w.DraftChanges())
	if err != nil {
		return "", fmt.Errorf("draft: %w", err)
	}
	k := &Kept{Draft: d.w.draftIn(tx)}
	if err := k.takeOver(d, call); err != nil {
		return "", errors.Join(err, tx.Close())
	}
	tx.Leave()
	return k.Down.ID, nil
}

// takeOver takes what another draft holds and relies upon. What is written down comes last: what is listed is whole.
func (k *Kept) takeOver(d *Draft, call *tool.Call) (err error) {
	if k.t.layer, err = d.t.layer.Moved(k.t.tx); err != nil {
		return err
	}
	k.Down = k.downAt(d.t.layer.Since())
	k.Down.Owed, k.Down.Plain = d.owes(), d.plain
	if d.t.tool == scriptTool {
		k.Down.Script = leftBy(call)
	}
	d.base.Range(func(at, text any) bool {
		k.base.Store(at, text)
		return true
	})
	d.stood.Range(func(at, stood any) bool {
		k.stood.Store(at, stood)
		return true
	})
	for at, since := range d.mergedAt {
		k.Down.Places = append(k.Down.Places, record.DraftPlace{Place: at, Since: since})
	}
	if err := k.keepTexts(); err != nil {
		return err
	}
	k.keepStood()
	return k.w.WriteDraft(k.Down)
}

// scriptTool is what a script's draft is named after.
const scriptTool = "run_script"

// leftBy notes that a script of this conversation leaves a draft now.
func leftBy(call *tool.Call) *record.DraftScript {
	return &record.DraftScript{Left: time.Now().UTC(), By: conversation(call)}
}

// conversation names the conversation of a call, and tells nothing about it.
func conversation(call *tool.Call) string {
	if call == nil || call.Session == nil {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q", call.Session.Principal, call.Session.ID))
	return hex.EncodeToString(sum[:16])
}

// openFor is how long a script of the conversation may go on with a draft that one left.
const openFor = 10 * time.Minute

// wherePut says what a draft in conflict becomes; id "": it is lost, and err says why it could not be kept.
func (d *Draft) wherePut(id string, err error) string {
	const again = "Read these files as they are now, and do it again."
	switch {
	case err != nil:
		return "What was drafted could not be kept, and is dropped: " + err.Error() + "\n" + again
	case id == "":
		return again
	case d.t.tool != scriptTool:
		return fmt.Sprintf("What was drafted stays for a person: helve draft diff, commit or drop %s.\n%s", id, again)
	}
	return fmt.Sprintf("What was drafted stays in draft %[1]s, for %[2]d minutes for you. To go on with it: read these files as they are "+
		"now, then call run_script with draft: %[1]q and a script that writes each of them anew, with what both changed. It starts "+
		"from what was drafted, relies on the files as they are then, and makes all of it at its end. "+
		"A person sees it by helve draft diff %[1]s.", id, int(openFor/time.Minute))
}

// changedMeanwhile has what somebody changed while a question about it stood be stale. What git has of its own is
// compared when it is made, under git's lock.
func (d *Draft) changedMeanwhile(set *change.Set) {
	for i := range set.Changes {
		c := &set.Changes[i]
		if c.Stale || c.Unit != "" || c.Shared || c.Was.Type == change.Dir {
			continue
		}
		root, err := change.OpenTree(d.t.where.Roots[c.Root])
		if err != nil {
			continue // it is told when it is made
		}
		now, err := root.Look(c.Path)
		root.Close()
		if err == nil && (now.Type != c.Was.Type || now.ID != c.Was.ID || now.Changed != c.Was.Changed) {
			c.Was, c.Stale = now, true
		}
	}
}
