package run

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"helve/agent"
	"helve/agent/conversation"
	"helve/cmd/internal/asking"
	"helve/cmd/internal/command"
	"helve/internal/workspace"
	"helve/parts/web"
	"helve/tool"
)

// A talk is a conversation that runs.
type talk struct {
	s      command.Streams
	o      runOptions
	about  *chosen
	held   conversation.Conversation
	ws     *workspace.Assembly
	agent  *agent.Agent
	r      *reporter
	host   *Host     // nil: it is shown on the streams of the command
	config []byte    // of host: MCP servers
	in     *inbox    // nil: there is one prompt
	input  io.Reader // of in
	first  told

	// trusts asks whoever is at the other end about files that would instruct the model; nil: nobody is there.
	trusts func(context.Context, *asking.MemoryQuestion) (tool.Answer, error)
}

// newTalk makes a conversation whose workspace is not open yet.
func newTalk(s command.Streams, o runOptions, model agent.Model, about chosen) *talk {
	return &talk{s: s, o: o, about: &about, r: newReporter(s, o.format, model.Name()), agent: &agent.Agent{
		Model:    model,
		Fallback: o.fallback,
		Limits:   agent.Limits{Turns: o.maxTurns, Tokens: o.maxTokens, Time: o.maxTime},
		Compact:  agent.Summarise(keepMessages),
		Watched:  true,
	}}
}

// converse opens what a conversation needs, and runs it.
func converse(
	ctx context.Context, s command.Streams, o runOptions, model agent.Model, about chosen, prompt agent.User,
) (err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.headless { // as where no terminal is
		s.Stdin = strings.NewReader("")
	}
	t := newTalk(s, o, model, about)
	to, farewell := s.StartTelemetry(ctx, "helve")
	defer farewell()
	t.agent.Telemetry = to
	who, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.ws.Close()) }()
	waitForSources(ctx, t.ws)
	var from string
	store := s.Conversations()
	store.Secrets = append(store.Secrets, o.keys...)
	t.held, from, err = about.hold(s, store, t.ws.Dir())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.held.Close()) }()
	t.agent.Session, err = command.SessionOf(t.ws, about.ID)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.agent.Session.Close()) }()
	record, err := openTape(s, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, record.Close()) }()
	if err := t.prepare(ctx, who, record); err != nil {
		return err
	}
	if err := t.goOn(ctx, from); err != nil {
		return err
	}
	t.r.listen(t.agent, who, stop)
	if t.in != nil {
		t.agent.Listen = func(e agent.Event) {
			t.in.listen(e)
			t.r.event(e)
		}
	}
	return t.run(ctx, record, prompt)
}

// open opens the workspace, and finds out who approves.
func (t *talk) open(ctx context.Context) (who asking.Approver, err error) {
	opened, err := t.o.Options(t.s)
	if err != nil {
		return who, err
	}
	if err := t.o.give(t.s, &opened); err != nil {
		return who, err
	}
	opened.Watch, opened.Telemetry = t.agent.Watch, t.agent.Telemetry
	opened.Parts = append(opened.Parts, web.Part(web.Options{Summarizer: reader{t.agent.Model}}))
	if t.host != nil {
		return t.openHosted(ctx, opened)
	}
	if t.o.input == textFormat {
		t.ws, who, err = asking.OpenAsking(ctx, t.s, opened, t.o.yes)
		return who, err
	}
	t.in, t.input = newInbox(t.r.notice), t.s.Stdin
	t.s.Stdin = strings.NewReader("") // nobody sits there
	if t.o.yes {
		t.ws, who, err = asking.OpenAsking(ctx, t.s, opened, true)
	} else {
		asks := &questioner{in: t.in, emit: t.r.emit}
		opened.Ask, t.trusts = asks.ask, asks.memory
		who = asking.Approver{Ask: asks.ask, Leave: asks.plan}
		t.ws, err = command.OpenWith(ctx, opened)
	}
	return who, err
}

// prepare makes the agent ready for the first prompt.
func (t *talk) prepare(ctx context.Context, who asking.Approver, record *tape) (err error) {
	a := t.agent
	a.Dir, a.Log = t.ws.Dir(), t.held
	first, err := t.o.tell(ctx, t.s, t.ws, t.host == nil && t.s.Terminal().Present())
	if err != nil {
		return err
	}
	t.first, a.System = first, first.system()
	around := record.around
	if t.in != nil {
		around = append(slices.Clone(around), t.in.around)
	}
	if err := giveKits(t.ws, who, around, a); err != nil {
		return err
	}
	a.Draft = t.drafts(t.ws.Mode())
	t.r.id, t.r.mode = t.about.ID, t.ws.Mode().String()
	t.r.start(a, first.memory.Told)
	for _, note := range first.memory.Notes {
		t.r.notice("info", "%s", note)
	}
	return nil
}

