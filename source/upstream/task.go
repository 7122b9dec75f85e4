package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

const (
	// taskTime bounds how long a task of a server is asked about.
	taskTime = time.Hour
	// pollMin is the first pause before a task is asked about; each further one is
	// twice as long, up to what the server wants, and to pollMax.
	pollMin = 50 * time.Millisecond
	pollMax = 10 * time.Second
	// tellTime is how long a server may take to hear that nobody wants its task.
	tellTime = 2 * time.Second
)

// A remoteTask is what a server says of a call that it goes on with after its
// answer.
type remoteTask struct {
	ID       string          `json:"taskId"`
	Status   string          `json:"status"`
	Message  string          `json:"statusMessage"`
	Poll     float64         `json:"pollIntervalMs"`
	Result   json.RawMessage `json:"result"`
	Error    *RPCError       `json:"error"`
	Requests json.RawMessage `json:"inputRequests"`
}

// taskOf is the task that a server answered with; nil for a result.
func taskOf(res json.RawMessage) *remoteTask {
	if kind, _ := rawjson.String(rawjson.Get(res, "resultType")); kind != "task" {
		return nil
	}
	t := &remoteTask{}
	if json.Unmarshal(res, t) != nil || t.ID == "" {
		return nil // it is read as a result, and that fails in words
	}
	return t
}

// A taskState is what a Need of a task carries until it is answered.
type taskState struct {
	Task     string   `json:"helveTask"`
	Answered []string `json:"answered"` // keys of earlier questions: a server may show them a moment longer
}

// taskStateOf is the state of a task that waits for the answers of c; nil for any
// other call.
func taskStateOf(c *tool.Call) *taskState {
	if c.Resume == nil {
		return nil
	}
	st := &taskState{}
	if json.Unmarshal(c.Resume.State, st) != nil || st.Task == "" {
		return nil
	}
	return st
}

// takesTasks tells whether a server may answer a session's call with a task. A
// client that could have declared the extension, and has not, hears what it would
// hear without us; for any other the task is waited for here.
func takesTasks(s *tool.Session) bool {
	if s == nil || s.Back == nil || wishesOf(s) != nil {
		return true
	}
	ext := rawjson.Get(s.Capabilities, extensionsKey)
	return rpc.FirstByte(rawjson.Get(ext, rpc.ExtensionTasks)) == '{'
}

// wishesOf are the wishes of a session whose client speaks the session protocol;
// nil for any other.
func wishesOf(session *tool.Session) *rpc.Wishes {
	if session == nil {
		return nil
	}
	return tool.Of(session, func() *rpc.Wishes { return nil })
}

// withTasks are capabilities with the extension of tasks declared.
func withTasks(capabilities json.RawMessage) json.RawMessage {
	ext := rawjson.Get(capabilities, extensionsKey)
	if ext == nil {
		ext = json.RawMessage("{}")
	}
	return rawjson.Set(capabilities, extensionsKey, rawjson.Set(ext, rpc.ExtensionTasks, json.RawMessage("{}")))
}

// send is one request tools/call.
func (r *remote) send(ctx context.Context, k *conn, c *tool.Call, args json.RawMessage) (json.RawMessage, error) {
	call := &rpc.Call{ID: k.NextID(), Method: rpc.MethodCall, Progress: reporter(c)}
	call.Params = r.params(k, c, args, call.ID)
	ctx, stop := k.Limit(ctx, r.calls.cfg.Timeout, call)
	defer stop()
	if k.wire != nil && k.about.Stateless() && r.headers != nil {
		ctx = context.WithValue(ctx, paramKey{}, headerValues(r.headers, args))
	}
	k.calls.Add(1)
	res, err := k.Call(ctx, call)
	k.calls.Add(-1)
	k.relay.settle()
	return res, rpc.Explained(ctx, err)
}

// goOn answers a task's questions and waits for it again.
func (r *remote) goOn(ctx context.Context, k *conn, c *tool.Call, st *taskState) (json.RawMessage, error) {
	answers, err := rawjson.Object(c.Resume.Answers)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "the answers are no object")
	}
	for _, m := range answers {
		st.Answered = append(st.Answered, m.Key)
	}
	params := taskParams(st.Task)
	params = append(params, rawjson.Member{Key: "inputResponses", Value: c.Resume.Answers})
	_, err = k.patiently(ctx, r.calls.cfg.Timeout, c.Session, rpc.MethodTaskUpdate, rawjson.Join(params))
	if err != nil {
		return nil, err
	}
	return r.follow(ctx, k, c, &remoteTask{ID: st.Task, Status: "working"}, st.Answered)
}

