package record

import (
	"context"
	"slices"
	"sync"
	"time"

	"helve/builtin/internal/history"
	"helve/internal/change"
	"helve/tool"
)

// taskGap is what the history says of every background command.
const taskGap = "it ran in the background and changed the workspace directly: what it did between two looks, and " +
	"outside, is not known, and what people changed meanwhile counts as its own"

// lookShare bounds what looks at the workspace cost while a background command runs: after one that took a second the
// next comes twenty seconds later at the earliest.
const lookShare = 20

// A TaskRecord writes into the history what a background command changes in the workspace, which nothing holds back:
// at looks while it runs, before other calls change the same files, and when it has ended. Its calls in the history
// have one parent, and are one undo. A nil one records nothing.
type TaskRecord struct {
	w      *Records
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

// RecordTask looks at the workspace before a background command starts. Nil: it can change nothing, or nothing is
// remembered.
func (w *Records) RecordTask(ctx context.Context, call *tool.Call, title string, readOnly bool) *TaskRecord {
	store, err := w.Store()
	if store == nil && err == nil || readOnly {
		return nil
	}
	r := &Recording{w: w}
	t := &TaskRecord{
		w:     w,
		past:  r.call(call, "bash", title, []string{taskGap}),
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

// Follow looks for the last time when all processes of the command are gone. It is called once, when it has started.
func (t *TaskRecord) Follow(gone <-chan struct{}) {
	if t == nil {
		return
	}
	t.w.tasksMu.Lock()
	t.w.tasks = append(t.w.tasks, t)
	t.w.tasksMu.Unlock()
	go func() {
		<-gone
		t.finish()
	}()
}

// end is the last look. Nobody needs to wait for it: the history waits for whoever writes to it.
func (t *TaskRecord) end() {
	defer close(t.ended)
	t.compare(func(store *history.Store, call history.Call) ([]history.Change, error) {
		return store.Compare(context.Background(), t.scan, call)
	})
	t.w.tasksMu.Lock()
	defer t.w.tasksMu.Unlock()
	t.w.tasks = slices.DeleteFunc(t.w.tasks, func(o *TaskRecord) bool { return o == t })
}

// compare has the store compare and write what changed since the last look.
func (t *TaskRecord) compare(how func(*history.Store, history.Call) ([]history.Change, error)) {
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

// Look looks while the command runs, unless somebody has just done so.
func (t *TaskRecord) Look(ctx context.Context) {
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
func (t *TaskRecord) due() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.last) >= lookShare*t.took
}

// Wait waits until what an ended command did is in the history.
func (t *TaskRecord) Wait(ctx context.Context) {
	if t == nil {
		return
	}
	select {
	case <-t.ended:
	case <-ctx.Done():
	}
}

// News is what no result has told yet of what the command changed; nil: nothing.
func (t *TaskRecord) News() *Recording {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := &Recording{w: t.w, id: t.past.Parent, why: t.why}
	if len(t.unsaid) > 0 {
		r.changed = history.Fold([]history.Call{{Changes: t.unsaid}})
	}
	t.unsaid = nil
	return r
}

// CatchUp writes into the history what background commands did at places that a call is about to change: it came first,
// and would count as somebody else's change once the call has made its own.
func (w *Records) CatchUp(ctx context.Context, at ...change.Place) {
	for _, t := range w.runningTasks() {
		t.compare(func(store *history.Store, call history.Call) ([]history.Change, error) {
			return store.CompareAt(ctx, t.scan, call, at)
		})
	}
}

// lookAtTasks looks at what background commands did, as a command in the foreground is about to change the workspace
// directly, too.
func (w *Records) lookAtTasks(ctx context.Context) {
	for _, t := range w.runningTasks() {
		t.compare(func(store *history.Store, call history.Call) ([]history.Change, error) {
			return store.CompareRunning(ctx, t.scan, call)
		})
	}
}

// runningTasks are the records of background commands that go on.
func (w *Records) runningTasks() []*TaskRecord {
	w.tasksMu.Lock()
	defer w.tasksMu.Unlock()
	return slices.Clone(w.tasks)
}

// touchChanges tells the trees of changes that the history knows of.
func (w *Records) touchChanges(list []history.Change) {
	paths := make([][]string, len(w.Files.Roots()))
	for _, ch := range list {
		paths[ch.Root] = append(paths[ch.Root], string(ch.Path))
	}
	w.TouchAll(paths)
}
