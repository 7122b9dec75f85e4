package server

import (
	"context"
	"encoding/json"
	"slices"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// task is the one that a request is about. Another's is as none: who guesses an
// id must not learn that it is one.
func (r *request) task() (*task, error) {
	if !r.takesTasks() {
		return nil, &rpc.Error{
			Code:    rpc.CodeCapability,
			Message: "the client has not declared the extension " + rpc.ExtensionTasks,
			Data:    json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + rpc.ExtensionTasks + `":{}}}}`),
		}
	}
	id, _ := rawjson.String(rawjson.Get(r.Params, "taskId"))
	if t := r.taskBy(id); t != nil {
		return t, nil
	}
	return nil, r.noTask()
}

// noTask is the answer about a task that is not there.
func (r *request) noTask() *rpc.Error {
	id, _ := rawjson.String(rawjson.Get(r.Params, "taskId"))
	return rpc.Errorf(rpc.CodeInvalidParams, "invalid params: there is no task %.80q", id)
}

// taskBy is the task of this client by its id; nil for none.
func (r *request) taskBy(id string) *task {
	s := r.conn.srv
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tasks[id]; t != nil && t.of(r) {
		return t
	}
	return nil
}

// tasksOf are the client's tasks among those that it wants to hear of. Another's is left out, as one that does not
// exist.
func (r *request) tasksOf(ids []json.RawMessage) []*task {
	if !r.takesTasks() {
		return nil
	}
	var out []*task
	for _, raw := range ids {
		id, _ := rawjson.String(raw)
		if t := r.taskBy(id); t != nil && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// tellOf tells a subscription where a task is, and is what is closed when that changes; nil for a task that is over.
func (r *request) tellOf(ctx context.Context, t *task) (moved <-chan struct{}) {
	said, over, moved := t.state()
	r.tell(ctx, rpc.NoticeTask, r.subscribed(said)) // a client that is gone ends ctx
	if over {
		return nil
	}
	return moved
}

// of tells whether a task belongs to the client of a request.
func (t *task) of(r *request) bool {
	conf := r.conn.conf
	return t.principal == conf.principal && t.profile == conf.profile && t.conversation == r.client.conversation
}

// getTask is tasks/get.
func getTask(ctx context.Context, r *request) (json.RawMessage, error) {
	if at := r.replicaOfTask(); r.isElsewhere(at) {
		return r.passTo(ctx, at, r.noTask())
	}
	t, err := r.task()
	if err != nil {
		return nil, err
	}
	return r.complete(t.detailed(), false), nil
}

// updateTask is tasks/update: answers to what a task asks.
func updateTask(ctx context.Context, r *request) (json.RawMessage, error) {
	if at := r.replicaOfTask(); r.isElsewhere(at) {
		return r.passTo(ctx, at, r.noTask())
	}
	t, err := r.task()
	if err != nil {
		return nil, err
	}
	raw := rawjson.Get(r.Params, "inputResponses")
	if !areAnswers(raw) {
		return nil, rpc.Errorf(rpc.CodeInvalidParams,
			"invalid params: inputResponses must be an object of objects, at most %d", maxInputResponses)
	}
	answers, _ := rawjson.Object(raw) // no answer is none
	t.answer(answers)
	return r.complete(json.RawMessage("{}"), false), nil
}

// cancelTask is tasks/cancel. One that is over stays as it is.
func cancelTask(ctx context.Context, r *request) (json.RawMessage, error) {
	if at := r.replicaOfTask(); r.isElsewhere(at) {
		return r.passTo(ctx, at, r.noTask())
	}
	t, err := r.task()
	if err != nil {
		return nil, err
	}
	t.cancel()
	return r.complete(json.RawMessage("{}"), false), nil
}
