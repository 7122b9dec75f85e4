// Package asking has the person at the terminal, --yes or nobody decide about calls that need approval, and asks what
// else a command may not do by itself.
package asking

import (
	"context"
	"errors"
	"sync"

	"helve/cmd/internal/command"
	"helve/cmd/internal/display"
	"helve/cmd/internal/terminal"
	"helve/internal/workspace"
	"helve/parts/mcp"
	"helve/policy"
	"helve/source/upstream"
	"helve/tool"
)

// A person sits at the terminal of this run and is asked. The methods are safe for concurrent use.
type person struct {
	at      terminal.Terminal
	grants  func(*tool.Job) []string // the rules that a lasting yes may stand for
	Display *display.Display         // what else is on the terminal; nil: nothing is
	Stays   bool                     // more calls of this session follow in this process, where a yes can hold for them
	// ends all that they asked for, at Ctrl-C; nil: that is a no to the one thing asked
	Stop func()

	asking sync.Mutex // one question at a time: an answer belongs to the question that was seen
}

// An Approver decides about calls that need approval. The zero value is nobody: such calls are refused.
type Approver struct {
	Ask    tool.Asker // nil: nobody
	Person *person    // nil: no person answers

	// Leave is asked whether a plan may be carried out; nil: Person is, or Ask stands for a yes.
	Leave func(context.Context, string) (tool.Answer, error)
}

// approverOf is --yes, the person at the terminal, or nobody.
func approverOf(s command.Streams, yes bool) Approver {
	if yes {
		return Approver{Ask: func(_ context.Context, q *tool.Question) (tool.Answer, error) {
			if q.Late && !q.Deferred {
				return tool.Answer{Unasked: true, Note: "--yes was said before it showed"}, nil
			}
			return tool.Answer{Yes: true, By: tool.Approver{Kind: tool.ByFlag}}, nil
		}}
	}
	if !s.Terminal().Present() {
		return Approver{}
	}
	p := &person{at: s.Terminal()}
	return Approver{Ask: p.answer, Person: p}
}

// Plan asks whether a plan may be carried out; nil: nobody can be asked.
func (a Approver) Plan() func(context.Context, string) (tool.Answer, error) {
	switch {
	case a.Leave != nil:
		return a.Leave
	case a.Person != nil:
		return a.Person.plan
	case a.Ask != nil:
		return func(context.Context, string) (tool.Answer, error) { return tool.Answer{Yes: true}, nil }
	}
	return nil
}

// OpenAsking opens a workspace in which calls that need approval can get it. Close it.
func OpenAsking(
	ctx context.Context, s command.Streams, o workspace.Options, yes bool,
) (*workspace.Assembly, Approver, error) {
	who := approverOf(s, yes)
	var grants *policy.Grants // of the workspace, once it is open
	if ask := who.Ask; ask != nil {
		o.Ask = func(ctx context.Context, q *tool.Question) (tool.Answer, error) {
			TellOutdated(s, grants, q.Job)
			return ask(ctx, q)
		}
	}
	if who.Person != nil { // --yes is no answer to a changed definition: it has not seen the difference
		o.Parts = append(o.Parts, mcp.Part(mcp.Options{Review: who.Person.review}))
	}
	ws, err := command.OpenWith(ctx, o)
	if err != nil {
		return nil, who, err
	}
	grants = ws.Approvals()
	if who.Person != nil {
		who.Person.grants = ws.Approvals().Offers
	}
	return ws, who, nil
}

// In opens a workspace in which calls that need approval can get it, runs a command there, and closes it.
func In(
	ctx context.Context, s command.Streams, o workspace.Options, yes bool, run func(*workspace.Assembly, Approver) error,
) (err error) {
	ws, who, err := OpenAsking(ctx, s, o, yes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	return run(ws, who)
}

// OneCall is In for a command that makes one call and ends.
func OneCall(
	ctx context.Context, s command.Streams, c command.Common, yes bool, run func(*workspace.Assembly, Approver) error,
) error {
	o, err := c.Options(s)
	if err != nil {
		return err
	}
	o.OneCall = true
	return In(ctx, s, o, yes, run)
}

// TellOutdated says which approvals for always no longer speak for a call that is about to be asked about.
func TellOutdated(s command.Streams, grants *policy.Grants, j *tool.Job) {
	if grants == nil || j == nil {
		return
	}
	for _, k := range grants.Outdated(j) {
		s.Note("the approval %s (%s) was written by an older version and no longer counts; revoke it with: "+
			"helve approvals revoke %s", k.ID, command.Printable(Covers(k)), k.ID)
	}
}

// take has a question about a call take the terminal, until the function that it returns is called. The error says that
// nothing is to be asked any more.
func (p *person) take(ctx context.Context, id string) (release func(), err error) {
	p.asking.Lock()
	if err := ctx.Err(); err != nil { // they stopped everything at the question before
		p.asking.Unlock()
		return nil, err
	}
	resume := p.Display.Pause(id)
	return func() { resume(); p.asking.Unlock() }, nil
}

// answer asks about a call.
func (p *person) answer(ctx context.Context, q *tool.Question) (tool.Answer, error) {
	release, err := p.take(ctx, q.Job.Call.ID)
	if err != nil {
		return tool.Answer{}, err
	}
	defer release()
	said, err := p.prompt(ctx, q)
	said.By = tool.Approver{Kind: tool.ByPerson, Via: "terminal"}
	if said.Yes {
		p.Display.Approved(q)
	}
	return said, err
}

// review asks about a tool of a server whose definition changed since it was approved.
func (p *person) review(ctx context.Context, call *tool.Call, server string, c upstream.Change) (tool.Answer, error) {
	release, err := p.take(ctx, idOf(call))
	if err != nil {
		return tool.Answer{}, err
	}
	defer release()
	said, err := p.question(ctx, terminal.Question{
		Title:   c.Question(server),
		Preview: c.Diff,
		Diff:    true,
		Ask:     "Use the new definition?",
		Choices: yesOrNo("Yes, from now on"),
	})
	return tool.Answer{Yes: said.Value == WordYes}, err
}

// idOf is the ID of a call; a list of tools that is looked at belongs to none.
func idOf(c *tool.Call) string {
	if c == nil {
		return ""
	}
	return c.ID
}

// Covers says what a grant covers.
func Covers(g policy.Grant) string {
	switch g.Rule {
	case "":
		return "exactly this"
	case policy.WholeTool:
		return "the tool " + g.Origin.String()
	case policy.WholeServer:
		return "the server " + g.Origin.Server
	}
	return g.Rule
}
