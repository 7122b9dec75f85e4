package serve

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"helve/cmd/internal/command"
	"helve/internal/workspace"
	scripts "helve/parts/script"
	"helve/parts/workers"
	"helve/script"
	"helve/server"
	"helve/tool"
	"helve/tool/telemetry"
)

// A served workspace is opened once: before a client comes, or, where nothing says where the tools work, for the
// first client.
type served struct {
	s       command.Streams
	o       ServeOptions
	clients workspace.Clients
	names   tool.Names

	telemetry telemetry.Provider     // nil: nobody is told
	bus       *busServed             // nil: the tools do their work here
	pushed    func() ([]byte, error) // the policy of the bus; nil: there is none
	shared    workspace.Shared       // nil: there is one replica
	replica   command.BusReplica     // by which it reaches the others; nil: it does not

	*watched

	telling sync.WaitGroup // what tells telemetry of the tools
	untell  func()         // ends it; nil: there is none

	mu    sync.Mutex
	ws    *workspace.Assembly // nil: it is not open yet
	ahead *aheadOpen          // what was opened before a client said where; nil: nothing
}

// An aheadOpen is a workspace that was opened before the first client came, for the folder that clients mean as a rule.
type aheadOpen struct {
	ws  *workspace.Assembly
	dir string
	log *holding
}

// NewServed reads the flags.
func NewServed(s command.Streams, o ServeOptions) (*served, server.Options, error) {
	v := &served{s: s, o: o, watched: newWatched(o.consoleOptions, o.Approval)}
	log := slog.NewTextHandler(s.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})
	so := server.Options{Static: o.static, Log: slog.New(log), Instructed: v.instructed, Functions: script.Functions}
	if err := o.checkConsole(); err != nil {
		return nil, so, err
	}
	approval, err := approvalOf(o.Approval)
	if err != nil {
		return nil, so, err
	}
	so.Expose, err = server.ParseExposure(o.Expose)
	if err != nil {
		return nil, so, command.Usage("--expose: %v", err)
	}
	v.clients = workspace.Clients{Approval: approval, Name: o.client}
	switch o.names {
	case "":
	case "qualified":
		v.clients.KeepNames = true
	case "plain":
		v.names = tool.PlainNames
	default:
		return nil, so, command.Usage("--names %q: want qualified or plain", o.names)
	}
	return v, so, nil
}

// instructed are what servers say about their tools, once the workspace is open.
func (v *served) instructed() []server.Instructions {
	if !v.mu.TryLock() { // it is being opened, and its client may be asked where: a handshake does not wait for that
		return nil
	}
	defer v.mu.Unlock()
	switch {
	case v.ws != nil:
		return v.ws.Instructions()
	case v.ahead != nil: // of the folder that clients mean as a rule
		return v.ahead.ws.Instructions()
	}
	return nil
}

// approvalOf reads --approval. With console no client is asked: the hub stands in their place.
func approvalOf(word string) (server.Approval, error) {
	if word == byConsole {
		return server.ApproveDeny, nil
	}
	a, err := server.ParseApproval(word)
	if err != nil {
		return a, command.Usage("--approval %q: want auto, client, elicit, deny or console", word)
	}
	return a, nil
}

// options are how the workspace is opened in a folder. A server goes on with what it can read of the configuration:
// its client would only see that it is gone.
func (v *served) options(dir string) (workspace.Options, error) {
	o, err := v.o.OptionsIn(v.s, dir)
	o.Tolerant = true
	o.Resident = true
	o.Clients = v.clients
	o.Names = v.names
	o.Telemetry = v.telemetry
	o.Layers.Pushed = v.pushed
	if v.o.bus {
		o.Parts = append(o.Parts, v.bus.part())
	}
	if v.o.Expose == exposeCode {
		o.Parts = append(o.Parts, scripts.Part(scripts.Options{On: true}))
	}
	if v.o.http != "" {
		o.Shared = v.shared
		v.watched.options(&o)
	}
	return o, err
}

// early opens the workspace before the first client comes: what is wrong with the flags or the managed configuration
// ends the program at once, and what is disabled is settled. Where the client's roots may still say another place it
// is opened for the one that most of them say.
func (v *served) early(ctx context.Context) error {
	if v.fixed() {
		_, err := v.Open(ctx, server.Client{})
		return err
	}
	o, err := v.options(v.s.Dir)
	if err != nil {
		return err
	}
	// A pool is joined for the folder that counts, and is never left.
	o.Parts = append(o.Parts, workers.Part(workers.Options{}))
	log, said := holdLog(o.Log)
	o.Log = log
	ws, err := command.OpenWith(ctx, o)
	switch {
	case err != nil:
		return err
	case v.o.bus:
		return ws.Close()
	}
	v.ahead = &aheadOpen{ws: ws, dir: ws.Dir(), log: said}
	return nil
}

// Open opens the workspace, once.
func (v *served) Open(ctx context.Context, c server.Client) (*workspace.Assembly, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	// Every later client gets the workspace of the first.
	if v.ws != nil {
		return v.ws, nil
	}
	dir, name, err := v.folder(ctx, c)
	if err != nil {
		return nil, err
	}
	ws, err := v.openIn(ctx, dir)
	if err != nil {
		return nil, err
	}
	ws.Named(name)
	v.ws = ws
	if v.telemetry != nil {
		counts := &consoleData{s: v.s, c: v.o.Common, w: v.watched}
		life, stop := context.WithCancel(context.WithoutCancel(ctx))
		v.untell = stop
		v.telling.Go(func() { counts.tellTokens(life, v.telemetry, ws) })
	}
	if off := ws.Disabled(); len(off) > 0 {
		v.s.Note("disabled: %s", strings.Join(off, ", "))
	}
	if v.o.http != "" { // the one client on stdin has the servers listed for it, over processes of its own
		ws.Follow()
	}
	if !v.o.static {
		ws.FollowConfig()
	}
	return ws, nil
}

// openIn is the workspace in a folder: the one that was opened ahead, if it is that folder's.
func (v *served) openIn(ctx context.Context, dir string) (*workspace.Assembly, error) {
	if ahead := v.ahead; ahead != nil {
		v.ahead = nil
		if ahead.dir == dir {
			ahead.log.release()
			return ahead.ws, nil
		}
		if err := ahead.ws.Close(); err != nil {
			return nil, err
		}
	}
	o, err := v.options(dir)
	if err != nil {
		return nil, err
	}
	return command.OpenWith(ctx, o)
}

// Close closes the workspace, whether or not a client came for whom it was opened.
func (v *served) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ahead != nil {
		return v.ahead.ws.Close()
	}
	if v.ws == nil {
		return nil
	}
	if v.untell != nil {
		v.untell()
		v.telling.Wait()
	}
	return v.ws.Close()
}
