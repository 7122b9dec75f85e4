package server

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

const (
	// taskTTL is for how long a task is known after it was made; one that is not
	// over by then is ended.
	taskTTL = time.Hour
	// maxTasks bounds the tasks of one principal, each of which may hold a result. A
	// call beyond it is answered when it is over, as for a client without tasks.
	maxTasks = 256
	// taskGrace is how long a program may run before its call becomes a task: most
	// are done by then, and one answer costs less than three.
	taskGrace = 2 * time.Second
	// pollEvery is how often a client should ask.
	pollEvery = time.Second
)

// States of a task, in the protocol's words.
const (
	taskWorking   = "working"
	taskAsks      = "input_required"
	taskCompleted = "completed"
	taskFailed    = "failed"
	taskCancelled = "cancelled"
)

// A task is a call of the stateless protocol that goes on after its answer: the
// client asks what has become of it.
type task struct {
	id      string
	owner   owner
	made    time.Time
	expires *time.Timer

	mu      sync.Mutex
	cur     *run // that goes on
	changed time.Time
	moved   chan struct{} // closed with the next change, and another one then
	status  string
	result  json.RawMessage // of a completed one
	err     *rpc.Error      // of a failed one
	open    map[string]*question
	asked   int // questions so far
}

// takesTasks tells whether the client says, with this request, that it can live
// with a task in place of a result.
func (h *heading) takesTasks() bool {
	return h.era.takesTasks(h.client)
}

// grace is when a call that still runs becomes a task; nil: by itself never.
func (k *calling) grace() <-chan time.Time {
	if !k.takesTasks() {
		return nil
	}
	t, ok := k.conv.kit.View().Get(k.want.name)
	if !ok || t.Spec().Kind != tool.Exec {
		return nil
	}
	return time.After(taskGrace)
}

// detach makes a task of a run, and answers with it. first is a question of the
// run; nil for none. It is false where there are too many tasks.
func (k *calling) detach(u *run, first *question) (answer json.RawMessage, ok bool) {
	now := time.Now()
	t := &task{
		id:      k.conv.srv.newTaskID(),
		owner:   owner{k.conv.client.Principal, k.conv.client.Profile, k.client.conversation},
		made:    now,
		changed: now,
		moved:   make(chan struct{}),
		status:  taskWorking,
		cur:     u,
		open:    map[string]*question{},
	}
	if !k.conv.srv.addTask(t) {
		return nil, false
	}
	if first != nil {
		t.ask("", first)
	}
	begun := t.described()
	k.conv.enter()
	started := k.conv.start(func() {
		defer k.conv.leave()
		t.follow(k, u)
	})
	if !started {
		k.conv.leave()
		t.cancel()
	}
	out := append([]rawjson.Member{{Key: "resultType", Value: json.RawMessage(`"task"`)}}, begun...)
	return k.complete(rawjson.Join(out), false), true
}

// newTaskID is unguessable, and says at which replica the task is.
func (s *Server) newTaskID() string {
	if at := s.replica(); at != "" {
		return rand.Text() + taskAt + at
	}
	return rand.Text()
}

// addTask makes a task known, unless its principal has too many.
func (s *Server) addTask(t *task) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, other := range s.tasks {
		if other.owner.principal == t.owner.principal {
			n++
		}
	}
	if n >= maxTasks || s.closed {
		return false
	}
	t.expires = time.AfterFunc(taskTTL, func() {
		s.mu.Lock()
		delete(s.tasks, t.id)
		s.mu.Unlock()
		t.cancel()
	})
	s.tasks[t.id] = t
	return true
}

// follow leads a task to its end: through what its tool asks, and the rounds that
// a Need makes of one call.
func (t *task) follow(k *calling, u *run) {
	for round := 0; ; round++ {
		t.collect(u)
		if u.err != nil || u.res.Need == nil {
			t.end(k.outcome(u))
			return
		}
		need := u.res.Need
		if round == maxRounds {
			t.end(k.outcome(&run{res: tool.Fail(tooOften(k.want.name, need.SoFar))}))
			return
		}
		begin := time.Now()
		answers, err := t.needs(k.conv.life, k.client, need.Requests)
		switch {
		case err != nil && need.SoFar != "": // that must not be lost: a result has room for it
			t.end(k.outcome(&run{res: tool.Fail(unasked(k.want.name, need.SoFar, err))}))
			return
		case err != nil:
			t.end(nil, err)
			return
		}
		u = k.start(&tool.Resume{State: need.State, Answers: answers, Took: time.Since(begin)})
		if u == nil || !t.goesOn(u) {
			t.end(nil, errGone)
			return
		}
	}
}

// collect takes a run's questions until it is over.
func (t *task) collect(u *run) {
	for {
		select {
		case q := <-u.asks:
			t.ask("", q)
		case <-u.done:
			return
		}
	}
}

// goesOn notes the run that carries the task on. It is false for a task that was
// cancelled.
func (t *task) goesOn(u *run) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over() {
		u.stop()
		return false
	}
	t.cur = u
	return true
}

