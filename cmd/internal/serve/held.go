package serve

import (
	"context"
	"log/slog"
	"sync"
)

// A held log keeps what is said of a workspace that was opened before it is known whether it is the one that counts.
// Released, it says that, and goes on to say all at once. For several goroutines.
type held struct {
	slog.Handler
	*holding
}

// A holding is what the handlers of one log have in common.
type holding struct {
	mu    sync.Mutex
	free  bool
	texts []func() // each says one record
}

// holdLog is a log that says nothing yet.
func holdLog(to *slog.Logger) (*slog.Logger, *holding) {
	h := &holding{}
	return slog.New(held{to.Handler(), h}), h
}

func (h held) Handle(ctx context.Context, r slog.Record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.free {
		return h.Handler.Handle(ctx, r)
	}
	r = r.Clone()
	h.texts = append(h.texts, func() { _ = h.Handler.Handle(context.WithoutCancel(ctx), r) }) // talk never fails
	return nil
}

func (h held) WithAttrs(attrs []slog.Attr) slog.Handler {
	return held{h.Handler.WithAttrs(attrs), h.holding}
}

func (h held) WithGroup(name string) slog.Handler { return held{h.Handler.WithGroup(name), h.holding} }

// release says what was held.
func (h *holding) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, say := range h.texts {
		say()
	}
	h.free, h.texts = true, nil
}
