package console

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"helve/internal/visible"
	"helve/tool"
)

const (
	// maxQuestions bounds the questions that wait at a time: nobody answers more.
	maxQuestions = 1000
	// maxShown is how much of a preview and of arguments is shown at once, in bytes. Who approves a longer one must
	// have asked for all of it.
	maxShown = 64 << 10
	// maxWhole bounds what is kept of a longer one, in bytes: what is longer still cannot be approved here.
	maxWhole = 4 << 20
	// aliveEvery is how often whoever called hears that their call waits: clients give up on calls that are silent.
	aliveEvery = 10 * time.Second
	// maxClient bounds the name that a client gives itself, in bytes.
	maxClient = 100
	// maxNote bounds a person's words for the model, in bytes.
	maxNote = 4 << 10
)

var (
	// ErrGone says that a question does not wait any more: it was answered elsewhere, or its call has ended.
	ErrGone = errors.New("the question does not wait any more: it was answered elsewhere, or the call has ended")
	// ErrChanged says that the answer is about something else than what waits.
	ErrChanged = errors.New("the question is another now: look at it again")
	// ErrUnseen says that a yes was given to what was not shown as a whole.
	ErrUnseen = errors.New("only a part of it was shown: show all of it before you say yes")
)

// A questionView is what pages are told of a question. It never changes.
type questionView struct {
	ID        string        `json:"id"`
	Digest    tool.Digest   `json:"digest"` // of the job and what was shown: an answer is about this and nothing else
	Call      uint64        `json:"call,omitempty"`
	Tool      string        `json:"tool"`
	Source    string        `json:"source"`
	Kind      string        `json:"kind"`
	Title     string        `json:"title"`
	Why       string        `json:"why"`
	Effects   []tool.Effect `json:"effects,omitempty"`
	More      int           `json:"more,omitempty"`
	Repairs   []string      `json:"repairs,omitempty"`
	Line      string        `json:"line,omitempty"` // the command line
	Gap       string        `json:"gap,omitempty"`  // what its sandbox does not keep
	Args      string        `json:"args,omitempty"`
	Preview   string        `json:"preview,omitempty"`
	Diff      bool          `json:"diff,omitempty"` // Preview is a unified diff
	Note      string        `json:"note,omitempty"` // a sentence above it
	Cut       int           `json:"cut,omitempty"`  // bytes that are left out of what is shown
	TooLong   bool          `json:"too_long,omitempty"`
	Outside   bool          `json:"outside,omitempty"` // of another program: no words reach its model
	Late      bool          `json:"late,omitempty"`    // it showed when the job had run: a yes holds once
	Calls     int           `json:"calls,omitempty"`   // that it is about, where they are several
	Session   string        `json:"session,omitempty"`
	Client    string        `json:"client,omitempty"` // what the client calls itself; not to be believed
	Principal string        `json:"principal,omitempty"`
	Since     time.Time     `json:"since"`

	// ForSession tells that a yes can hold for the session, SessionRule what it then covers; "": this very call.
	ForSession  bool     `json:"for_session"`
	SessionRule string   `json:"session_rule,omitempty"`
	Always      []string `json:"always,omitempty"` // rules that a yes for always may carry
}

// A question waits for an answer.
type question struct {
	questionView
	rev   uint64
	whole wholeText        // what was cut
	seen  bool             // all of it was sent to a page
	said  chan tool.Answer // holds one
}

// wholeText is what a question shows, uncut.
type wholeText struct {
	Line    string `json:"line,omitempty"`
	Args    string `json:"args,omitempty"`
	Preview string `json:"preview,omitempty"`
}

// Asker asks the person at the console. next is asked where no page is open, where none answers in time, and in the
// second round of a question of its own; nil: there is nobody else, and a question waits for a page to be opened.
func (h *Hub) Asker(next tool.Asker) tool.Asker {
	return func(ctx context.Context, q *tool.Question) (tool.Answer, error) {
		if next != nil && (q.Job.Call.Resume != nil || !h.Watched()) {
			return next(ctx, q)
		}
		a, err := h.hold(ctx, q, next != nil)
		if err != nil || !a.Unasked || next == nil {
			return a, err
		}
		other, err := next(ctx, q)
		if err == nil && other.Yes && other.By.Kind == tool.ByClient {
			// The client is taken at its word where nobody else can be asked. Here somebody was, and said nothing.
			return a, nil
		}
		return other, err
	}
}

