package run

import (
	"context"
	"errors"
	"slices"
	"sync"

	"helve/agent"
	"helve/agent/conversation"
	"helve/builtin"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/internal/config"
	"helve/internal/workspace"
	"helve/policy"
	"helve/tool"
	"helve/tool/telemetry"
)

// A Host is where a conversation is shown, and where its questions are answered, if not on the streams of a command: an
// editor. Ask and Leave nil ask nobody.
type Host struct {
	Ask   tool.Asker
	Leave func(ctx context.Context, plan string) (tool.Answer, error)
	// Trusts asks about files that would instruct the model; nil: nobody.
	Trusts func(context.Context, *asking.MemoryQuestion) (tool.Answer, error)
	Listen func(agent.Event) // called by one goroutine at a time
	Watch  func(tool.Event)  // is told of the steps of each call
	// Buffers are the files that it holds, unsaved changes included; nil: none.
	Buffers builtin.Buffers
	Notice  func(level, text string)
}

// Wanted says which conversation is opened, and how.
type Wanted struct {
	command.Common
	ID        string // of one that is kept; "": a new one
	Model     string // "": that of the conversation, else of the configuration
	BaseURL   string
	MaxTurns  int
	Allow     []string
	Deny      []string
	Config    []byte // as workspace.Options.Config: MCP servers of whoever hosts it
	Telemetry telemetry.Provider
}

// A Hosted conversation is the one of helve run, shown elsewhere. Prompt is called by one goroutine at a time, the
// other methods are safe for concurrent use. Close it.
type Hosted struct {
	t     *talk
	who   asking.Approver
	modes []policy.Mode
	kits  map[policy.Mode]*tool.Kit
	fresh bool // nothing was said yet, and nothing is kept
	ready bool // MCP servers had their time to be listed
	keep  *config.Conversations

	mu      sync.Mutex
	mode    policy.Mode
	pending bool // mode is not the agent's yet
	model   string
}

// Open opens a conversation. The context lives as long as it; what of the workspace waits for MCP servers waits in the
// first Prompt.
func Open(ctx context.Context, s command.Streams, w Wanted, host Host) (*Hosted, error) {
	o := w.options()
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := o.Folder(s)
	if err != nil {
		return nil, err
	}
	about, err := w.about(s, dir)
	if err != nil {
		return nil, err
	}
	read, err := o.Load(s.Silent(), dir)
	if err != nil {
		return nil, err
	}
	o.remember(read, about)
	model, err := o.ask(ctx, s, read)
	if err != nil {
		return nil, err
	}
	h := &Hosted{
		t:     newTalk(s, o, model, about),
		kits:  map[policy.Mode]*tool.Kit{},
		fresh: w.ID == "",
		model: model.Name(),
		keep:  read.Conversations,
	}
	h.t.host, h.t.config, h.t.trusts = &host, w.Config, host.Trusts
	h.t.agent.Telemetry = w.Telemetry
	h.t.r.tell = host.Notice
	if h.modes, err = modesOf(s, o, dir); err != nil {
		return nil, err
	}
	if err := h.open(ctx); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// Check finds what cannot be meant so.
func (w Wanted) Check() error { return w.options().check() }

// Askable tells why no model can be asked in the folder of the command line; nil: one can.
func (w Wanted) Askable(ctx context.Context, s command.Streams) error {
	o := w.options()
	dir, err := o.Folder(s)
	if err != nil {
		return err
	}
	read, err := o.Load(s.Silent(), dir)
	if err != nil {
		return err
	}
	_, err = o.ask(ctx, s, read)
	return err
}

// options are those of a run that is like it.
func (w Wanted) options() runOptions {
	return runOptions{
		Common:   w.Common,
		model:    w.Model,
		baseURL:  w.BaseURL,
		format:   jsonFormat,
		input:    textFormat,
		maxTurns: w.MaxTurns,
		allow:    w.Allow,
		deny:     w.Deny,
	}
}

// about is the conversation that is wanted.
func (w Wanted) about(s command.Streams, dir string) (chosen, error) {
	if w.ID == "" {
		return chosen{About: conversation.About{ID: conversation.NewID(), Workspace: dir}}, nil
	}
	about, err := s.Conversations().About(w.ID)
	if err != nil {
		const none = "there is no conversation %q\nhint: helve conversations --all"
		return chosen{}, command.Usage(none, command.Brief(w.ID))
	}
	c := chosen{About: about, past: true}
	return c, c.belongs(s, dir)
}

// modesOf are the modes that a person can choose today: those that a flag would bring about.
func modesOf(s command.Streams, o runOptions, dir string) ([]policy.Mode, error) {
	var out []policy.Mode
	for _, mode := range policy.Modes() {
		o.Mode = mode.String()
		read, err := o.Load(s.Silent(), dir)
		if err != nil {
			return nil, err
		}
		if read.Mode == o.Mode {
			out = append(out, mode)
		}
	}
	return out, nil
}

// open opens what the conversation needs, and goes on with one that is kept.
func (h *Hosted) open(ctx context.Context) (err error) {
	t := h.t
	if h.who, err = t.open(ctx); err != nil {
		return err
	}
	from := t.about.ID
	if !h.fresh {
		if from, err = h.hold(); err != nil {
			return err
		}
	}
	if t.agent.Session, err = command.SessionOf(t.ws, t.about.ID); err != nil {
		return err
	}
	if err := t.prepare(ctx, h.who, &tape{}); err != nil {
		return err
	}
	if !h.fresh {
		if err := t.goOn(ctx, from); err != nil {
			return err
		}
	}
	t.agent.Listen = h.listen
	h.mode, h.pending = t.ws.Mode(), true
	if !slices.Contains(h.modes, h.mode) { // a profile's
		h.modes = append(h.modes, h.mode)
	}
	return nil
}

// hold takes the conversation, so that nobody else goes on with it.
func (h *Hosted) hold() (from string, err error) {
	t := h.t
	store := t.s.Conversations()
	store.Secrets = append(store.Secrets, t.o.keys...)
	t.held, from, err = t.about.hold(t.s, store, t.ws.Dir())
	if err == nil {
		t.agent.Log = t.held
	}
	return from, err
}

// openHosted opens the workspace of a conversation whose host answers its questions.
func (t *talk) openHosted(ctx context.Context, opened workspace.Options) (who asking.Approver, err error) {
	opened.Ask, opened.Config, opened.Buffers = t.host.Ask, t.config, t.host.Buffers
	opened.Watch = func(ctx context.Context, e tool.Event) {
		t.agent.Watch(ctx, e)
		t.host.Watch(e)
	}
	t.ws, err = command.OpenWith(ctx, opened)
	return asking.Approver{Ask: t.host.Ask, Leave: t.host.Leave}, err
}

// ID is that of the conversation.
func (h *Hosted) ID() string { return h.t.about.ID }

// Workspace is what it works in.
func (h *Hosted) Workspace() *workspace.Assembly { return h.t.ws }

// Session is what its calls share.
func (h *Hosted) Session() *tool.Session { return h.t.agent.Session }

// Model is the name of the model that answers.
func (h *Hosted) Model() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.model
}