// outcome is the result of a call as the client of a task reads it.
func (r *reply) outcome(u *run) (json.RawMessage, error) {
	if u.err != nil {
		return nil, u.err
	}
	plain := &reply{srv: r.srv, id: r.id, heading: heading{era: statelessEra{}, wish: r.wish}}
	b, err := plain.encode(u.res)
	return slices.Clone(b), err // the bytes are the connection's to use again
}

// ask shows a question to the client that polls. "" stands for a key of our own.
func (t *task) ask(key string, q *question) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over() {
		return
	}
	t.asked++
	if key == "" {
		key = fmt.Sprintf("request-%d", t.asked)
	}
	t.open[key] = q
	t.is(taskAsks)
}

// needs shows the questions of a Need, and waits until all are answered.
func (t *task) needs(
	ctx context.Context, client *clientInfo, requests json.RawMessage,
) (json.RawMessage, error) {
	members, err := rawjson.Object(requests)
	if err != nil && requests != nil {
		return nil, rpc.Errorf(rpc.CodeInternal, "the request for input cannot be read: %v", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	next := &run{stop: stop} // cancelling the task ends the waiting
	if !t.goesOn(next) {
		return nil, errGone
	}
	open := make([]*question, len(members))
	for i, m := range members {
		method, _ := rawjson.String(rawjson.Get(m.Value, "method"))
		if what := family(method); !client.can(what) {
			return nil, lacks(what)
		}
		q := &question{method: method, params: rawjson.Get(m.Value, "params"), answer: make(chan json.RawMessage, 1)}
		open[i] = q
		t.ask(m.Key, q)
	}
	for i, q := range open {
		select {
		case members[i].Value = <-q.answer:
		case <-ctx.Done():
			return nil, errGone
		}
	}
	return rawjson.Join(members), nil
}

// answer hands answers to those who wait for them. Keys that nobody asked under
// are left out.
func (t *task) answer(answers []rawjson.Member) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range answers {
		if q := t.open[m.Key]; q != nil {
			q.answer <- m.Value // it has room for one
			delete(t.open, m.Key)
		}
	}
	if t.status == taskAsks && len(t.open) == 0 {
		t.is(taskWorking)
	}
}

// over tells whether the task has ended. t.mu is held.
func (t *task) over() bool { return t.status != taskWorking && t.status != taskAsks }

// is notes a state, and wakes those who tell of it. t.mu is held.
func (t *task) is(status string) {
	t.status, t.changed = status, time.Now()
	close(t.moved)
	t.moved = make(chan struct{})
}

// end notes what has become of the task. A failure of the protocol is one; what a
// tool failed at is a result.
func (t *task) end(result json.RawMessage, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over() {
		return
	}
	clear(t.open)
	if err != nil {
		t.err = rpc.AsError(err)
		t.is(taskFailed)
		return
	}
	t.result = result
	t.is(taskCompleted)
}

// cancel ends the task, if it is not over.
func (t *task) cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over() {
		clear(t.open)
		t.is(taskCancelled)
	}
	t.cur.stop()
}

// described are the members that every answer about a task has. t.mu is held, or
// nobody else knows t.
func (t *task) described() []rawjson.Member {
	text := func(s string) json.RawMessage { return rawjson.Quote(s) }
	number := func(d time.Duration) json.RawMessage {
		return json.RawMessage(fmt.Sprint(d.Milliseconds()))
	}
	return []rawjson.Member{
		{Key: "taskId", Value: text(t.id)},
		{Key: "status", Value: text(t.status)},
		{Key: "createdAt", Value: text(t.made.UTC().Format(time.RFC3339Nano))},
		{Key: "lastUpdatedAt", Value: text(t.changed.UTC().Format(time.RFC3339Nano))},
		{Key: "ttlMs", Value: number(taskTTL)},
		{Key: "pollIntervalMs", Value: number(pollEvery)},
	}
}

// detailed is all that is to be said of a task.
func (t *task) detailed() json.RawMessage {
	said, _, _ := t.state()
	return said
}

// state is all that is to be said of a task now, whether it is over, and what is closed when there is more to say.
func (t *task) state() (said json.RawMessage, over bool, moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.described()
	switch t.status {
	case taskCompleted:
		out = append(out, rawjson.Member{Key: "result", Value: t.result})
	case taskFailed:
		b, _ := json.Marshal(t.err) // strings, a number and JSON that was read
		out = append(out, rawjson.Member{Key: "error", Value: b})
	case taskAsks:
		out = append(out, rawjson.Member{Key: "inputRequests", Value: t.questions()})
	}
	return rawjson.Join(out), t.over(), t.moved
}

// questions are those that wait for an answer, by key. t.mu is held.
func (t *task) questions() json.RawMessage {
	var out []rawjson.Member
	for key, q := range t.open {
		asked := []rawjson.Member{{Key: "method", Value: rawjson.Quote(q.method)}}
		if q.params != nil {
			asked = append(asked, rawjson.Member{Key: "params", Value: rawjson.Set(q.params, "_meta", nil)})
		}
		out = append(out, rawjson.Member{Key: key, Value: rawjson.Join(asked)})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Key < out[j].Key })
	return rawjson.Join(out)
}
