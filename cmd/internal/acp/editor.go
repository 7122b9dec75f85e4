package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"helve/cmd/internal/command"
	"helve/internal/rpc"
	"helve/internal/version"
)

const (
	// maxLine bounds a message, in bytes: pictures are in it, and buffers of editors.
	maxLine = 64 << 20
	// maxRequests bounds the editor's requests that are served at a time, maxCalls those that wait for its answer.
	maxRequests = 64
	maxCalls    = 256
	// maxSessions bounds the sessions of one process: each has a workspace open.
	maxSessions = 32
	// drainTime is how long what was asked for may still be answered when the input has ended.
	drainTime = time.Second
	// writeTime bounds how long an editor may leave a message unread: one that is gone without its pipe would keep this.
	writeTime = 5 * time.Minute
)

func newEditor(ctx context.Context, s command.Streams, o options) *editor {
	e := &editor{
		s:          s,
		o:          o,
		connection: &connection{},
		sessions:   map[string]*session{},
		loading:    map[string]bool{},
		serving:    map[string]context.CancelFunc{},
	}
	e.life, e.stop = context.WithCancel(ctx)
	e.out = rpc.NewLineWriter(s.Stdout, writeTime)
	e.peer = rpc.NewPeer(e, rpc.Options{Requests: maxRequests, Calls: maxCalls, Out: e.out, Log: s.Logger()})
	return e
}

// serve reads until the editor is gone, or ctx is done; then what runs is stopped and the sessions are closed.
func (e *editor) serve(ctx context.Context) (err error) {
	ended := make(chan error, 1)
	go func() { ended <- e.read() }() // one that waits for a line which never comes ends with the process
	select {
	case err = <-ended:
		e.drain()
	case <-e.out.Broken():
		err = fmt.Errorf("write to the editor: %w", e.out.Err())
	case <-ctx.Done():
	}
	e.stop()
	e.peer.End(errors.New("the editor is gone"))
	e.out.Close()
	e.peer.Wait()
	return errors.Join(err, e.closeAll())
}

// read takes messages until the input ends.
func (e *editor) read() error {
	lines := rpc.NewLineReader(e.s.Stdin, maxLine)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, rpc.ErrLong):
			long := rpc.Errorf(rpc.CodeInvalidRequest, "invalid request: a message has more than %d bytes", maxLine)
			e.peer.Refuse(nil, long, e.out)
			err = lines.Skip()
		case err == nil:
			e.receive(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read from the editor: %w", err)
		}
	}
}

func (e *editor) receive(line []byte) {
	m, bad := rpc.Parse(line)
	if bad == nil {
		if r := e.peer.Take(m, e.out); r != nil {
			r.Service().(*service).admitted()
			e.peer.Start(r)
		}
		return
	}
	var id json.RawMessage
	if m != nil {
		id = m.ID
	}
	e.peer.Refuse(id, bad, e.out)
}

// drain lets what needs nobody's answer come to its end: a script that pipes its requests in reads the answers.
func (e *editor) drain() {
	idle := make(chan struct{})
	go func() { // ends with the connection, if not before
		e.peer.Wait()
		close(idle)
	}()
	for _, s := range e.all() {
		s.cancel()
	}
	t := time.NewTimer(drainTime)
	defer t.Stop()
	select {
	case <-idle:
	case <-t.C:
	}
}

// Accept reads a request, in the order of arrival.
func (e *editor) Accept(r *rpc.Request) (rpc.Service, *rpc.Error) {
	if e.client.Load() == nil && r.Method != methodInitialize {
		return nil, rpc.Errorf(rpc.CodeInvalidRequest, "invalid request: %s before initialize", r.Method)
	}
	do, bad := e.method(r)
	if bad != nil {
		return nil, bad
	}
	out := &service{editor: e, id: string(r.ID), do: do}
	if r.Method == methodPrompt {
		var in idIn
		_ = json.Unmarshal(r.Params, &in) // it was read before
		out.of, bad = e.session(in.ID)
	}
	return out, bad
}

// A doing serves a request.
type doing func(ctx context.Context) (any, error)

// method is what a request wants done. What later requests depend on is done before they are read.
func (e *editor) method(r *rpc.Request) (doing, *rpc.Error) {
	switch r.Method {
	case methodInitialize:
		r.Inline = true
		return of(r, e.initialize)
	case methodAuthenticate:
		return of(r, e.authenticate)
	case methodNew:
		return of(r, e.begin)
	case methodLoad:
		return of(r, func(ctx context.Context, in sessionIn) (any, error) { return e.goOn(ctx, in, true) })
	case methodResume:
		return of(r, func(ctx context.Context, in sessionIn) (any, error) { return e.goOn(ctx, in, false) })
	case methodList:
		return of(r, e.list)
	case methodClose:
		return of(r, e.close)
	case methodDelete:
		return of(r, e.forget)
	case methodMode:
		r.Inline = true
		return of(r, e.setMode)
	case methodOption:
		r.Inline = true
		return of(r, e.setOption)
	case methodPrompt:
		return e.prompt(r)
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "method not found: %s", r.Method)
}

// of reads the parameters of a request.
func of[In any](r *rpc.Request, do func(context.Context, In) (any, error)) (doing, *rpc.Error) {
	in, bad := parameters[In](r)
	if bad != nil {
		return nil, bad
	}
	return func(ctx context.Context) (any, error) { return do(ctx, in) }, nil
}

func parameters[In any](r *rpc.Request) (in In, bad *rpc.Error) {
	if r.Params == nil {
		return in, wrong("%s wants some", r.Method)
	}
	if err := json.Unmarshal(r.Params, &in); err != nil {
		return in, wrong("%v", err)
	}
	return in, nil
}