func taskParams(id string) []rawjson.Member {
	return []rawjson.Member{{Key: "taskId", Value: rawjson.Quote(id)}}
}

// follow asks about a task until it is over, or asks something. One that nobody
// waits for any more is cancelled.
func (r *remote) follow(
	ctx context.Context, k *conn, c *tool.Call, t *remoteTask, answered []string,
) (json.RawMessage, error) {
	ctx, stop := context.WithTimeout(ctx, taskTime)
	defer stop()
	if c.Task != nil {
		c.Task()
	}
	id := t.ID
	for pause := pollMin; ; pause = min(2*pause, t.pollAt()) {
		res, over, err := t.outcome(answered)
		if over || err != nil {
			return res, err
		}
		if t.Message != "" && c.Progress != nil {
			c.Progress(tool.Progress{Message: t.Message})
		}
		select {
		case <-ctx.Done():
			r.leaveTask(ctx, k, c, id)
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		t, err = r.askAbout(ctx, k, c, id)
		if ctx.Err() != nil {
			r.leaveTask(ctx, k, c, id)
		}
		if err != nil {
			return nil, err
		}
	}
}

// pollAt is how often the server wants to be asked, as far as that is reasonable.
func (t *remoteTask) pollAt() time.Duration {
	const most = float64(pollMax / time.Millisecond)
	if t.Poll <= 0 || t.Poll > most {
		return pollMax
	}
	return max(pollMin, time.Duration(t.Poll)*time.Millisecond)
}

// outcome is what has become of a task. One that waits for answers has those
// questions for its result that nobody has answered yet.
func (t *remoteTask) outcome(answered []string) (res json.RawMessage, over bool, err error) {
	switch t.Status {
	case "completed":
		return t.Result, true, nil
	case "failed":
		if t.Error == nil {
			return nil, true, rpc.Errorf(rpc.CodeInternal, "the task failed, and the server does not say why")
		}
		return nil, true, t.Error
	case "cancelled":
		return nil, true, rpc.Errorf(rpc.CodeInternal, "the server cancelled the task")
	case "input_required":
		res, err = t.asks(answered)
		return res, res != nil, err
	}
	return nil, false, nil
}

// asks is a task's questions as the result of a call that wants answers; nil
// where all are answered.
func (t *remoteTask) asks(answered []string) (json.RawMessage, error) {
	members, err := rawjson.Object(t.Requests)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeInternal, "what the task asks is no object")
	}
	members = slices.DeleteFunc(members, func(m rawjson.Member) bool { return slices.Contains(answered, m.Key) })
	if len(members) == 0 {
		return nil, nil
	}
	state, err := json.Marshal(taskState{t.ID, answered})
	if err != nil {
		return nil, err
	}
	return rawjson.Join([]rawjson.Member{
		{Key: "resultType", Value: json.RawMessage(`"input_required"`)},
		{Key: "inputRequests", Value: rawjson.Join(members)},
		{Key: "requestState", Value: rawjson.Quote(string(state))},
	}), nil
}

// askAbout is tasks/get.
func (r *remote) askAbout(ctx context.Context, k *conn, c *tool.Call, id string) (*remoteTask, error) {
	res, err := k.patiently(ctx, r.calls.cfg.Timeout, c.Session, rpc.MethodTaskGet, rawjson.Join(taskParams(id)))
	if errors.Is(err, rpc.ErrUnsent) { // the call itself went out
		return nil, fmt.Errorf("%w: %s", rpc.ErrBroken, err.Error())
	}
	if err != nil {
		return nil, err
	}
	t := &remoteTask{}
	if err := json.Unmarshal(res, t); err != nil {
		return nil, fmt.Errorf("%s: %w", rpc.MethodTaskGet, err)
	}
	t.ID = id
	return t, nil
}

// leaveTask tells the server that nobody wants its task any more. What it answers
// matters to nobody.
func (r *remote) leaveTask(ctx context.Context, k *conn, c *tool.Call, id string) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), tellTime)
	defer stop()
	k.patiently(ctx, tellTime, c.Session, rpc.MethodTaskCancel, rawjson.Join(taskParams(id)))
}
