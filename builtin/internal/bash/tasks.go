package bash

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/builtin/internal/doc"
	"helve/builtin/internal/folders"
	"helve/builtin/internal/record"
	"helve/builtin/internal/render"
	"helve/engine/sandbox"
	"helve/tool"
)

const (
	// maxTasks bounds the background commands of one session: a model that starts more has lost sight of them.
	maxTasks = 16
	// taskKeep is how much output of one task stays readable: a verbose server's for hours.
	taskKeep = 100 << 20
	// maxWait bounds how long bash_output waits for news.
	maxWait = 60_000
)

// tasks are the background commands of a session. Closing the session ends them.
type tasks struct {
	mu   sync.Mutex
	next int
	all  map[string]*task
}

// A task is one background command.
type task struct {
	id      string
	c       *command
	p       *sandbox.Process // its first process, with the tree below it
	reached sandbox.Reached
	record  *record.TaskRecord // what it changes; nil: nothing, or nobody remembers it
	watch   *watched           // what it leaves to run later; nil: it can write nothing

	mu       sync.Mutex // one reader at a time
	out, err cursor
}

// tasksOf are a session's tasks. Whoever asks first makes them part of the session, whose end ends them.
func tasksOf(s *tool.Session) *tasks {
	return tool.Of(s, func() *tasks {
		return &tasks{all: map[string]*task{}}
	})
}

// Close ends every task with its whole tree, and the launcher that waits for a next command.
func (ts *tasks) Close() error {
	defer sandbox.Rest()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	var wg sync.WaitGroup
	errs := make([]error, 0, len(ts.all))
	for _, t := range ts.all {
		wg.Go(func() {
			t.p.Stop()
			t.record.Wait(context.Background())
		})
	}
	wg.Wait()
	for _, t := range ts.all {
		t.watch.look() // nobody is left who could do it later
		errs = append(errs, t.p.Close())
	}
	ts.all = nil
	return errors.Join(errs...)
}

// get finds a task; the error for an unknown one names those that there are. Without a session there are none.
func (ts *tasks) get(id string) (*task, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.all[id]
	if t != nil {
		return t, nil
	}
	var known []string
	for k := range ts.all {
		known = append(known, k)
	}
	if len(known) == 0 {
		return nil, tool.Errorf(tool.Validation, "no task %q in this session", id).
			WithHint("It has none. Tasks end with the process that started them; " +
				"bash with run_in_background starts one.")
	}
	slices.Sort(known)
	return nil, tool.Errorf(tool.Validation, "no task %q in this session", id).
		WithHint("Known: %s.", strings.Join(known, ", "))
}

// background starts a command that goes on after the call, and returns what the model needs to ask for it. It ends
// with the session.
func (w *Commands) background(ctx context.Context, call *tool.Call, c *command) (*tool.Result, error) {
	if err := w.MustBeDir(c.dir); err != nil {
		return nil, err
	}
	if err := w.shell.missing(w.Environ); err != nil {
		return nil, err
	}
	record := w.RecordTask(ctx, call, c.in.String(), c.confine.Level == sandbox.ReadOnly)
	ts := tasksOf(call.Session)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.all == nil {
		return nil, errors.New("the session is closed")
	}
	ts.forget()
	if len(ts.all) >= maxTasks {
		return nil, tool.Errorf(tool.Execution, "%d tasks run already, the most that a session may have", maxTasks).
			WithHint("End one with bash_kill.")
	}
	c.maskDenied(w)
	if c.through != "" {
		c.gaps = append(c.gaps, c.through)
	}
	watch := c.watchDirect(ctx, w, call)
	watch.keepFrom(c)
	spec := c.spec(w)
	spec.Keep, spec.Leave = taskKeep, true
	p, reached, err := sandbox.Start(context.WithoutCancel(ctx), c.confine, spec) // it lives as long as the session
	if err != nil {
		watch.end()
		return nil, err
	}
	ts.next++
	t := &task{
		id:      taskID(ts.next),
		c:       c,
		p:       p,
		reached: reached,
		record:  record,
		watch:   watch,
	}
	ts.all[t.id] = t
	record.Follow(p.Gone())
	go t.ended()
	var notes []string
	if c.in.Timeout > 0 { // models give one by habit: a server that ended in the middle of their work would be no help
		notes = append(notes, "[timeout has no effect in the background: the command runs until it ends, bash_kill, or "+
			"the end of the session; put the shell's own timeout before it to have it ended]")
	}
	meta := bashMeta{
		Command: c.in.Command,
		Dir:     c.dir.Abs(),
		TaskID:  t.id,
		Sandbox: metaOf(c.with(reached)),
	}
	data := bashData{
		TaskID: t.id,
		Dir:    meta.Dir,
		Notes:  notes,
		Extent: render.ExtentOf(),
	}
	return tool.Render(data).WithSummary("started %s: %s", t.id, c.in.Command).WithMeta(meta), nil
}

