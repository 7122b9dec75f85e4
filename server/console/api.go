package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

const (
	// beatEvery is how often an open page hears that the program lives, though nothing happens.
	beatEvery = 15 * time.Second
	// writeTime is how long one message to a page may take: a page that sleeps is let go, and loads anew.
	writeTime = 30 * time.Second
	// maxAudit bounds one page of the record, in lines.
	maxAudit = 200
	// maxParts bounds the points of a chart: more than a screen has room for.
	maxParts = 400
)

// api is what a page that is logged in may ask, by method and path.
func (p *Handler) api() map[string]http.HandlerFunc {
	all := map[string]http.HandlerFunc{
		"GET state":    p.state,
		"GET events":   p.events,
		"GET call":     p.call,
		"POST stop":    p.stop,
		"POST answer":  p.answer,
		"GET question": p.question,
		"POST logout":  p.logout,
	}
	if p.o.Data == nil {
		return all
	}
	all["GET board"] = p.board
	all["GET audit"] = p.audit
	if _, ok := p.o.Data.(Explainer); ok {
		all["POST why"] = p.why
	}
	if _, ok := p.o.Data.(Charter); ok {
		all["GET figures"] = p.figures
	}
	if _, ok := p.o.Data.(Switcher); ok {
		all["POST switch"] = p.switched
	}
	if _, ok := p.o.Data.(Sessions); ok {
		all["GET sessions"] = p.sessions
		all["POST revoke"] = p.revoke
	}
	if ender, ok := p.o.Data.(Ender); ok {
		all["POST end"] = func(w http.ResponseWriter, q *http.Request) { p.end(w, q, ender) }
	}
	p.servers(all)
	p.rules(all)
	p.past(all)
	p.review(all)
	if _, ok := p.o.Data.(Player); ok {
		all["GET tool"] = p.describe
		all["POST play"] = p.play
		all["POST again"] = p.again
	}
	return all
}

// shows are the views that have something to show, beside the calls and the questions.
func (p *Handler) shows() map[string]bool {
	_, explains := p.o.Data.(Explainer)
	_, charts := p.o.Data.(Charter)
	_, switches := p.o.Data.(Switcher)
	_, sessions := p.o.Data.(Sessions)
	_, plays := p.o.Data.(Player)
	_, servers := p.o.Data.(Servers)
	_, ends := p.o.Data.(Ender)
	_, rules := p.o.Data.(Ruler)
	_, past := p.o.Data.(Historian)
	_, reviews := p.o.Data.(Reviewer)
	return map[string]bool{
		"board":    p.o.Data != nil,
		"audit":    p.o.Data != nil,
		"why":      explains,
		"figures":  charts,
		"switch":   switches,
		"sessions": sessions,
		"play":     plays,
		"servers":  servers,
		"end":      ends,
		"rules":    rules,
		"history":  past,
		"review":   reviews,
	}
}

// state is everything that a page begins with.
func (p *Handler) state(w http.ResponseWriter, _ *http.Request) {
	answer(w, struct {
		batch
		Version string          `json:"version"`
		Title   string          `json:"title"`
		Now     time.Time       `json:"now"`
		Shows   map[string]bool `json:"shows"`
	}{p.hub.state(), p.o.Version, p.o.Title, time.Now(), p.shows()})
}

