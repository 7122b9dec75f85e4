package bash

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/change/check"
	"helve/internal/state"
	"helve/tool"
)

// commitTime bounds how long the end of a command takes to look at what it changed and to make it: 100,000 files take a
// few seconds where nothing else writes.
const commitTime = 10 * time.Minute

// A transaction holds back what one command changes in the workspace until that was looked at. The command sees its
// changes, everybody else sees the workspace as it was before or as it is afterwards.
type transaction struct {
	w     *Commands
	call  *tool.Call
	tool  string // that the history names
	title string
	whole bool // all of it is made, or nothing

	looked int64 // when it was found out what the set takes away, by the clock of the files; 0: not yet
	tx     *change.Transaction
	layer  *sandbox.Layer
	where  check.Options
}

// begin makes the transaction of a command; nil where it can change nothing, or where nothing can be held back. The
// command then says why.
func (w *Commands) begin(call *tool.Call, c *command) (*transaction, error) {
	if c.confine.Level != sandbox.WorkspaceWrite {
		return nil, nil
	}
	if c.through != "" {
		c.gaps = append(c.gaps, c.through)
		return nil, nil
	}
	tx, err := change.Begin(w.Changes())
	if err != nil {
		return nil, fmt.Errorf("bash: %w", err)
	}
	layer := sandbox.NewLayer(tx)
	memory := w.layerMemory()
	switch {
	case c.inMemory || memory > 0 && w.foundOut(w.noDiskFile()) != "":
		layer.InMemory(memory)
	case memory > 0: // that is tried next
		layer.Require()
	}
	if call.By.Kind == tool.ByMode { // whom mode auto let in without a word is let in for this promise
		layer.Require()
	}
	t := &transaction{
		w:     w,
		call:  call,
		tool:  "bash",
		title: c.in.String(),
		tx:    tx,
		layer: layer,
		where: w.checked(tx),
	}
	if looksAtNew(call, c) {
		t.where.New = &check.New{File: w.KnewFile(), Writable: slices.Concat(c.confine.Writable, c.confine.Caches)}
	}
	return t, nil
}

// checked is how the changes of a transaction are looked at.
func (w *Commands) checked(tx *change.Transaction) check.Options {
	return check.Options{
		Roots:  w.RootDirs(),
		Folder: tx.Folder(),
		Getenv: w.Getenv,
		Asks:   w.AsksAt(),
	}
}

// looksAtNew tells whether what is known by its name alone is looked for. Where all of it is shown, it is seen.
func looksAtNew(call *tool.Call, c *command) bool {
	switch call.Leaves.New {
	case tool.LeftMade:
		return false
	case tool.LeftRefused:
		return true
	case tool.LeftAsked:
		return !c.review
	}
	return call.By.Kind == tool.ByMode && !c.review // nobody was asked
}

// layerMemory is how many bytes a layer in memory may have; 0: none can be had.
func (w *Commands) layerMemory() int64 {
	return cmp.Or(w.Sandbox.Limits.Layer, sandbox.LayerMemory())
}

// again reports that a command which did not run, because its layer could not lie on the disk, is to be tried with
// one in memory.
func (t *transaction) again(err error) bool {
	if t == nil || t.layer.Memory() > 0 || t.w.layerMemory() == 0 || !errors.Is(err, sandbox.ErrNoOverlay) {
		return false
	}
	t.w.findOut(t.w.noDiskFile(), t.layer.Why())
	return true
}

// throughGap says that a command changes the workspace while it runs.
func throughGap(why string) string {
	return "what the command changes is not held back until it was looked at: " + why
}

// writesThrough tells why a command changes the workspace while it runs, as far as that is known before it does.
func (w *Commands) writesThrough(c *command) string {
	switch {
	case c.confine.Level != sandbox.WorkspaceWrite:
		return ""
	case c.in.Background, w.Attached.goesOn():
		return throughGap("it runs in the background")
	case c.reach.Mechanism != sandbox.Namespaces:
		return throughGap("the mechanism " + c.reach.Mechanism + " cannot")
	case w.ChangesDir() == "":
		return throughGap("there is no folder for it")
	}
	for _, dir := range w.RootDirs() {
		if at := sandbox.MountedBelow(dir); at != "" { // it may be gone soon, so it is not remembered
			return throughGap("a file system is mounted at " + at + ", and no overlay can lie over it")
		}
	}
	if why := w.noLayer(); why != "" {
		return throughGap(why)
	}
	return ""
}

const (
	// noLayerTime is how long it is remembered that a layer could not be had: kernels and mounts change seldom.
	noLayerTime = 24 * time.Hour
	maxReason   = 4 << 10
)

// noLayerFile remembers for other processes why nothing can be held back here, and noDiskFile why that is not
// possible on the disk.
func (w *Commands) noLayerFile() string { return filepath.Join(w.ChangesDir(), "no-layer") }
func (w *Commands) noDiskFile() string  { return filepath.Join(w.ChangesDir(), "no-layer-on-disk") }

// noLayer is why nothing can be held back in this workspace, as an earlier command found out; "" where it can, or
// nobody tried.
func (w *Commands) noLayer() string { return w.foundOut(w.noLayerFile()) }

