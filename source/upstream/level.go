package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// levelTime is how long a server may take to note a level of log messages. A call
// does not wait for it any longer, and it is not told of that level again.
const levelTime = 2 * time.Second

// A toldLevel is the level of log messages that a server of the session protocol
// was told last over a connection. The zero value is ready: none.
type toldLevel struct {
	mu    sync.Mutex // held while the server is told: calls that want it come after
	level string
}

// note notes what somebody else tells the server.
func (t *toldLevel) note(params json.RawMessage) {
	level, _ := rawjson.String(rawjson.Get(params, "level"))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.level = level
}

// tellLevel sees to it that the server logs what the client of a session asked
// for, before the session's call: the connection may have been made since the
// client said so, or lead from a worker of which the client knows nothing. Where
// sessions share the connection, it logs what any of them asked for, and each
// client is passed its own level.
func (c *conn) tellLevel(ctx context.Context, session *tool.Session) {
	w := wishesOf(session)
	if c.meta != nil || w == nil || !w.Chosen() { // the stateless protocol says it with each request
		return
	}
	t := &c.level
	t.mu.Lock()
	defer t.mu.Unlock()
	level := w.Level()
	shared := c.relay.session == nil || len(c.relay.sessions()) > 1
	if level == t.level || shared && t.level != "" && !rpc.Quieter(level, t.level) || !c.about.can("logging") {
		return
	}
	ctx, stop := context.WithTimeout(ctx, levelTime)
	defer stop()
	params := json.RawMessage(`{"level":"` + level + `"}`)                    // a word of the protocol
	_, _ = c.Call(ctx, &rpc.Call{Method: rpc.MethodSetLevel, Params: params}) // a refusal is its answer, too
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.level = level
	}
}