// goOn says what became of the calls that were under way when the conversation ended last.
func (t *talk) goOn(ctx context.Context, from string) error {
	judge := newFates(ctx, t.ws, t.agent.Kit, from)
	return t.about.goOn(t.r.notice, t.s.Conversations(), t.agent, judge)
}

// run answers the prompt, or those of the input stream.
func (t *talk) run(ctx context.Context, record *tape, prompt agent.User) error {
	if t.in != nil {
		return t.answerAll(ctx, record)
	}
	t.r.begin()
	last := t.answer(ctx, prompt)
	last.err = errors.Join(last.err, record.Close()) // what --record could not keep is told
	t.r.end(last, false)
	return status(ctx, last)
}

// answer has the agent answer a prompt.
func (t *talk) answer(ctx context.Context, prompt agent.User) ending {
	if err := t.about.begin(t.held, t.agent, t.r.mode, prompt.Text); err != nil {
		return ending{Outcome: &agent.Outcome{Stop: agent.Failed}, err: err}
	}
	t.about.Turns++
	return t.o.form.answer(ctx, t.agent, prompt)
}

// answerAll answers prompts until no more come.
func (t *talk) answerAll(ctx context.Context, record *tape) error {
	go t.in.read(t.input) // behind the first line of the stream
	last := ending{Outcome: &agent.Outcome{Stop: agent.Done}}
	last.err = t.offer(ctx)
	for ctx.Err() == nil {
		m, more := t.next(ctx)
		if !more {
			break
		}
		images, err := m.pictures(t.s)
		if err != nil {
			t.r.notice("error", "the prompt is not answered: %v", err)
			continue
		}
		inner, stop := context.WithCancel(ctx)
		t.in.answering(stop)
		last = t.answer(inner, agent.User{Text: m.Text, Images: images})
		t.in.answering(nil)
		stop()
		t.r.done(last)
	}
	last.err = errors.Join(last.err, record.Close())
	t.r.end(last, true)
	return status(ctx, last)
}

// offer asks about files that would instruct the model, and that nobody trusts as they stand. Without a yes it is told
// what was trusted last, as the notes of the beginning say.
func (t *talk) offer(ctx context.Context) error {
	q := t.first.memory.Question
	if q == nil || t.trusts == nil {
		return nil
	}
	t.first.memory.Question = nil // it is asked once
	answer, err := t.trusts(ctx, q)
	if err != nil || !answer.Yes {
		return err
	}
	more := strings.TrimPrefix(t.agent.System, t.first.system()) // what was added since
	t.first.memory = q.Trust(t.s)
	t.agent.System = t.first.system() + more
	for _, note := range t.first.memory.Notes {
		t.r.notice("info", "%s", note)
	}
	return nil
}

// next is the next prompt.
func (t *talk) next(ctx context.Context) (message, bool) {
	select {
	case m, ok := <-t.in.prompts:
		return m, ok
	case <-ctx.Done():
		return message{}, false
	}
}

// status is the exit status of a run: stopped before it was done is a failure.
func status(ctx context.Context, e ending) error {
	switch {
	case ctx.Err() != nil: // by a signal, or at a question
		return &command.ExitError{Status: command.ExitInterrupted, Err: errors.New("interrupted")}
	case e.err != nil:
		return &command.ExitError{Status: command.ExitFailed}
	case e.Stop == agent.Time:
		return &command.ExitError{Status: command.ExitTimedOut}
	case e.Stop != agent.Done:
		return &command.ExitError{Status: command.ExitFailed}
	}
	return nil
}

// showPrompt prints what the model is told first.
func showPrompt(ctx context.Context, s command.Streams, o runOptions) (err error) {
	opened, err := o.Options(s)
	if err != nil {
		return err
	}
	ws, err := command.OpenWith(ctx, opened)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	first, err := o.tell(ctx, s, ws, false)
	if err != nil {
		return err
	}
	for _, note := range first.memory.Notes {
		s.Note("%s", command.Printable(note))
	}
	return s.Print(first.system())
}