// events tells a page of every change, until one of both has gone.
func (p *Handler) events(w http.ResponseWriter, q *http.Request) {
	since, err := strconv.ParseUint(q.FormValue("since"), 10, 64)
	if err != nil {
		fail(w, http.StatusBadRequest, "since: want the revision of a state")
		return
	}
	page, err := p.hub.open(since)
	if err != nil {
		fail(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	defer p.hub.leave(page)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold the events back
	if err := http.NewResponseController(w).Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	var pace pace
	for {
		select {
		case <-page.news:
			select { // what comes meanwhile is told in the same message
			case <-time.After(pace.next(time.Now())):
			case <-q.Context().Done():
				return
			}
			err = send(w, p.hub.news(page))
		case <-beat.C:
			// A login that has ended ends its streams, too.
			if !p.o.Login.knows(cookieOf(q), q.Header.Get(keyHeader)) {
				return
			}
			err = send(w, batch{})
		case <-p.done:
			return
		case <-q.Context().Done():
			return
		}
		if err != nil {
			return // the page has gone
		}
	}
}

// send writes one message and waits until it is on its way.
func send(w http.ResponseWriter, b batch) error {
	encoded, err := json.Marshal(b)
	if err != nil {
		return err
	}
	c := http.NewResponseController(w)
	if err := c.SetWriteDeadline(time.Now().Add(writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := fmt.Fprintf(w, "data: %s\n\n", encoded); err != nil {
		return err
	}
	return c.Flush()
}

// call is one call in full.
func (p *Handler) call(w http.ResponseWriter, q *http.Request) {
	n, err := strconv.ParseUint(q.FormValue("n"), 10, 64)
	d, ok := p.hub.detail(n)
	if err != nil || !ok {
		fail(w, http.StatusNotFound, "this call is not kept any more: the record may have it (Audit)")
		return
	}
	answer(w, d)
}

func (p *Handler) stop(w http.ResponseWriter, q *http.Request) {
	var in struct {
		N uint64 `json:"n"`
	}
	if !read(w, q, maxBody, &in) {
		return
	}
	if !p.hub.Stop(in.N) {
		fail(w, http.StatusConflict, "this call does not run")
		return
	}
	answer(w, struct{}{})
}

func (p *Handler) answer(w http.ResponseWriter, q *http.Request) {
	var in reply
	if !read(w, q, maxBody, &in) {
		return
	}
	if err := p.hub.answer(in); err != nil {
		fail(w, http.StatusConflict, err.Error())
		return
	}
	answer(w, struct{}{})
}

func (p *Handler) question(w http.ResponseWriter, q *http.Request) {
	whole, err := p.hub.showAll(q.FormValue("id"))
	respond(w, whole, err)
}

func (p *Handler) logout(w http.ResponseWriter, q *http.Request) {
	if !read(w, q, maxBody, &struct{}{}) {
		return
	}
	p.o.Login.end(cookieOf(q), q.Header.Get(keyHeader))
	http.SetCookie(w, &http.Cookie{Name: cookie(q), Path: Base, MaxAge: -1})
	answer(w, struct{}{})
}

// respond sends what Options.Data says.
func respond(w http.ResponseWriter, v any, err error) {
	if err != nil {
		fail(w, http.StatusConflict, err.Error())
		return
	}
	answer(w, v)
}

func (p *Handler) board(w http.ResponseWriter, q *http.Request) {
	b, err := p.o.Data.Board(q.Context())
	respond(w, b, err)
}

func (p *Handler) audit(w http.ResponseWriter, q *http.Request) {
	query := Query{
		Text:    q.FormValue("text"),
		Tool:    q.FormValue("tool"),
		Outcome: q.FormValue("outcome"),
		Verdict: q.FormValue("verdict"),
		Session: q.FormValue("session"),
		Limit:   maxAudit,
	}
	var err error
	query.Since, query.Until, err = span(q)
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	for name, to := range map[string]*int{"skip": &query.Skip, "limit": &query.Limit} {
		text := q.FormValue(name)
		if text == "" {
			continue
		}
		*to, err = strconv.Atoi(text)
		if err != nil || *to < 0 {
			fail(w, http.StatusBadRequest, name+": want a number")
			return
		}
	}
	query.Limit = min(max(query.Limit, 1), maxAudit)
	page, err := p.o.Data.Audit(q.Context(), query)
	respond(w, page, err)
}

// span is the time that a request is about. What is not given is the zero time.
func span(q *http.Request) (since, until time.Time, err error) {
	for name, to := range map[string]*time.Time{"since": &since, "until": &until} {
		text := q.FormValue(name)
		if text == "" {
			continue
		}
		*to, err = time.Parse(time.RFC3339Nano, text)
		if err != nil {
			return since, until, fmt.Errorf("%s: want a time as 2006-01-02T15:04:05Z", name)
		}
	}
	return since, until, nil
}

// toolArgs is a call that a person thinks of.
type toolArgs struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

func (p *Handler) why(w http.ResponseWriter, q *http.Request) {
	var in toolArgs
	if !read(w, q, maxPlayed, &in) {
		return
	}
	v, err := p.o.Data.(Explainer).Why(q.Context(), in.Tool, in.Args)
	respond(w, v, err)
}

func (p *Handler) figures(w http.ResponseWriter, q *http.Request) {
	since, until, err := span(q)
	parts, bad := strconv.Atoi(q.FormValue("parts"))
	if err != nil || bad != nil || parts < 1 || !since.Before(until) {
		fail(w, http.StatusBadRequest, "want since, until and parts")
		return
	}
	of := FigureQuery{
		Since:  since,
		Until:  until,
		Parts:  min(parts, maxParts),
		Tool:   q.FormValue("tool"),
		Source: q.FormValue("source"),
	}
	v, err := p.o.Data.(Charter).Figures(q.Context(), of)
	respond(w, v, err)
}

func (p *Handler) switched(w http.ResponseWriter, q *http.Request) {
	var in struct {
		Name string `json:"name"`
		On   bool   `json:"on"`
		Do   bool   `json:"do"`
	}
	if !read(w, q, maxBody, &in) {
		return
	}
	v, err := p.o.Data.(Switcher).Switch(q.Context(), in.Name, in.On, in.Do)
	respond(w, v, err)
}

func (p *Handler) sessions(w http.ResponseWriter, q *http.Request) {
	v, err := p.o.Data.(Sessions).Sessions(q.Context())
	respond(w, v, err)
}

func (p *Handler) revoke(w http.ResponseWriter, q *http.Request) {
	var in struct {
		Session string `json:"session"`
		Grant   string `json:"grant"`
	}
	if !read(w, q, maxBody, &in) {
		return
	}
	err := p.o.Data.(Sessions).Revoke(q.Context(), in.Session, in.Grant)
	respond(w, struct{}{}, err)
}

func (p *Handler) describe(w http.ResponseWriter, q *http.Request) {
	v, err := p.o.Data.(Player).Describe(q.Context(), q.FormValue("name"))
	respond(w, v, err)
}

// play makes a call. It ends with its request: a person who leaves the page does not wait for it.
func (p *Handler) play(w http.ResponseWriter, q *http.Request) {
	var in toolArgs
	if !read(w, q, maxPlayed, &in) {
		return
	}
	v, err := p.o.Data.(Player).Call(q.Context(), in.Tool, in.Args)
	if errors.Is(err, context.Canceled) {
		return
	}
	respond(w, v, err)
}

// end ends the conversation with a client.
func (p *Handler) end(w http.ResponseWriter, q *http.Request, ender Ender) {
	var in struct {
		Session string `json:"session"`
	}
	if read(w, q, maxBody, &in) {
		respond(w, struct{}{}, ender.End(q.Context(), in.Session))
	}
}
