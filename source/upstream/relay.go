package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/source/internal/foreign"
	"helve/tool"
)

const (
	// relayed is how many notifications of one server may wait for its client.
	relayed = 64
	// maxTalk is how many log messages of one server are passed on in a second:
	// more than a person reads, and few beside what a call costs.
	maxTalk = 50
	// maxExtensions is how many extensions of one client are passed on: a handful
	// exists.
	maxExtensions = 32
)

// A listener hears what connections say of the server's lists. session is nil for one that is shared.
type listener interface {
	connected(session *tool.Session, a *About)
	changed(session *tool.Session)
}

// A relay is between a server and the client behind one session.
type relay struct {
	*server
	heard   listener
	session *tool.Session // nil: shared, nobody can be asked
	group   *group        // of those that share the connection; session is then what they have in common
	lists   sharedList
	notes   chan note
	untold  atomic.Int32 // notes on their way to the client
	talk    *rate.Limiter
	left    atomic.Int64 // log messages that were too many, and not told of yet
}

type note struct {
	method string
	params json.RawMessage
}

func newRelay(s *server, heard listener, session *tool.Session) *relay {
	return &relay{
		server:  s,
		heard:   heard,
		session: session,
		group:   groupOf(session),
		lists:   sharedList{one: make(chan struct{}, 1)},
		notes:   make(chan note, relayed),
		talk:    rate.NewLimiter(maxTalk, maxTalk),
	}
}

// asks are the capabilities that concern requests of a server. That of tasks is
// the session protocol's: a client that has it may answer a question with a
// task, which the server then asks about.
var asks = [...]string{"elicitation", "sampling", "roots", clientTasks}

const clientTasks = "tasks"

// declared are the capabilities that a server is told of: no more than the
// client has.
func declared(s *tool.Session) json.RawMessage {
	var out []rawjson.Member
	for i, v := range answerable(s) {
		if v != nil {
			out = append(out, rawjson.Member{Key: asks[i], Value: v})
		}
	}
	if ext := extensions(s); len(ext) > 0 {
		out = append(out, rawjson.Member{Key: extensionsKey, Value: rawjson.Join(ext)})
	}
	return rawjson.Join(out)
}

// extensionsKey is the capability under which extensions of the protocol are
// declared, by name.
const extensionsKey = "extensions"

// ours are the extensions that are between a client and its own server: what one
// says of them is no matter of the servers behind it.
var ours = [...]string{
	"io.modelcontextprotocol/tasks",
	"io.modelcontextprotocol/oauth-client-credentials",
	"io.modelcontextprotocol/enterprise-managed-authorization",
}

// extensions are those of the client that a server is told of.
func extensions(s *tool.Session) []rawjson.Member {
	if s == nil || s.Back == nil {
		return nil
	}
	all, err := rawjson.Object(rawjson.Get(s.Capabilities, extensionsKey))
	if err != nil || len(all) > maxExtensions {
		return nil
	}
	return slices.DeleteFunc(all, func(m rawjson.Member) bool {
		return slices.Contains(ours[:], m.Key) || rpc.FirstByte(m.Value) != '{'
	})
}

// answerable are the client's words on each of asks; nil where it cannot be
// asked.
func answerable(s *tool.Session) (out [len(asks)]json.RawMessage) {
	if s == nil || s.Back == nil {
		return out
	}
	if rawjson.Pick(s.Capabilities, asks[:], out[:]) != nil {
		return [len(asks)]json.RawMessage{}
	}
	for i, v := range out {
		if string(v) == "null" {
			out[i] = nil
		}
	}
	return out
}

// private tells that a session needs connections of its own.
func private(s *tool.Session) bool {
	for _, v := range answerable(s) {
		if v != nil {
			return true
		}
	}
	return len(extensions(s)) > 0
}

// An asked is a request of the server that the relay answers.
type asked struct {
	relay *relay
	r     *rpc.Request
}

// Serve asks the client.
func (a *asked) Serve(ctx context.Context) (rpc.Answer, error) {
	res, err := a.relay.serve(ctx, a.r.Method, a.r.Params)
	return rpc.Answer{Result: res}, err
}