// hold waits for an answer. An unasked one says that none came.
func (h *Hub) hold(ctx context.Context, q *tool.Question, others bool) (tool.Answer, error) {
	held, err := h.put(ctx, q)
	if err != nil {
		return tool.Answer{Unasked: true, Note: err.Error()}, nil
	}
	defer h.take(held)
	wait := h.Wait
	if wait == 0 && others {
		wait = DefaultWait
	}
	var late <-chan time.Time // never
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		late = timer.C
	}
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	left := 0 // ticks at which no page was open
	for {
		select {
		case a := <-held.said:
			return a, nil
		case <-ctx.Done():
			return tool.Answer{}, ctx.Err()
		case <-late:
			return h.unanswered(held, wait), nil
		case <-alive.C:
			tellWaiting(q, held.Since)
			left++
			if h.Watched() {
				left = 0
			}
			if others && left > 1 { // a page that is loaded again is back by now
				return h.unanswered(held, time.Since(held.Since)), nil
			}
		}
	}
}

// unanswered is what the asker says when nobody answered, unless somebody did in this moment.
func (h *Hub) unanswered(held *question, waited time.Duration) tool.Answer {
	h.take(held)
	select {
	case a := <-held.said:
		return a
	default:
	}
	waited = waited.Round(time.Second)
	return tool.Answer{Unasked: true, Note: fmt.Sprintf("nobody answered at the console within %v.", waited)}
}

// tellWaiting lets whoever called hear that the call lives.
func tellWaiting(q *tool.Question, since time.Time) {
	if q.Job.Call.Progress == nil {
		return
	}
	s := int(time.Since(since).Seconds())
	q.Job.Call.Progress(tool.Progress{Message: fmt.Sprintf("waits for approval at the console, %d s", s)})
}

// put adds a question to those that wait.
func (h *Hub) put(ctx context.Context, q *tool.Question) (*question, error) {
	held := h.newQuestion(q)
	if r, _ := ctx.Value(callKey{}).(*record); r != nil {
		held.Call = r.N
	}
	return held, h.post(held)
}

// post adds one as it is shown.
func (h *Hub) post(held *question) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.questions) >= maxQuestions {
		return fmt.Errorf("%d questions wait at the console already", maxQuestions)
	}
	h.rev++
	held.rev, h.asked = h.rev, h.rev
	h.questions = append(h.questions, held)
	h.wake()
	return nil
}

// take takes a question away. A second time does nothing.
func (h *Hub) take(held *question) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.Index(h.questions, held)
	if i < 0 {
		return
	}
	h.drop(i)
}

// drop takes away a question by its place. h.mu is held.
func (h *Hub) drop(i int) {
	h.questions = slices.Delete(h.questions, i, i+1)
	h.rev++
	h.asked = h.rev
	h.wake()
}

func (h *Hub) newQuestion(q *tool.Question) *question {
	j := q.Job
	held := &question{said: make(chan tool.Answer, 1)}
	held.ID = rand.Text()
	held.Digest = j.Digest(q.Preview)
	held.Tool = clip(j.Call.Name, maxTitle)
	held.Source, held.Kind = j.Spec.Origin.Source(), j.Spec.Kind.String()
	held.Title = clip(visible.SpelledLine(j.Title), maxTitle)
	held.Why = clip(q.Verdict.Why(), maxTitle)
	held.Effects, held.More = effectsOf(j)
	held.Late, held.Calls = q.Late, len(q.Calls)
	held.Since = time.Now()
	for _, s := range q.Repairs[:min(len(q.Repairs), maxRepairs)] {
		held.Repairs = append(held.Repairs, clip(s, maxTitle))
	}
	held.show(q)
	h.spans(held, j)
	return held
}

