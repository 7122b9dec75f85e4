package natsbus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
)

// Find asks which workers there are, of all pools, and waits for their answers.
func Find(ctx context.Context, nc *nats.Conn, wait time.Duration) ([]wire.Member, error) {
	inbox := nc.NewRespInbox()
	answers := make(chan *nats.Msg, mostMembers)
	sub, err := nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	defer sub.Unsubscribe()
	if err := nc.PublishRequest(wire.Who, inbox, nil); err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	var out []wire.Member
	for {
		select {
		case m := <-answers:
			if len(m.Data) == 0 { // nobody is there
				return out, nil
			}
			if told, err := wire.ParseMember(m.Data); err == nil {
				out = append(out, *told)
			}
		case <-over.C:
			return out, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// drainTime is how long a worker may take to hear that it should end.
const drainTime = 2 * time.Second

// Drain asks a worker to take no new calls and to end when those that run have. Workers that want tickets want one here,
// too; signer may be nil where none does.
func Drain(ctx context.Context, nc *nats.Conn, instance string, signer *Signer) error {
	ctx, stop := context.WithTimeout(ctx, drainTime)
	defer stop()
	m, err := nc.RequestMsgWithContext(ctx, signer.message(instance, wire.VerbDrain, "", nil))
	if err != nil {
		return fmt.Errorf("bus: %s does not answer: %w", instance, err)
	}
	if k, body, err := wire.OpenFrame(m.Data); err == nil && k == wire.FrameRefused {
		return fmt.Errorf("bus: %s refuses: %w", instance, readError(body))
	}
	return nil
}
