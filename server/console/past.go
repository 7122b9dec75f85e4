package console

import (
	"context"
	"net/http"
	"strconv"
)

// maxPast bounds the calls of the history that a page shows.
const maxPast = 200

// Historian shows what calls changed, and takes it back.
type Historian interface {
	// History are the calls that changed files, the newest first, at most so many, as helve history --json has them.
	History(ctx context.Context, limit int) (any, error)
	// Diff is what a call changed.
	Diff(ctx context.Context, call string) (string, error)
	// Undo takes a call back, by the person at the page; the rules judge it. It returns what came of it.
	Undo(ctx context.Context, call string) (string, error)
	// Redo takes the last undo back.
	Redo(ctx context.Context) (string, error)
}

// past are the requests about it.
func (p *Handler) past(all map[string]http.HandlerFunc) {
	h, ok := p.o.Data.(Historian)
	if !ok {
		return
	}
	all["GET history"] = func(w http.ResponseWriter, q *http.Request) {
		limit, err := strconv.Atoi(q.FormValue("limit"))
		if err != nil || limit < 1 {
			fail(w, http.StatusBadRequest, "limit: want a number")
			return
		}
		v, err := h.History(q.Context(), min(limit, maxPast))
		respond(w, v, err)
	}
	all["GET diff"] = func(w http.ResponseWriter, q *http.Request) {
		text, err := h.Diff(q.Context(), q.FormValue("call"))
		respond(w, map[string]string{"text": text}, err)
	}
	all["POST undo"] = func(w http.ResponseWriter, q *http.Request) {
		var in struct {
			Call string `json:"call"`
		}
		if read(w, q, maxBody, &in) {
			text, err := h.Undo(q.Context(), in.Call)
			respond(w, map[string]string{"text": text}, err)
		}
	}
	all["POST redo"] = func(w http.ResponseWriter, q *http.Request) {
		if read(w, q, maxBody, &struct{}{}) {
			text, err := h.Redo(q.Context())
			respond(w, map[string]string{"text": text}, err)
		}
	}
}
