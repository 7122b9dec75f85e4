package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

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

	mu       sync.Mutex // one reader at a time
	out, err cursor
}

// A cursor is where the next call goes on in a stream, and how far the stream was known at the last one.
type cursor struct{ at, seen int64 }

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
		wg.Go(t.p.Stop)
	}
	wg.Wait()
	for _, t := range ts.all {
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
func (w *Workspace) background(ctx context.Context, s *tool.Session, c *command) (*tool.Result, error) {
	if err := w.mustBeDir(c.dir); err != nil {
		return nil, err
	}
	ts := tasksOf(s)
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
	spec := c.spec(w)
	spec.Keep, spec.Leave = taskKeep, true
	p, reached, err := sandbox.Start(context.WithoutCancel(ctx), c.confine, spec) // it lives as long as the session
	if err != nil {
		return nil, err
	}
	ts.next++
	t := &task{
		id:      taskID(ts.next),
		c:       c,
		p:       p,
		reached: reached,
	}
	ts.all[t.id] = t
	text := fmt.Sprintf("Started in the background as %s. "+
		"Its output: bash_output {\"task_id\":%q}; to end it: bash_kill {\"task_id\":%q}.", t.id, t.id, t.id)
	if c.in.Timeout > 0 { // models give one by habit: a server that ended in the middle of their work would be no help
		text += "\n[timeout has no effect in the background: the command runs until it ends, bash_kill, or the end of " +
			"the session; put the shell's own timeout before it to have it ended]"
	}
	meta := bashMeta{
		Command: c.in.Command,
		Dir:     c.dir.Abs(),
		TaskID:  t.id,
		Sandbox: metaOf(c.with(reached)),
	}
	return tool.NewResult(tool.Text(text)).WithSummary("started %s: %s", t.id, c.in.Command).WithMeta(meta), nil
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
	TaskID string `json:"task_id" jsonschema:"description=From bash"`
	Wait   int    `json:"wait,omitempty" jsonschema:"description=Milliseconds to wait for new output,minimum=0,maximum=60000"`
	Filter string `json:"filter,omitempty" jsonschema:"description=Only lines matching this regular expression"`
}

// BashOutput brings what a background command printed since the last time.
func BashOutput(w *Workspace) tool.Tool {
	s := tool.Spec{
		Name:      "bash_output",
		Aliases:   []string{"BashOutput", "TaskOutput"},
		Title:     "Shell Output",
		Origin:    origin("bash_output"),
		Doc:       doc("bash_output"),
		Kind:      tool.Read,
		Stateful:  true,
		Category:  "shell",
		Tags:      []string{"shell", "background"},
		Params:    bashOutputParams(),
		Translate: bashOutputWords(),
	}
	return tool.Plan(s, func(_ context.Context, c *tool.Call, in bashOutputIn) (*tool.Job, error) {
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
				return t.news(c.Session, filter)
			},
		}, nil
	})
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

// taskMeta is the metadata of bash_output and bash_kill.
type taskMeta struct {
	TaskID   string `json:"task_id"`             // as bash gave it
	Running  bool   `json:"running"`             // any of its processes is left
	ExitCode *int   `json:"exit_code,omitempty"` // absent while it runs
	Signal   string `json:"signal,omitempty"`    // by its name, where one ended it
}

// news is what came since the last call, and how the task stands.
func (t *task) news(s *tool.Session, filter *regexp.Regexp) (*tool.Result, error) {
	state, meta := t.state() // before the output: what is read afterwards is at least what was there at this state
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	b.WriteString(since(t.p.Stdout, &t.out, filter, meta.Running))
	e := since(t.p.Stderr, &t.err, filter, meta.Running)
	if e != "" {
		b.WriteString("[stderr]\n" + e)
	}
	if b.Len() == 0 {
		b.WriteString("(no new output)\n")
	}
	b.WriteString("[" + t.id + " " + state + "]")
	return tool.NewResult(tool.Text(b.String())).WithSummary("%s %s", t.id, state).WithMeta(meta), nil
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
	if exit.Signal != "" {
		return "ended by " + exit.Signal, meta
	}
	return fmt.Sprintf("ended with exit code %d", exit.Code), meta
}

// since reads a stream from a cursor on, a bounded piece a call.
func since(o *sandbox.Output, c *cursor, filter *regexp.Regexp, running bool) string {
	data, next, lost := o.Since(c.at, bashShown)
	rest := o.Size() - next
	if running || rest > 0 {
		data = complete(data, filter, rest > 0)
	}
	*c = cursor{c.at + lost + int64(len(data)), next}
	var b strings.Builder
	if lost > 0 {
		fmt.Fprintf(&b, "[… %d bytes no longer kept …]\n", lost)
	}
	for line := range strings.Lines(strings.ToValidUTF8(string(data), "\ufffd")) {
		if filter.MatchString(strings.TrimRight(line, "\r\n")) {
			b.WriteString(line)
		}
	}
	if rest > 0 {
		fmt.Fprintf(&b, "\n[… %d more bytes: call again]", rest)
	}
	s := b.String()
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return b.String()
}

// complete leaves what the next call is to bring: the first bytes of a character whose others are not there yet and,
// where a filter judges lines, the beginning of a line. What lies before more output is given as it is when nothing
// of it is complete, or no call would ever get further.
func complete(data []byte, filter *regexp.Regexp, more bool) []byte {
	whole := wholeRunes(data)
	if filter.String() != "" {
		whole = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	if len(whole) == 0 && (more || len(data) == bashShown) {
		return data
	}
	return whole
}

// wholeRunes is b without the beginning of a character that it cuts.
func wholeRunes(b []byte) []byte {
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		at := len(b) - i
		if utf8.RuneStart(b[at]) {
			if !utf8.FullRune(b[at:]) {
				return b[:at]
			}
			break
		}
	}
	return b
}

// bashKillIn are the parameters of bash_kill.
type bashKillIn struct {
	TaskID string `json:"task_id" jsonschema:"description=From bash"`
}

func (in bashKillIn) String() string { return "end " + in.TaskID }

// BashKill ends a background command with its whole tree.
func BashKill(w *Workspace) tool.Tool {
	s := tool.Spec{
		Name:     "bash_kill",
		Aliases:  []string{"KillBash", "KillShell", "TaskStop"},
		Title:    "Shell Kill",
		Origin:   origin("bash_kill"),
		Doc:      doc("bash_kill"),
		Kind:     tool.Exec,
		Stateful: true,
		Category: "shell",
		Tags:     []string{"shell", "background"},
		Params:   bashTaskParams(),
	}
	return tool.Plan(s, func(_ context.Context, c *tool.Call, in bashKillIn) (*tool.Job, error) {
		return &tool.Job{Signature: in.TaskID, Run: func(ctx context.Context) (*tool.Result, error) {
			t, err := tasksOf(c.Session).get(in.TaskID)
			if err != nil {
				return nil, err
			}
			if !t.running() {
				state, meta := t.state()
				return tool.Textf("%s had ended already: it %s", t.id, state).WithSummary("%s %s", t.id, state).
					WithMeta(meta), nil
			}
			t.p.Stop()
			return t.news(c.Session, regexp.MustCompile(""))
		}}, nil
	})
}
