package clienthook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"helve/internal/config"
	"helve/internal/resolved"
	"helve/internal/workspace"
	"helve/tool"
)

// Deadline is how long a hook takes at most: clients wait for it, and some let the call run when they stop waiting.
const Deadline = 5 * time.Second

// A Hook is one question of a client.
type Hook struct {
	Client  *Client
	Event   string // as the client calls it
	Stdin   io.Reader
	Getenv  func(string) string
	State   string // helve's folder for state
	Dir     string // the workspace, where somebody says it; "": the client's
	Program Program

	// Open opens a workspace for judging; more are further folders.
	Open func(ctx context.Context, dir string, more []string) (*workspace.Assembly, error)
	// Settings are those of client_hooks in a workspace that was opened.
	Settings func(*workspace.Assembly) config.ClientHooks
	// Attended tells whether a person sits at the client's terminal; nil: it is found out.
	Attended func() bool
}

// A Program is helve as a shell of the client finds it.
type Program struct {
	Path string // absolute
	Name string // by which PATH finds the same program; "": it does not
}

// Run reads the event, judges, and answers. What goes wrong is an answer, too: a call that cannot be judged is stopped.
func (h *Hook) Run(ctx context.Context) Reply {
	ctx, stop := context.WithTimeout(ctx, Deadline)
	defer stop()
	done := make(chan Reply, 1)
	r := &run{Hook: h, phase: h.Client.PhaseOf(h.Event)}
	go func() {
		defer func() {
			if bad := recover(); bad != nil {
				done <- r.failed(fmt.Errorf("it has a mistake of its own: %v", bad))
			}
		}()
		done <- r.answer(ctx)
	}()
	select {
	case reply := <-done:
		return reply
	case <-ctx.Done():
		late := &run{Hook: h, phase: r.phase}
		return late.failed(fmt.Errorf("it was not done after %v", Deadline))
	}
}

// A run is the work on one event.
type run struct {
	*Hook
	phase    Phase
	event    *Event
	began    Conversation
	ws       *workspace.Assembly
	settings config.ClientHooks
	boxed    *string // the client's own sandbox, where somebody asked for it
}

// answer is Run without its deadline.
func (r *run) answer(ctx context.Context) Reply {
	if r.phase == Other {
		io.Copy(io.Discard, io.LimitReader(r.Stdin, MaxEvent)) // a client may take a broken pipe for a failure
		return Reply{}
	}
	e, err := r.Client.Read(r.Stdin, r.Event)
	if err != nil {
		return r.failed(err)
	}
	r.event = e
	if r.began, err = r.conversation(); err != nil {
		return r.failed(err)
	}
	shell := r.Client.tools[e.Tool].kind == Shell
	if e.Phase == After && shell && !(lookout{r}).any() {
		return Reply{} // helve exec has done it
	}
	if err := r.open(ctx); err != nil {
		return r.failed(err)
	}
	defer r.ws.Close()
	r.settings = r.Settings(r.ws)
	if e.Phase == After {
		return r.after(ctx, shell)
	}
	note := ""
	if (lookout{r}).any() {
		if err := (lookout{r}).settle(ctx); err != nil {
			note = fmt.Sprintf("helve: what an earlier command changed may not be undone: %v\n", err)
		}
	}
	a, more, err := r.judge(ctx)
	if err != nil {
		return r.failed(err)
	}
	reply := r.Client.Write(a, e)
	reply.Stderr = append(reply.Stderr, note+more...)
	return reply
}

// after takes into the history what a call changed.
func (r *run) after(ctx context.Context, shell bool) Reply {
	err := r.ws.Foreign().Take(r.event.Conversation)
	if shell {
		err = errors.Join(err, lookout{r}.ended(ctx))
	}
	if err != nil {
		return Reply{Stderr: fmt.Appendf(nil, "helve: what %s changed cannot be undone: %v\n", r.event.Tool, err)}
	}
	return Reply{}
}

// open opens the conversation's workspace.
func (r *run) open(ctx context.Context) error {
	c := r.began
	dirs := slices.Clone(c.Dirs)
	for _, dir := range r.added() {
		if !resolved.Within(c.Workspace, dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	var err error
	r.ws, err = r.Open(ctx, c.Workspace, dirs)
	return err
}

// failed stops a call that could not be judged, unless the configuration says otherwise. After a call there is nothing
// to stop.
func (r *run) failed(err error) Reply {
	text := "helve hook failed: " + err.Error()
	if r.phase != Before || r.settings.Broken == "allow" {
		return Reply{Stderr: []byte(text + "\n")}
	}
	text += ". The call was stopped, since nobody judged it. " + r.remedy()
	return r.Client.Write(Answer{Decision: Deny, Reason: text}, r.event)
}

// remedy is what a person can do about a hook that fails.
func (r *run) remedy() string {
	return "helve doctor --client " + r.Client.Name + " tells what is wrong; helve init --client " + r.Client.Name +
		" --hooks --undo takes the hooks out"
}

// session is the conversation as calls have it.
func (r *run) session() *tool.Session {
	return &tool.Session{ID: cmp.Or(r.event.Conversation, r.Client.Name), Principal: r.Client.Name}
}

// folderOf is a folder that is there, links resolved; "" if it is none.
func folderOf(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return ""
	}
	if st, err := os.Stat(real); err != nil || !st.IsDir() {
		return ""
	}
	return real
}

// errNoFolder is the error of an event that does not say where it is about.
var errNoFolder = errors.New("the event names no folder that is there")