// show sets what a person looks at before they answer: the command, what would change, the arguments.
func (held *question) show(q *tool.Question) {
	whole := wholeText{Args: indented(string(q.Job.Call.Args))}
	if q.Job.Line != nil {
		whole.Line, held.Gap = q.Job.Line.Text, clip(q.Job.Line.Gap, maxTitle)
	}
	switch p := q.Preview.(type) {
	case nil:
	case tool.Diff:
		whole.Preview, held.Note, held.Diff = p.Unified, clip(p.Note, maxTitle), true
	default:
		whole.Preview = p.String()
	}
	held.Line = clip(whole.Line, maxShown)
	held.Args = clip(whole.Args, maxShown)
	held.Preview = clip(whole.Preview, maxShown)
	all := len(whole.Line) + len(whole.Args) + len(whole.Preview)
	for _, part := range []string{whole.Line, whole.Args, whole.Preview} {
		held.Cut += max(0, len(part)-maxShown)
	}
	switch {
	case held.Cut == 0:
	case all > maxWhole:
		held.TooLong = true
	default:
		held.whole = whole
	}
}

// spans sets for how long a yes may hold. What showed late, and what is not shown as a whole, holds once.
func (h *Hub) spans(held *question, j *tool.Job) {
	s := j.Call.Session
	if s != nil {
		held.Session, held.Principal = s.ID, s.Principal
		held.Client = clip(visible.Line(s.Client), maxClient)
	}
	if held.Late || held.Cut > 0 {
		return
	}
	if s != nil && !s.Shared {
		held.ForSession, held.SessionRule = true, j.Rule
	}
	if h.Offers != nil {
		held.Always = h.Offers(j)
	}
}

// A reply is a person's answer to a question.
type reply struct {
	ID     string      `json:"id"`
	Digest tool.Digest `json:"digest"` // of the question as it was shown
	Yes    bool        `json:"yes"`
	Each   bool        `json:"each,omitempty"` // ask about each of several calls as it comes: it is no yes
	For    string      `json:"for,omitempty"`  // once, session or always; "": once
	Rule   int         `json:"rule,omitempty"` // which of Always
	Note   string      `json:"note,omitempty"` // words for the model
}

// answer passes a reply on to the call that waits for it. The first of several counts.
func (h *Hub) answer(r reply) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.questions, func(q *question) bool { return q.ID == r.ID })
	if i < 0 {
		return ErrGone
	}
	q := h.questions[i]
	if q.Digest != r.Digest {
		return ErrChanged
	}
	a, err := q.answered(r)
	if err != nil {
		return err
	}
	h.drop(i)   // no page shows it any more, however long its call takes to go on
	q.said <- a // nobody else answers: there is room
	return nil
}

// answered is a reply as the kit takes it. What a page may not answer is an error, whatever the page shows: it is
// another program's word.
func (q *question) answered(r reply) (tool.Answer, error) {
	a := tool.Answer{
		Yes:  r.Yes,
		Note: clip(r.Note, maxNote),
		By:   tool.Approver{Kind: tool.ByConsole, Via: "page"},
	}
	if r.Each && q.Calls == 0 {
		return a, errors.New("it is about one call: say yes or no")
	}
	if r.Each {
		a.Yes, a.Each = false, true
		return a, nil
	}
	if !r.Yes {
		return a, nil
	}
	if q.Cut > 0 && !q.seen || q.TooLong {
		return a, ErrUnseen
	}
	switch r.For {
	case "", "once":
		return a, nil
	case "session":
		if !q.ForSession {
			return a, errors.New("this cannot be approved for the session: say yes once")
		}
		a.For, a.Rule = tool.ThisSession, q.SessionRule
		return a, nil
	case "always":
		if r.Rule < 0 || r.Rule >= len(q.Always) {
			return a, errors.New("this cannot be approved for always: say yes once")
		}
		a.For, a.Rule = tool.Always, q.Always[r.Rule]
		return a, nil
	}
	return a, fmt.Errorf("for %q: want once, session or always", clip(r.For, maxTitle))
}

// showAll is what was cut of a question. From then on a yes to it counts.
func (h *Hub) showAll(id string) (wholeText, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.questions, func(q *question) bool { return q.ID == id })
	if i < 0 {
		return wholeText{}, ErrGone
	}
	q := h.questions[i]
	if q.TooLong {
		return wholeText{}, fmt.Errorf("it is longer than %d MB: too long to be shown, and to be approved here", maxWhole>>20)
	}
	q.seen = true
	return q.whole, nil
}