// ended looks at what a task left when its last process has ended. It returns when that was done.
func (t *task) ended() {
	<-t.p.Gone()
	t.watch.look()
	t.watch.end()
}

// forget drops the oldest finished tasks, so that new ones find room.
func (ts *tasks) forget() {
	for n := 1; n <= ts.next && len(ts.all) >= maxTasks; n++ {
		id := taskID(n)
		t := ts.all[id]
		if t == nil || t.running() {
			continue
		}
		t.p.Close()
		delete(ts.all, id)
	}
}

// taskID is the name of the nth task of a session, counted from 1.
func taskID(n int) string { return fmt.Sprintf("task-%d", n) }

// running tells whether any process of the task is left.
func (t *task) running() bool {
	select {
	case <-t.p.Gone():
		return false
	default:
		return true
	}
}

// bashOutputIn are the parameters of bash_output.
type bashOutputIn struct {
	TaskID string `json:"task_id" jsonschema:"From bash"`
	Wait   int    `json:"wait,omitempty" jsonschema:"description=Milliseconds to wait for new output,minimum=0,maximum=60000"`
	Filter string `json:"filter,omitempty" jsonschema:"Only lines matching this regular expression"`
}

// Output brings what a background command printed since the last time.
func Output(w *Commands) tool.Tool {
	s := tool.Spec{
		Name:      "bash_output",
		Aliases:   []string{"BashOutput", "TaskOutput"},
		Title:     "Shell Output",
		Origin:    folders.Origin("bash_output"),
		Doc:       doc.Of("bash_output"),
		Kind:      tool.Read,
		Stateful:  true,
		Category:  "shell",
		Tags:      []string{"shell", "background"},
		Params:    bashOutputParams(),
		Translate: bashOutputWords(),
	}
	plan := func(_ context.Context, c *tool.Call, in bashOutputIn) (*tool.Job, error) {
		filter, err := regexp.Compile(in.Filter)
		if err != nil {
			return nil, tool.Verbatim(tool.Validation, "Parameter validation failed: filter: %v", err)
		}
		return &tool.Job{
			Title:   "output of " + in.TaskID,
			Effects: []tool.Effect{},
			Run: func(ctx context.Context) (*tool.Result, error) {
				t, err := tasksOf(c.Session).get(in.TaskID)
				if err != nil {
					return nil, err
				}
				t.await(ctx, time.Duration(min(in.Wait, maxWait))*time.Millisecond)
				return t.news(ctx, c, filter)
			},
		}, nil
	}
	return tool.Renders[taskData](tool.Plan(s, plan))
}

// pollEvery is how often a waiting reader looks: output goes to files, which wake nobody.
const pollEvery = 20 * time.Millisecond

// await returns when there is news, the task has ended, or the time is over.
func (t *task) await(ctx context.Context, d time.Duration) {
	end := time.After(d)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for d > 0 && !t.hasNews() {
		select {
		case <-ctx.Done():
			return
		case <-end:
			return
		case <-t.p.Gone():
			return
		case <-tick.C:
		}
	}
}

// hasNews tells whether something was printed that the last call did not know of.
func (t *task) hasNews() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.p.Stdout.Size() > t.out.seen || t.p.Stderr.Size() > t.err.seen
}