// Name is what the conversation is called; "": nothing was said yet.
func (h *Hosted) Name() string {
	if h.t.held == nil {
		return ""
	}
	return h.t.held.About().Name
}

// Window is how many tokens a conversation grows to before older messages are summed up.
func (h *Hosted) Window() int64 { return agent.CompactsAt(h.t.agent.Limits) }

// Said is what was said so far.
func (h *Hosted) Said() ([]agent.Spoken, error) {
	if h.t.held == nil {
		return nil, nil
	}
	past, err := conversation.Read(h.t.s.Conversations(), h.ID())
	if err != nil {
		return nil, err
	}
	return past.Said, nil
}

// Modes are those that a person can choose, and the one that holds.
func (h *Hosted) Modes() (all []policy.Mode, now policy.Mode) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.modes, h.mode
}

// SetMode chooses a mode, which holds from the model's next answer on. ok is false for one that cannot be chosen.
func (h *Hosted) SetMode(m policy.Mode) (ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.modes, m) {
		return false
	}
	h.mode, h.pending = m, true
	return true
}

// listen hears what the agent does. Between two answers it is given the mode that was chosen meanwhile.
func (h *Hosted) listen(e agent.Event) {
	switch e := e.(type) {
	case agent.Turn:
		h.takeMode()
	case agent.Switched:
		h.mu.Lock()
		h.model = e.To
		h.mu.Unlock()
	case agent.Left: // the agent has the other kit by itself
		h.mu.Lock()
		if !h.pending {
			h.mode = policy.AskFirst
			h.t.r.mode = h.mode.String()
		}
		h.mu.Unlock()
	}
	h.t.r.event(e)
	h.t.host.Listen(e)
}

// takeMode gives the agent the kit of the mode that was chosen. That it cannot be made is told, and the mode stays.
func (h *Hosted) takeMode() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.pending {
		return
	}
	h.pending = false
	kit, err := h.kit(h.mode)
	if err != nil {
		h.t.r.notice("error", "the mode %s cannot be had: %v", h.mode, err)
		return
	}
	a := h.t.agent
	if h.mode != policy.Plan {
		a.Kit, a.Draft = kit, h.t.drafts(h.mode)
		a.Replan(nil)
	} else {
		next, err := h.kit(policy.AskFirst)
		if err != nil {
			h.t.r.notice("error", "the mode %s cannot be had: %v", policy.AskFirst, err)
			return
		}
		a.Kit, a.Draft = next, nil
		a.Replan(&agent.Plan{Kit: kit, Leave: h.leave()})
	}
	h.t.r.mode = h.mode.String()
}

// leave asks whether a plan may be carried out; nil: the mode that would follow cannot be chosen here.
func (h *Hosted) leave() func(context.Context, string) (tool.Answer, error) {
	if !slices.Contains(h.modes, policy.AskFirst) {
		return nil
	}
	return h.who.Plan()
}

// kit is that of a mode.
func (h *Hosted) kit(m policy.Mode) (*tool.Kit, error) {
	if kit := h.kits[m]; kit != nil {
		return kit, nil
	}
	kit, err := h.t.ws.NewKit(workspace.KitOptions{Mode: m.String(), Ask: h.who.Ask})
	if err == nil {
		h.kits[m] = kit
	}
	return kit, err
}
