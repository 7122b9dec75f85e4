package bash

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"helve/internal/change/check"
	"helve/tool"
)

// answerTime is how long a client may take to bring the answer to a question: longer than a person needs who is there.
const answerTime = 10 * time.Minute

// A waiting room has the commands whose clients are to bring an answer, each under a ticket that is good once. What is
// not answered in time is made without what was asked about.
type waiting struct {
	mu  sync.Mutex
	all map[string]*finished
}

// add keeps a command until its answer comes.
func (w *waiting) add(f *finished) (ticket string) {
	ticket = rand.Text()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = map[string]*finished{}
	}
	w.all[ticket] = f
	f.timer = time.AfterFunc(answerTime, func() { w.take(ticket).giveUp() })
	return ticket
}

// take is the command of a ticket, nil for one that is not known or was used.
func (w *waiting) take(ticket string) *finished {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.all[ticket]
	delete(w.all, ticket)
	if f != nil {
		f.timer.Stop()
	}
	return f
}

// close gives up on all answers.
func (w *waiting) close() {
	w.mu.Lock()
	all := w.all
	w.all = nil
	w.mu.Unlock()
	for _, f := range all {
		f.timer.Stop()
		f.giveUp()
	}
}

// giveUp makes what nobody needs to be asked about. Whoever called is gone: there is nobody to tell.
func (f *finished) giveUp() {
	if f == nil {
		return
	}
	defer f.t.close()
	if f.c.review { // nobody has seen any of it
		return
	}
	f.t.lookAgain(f.set)
	f.t.make(context.Background(), f.set, f.found, f.askable())
}

// askable is what of the findings a person may say yes to.
func (f *finished) askable() []check.Finding {
	return slices.DeleteFunc(slices.Clone(f.found), f.never)
}

// settle asks about what was found, if anybody can be asked, makes the rest, and tells how it all came out.
func (f *finished) settle(ctx context.Context, call *tool.Call) (*tool.Result, error) {
	if f.c.review {
		return f.settleReviewed(ctx, call)
	}
	asked := f.askable()
	if len(asked) > 0 {
		need, err := f.ask(ctx, call, asked)
		if err != nil {
			f.giveUp()
			return nil, err
		}
		if need != nil {
			need.State, need.Here = []byte(f.t.w.waiting.add(f)), true
			return &tool.Result{Need: need}, nil
		}
	}
	defer f.t.close()
	held := f.found
	if f.answer.Yes {
		held = slices.DeleteFunc(slices.Clone(held), func(x check.Finding) bool { return !f.never(x) })
	}
	if !f.answer.Unasked { // somebody has said what becomes of it
		asked = nil
	}
	made, err := f.t.make(ctx, f.set, held, asked)
	if err != nil {
		return f.lost(err), nil
	}
	made.answer = f.answer
	return f.result(made), nil
}

// ask asks about findings, unless they are more than one question shows: these wait. A need is to be brought to the
// client, who brings the answer in another round.
func (f *finished) ask(ctx context.Context, call *tool.Call, found []check.Finding) (*tool.Need, error) {
	if call.Ask == nil {
		f.answer = tool.Answer{Unasked: true}
		return nil, nil
	}
	late := tool.Late{
		Title: "let the command change " + f.t.w.ShownPath(found[0].Place),
		Why:   "another program would run or follow it: " + found[0].Why,
	}
	if more := len(found) - 1; more > 0 {
		late.Title += fmt.Sprintf(" and %d more", more)
	}
	for _, x := range found {
		late.Effects = append(late.Effects, tool.Effect{Kind: tool.Write, Target: f.t.w.TargetOf(x.Place)})
	}
	shown, err := f.t.show(f.set, found)
	if errors.Is(err, errTooMuch) {
		f.answer = tool.Answer{Unasked: true, Note: err.Error()}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	late.Preview = shown
	return f.put(ctx, call, late)
}

// put puts a question, and keeps the answer.
func (f *finished) put(ctx context.Context, call *tool.Call, late tool.Late) (*tool.Need, error) {
	a, err := call.Ask(ctx, late)
	f.t.lookAgain(f.set)
	switch {
	case ctx.Err() != nil: // nobody said anything in the time of the call
		f.answer = tool.Answer{Unasked: true, Note: "nobody answered in time"}
		return nil, nil
	case err != nil:
		return nil, err
	}
	f.answer = a
	return a.Need, nil
}

// resume goes on with a command that waits for an answer. It does not run again.
func (w *Commands) resume(ctx context.Context, call *tool.Call, c *command) (*tool.Result, error) {
	f := w.waiting.take(string(call.Resume.State))
	if f == nil || f.c.in != c.in || f.c.dir.Abs() != c.dir.Abs() {
		f.giveUp()
		return nil, tool.Errorf(tool.Validation,
			"there is no command any more that waits for this answer: it was given already, or came too late").
			WithHint("What nobody needed to be asked about was made, and nothing where all of it is shown first. " +
				"Look before you run it again.")
	}
	return f.settle(ctx, call)
}
