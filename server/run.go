package server

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"helve/internal/rpc"
	"helve/tool"
)

// A run is a call of the stateless protocol. It goes on while the client is
// asked, if who asks can only wait: an upstream of the session protocol.
type run struct {
	id   string
	tool string
	told atomic.Pointer[pulse] // that of the request that waits for the outcome
	asks chan *question
	done chan struct{} // closed when res and err are set
	res  *tool.Result
	err  error
	stop context.CancelFunc

	away  <-chan struct{} // closed when the tool says that it goes on for long
	leave func()          // closes it

	mu      sync.Mutex
	open    *question // with the client
	expires *time.Timer
}

// A question of a run waits for its answer.
type question struct {
	method string
	params json.RawMessage
	answer chan json.RawMessage
}

// left tells whether the tool said that it goes on for long.
func (u *run) left() bool {
	select {
	case <-u.away:
		return true
	default:
		return false
	}
}

// reporter tells whoever waits for the run, which may change.
func (u *run) reporter() func(tool.Progress) {
	if u.told.Load() == nil {
		return nil
	}
	return func(p tool.Progress) {
		if to := u.told.Load(); to != nil {
			to.report(p)
		}
	}
}

// putBack carries the question of one who can only wait to a client that must
// be answered first.
func (u *run) putBack(
	ctx context.Context,
	method string,
	params json.RawMessage,
) (json.RawMessage, error) {
	if u == nil {
		return nil, rpc.ErrNobody
	}
	q := &question{method: method, params: params, answer: make(chan json.RawMessage, 1)}
	select {
	case u.asks <- q:
	case <-u.done:
		return nil, errGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-q.answer:
		return a, nil
	case <-u.done:
		return nil, errGone
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
