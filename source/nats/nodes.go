package natsbus

import (
	"context"
	"fmt"
	"maps"
	"slices"
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

// Drain asks a worker to take no new calls and to end when those that run have. Workers that want tickets want one
// here, too; signer may be nil where none does.
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

// Differing are the tools, by their origins, of which a worker has another definition than most of its pool that
// offer the same workspace: it is not used for those. The workers are told by their names; those that do not answer
// are left out.
func Differing(ctx context.Context, nc *nats.Conn, members []wire.Member) (map[string][]string, error) {
	sets := map[string]wire.Definitions{}
	for _, m := range members {
		if sets[m.Set] != nil {
			continue
		}
		quick, stop := context.WithTimeout(ctx, fetchTime)
		msg, err := nc.RequestWithContext(quick, wire.Worker(m.Instance, wire.VerbSpecs), nil)
		stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // it went meanwhile
		}
		if defs, err := wire.ParseDefinitions(msg.Data); err == nil {
			sets[m.Set] = defs
		}
	}
	return differing(members, sets), nil
}

// differing is Differing where the definitions of the sets are known.
func differing(members []wire.Member, sets map[string]wire.Definitions) map[string][]string {
	type place struct{ pool, workspace, origin string }
	count := map[place]map[string]int{}
	for _, m := range members {
		for origin, digest := range sets[m.Set] {
			at := place{m.Pool, m.Workspace, origin}
			if count[at] == nil {
				count[at] = map[string]int{}
			}
			count[at][digest]++
		}
	}
	out := map[string][]string{}
	for _, m := range members {
		for origin, digest := range sets[m.Set] {
			of := count[place{m.Pool, m.Workspace, origin}]
			most := slices.Max(slices.Collect(maps.Values(of)))
			if of[digest] < most || len(of) > 1 && digest != first(of, most) {
				out[m.Instance] = append(out[m.Instance], origin)
			}
		}
		slices.Sort(out[m.Instance])
	}
	return out
}

// first is the first of the digests that so many have.
func first(of map[string]int, n int) string {
	for _, digest := range slices.Sorted(maps.Keys(of)) {
		if of[digest] == n {
			return digest
		}
	}
	return ""
}
