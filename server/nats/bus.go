package natsbus

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go"

	"helve/internal/wire"
	"helve/tool"
)

// A bus is what a worker speaks to gateways over.
type bus struct {
	nc       *nats.Conn
	o        Options
	instance string   // the name of this worker
	tickets  *tickets // nil: none are wanted

	life context.Context // of all that the worker does
	end  context.CancelFunc
	work sync.WaitGroup
}

// publish sends, and logs what cannot be sent: whoever misses it asks.
func (b *bus) publish(subject string, body []byte) {
	if err := b.nc.Publish(subject, body); err != nil && b.life.Err() == nil {
		b.o.Log.Warn("worker: cannot send", "subject", subject, "error", err)
	}
}

// reply answers, where an answer is wanted.
func (b *bus) reply(m *nats.Msg, body []byte) {
	if m.Reply != "" {
		b.publish(m.Reply, body)
	}
}

// refusal is an error as a frame.
func refusal(err error) []byte {
	return wire.Frame(wire.FrameRefused, wire.Encode(tool.Fail(err).Err))
}

// holds tells whether calls may be taken, as far as the workspace goes.
func (b *bus) holds() bool { return b.o.Holds == nil || b.o.Holds() }
