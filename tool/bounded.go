package tool

import (
	"context"
	"runtime/debug"
	"time"

	"helve/internal/deep"
)

// stackShown is how much of a panic's stack the details keep.
const stackShown = 4 << 10

func panicked(name string, p any) *Error {
	stack := debug.Stack()
	e := ErrorOf(Unknown, name, "panic: %v", p)
	e.Details = map[string]string{"stack": string(stack[:min(len(stack), stackShown)])}
	return e.WithHint("This is a bug of the tool, not of the call.")
}

// An understanding is the part of a call in which a tool understands it.
type understanding struct {
	tool Tool
	call *Call
}

func (u understanding) do(ctx context.Context) (*Job, error) { return u.tool.Prepare(ctx, u.call) }

// safely is do in this goroutine, with its panic as an error.
func (u understanding) safely(ctx context.Context, name string) (j *Job, err error) {
	defer func() {
		if p := recover(); p != nil {
			j, err = nil, panicked(name, p)
		}
	}()
	return u.do(ctx)
}

// A showing is the part in which a job shows what it would do.
type showing func(context.Context) (Display, error)

func (s showing) do(ctx context.Context) (Display, error) { return s(ctx) }

// A step is a part of a call that is bounded: a value instead of a function, which every call would have to make.
type step[T any] interface {
	do(ctx context.Context) (T, error)
}

// bounded does a step in a goroutine of its own, catches its panic, and leaves it behind when it
// does not come back in time.
func bounded[T any, S step[T]](ctx context.Context, d time.Duration, name string, s S) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		deep.Stack()
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = panicked(name, p)
			}
			done <- o
		}()
		o.v, o.err = s.do(ctx)
	}()
	select {
	case o := <-done:
		return o.v, o.err
	case <-ctx.Done():
		var zero T
		return zero, ended(ctx, name)
	}
}
