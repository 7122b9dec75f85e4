package server

import (
	"context"
	"encoding/json"

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
	s := r.conn.srv
	s.mu.Lock()
	t := s.tasks[id]
	s.mu.Unlock()
	if t == nil || !t.of(r) {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "invalid params: there is no task %.80q", id)
	}
	return t, nil
}

// of tells whether a task belongs to the client of a request.
func (t *task) of(r *request) bool {
	conf := r.conn.conf
	return t.principal == conf.principal && t.profile == conf.profile && t.conversation == r.client.conversation
}

// getTask is tasks/get.
func getTask(_ context.Context, r *request) (json.RawMessage, error) {
	t, err := r.task()
	if err != nil {
		return nil, err
	}
	return r.complete(t.detailed(), false), nil
}

// updateTask is tasks/update: answers to what a task asks.
func updateTask(_ context.Context, r *request) (json.RawMessage, error) {
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
func cancelTask(_ context.Context, r *request) (json.RawMessage, error) {
	t, err := r.task()
	if err != nil {
		return nil, err
	}
	t.cancel()
	return r.complete(json.RawMessage("{}"), false), nil
}
