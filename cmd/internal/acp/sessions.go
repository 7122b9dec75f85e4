package acp

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"helve/agent/conversation"
	"helve/cmd/internal/command"
	"helve/cmd/internal/run"
	"helve/internal/rpc"
	"helve/internal/workspace"
)

type options struct {
	run.Wanted
	approval string
}

// Who approves.
const (
	approvalAuto   = "auto"   // the person in the editor
	approvalClient = "client" // the same, by the name that serve has for it
	approvalDeny   = "deny"   // nobody
)

// An editor is the other end of a connection, with its sessions.
type editor struct {
	s command.Streams
	o options
	*connection

	mu       sync.Mutex
	sessions map[string]*session
	opening  int                           // sessions that are on their way
	loading  map[string]bool               // IDs of kept ones among them
	serving  map[string]context.CancelFunc // requests, by their IDs
}

// session is the one of an ID.
func (e *editor) session(id string) (*session, *rpc.Error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.sessions[id]
	if s == nil {
		return nil, rpc.Errorf(codeNotFound, "there is no session %.80q: session/load or session/resume opens one", id)
	}
	return s, nil
}

func (e *editor) all() []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []*session
	for _, s := range e.sessions {
		out = append(out, s)
	}
	return out
}

// begin begins a session.
func (e *editor) begin(_ context.Context, in sessionIn) (any, error) {
	in.ID = ""
	s, err := e.open(in)
	if err != nil {
		return nil, err
	}
	out := s.state()
	out.ID = s.id
	return opened{out, s}, nil
}

// goOn goes on with a session that is kept, and tells the editor what was said in it where it wants to know.
func (e *editor) goOn(_ context.Context, in sessionIn, tell bool) (any, error) {
	if in.ID == "" {
		return nil, wrong("want a sessionId")
	}
	if s, bad := e.session(in.ID); bad == nil { // the editor has forgotten that it has it
		if s.busy() {
			return nil, rpc.Errorf(rpc.CodeInvalidRequest, "the session %s is answering a prompt", s.id)
		}
		if dir, err := workspace.Folder(in.Dir); err != nil || dir != s.host.Workspace().Dir() {
			return nil, wrong("the session %s is open, and of %s",
				s.id, command.OneLine(s.host.Workspace().Dir()))
		}
		if err := e.end(s); err != nil {
			return nil, err
		}
	}
	s, err := e.open(in)
	if err != nil {
		return nil, err
	}
	if tell {
		if err := s.replay(); err != nil {
			return nil, errors.Join(err, e.end(s))
		}
	}
	return opened{s.state(), s}, nil
}

// An opened session tells its commands, and what there was to say when it was opened, once the editor knows of it.
type opened struct {
	sessionOut
	s *session
}

func (o opened) answered() {
	o.s.tellCommands()
	for _, n := range o.s.early {
		o.s.notice(n.level, n.text)
	}
	o.s.early = nil
}

// open opens the conversation of a session.
func (e *editor) open(in sessionIn) (*session, error) {
	for _, dir := range append([]string{in.Dir}, in.More...) {
		if !filepath.IsAbs(dir) {
			return nil, wrong("the folder %.200q is not absolute", dir)
		}
	}
	servers, bad := serversOf(in.Servers)
	if bad != nil {
		return nil, bad
	}
	if err := e.reserve(in.ID); err != nil {
		return nil, err
	}
	s := &session{e: e.connection, id: in.ID}
	s.life, s.stop = context.WithCancel(e.life)
	w := e.o.Wanted
	w.Common, w.ID, w.Config = w.In(in.Dir, in.More), in.ID, servers
	host, err := run.Open(s.life, e.s, w, e.hostOf(s))
	e.mu.Lock()
	e.opening--
	delete(e.loading, in.ID)
	if err == nil {
		s.id, s.host = host.ID(), host
		e.sessions[s.id] = s
	}
	e.mu.Unlock()
	if err != nil {
		s.stop()
		return nil, refused(err)
	}
	return s, nil
}

// hostOf shows a conversation in the editor.
func (e *editor) hostOf(s *session) run.Host {
	h := run.Host{Listen: s.event, Watch: s.watch, Notice: s.notice}
	if e.o.approval != approvalDeny {
		h.Ask, h.Leave, h.Trusts = s.ask, s.leave, s.trusts
	}
	if s.holds() {
		h.Buffers = s
	}
	return h
}

// reserve takes a place for a session, of which id is "" where it is new.
func (e *editor) reserve(id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.sessions)+e.opening >= maxSessions {
		return rpc.Errorf(rpc.CodeInvalidRequest, "%d sessions are open: close one first", maxSessions)
	}
	if e.loading[id] {
		return rpc.Errorf(rpc.CodeInvalidRequest, "the session %s is being opened", id)
	}
	e.opening++
	if id != "" {
		e.loading[id] = true
	}
	return nil
}

// end closes a session.
func (e *editor) end(s *session) error {
	e.mu.Lock()
	same := e.sessions[s.id] == s
	if same {
		delete(e.sessions, s.id)
	}
	e.mu.Unlock()
	if !same {
		return nil
	}
	s.cancel()
	s.stop()
	s.answering.Lock() // until the answer has ended
	defer s.answering.Unlock()
	return s.host.Close()
}

func (e *editor) closeAll() error {
	var errs []error
	for _, s := range e.all() {
		errs = append(errs, e.end(s))
	}
	return errors.Join(errs...)
}

// close closes a session; it can be gone on with.
func (e *editor) close(_ context.Context, in idIn) (any, error) {
	s, bad := e.session(in.ID)
	if bad != nil {
		return nil, bad
	}
	return struct{}{}, e.end(s)
}

// forget deletes what was said in a session, an open one, too. One that is not there is deleted.
func (e *editor) forget(ctx context.Context, in idIn) (any, error) {
	if s, bad := e.session(in.ID); bad == nil {
		if s.busy() {
			return nil, rpc.Errorf(rpc.CodeInvalidRequest, "the session %s is answering a prompt", s.id)
		}
		if err := e.end(s); err != nil {
			return nil, err
		}
	}
	about, err := e.s.Conversations().About(in.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return struct{}{}, nil
	}
	if err != nil {
		return nil, wrong("%v", err)
	}
	return struct{}{}, e.s.ForgetConversation(ctx, e.o.Common, about)
}

// listed is how many sessions a page of the list has.
const listed = 100

// list lists the sessions that are kept, those of a folder or all, the newest first. A cursor is the last ID that was
// listed.
func (e *editor) list(_ context.Context, in listIn) (any, error) {
	all, err := e.s.Conversations().List()
	if err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		at := slices.IndexFunc(all, func(a conversation.About) bool { return a.ID == in.Cursor })
		if at < 0 {
			return nil, wrong("the cursor %.80q is not known", in.Cursor)
		}
		all = all[at+1:]
	}
	dir := in.Dir
	if dir != "" {
		if !filepath.IsAbs(dir) {
			return nil, wrong("the folder %.200q is not absolute", dir)
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil { // as workspaces are called
			dir = real
		}
	}
	out := listOut{Sessions: []sessionInfo{}}
	for _, a := range all {
		if a.Workspace == "" || dir != "" && a.Workspace != dir {
			continue
		}
		if len(out.Sessions) == listed {
			out.Next = out.Sessions[listed-1].ID
			break
		}
		out.Sessions = append(out.Sessions, sessionInfo{
			ID:      a.ID,
			Dir:     a.Workspace,
			Title:   command.OneLine(a.Name),
			Updated: a.Updated.UTC().Format(time.RFC3339),
		})
	}
	return out, nil
}