// taskMeta is the metadata of bash_output and bash_kill. What the command changed since the last one of these calls is
// in it; Undo is of all that it changed.
type taskMeta struct {
	TaskID   string     `json:"task_id"`             // as bash gave it
	Running  bool       `json:"running"`             // any of its processes is left
	ExitCode *int       `json:"exit_code,omitempty"` // absent while it runs
	Signal   string     `json:"signal,omitempty"`    // by its name, where one ended it
	Held     []heldBack `json:"held_back,omitempty"` // put aside: another program would run or follow it
	record.UndoMeta
}

// news is what came since the last call, and how the task stands.
func (t *task) news(ctx context.Context, c *tool.Call, filter *regexp.Regexp) (*tool.Result, error) {
	state, meta := t.state() // before the output: what is read afterwards is at least what was there at this state
	t.watch.look()           // behind the state: of a task that has ended it finds all
	if meta.Running {
		t.record.Look(ctx)
	} else {
		t.record.Wait(ctx)
	}
	changed := changesOfRecord(t.record.News())
	if changed != nil {
		meta.UndoMeta = changed.undo
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := readerFor(c, filter, meta.Running)
	out, errs := r.since(t.p.Stdout, &t.out), r.since(t.p.Stderr, &t.err)
	aside, failed := t.watch.take()
	meta.Held = aside
	data := meta.data(state)
	data.Stdout, data.Stderr = out, errs
	data.Notes, data.Extent = slices.Concat(changed.lines(), asideNotes(aside, failed)), data.reach()
	return tool.Render(data).WithSummary("%s %s", t.id, state).WithMeta(meta), nil
}

// data is how a task stands, without what it printed.
func (m taskMeta) data(state string) taskData {
	return taskData{
		TaskID:   m.TaskID,
		Running:  m.Running,
		ExitCode: m.ExitCode,
		Signal:   m.Signal,
		State:    state,
		Held:     m.Held,
		UndoMeta: m.UndoMeta,
		Extent:   render.ExtentOf(),
	}
}

// state says how a task stands, in words that go on behind its name.
func (t *task) state() (string, taskMeta) {
	meta := taskMeta{TaskID: t.id, Running: t.running()}
	if meta.Running {
		return "is running", meta
	}
	exit, err := t.p.Wait(context.Background()) // it is gone: this returns at once
	if err != nil {
		return "is gone: " + err.Error(), meta
	}
	meta.ExitCode, meta.Signal = &exit.Code, exit.Signal
	if exit.Over != "" {
		return "was ended, because " + exit.Over, meta
	}
	if exit.Signal != "" {
		return "ended by " + exit.Signal, meta
	}
	return fmt.Sprintf("ended with exit code %d", exit.Code), meta
}

// bashKillIn are the parameters of bash_kill.
type bashKillIn struct {
	TaskID string `json:"task_id" jsonschema:"From bash"`
}

func (in bashKillIn) String() string { return "end " + in.TaskID }

// Kill ends a background command with its whole tree.
func Kill(w *Commands) tool.Tool {
	s := tool.Spec{
		Name:     "bash_kill",
		Aliases:  []string{"KillBash", "KillShell", "TaskStop"},
		Title:    "Shell Kill",
		Origin:   folders.Origin("bash_kill"),
		Doc:      doc.Of("bash_kill"),
		Kind:     tool.Exec,
		Stateful: true,
		Category: "shell",
		Tags:     []string{"shell", "background"},
		Params:   bashTaskParams(),
	}
	return tool.Renders[taskData](tool.Plan(s, func(_ context.Context, c *tool.Call, in bashKillIn) (*tool.Job, error) {
		return &tool.Job{Signature: in.TaskID, Run: func(ctx context.Context) (*tool.Result, error) {
			t, err := tasksOf(c.Session).get(in.TaskID)
			if err != nil {
				return nil, err
			}
			if !t.running() {
				state, meta := t.state()
				data := meta.data(state)
				data.Over = true
				return tool.Render(data).WithSummary("%s %s", t.id, state).WithMeta(meta), nil
			}
			t.p.Stop()
			return t.news(ctx, c, regexp.MustCompile(""))
		}}, nil
	}))
}
