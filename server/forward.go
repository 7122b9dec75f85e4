package server

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"helve/internal/rpc"
)

// A forwarded request is one of a client of another replica.
type forwarded struct {
	Principal string          `json:"principal"`
	Profile   string          `json:"profile,omitempty"`
	Host      string          `json:"host,omitempty"`
	ID        json.RawMessage `json:"id"`
	Method    string          `json:"method"`
	Params    string          `json:"params"` // as the client wrote them: a requestState is good for those bytes alone
}

// replica is this one's name among others; "": it has none.
func (s *Server) replica() string {
	if s.o.Forward == nil {
		return ""
	}
	return s.o.Forward.Name()
}

// isElsewhere tells whether a name is that of another replica to which a request can go. One that came from another
// goes no further.
func (r *request) isElsewhere(replica string) bool {
	own := r.conn.srv.replica()
	return own != "" && replica != "" && replica != own && !r.conn.conf.forwarded
}

// passTo has another replica serve the request. gone is the answer where there is none.
func (r *request) passTo(ctx context.Context, replica string, gone *rpc.Error) (json.RawMessage, error) {
	body, err := json.Marshal(forwarded{
		Principal: r.conn.conf.principal,
		Profile:   r.conn.conf.profile,
		Host:      r.conn.conf.host,
		ID:        r.ID,
		Method:    r.Method,
		Params:    string(r.Params),
	})
	if err != nil {
		return nil, err
	}
	hear := func(b []byte) {
		if m, bad := rpc.Parse(b); bad == nil && m.Notification() {
			_ = r.Out.Send(ctx, m) // a client that is gone ends ctx
		}
	}
	b, err := r.conn.srv.o.Forward.Forward(ctx, replica, body, hear)
	switch {
	case errors.Is(err, ErrNoReplica):
		return nil, gone
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Errorf(rpc.CodeInternal, "the replica where this goes on does not answer, what it was to do may have been done: %v", err)
	}
	m, bad := rpc.Parse(b)
	switch {
	case bad != nil || m.Request() || m.Notification():
		return nil, rpc.Errorf(rpc.CodeInternal, "the answer of another replica cannot be read")
	case m.Err != nil:
		return nil, m.Err
	}
	return m.Result, nil
}

// Forwarded serves a request that came to another replica, which says whose it is: only replicas may come here. hear is
// told of what comes before the answer. It returns when the answer is there; ctx ends with the client.
func (s *Server) Forwarded(ctx context.Context, request []byte, hear func([]byte)) (answer []byte) {
	var f forwarded
	if err := json.Unmarshal(request, &f); err != nil || f.Method == "" || f.Principal == "" {
		return (&rpc.Message{ID: json.RawMessage("null"), Err: rpc.Errorf(rpc.CodeInvalidRequest, "a replica sent what is no request")}).Encode()
	}
	m := &rpc.Message{ID: f.ID, Method: f.Method, Params: json.RawMessage(f.Params)}
	refuse := func(e *rpc.Error) []byte { return (&rpc.Message{ID: m.ID, Err: e}).Encode() }
	if !rpc.ValidID(m.ID) || rpc.FirstByte(m.Params) != '{' || rpc.MessageVersion(m) < rpc.Stateless {
		return refuse(rpc.Errorf(rpc.CodeInvalidRequest, "a replica sent what is no request"))
	}
	c, err := s.connect(connect{
		principal: f.Principal,
		profile:   f.Profile,
		host:      f.Host,
		shared:    true,
		forwarded: true,
	}, nil)
	if err != nil {
		return refuse(rpc.Errorf(rpc.CodeInternal, "%v", err))
	}
	defer c.close()
	out := &heard{hear: hear}
	q, bad := c.Admit(m, out)
	if bad != nil {
		return refuse(bad)
	}
	c.Serve(ctx, q)
	if out.answer == nil { // it was withdrawn
		return refuse(rpc.Errorf(rpc.CodeInternal, "cancelled"))
	}
	return out.answer
}

// A heard takes what is for a client of another replica. What comes before the answer comes from several goroutines.
type heard struct {
	hear   func([]byte)
	answer []byte // set before Serve returns
}

var _ rpc.Out = (*heard)(nil)

func (h *heard) Send(_ context.Context, m *rpc.Message) error {
	h.hear(append([]byte(nil), m.Encode()...))
	return nil
}

func (h *heard) Answer(_ context.Context, m *rpc.Message) error {
	h.answer = append([]byte(nil), m.Encode()...)
	return nil
}

// taskAt stands before the name of the replica.
const taskAt = "-"

// taskReplica is the replica that a task's id names; "": none.
func taskReplica(id string) string {
	_, at, _ := strings.Cut(id, taskAt)
	return at
}
