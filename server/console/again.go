package console

import (
	"encoding/json"
	"errors"
	"net/http"
)

// Why a call cannot be made again from here.
var (
	errForgotten = errors.New("this call is not kept any more: the record may have it (Audit)")
	errElsewhere = errors.New("another process made this call: its arguments are not known here")
	errNoArgs    = errors.New("arguments are not kept here (--console-args=false)")
	errPartial   = errors.New("its arguments are longer than what is kept of them: call it in Try")
)

// calledWith is what a call that is kept was made with.
func (h *Hub) calledWith(n uint64) (name string, args json.RawMessage, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.find(n)
	switch {
	case r == nil:
		return "", nil, errForgotten
	case r.Elsewhere:
		return "", nil, errElsewhere
	case h.NoArgs:
		return "", nil, errNoArgs
	case r.In > len(r.args) || r.In > maxText:
		return "", nil, errPartial
	}
	return r.Name, json.RawMessage(r.args), nil
}

// again makes a call once more as one of the person's own, under the rules that hold for everybody.
func (p *Handler) again(w http.ResponseWriter, q *http.Request) {
	var in struct {
		N uint64 `json:"n"`
	}
	if !read(w, q, maxBody, &in) {
		return
	}
	name, args, err := p.hub.calledWith(in.N)
	if err != nil {
		fail(w, http.StatusConflict, err.Error())
		return
	}
	v, err := p.o.Data.(Player).Call(q.Context(), name, args)
	respond(w, v, err)
}