// foundOut is what an earlier command found out, if that was not long ago.
func (w *Commands) foundOut(file string) string {
	st, err := os.Stat(file)
	if err != nil || time.Since(st.ModTime()) > noLayerTime {
		return ""
	}
	text, err := state.Read(file, maxReason)
	if err != nil {
		return ""
	}
	return string(text)
}

// findOut remembers a reason.
func (w *Commands) findOut(file, why string) {
	why = why[:min(len(why), maxReason)]
	state.Replace(file, []byte(why), 0o600) // where that fails the next command finds out again
}

// notHeld is the error of a command that did not run, in the tool's words.
func (w *Commands) notHeld(err error) error {
	if !errors.Is(err, sandbox.ErrNoLayer) {
		return err
	}
	_, why, _ := strings.Cut(err.Error(), sandbox.ErrNoLayer.Error()+": ")
	if errors.Is(err, sandbox.ErrNoOverlay) {
		w.findOut(w.noLayerFile(), why)
	}
	return tool.Errorf(tool.Permission, "The command was not run: %s.", throughGap(why)).
		WithHint("Modes auto and review run unasked what can be held back. " +
			"Call it again: from now on commands here are asked about.")
}

// memory is how many bytes hold what the command changes, 0 where they lie on the disk.
func (t *transaction) memory() int64 {
	if t == nil {
		return 0
	}
	return t.layer.Memory()
}

// close ends a transaction; what was refused stays where the result says.
func (t *transaction) close() {
	if t != nil {
		t.tx.Close() // what cannot be removed now is removed by the next start
	}
}

// errNotMade begins the error of a command, or of a draft, whose changes are lost: nothing of it is in the workspace.
var errNotMade = errors.New("nothing that it changed was kept")

// make makes a set but for what was found in it. What of that a person may still say yes to waits for one.
func (t *transaction) make(ctx context.Context, set *change.Set, found, waits []check.Finding) (*changes, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	id, unkept := t.wait(set, waits)
	elsewhere := make(map[check.Finding]bool, len(waits))
	for _, f := range waits {
		elsewhere[f] = id != ""
	}
	var out []change.Withheld
	for _, f := range found {
		out = append(out, change.Withheld{
			Index:     f.Index,
			Place:     f.Place,
			Why:       errors.New(f.Why),
			Elsewhere: elsewhere[f],
		})
	}
	rest, held, err := t.tx.Withhold(set, out)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotMade, err)
	}
	if err := check.Arrange(t.where, rest); err != nil {
		return nil, fmt.Errorf("%w: %w", errNotMade, err)
	}
	if t.whole {
		join(rest)
	}
	if len(rest.Changes) == 0 {
		made := t.w.changesOf(&change.Report{}, held)
		made.waits(id, unkept, t.w, waits)
		return made, nil
	}
	touched, err := t.touch(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNotMade, err)
	}
	places := make([]change.Place, 0, len(rest.Changes))
	for i := range rest.Changes {
		places = append(places, rest.Changes[i].Place())
	}
	t.w.CatchUp(ctx, places...)
	past := t.w.Record(t.call, t.tool, t.title)
	defer past.Close()
	past.Plan(t.tx, rest)
	check.Freshen(t.where, rest)
	report, err := t.tx.Apply(ctx, rest)
	touched() // where that fails, nothing new that git has is believed from then on
	if report == nil {
		return nil, fmt.Errorf("%w: %w", errNotMade, err)
	}
	// A report with an error says that something is left over in the folder, which the next start removes.
	past.Made(report)
	t.w.Made(report)
	made := t.w.changesOf(report, held)
	made.waits(id, unkept, t.w, waits)
	made.undo, made.lasting = past.Meta(), past.Note()
	return made, nil
}

// lookAgain finds out whether somebody changed something in a directory that goes as a whole, since that was looked at:
// a question about it may have stood for minutes. What stands in it is not compared when it is made.
func (t *transaction) lookAgain(set *change.Set) {
	for i := range set.Changes {
		c := &set.Changes[i]
		if c.Was.Type == change.Dir && c.Whole && !c.Stale {
			c.Stale = t.changedSince(c, t.looked)
		}
	}
}

// changedSince tells whether somebody changed what a change replaces or takes away.
func (t *transaction) changedSince(c *change.Change, then int64) bool {
	if c.Was.Type == change.None {
		return false
	}
	if c.Was.Changed > then {
		return true
	}
	if c.Was.Type != change.Dir || !c.Whole {
		return false
	}
	root, err := change.OpenTree(t.where.Roots[c.Root])
	if err != nil {
		return true
	}
	defer root.Close()
	return root.Walk(c.Path, func(_ change.Name, e change.Entry) error {
		if e.Changed > then {
			return fs.ErrExist
		}
		return nil
	}) != nil
}

// join has all changes of a set be made or none. Where it changes several repositories, each of them stands for itself
// beside the rest: one lock is all that a unit has.
func join(set *change.Set) {
	name := "all"
	if len(set.Units) == 1 {
		for unit := range set.Units {
			name = unit
		}
	}
	for i := range set.Changes {
		c := &set.Changes[i]
		if c.Unit == "" && !c.Shared {
			c.Unit = name
		}
	}
}

// touch notes what git knew before a command that nobody was asked about, if that changes it.
func (t *transaction) touch(ctx context.Context) (after func() error, err error) {
	if t.where.New == nil {
		return func() error { return nil }, nil
	}
	return t.where.New.Touch(ctx)
}
