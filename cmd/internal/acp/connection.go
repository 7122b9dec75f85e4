package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"helve/cmd/internal/command"
	"helve/internal/rpc"
)

// A connection is the way to the editor.
type connection struct {
	peer   *rpc.Peer
	out    *rpc.LineWriter
	life   context.Context // of all that is done for the editor
	stop   context.CancelFunc
	client atomic.Pointer[initializeIn] // what the editor said that it can; nil: it has not introduced itself
}

// encoded is a value as it goes out.
func encoded(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be encoded: %w", err)
	}
	return b, nil
}

// tell sends a notification. An editor that is gone hears nothing.
func (c *connection) tell(method string, params any) {
	b, err := encoded(params)
	if err == nil {
		_ = c.peer.Tell(c.life, nil, method, b)
	}
}

// call has the editor do something. One that nobody waits for any more is told so.
func (c *connection) call(ctx context.Context, method string, params, result any) error {
	b, err := encoded(params)
	if err != nil {
		return err
	}
	call := &rpc.Call{ID: c.peer.NextID(), Method: method, Params: b, Held: true}
	answer, err := c.peer.Call(ctx, call)
	if err != nil {
		if ctx.Err() != nil && c.life.Err() == nil {
			c.tell(noticeRequest, map[string]int64{"requestId": call.ID})
		}
		return err
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return fmt.Errorf("the editor's answer to %s: %w", method, err)
	}
	return nil
}

// capable is what the editor said that it can.
func (c *connection) capable() initializeIn {
	if in := c.client.Load(); in != nil {
		return *in
	}
	return initializeIn{}
}

// wrong is the error of parameters that mean nothing here.
func wrong(format string, args ...any) *rpc.Error {
	return rpc.Errorf(rpc.CodeInvalidParams, "invalid params: "+format, args...)
}

// refused is why a session cannot be had, as the protocol says it.
func refused(err error) *rpc.Error {
	code := rpc.CodeInternal
	if exit, ok := errors.AsType[*command.ExitError](err); ok {
		switch exit.Status {
		case command.ExitUsage:
			code = rpc.CodeInvalidParams
		case command.ExitUnknown: // no model, or no key
			code = codeAuth
		}
	}
	return rpc.Errorf(code, "%s", strings.TrimPrefix(command.Printable(err.Error()), "run: "))
}