// A service is a request on its way. One that the editor cancels is answered, too.
type service struct {
	editor *editor
	id     string
	do     doing
	of     *session // whose prompt it is; nil: it is no prompt

	ctx  context.Context // from when it was admitted on; nil: it is served inline
	stop context.CancelCauseFunc
}

// admitted notes how the request is cancelled, before the next message is read.
func (s *service) admitted() {
	e := s.editor
	s.ctx, s.stop = context.WithCancelCause(e.life)
	e.mu.Lock()
	e.serving[s.id] = func() { s.stop(errCancelled) }
	e.mu.Unlock()
	if s.of != nil {
		s.of.turns(s.stop)
	}
}

// over ends what admitted began.
func (s *service) over() {
	if s.ctx == nil {
		return
	}
	if s.of != nil {
		s.of.turns(nil)
	}
	s.stop(nil)
	s.editor.mu.Lock()
	defer s.editor.mu.Unlock()
	delete(s.editor.serving, s.id)
}

// Serve serves it.
func (s *service) Serve(ctx context.Context) (rpc.Answer, error) {
	defer s.over()
	if s.ctx != nil {
		defer context.AfterFunc(ctx, func() { s.stop(context.Canceled) })()
		ctx = s.ctx
	}
	out, err := s.do(ctx)
	if err != nil {
		if errors.Is(context.Cause(ctx), errCancelled) {
			err = rpc.Errorf(codeCancelled, "the request was cancelled")
		}
		return rpc.Answer{}, err
	}
	answer := rpc.Answer{}
	if later, ok := out.(interface{ answered() }); ok {
		answer.Release = later.answered
	}
	answer.Result, err = encoded(out)
	return answer, err
}

var errCancelled = errors.New("cancelled by the editor")

// Notice takes a notification. Unknown ones mean nothing.
func (e *editor) Notice(method string, params json.RawMessage) {
	switch method {
	case noticeCancel:
		var in idIn
		if json.Unmarshal(params, &in) != nil {
			return
		}
		if s, bad := e.session(in.ID); bad == nil {
			s.cancel()
		}
	case noticeRequest:
		var in struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(params, &in) != nil {
			return
		}
		e.mu.Lock()
		stop := e.serving[string(in.ID)]
		e.mu.Unlock()
		if stop != nil {
			stop()
		}
	}
}

// initialize says what is there. It may be asked again.
func (e *editor) initialize(_ context.Context, in initializeIn) (any, error) {
	e.client.Store(&in)
	out := initializeOut{
		ProtocolVersion: protocolVersion, // whatever the editor wants: it ends the connection if it cannot speak this
		Info:            implementation{Name: "helve", Title: "helve", Version: version.String()},
		AuthMethods:     []authMethod{authConfigured()},
	}
	out.Capabilities.LoadSession = true
	out.Capabilities.Prompt.Embedded, out.Capabilities.Prompt.Image = true, true
	out.Capabilities.MCP.HTTP, out.Capabilities.MCP.SSE = true, true
	return out, nil
}

// authConfigured is the one way to log in: the model and its key are helve's own.
func authConfigured() authMethod {
	return authMethod{
		ID:   "helve",
		Name: "The model and the key of helve's configuration",
		Description: "Set the key in the environment of the editor, as ANTHROPIC_API_KEY, have the keyring keep it " +
			"(helve models key set NAME), or providers.NAME.key_command of the configuration print it; " +
			"helve config set -g model PROVIDER/NAME chooses the model.",
	}
}

// authenticate tells whether a model can be asked now.
func (e *editor) authenticate(ctx context.Context, in authenticateIn) (any, error) {
	if in.Method != authConfigured().ID {
		return nil, wrong("there is no way to log in called %.80q", in.Method)
	}
	if err := e.o.Askable(ctx, e.s); err != nil {
		return nil, refused(err)
	}
	return struct{}{}, nil
}

// prompt is what a request to answer a prompt wants done. One session answers one at a time.
func (e *editor) prompt(r *rpc.Request) (doing, *rpc.Error) {
	in, bad := parameters[promptIn](r)
	if bad != nil {
		return nil, bad
	}
	s, bad := e.session(in.ID)
	if bad != nil {
		return nil, bad
	}
	if s.busy() {
		return nil, rpc.Errorf(rpc.CodeInvalidRequest, "the session %s is answering a prompt: cancel it first", s.id)
	}
	prompt, err := promptOf(s.host.Workspace().Dir(), in.Prompt)
	if err != nil {
		return nil, wrong("%v", err)
	}
	return func(ctx context.Context) (any, error) { return s.answer(ctx, prompt) }, nil
}

// setMode chooses a mode.
func (e *editor) setMode(_ context.Context, in modeIn) (any, error) {
	s, bad := e.session(in.ID)
	if bad != nil {
		return nil, bad
	}
	if bad := s.choose(in.Mode); bad != nil {
		return nil, bad
	}
	s.tell(update{Kind: "config_option_update", Options: s.options()})
	return struct{}{}, nil
}

// setOption chooses the value of an option.
func (e *editor) setOption(_ context.Context, in optionIn) (any, error) {
	s, bad := e.session(in.ID)
	if bad != nil {
		return nil, bad
	}
	var value string
	if in.Option != modeOption || json.Unmarshal(in.Value, &value) != nil {
		return nil, wrong("want the option %q, and a word as its value", modeOption)
	}
	if bad := s.choose(value); bad != nil {
		return nil, bad
	}
	s.tell(update{Kind: "current_mode_update", Mode: value})
	return optionOut{s.options()}, nil
}
