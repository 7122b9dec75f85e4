package agent

import (
	"context"
	"errors"

	"helve/tool/telemetry"
)

// traced is a model each of whose requests is a span.
type traced struct {
	Model
	to telemetry.Provider
}

// Answer is the model's.
func (m traced) Answer(ctx context.Context, r *Request, delta func(Delta)) (*Reply, error) {
	ctx, end := telemetry.Chat(ctx, m.to, m.Name())
	spent, failed := telemetry.Spent{}, "panic"
	defer func() { end(spent, failed) }()
	reply, err := m.Model.Answer(ctx, r, delta)
	failed = failure(err)
	if err == nil {
		spent = telemetry.Spent{Input: reply.Usage.Input, Output: reply.Usage.Output}
	}
	return reply, err
}

// failure is what kind of failure a request or a run came to; "": none. What a provider says of it may hold anything.
func failure(err error) string {
	var again *Transient
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &again):
		return "busy"
	}
	return "failed"
}
