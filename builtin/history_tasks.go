package builtin

import (
	"context"
	"slices"
	"sync"
	"time"

	"helve/engine/sandbox"
	"helve/internal/change"
	"helve/internal/history"
	"helve/tool"
)

// taskGap is what the history says of every background command.
const taskGap = "it ran in the background and changed the workspace directly: what it did between two looks, and " +
	"outside, is not known, and what people changed meanwhile counts as its own"

// lookShare bounds what looks at the workspace cost while a background command runs: after one that took a second the
// next comes twenty seconds later at the earliest.
const lookShare = 20

// A taskRecord writes into the history what a background command changes in the workspace, which nothing holds back:
// at looks while it runs, before other calls change the same files, and when it has ended. Its calls in the history
// have one parent, and are one undo. A nil one records nothing.
type taskRecord struct {
	w      *Workspace
	past   history.Call // each call, but for ID and time
	ended  chan struct{}
	finish func() // the last look; later calls do nothing

	mu     sync.Mutex
	scan   *history.Scan
	last   time.Time        // when it was looked at; zero: not yet
	took   time.Duration    // how long that was
	unsaid []history.Change // what no result has told yet
	why    error            // why something of it cannot be undone; nil: all can
}

// recordTask looks at the workspace before a background command starts. Nil: it can change nothing, or nothing is
// remembered.
func (w *Workspace) recordTask(ctx context.Context, call *tool.Call, c *command) *taskRecord {
	store, err := w.history()
	if store == nil && err == nil || c.confine.Level == sandbox.ReadOnly {
		return nil
	}
	r := &recording{w: w}
	t := &taskRecord{
		w:     w,
		past:  r.call(call, "bash", c.in.String(), []string{taskGap}),
		ended: make(chan struct{}),
		why:   err,
	}
	t.past.Parent = call.AsParent()
	t.finish = sync.OnceFunc(t.end)
	if err == nil {
		t.scan, t.why = store.Scan(ctx)
	}
	return t
}

// follow looks for the last time when all processes of the command are gone. It is called once, when it has started.
func (t *taskRecord) follow(gone <-chan struct{}) {
	if t == nil {
		return
	}
	t.w.mu.Lock()
	t.w.recorded = append(t.w.recorded, t)
	t.w.mu.Unlock()
	go func() {
		<-gone
		t.finish()
	}()
}

// end is the last look. Nobody needs to wait for it: the history waits for whoever writes to it.
func (t *taskRecord) end() {
	defer close(t.ended)
	t.compare(func(store *history.Store, call history.Call) ([]history.Change, error) {
		return store.Compare(context.Background(), t.scan, call)
	})
	t.w.mu.Lock()
	defer t.w.mu.Unlock()
	t.w.recorded = slices.DeleteFunc(t.w.recorded, func(o *taskRecord) bool { return o == t })
}

// compare has the store compare and write what changed since the last look.
func (t *taskRecord) compare(how func(*history.Store, history.Call) ([]history.Change, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.scan == nil {
		return
	}
	call := t.past
	call.ID, call.Time = newID(), time.Now().UTC()
	changed, err := how(t.w.kept.store, call)
	if err != nil && t.why == nil {
		t.why = err
	}
	t.unsaid = append(t.unsaid, changed...)
	t.w.touchChanges(changed)
}

// look looks while the command runs, unless somebody has just done so.
func (t *taskRecord) look(ctx context.Context) {
	if t == nil || !t.due() {
		return
	}
	begin := time.Now()
	t.compare(func(store *history.Store, call history.Call) ([]history.Change, error) {
		return store.CompareRunning(ctx, t.scan, call)
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last, t.took = time.Now(), time.Since(begin)
}

// due tells whether the last look is long enough ago.
func (t *taskRecord) due() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.last) >= lookShare*t.took
}

// wait waits until what an ended command did is in the history.
func (t *taskRecord) wait(ctx context.Context) {
	if t == nil {
		return
	}
	select {
	case <-t.ended:
	case <-ctx.Done():
	}
}

// news is what no result has told yet of what the command changed; nil: nothing.
func (t *taskRecord) news() *changes {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &recording{w: t.w, id: t.past.Parent, why: t.why}
	if len(t.unsaid) > 0 {
		r.changed = history.Fold([]history.Call{{Changes: t.unsaid}})
	}
	t.unsaid = nil
	return r.told()
}

// catchUp writes into the history what background commands did at places that a call is about to change: it came first,
// and would count as somebody else's change once the call has made its own.
func (w *Workspace) catchUp(ctx context.Context, at ...change.Place) {
	for _, t := range w.runningTasks() {
		t.compare(func(store *history.Store, call history.Call) ([]history.Change, error) {
			return store.CompareAt(ctx, t.scan, call, at)
		})
	}
}

// lookAtTasks looks at what background commands did, as a command in the foreground is about to change the workspace
// directly, too.
func (w *Workspace) lookAtTasks(ctx context.Context) {
	for _, t := range w.runningTasks() {
		t.compare(func(store *history.Store, call history.Call) ([]history.Change, error) {
			return store.CompareRunning(ctx, t.scan, call)
		})
	}
}

// runningTasks are the records of background commands that go on.
func (w *Workspace) runningTasks() []*taskRecord {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.recorded)
}

// touchChanges tells the trees of changes that the history knows of.
func (w *Workspace) touchChanges(list []history.Change) {
	paths := make([][]string, len(w.files.Roots()))
	for _, ch := range list {
		paths[ch.Root] = append(paths[ch.Root], string(ch.Path))
	}
	w.touchAll(paths)
}
