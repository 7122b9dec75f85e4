package natsbus

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"golang.org/x/time/rate"

	"helve/internal/rpc"
	"helve/internal/visible"
	"helve/internal/wire"
	"helve/source/internal/foreign"
	"helve/tool"
)

const (
	// mostAsked is how many questions one run may have, and mostAtOnce how many that nobody has answered yet: a person
	// answers one after another.
	mostAsked  = 1000
	mostAtOnce = 32
	// mostTold is how many log messages of a run are passed on in a second: more than a person reads. As many wait
	// for a client that is slow.
	mostTold = 50
)

// elicitation is the method by which a person is asked.
const elicitation = "elicitation/create"

// notices are what a worker's tools may tell the client unasked. The others speak of the gateway's own lists and
// requests.
var notices = []string{rpc.NoticeMessage, "notifications/elicitation/complete"}

// questions are those of one attempt. The zero value is ready. Its maps are of the call's goroutine.
type questions struct {
	seen  map[int]bool
	going sync.WaitGroup

	mu   sync.Mutex
	open int
}

// Wait waits for the answers that are on their way. The context of the questions is done by then.
func (q *questions) Wait() { q.going.Wait() }

// enter takes a place for one more question; false: there is none.
func (q *questions) enter() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open >= mostAtOnce {
		return false
	}
	q.open++
	return true
}

func (q *questions) leave() {
	q.mu.Lock()
	q.open--
	q.mu.Unlock()
}

// question asks whoever is asked, beside the frames. One that comes again is not asked again.
func (a *attempt) question(ctx context.Context, body []byte) {
	q, err := wire.ParseQuestion(body)
	if err != nil {
		a.j.c.o.Log.Warn("bus: a question that cannot be read", "worker", a.m.id, "error", err)
		return
	}
	if a.asked.seen[q.N] {
		return
	}
	if a.asked.seen == nil {
		a.asked.seen = map[int]bool{}
	}
	asked := a.j.c.o.Signer.sum(body)
	if len(a.asked.seen) >= mostAsked || !a.asked.enter() {
		a.answer(wire.AnswerTo{N: q.N, Failed: true, Asked: asked})
		return
	}
	a.asked.seen[q.N] = true
	a.asked.going.Go(func() {
		defer a.asked.leave()
		to := a.ask(ctx, q)
		to.Asked = asked
		a.answer(to)
	})
}

// answer sends the worker what was answered.
func (a *attempt) answer(to wire.AnswerTo) {
	to.Run = a.msg.Run
	body := wire.Encode(to)
	if body == nil || a.j.c.carries(body) != nil { // what the client said is no JSON, or more than the bus takes
		to = wire.AnswerTo{Run: to.Run, N: to.N, Failed: true, Asked: to.Asked}
	}
	a.j.c.tell(a.m.id, wire.VerbAnswer, to)
}

// ask puts a question.
func (a *attempt) ask(ctx context.Context, q *wire.Question) wire.AnswerTo {
	to := wire.AnswerTo{N: q.N}
	if q.Ask != nil {
		answer, err := a.askClient(ctx, q.Ask)
		if err != nil {
			e := rpc.AsError(err)
			to.Refused = &wire.Refusal{Code: e.Code, Message: e.Message, Data: e.Data}
		}
		to.Answer = answer
		return to
	}
	answer, err := a.askLate(ctx, q.Late)
	to.Failed = err != nil
	to.Answer = wire.Encode(answer)
	return to
}

// askClient asks the client what a tool of the worker wants to know. What the client cannot be asked for its own server
// refuses.
func (a *attempt) askClient(ctx context.Context, q *wire.Ask) (json.RawMessage, error) {
	s := a.j.call.Session
	if s == nil || s.Back == nil {
		return nil, rpc.ErrNobody
	}
	if q.Method == elicitation {
		if err := foreign.CheckElicitation(q.Params); err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
		}
	}
	params := q.Params
	if a.j.own != nil {
		params = foreign.Asked(a.j.own.who(), q.Method, params)
	}
	return s.Back(ctx, q.Method, params)
}

// askLate asks whoever the kit asks.
func (a *attempt) askLate(ctx context.Context, q *wire.Late) (tool.Answer, error) {
	effects, err := readEffects(q.Effects)
	if err != nil {
		return tool.Answer{}, err
	}
	var holder tool.Result
	if err := json.Unmarshal(q.Shown, &holder); err != nil {
		return tool.Answer{}, err
	}
	if a.j.call.Ask == nil {
		return tool.Answer{Unasked: true, Note: "nobody can be asked"}, nil
	}
	return a.j.call.Ask(ctx, tool.Late{
		Title:   visible.Text(q.Title),
		Why:     visible.Text(q.Why),
		Effects: effects,
		Preview: holder.Display,
	})
}

// goesOn tells the caller, once, that the call goes on for long.
func (a *attempt) goesOn() {
	if a.j.tasked || a.j.call.Task == nil {
		return
	}
	a.j.tasked = true
	a.j.call.Task()
}

// A talk is what a run tells the client, in its order. The zero value is ready; it is of the call's goroutine.
type talk struct {
	notes chan *wire.Ask // nil: nothing was told yet
	told  chan struct{}  // closed when all is told
	pace  *rate.Limiter
	left  int // of messages that were too many
}

// notice passes a message on to the client, unless there are too many. The frames do not wait for the client.
func (a *attempt) notice(ctx context.Context, body []byte) {
	said, err := wire.ParseNotice(body)
	s := a.j.call.Session
	if err != nil || s == nil || s.Back == nil || !slices.Contains(notices, said.Method) {
		return
	}
	t := &a.told
	if t.notes == nil {
		t.notes, t.told = make(chan *wire.Ask, mostTold), make(chan struct{})
		t.pace = rate.NewLimiter(mostTold, mostTold)
		go func() {
			defer close(t.told)
			for n := range t.notes {
				_, _ = s.Back(ctx, n.Method, n.Params) // talk: an error means that nobody listens
			}
		}()
	}
	if !t.pace.Allow() {
		t.left++
		return
	}
	select {
	case t.notes <- said:
	default:
		t.left++
	}
}

// settle waits until all is told: a client hears what was said before the result.
func (a *attempt) settle() {
	if a.told.notes == nil {
		return
	}
	close(a.told.notes)
	<-a.told.told
	if a.told.left > 0 {
		a.j.c.o.Log.Warn("bus: log messages of a run were left out", "worker", a.m.id, "messages", a.told.left)
	}
}
