package server

import (
	"context"
	"encoding/json"
	"slices"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// An owner is whose a task is: a client, in one of its conversations. Another's is as none: who guesses an id must not
// learn that it is one.
type owner struct{ principal, profile, conversation string }

// owner is whose tasks a request may be about.
func (r *request) owner() owner {
	return owner{r.conn.conf.principal, r.conn.conf.profile, r.client.conversation}
}

// taskOf is somebody's task by its id; nil for none.
func (s *Server) taskOf(o owner, id string) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tasks[id]; t != nil && t.owner == o {
		return t
	}
	return nil
}

// tasksOf are somebody's tasks among those of which a client wants to hear.
func (s *Server) tasksOf(o owner, ids []json.RawMessage) []*task {
	var out []*task
	for _, raw := range ids {
		id, _ := rawjson.String(raw)
		if t := s.taskOf(o, id); t != nil && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// onTask is a handler of requests about one task, wherever it is.
func onTask(serve func(r *request, t *task) (json.RawMessage, error)) handler {
	return func(ctx context.Context, r *request) (json.RawMessage, error) {
		id, _ := rawjson.String(rawjson.Get(r.Params, "taskId"))
		none := rpc.Errorf(rpc.CodeInvalidParams, "invalid params: there is no task %.80q", id)
		if at := taskReplica(id); r.isElsewhere(at) {
			return r.passTo(ctx, at, none)
		}
		if !r.takesTasks() {
			return nil, noTasks()
		}
		t := r.conn.srv.taskOf(r.owner(), id)
		if t == nil {
			return nil, none
		}
		return serve(r, t)
	}
}

// noTasks is the answer to a client that has not said that it knows what a task is.
func noTasks() *rpc.Error {
	return &rpc.Error{
		Code:    rpc.CodeCapability,
		Message: "the client has not declared the extension " + rpc.ExtensionTasks,
		Data:    json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + rpc.ExtensionTasks + `":{}}}}`),
	}
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

// getTask is tasks/get.
func getTask(r *request, t *task) (json.RawMessage, error) {
	return r.complete(t.detailed(), false), nil
}

// updateTask is tasks/update: answers to what a task asks.
func updateTask(r *request, t *task) (json.RawMessage, error) {
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
func cancelTask(r *request, t *task) (json.RawMessage, error) {
	t.cancel()
	return r.complete(json.RawMessage("{}"), false), nil
}