// serve answers a request of the server.
func (r *relay) serve(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	if method == "ping" {
		return json.RawMessage("{}"), nil
	}
	what, _, _ := strings.Cut(method, "/")
	known := slices.Contains(asks[:], what)
	switch {
	case known && rawjson.Get(declared(r.session), what) == nil, !known && len(extensions(r.session)) == 0:
		return nil, rpc.Errorf(rpc.CodeMethodNotFound, "method not found: %.80s", method)
	case what == clientTasks, !known: // about a task of the client's, or of an extension that the client declared: it knows the method, or says that it does not
		return r.session.Back(ctx, method, params)
	}
	switch method {
	case "roots/list":
		return r.roots(), nil
	case "elicitation/create":
		if err := foreign.CheckElicitation(params); err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
		}
		return r.ask(ctx, method, params)
	case "sampling/createMessage":
		return r.ask(ctx, method, params)
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "method not found: %s", method)
}

// ask carries a question to the client under the server's name, and has it
// recorded with what became of it.
func (r *relay) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	began := time.Now()
	session, res, err := r.session, json.RawMessage(nil), error(nil)
	if r.group != nil {
		session = r.group.meant()
	}
	switch {
	case session != nil:
		res, err = session.Back(ctx, method, named(r.cfg.Name, method, params))
	case method == "elicitation/create":
		res = json.RawMessage(`{"action":"cancel"}`)
	default:
		err = errWhose
	}
	r.record(Question{
		Session: session,
		Method:  method,
		Text:    asksFor(method, params),
		Outcome: outcome(method, res, err),
		Began:   began,
		Took:    time.Since(began),
	})
	return res, err
}

// roots are the session's workspaces and nothing else of the machine.
func (r *relay) roots() json.RawMessage {
	type root struct {
		URI  string `json:"uri"`
		Name string `json:"name,omitempty"`
	}
	list := make([]root, 0, len(r.session.Roots))
	for _, x := range r.session.Roots {
		u := url.URL{Scheme: "file", Path: filepath.ToSlash(x.Path)}
		list = append(list, root{u.String(), x.Name})
	}
	b, _ := json.Marshal(map[string]any{"roots": list}) // strings only
	return b
}

// notice takes a notification. It never waits.
func (r *relay) notice(method string, params json.RawMessage) {
	switch method {
	case rpc.NoticeTools:
		r.lists.changed()
		for _, s := range r.sessions() {
			r.heard.changed(s)
		}
	case rpc.NoticeMessage:
		r.message(params)
	default:
		r.pass(method, params)
	}
}

// message passes a log message on, unless there are too many; then the next one
// that passes is followed by a word about those left out.
func (r *relay) message(params json.RawMessage) {
	if !r.talk.Allow() {
		r.left.Add(1)
		return
	}
	r.pass(rpc.NoticeMessage, params)
	if n := r.left.Swap(0); n > 0 {
		said := fmt.Sprintf(`{"level":"warning","logger":"helve","data":"%d log messages were left out: more than %d in a second"}`,
			n, maxTalk)
		r.pass(rpc.NoticeMessage, json.RawMessage(said))
	}
}

// pass hands a notification to whoever is behind this connection.
func (r *relay) pass(method string, params json.RawMessage) {
	toClient := method == rpc.NoticeMessage || method == "notifications/elicitation/complete"
	if toClient && r.session != nil && r.session.Back != nil {
		r.queue(note{method, params})
		return
	}
	n := r.o.Notify
	if n == nil {
		return
	}
	for _, s := range r.sessions() {
		n(r.cfg.Name, s, method, params)
	}
}

// queue leaves a note for deliver. A client that is slower than the server's talk
// misses some of it.
func (r *relay) queue(n note) {
	r.untold.Add(1)
	select {
	case r.notes <- n:
	default:
		r.untold.Add(-1)
	}
}

// toldTime is how long a result waits for what the server said before it.
const toldTime = 100 * time.Millisecond

// settle lets what a server said before its answer reach the client before the
// answer does.
func (r *relay) settle() {
	for end := time.Now().Add(toldTime); r.untold.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
}

// deliver hands notifications to the client, until ctx is done.
func (r *relay) deliver(ctx context.Context) {
	for {
		select {
		case n := <-r.notes:
			r.session.Back(ctx, n.method, n.params) // talk: an error means that nobody listens
			r.untold.Add(-1)
		case <-ctx.Done():
			return
		}
	}
}

// sessions are those behind a connection; nil is one of all whose clients can be
// asked nothing.
func (r *relay) sessions() []*tool.Session {
	if r.group == nil {
		return []*tool.Session{r.session}
	}
	return r.group.all()
}
