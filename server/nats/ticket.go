package natsbus

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"helve/internal/wire"
	"helve/tool"
)

const (
	// ticketSpan is for how long after the first of them a ticket counts that gateways with the right time make at
	// once: each may be off by TicketTime, one way or the other.
	ticketSpan = 2 * wire.TicketTime
	// mostTickets is how many tickets are remembered of one span: 17,000 messages a second.
	mostTickets = 1 << 20
	// sayEvery is how often it is said that something was refused: whoever forges may do so without end.
	sayEvery = 10 * time.Second
)

// tickets tell which messages a gateway signed that this worker works for. nil: everybody's are taken.
type tickets struct {
	instance string
	keys     map[string]ed25519.PublicKey
	now      func() time.Time

	mu sync.Mutex
	// What was used is remembered by the time that tickets say, which is signed: a clock that is set back makes none of
	// them count again.
	span     int64           // the latest that a ticket was of
	used     map[string]bool // nonces of this span; nil: none came yet
	before   map[string]bool // and of the one before
	said     time.Time
	withheld int // refusals since then
}

// newTickets has the public keys, as nkeys, of the gateways that a worker works for.
func newTickets(instance string, public []string, now func() time.Time) (*tickets, error) {
	if len(public) == 0 {
		return nil, nil
	}
	t := &tickets{instance: instance, keys: map[string]ed25519.PublicKey{}, now: now}
	for i, name := range public {
		raw, err := nkeys.Decode(nkeys.Prefix(name), []byte(name))
		if err != nil || !nkeys.IsValidPublicKey(name) { // it is not shown: it may be a seed
			return nil, fmt.Errorf("worker: key %d of its gateways is no public key of NATS: "+
				"it has 56 letters and begins with U", i+1)
		}
		t.keys[name] = raw
	}
	return t, nil
}

// errReplayed is of a message that came before: it is not answered, since the answer would count for the first.
var errReplayed = errors.New("its ticket was used already")

// check tells whether a message is a gateway's, meant for this worker, made now, and here for the first time.
// Everybody may ask whether the worker lives, and for the digests of its tools.
func (t *tickets) check(verb string, m *nats.Msg) error {
	if t == nil || verb == wire.VerbPing || verb == wire.VerbSpecs {
		return nil
	}
	told := m.Header.Get(wire.TicketHeader)
	if told == "" {
		return tool.Errorf(tool.Permission, "the worker takes only what a gateway signed, and there is no ticket").
			WithHint("Name the gateway's key as bus.ticket_key of its configuration.")
	}
	ticket, err := wire.ParseTicket(told)
	if err != nil {
		return tool.Errorf(tool.Permission, "the worker takes only what a gateway signed: %w", err)
	}
	key := t.keys[ticket.Key]
	if key == nil {
		return tool.Errorf(tool.Permission, "the worker does not know the gateway's key %.80q", ticket.Key).
			WithHint("Add it to bus.gateway_keys of the worker's configuration, if it is one of yours.")
	}
	if !ticket.Vouches(key, t.instance, verb, m.Data) {
		return tool.Errorf(tool.Permission, "the ticket is for something else, or for another worker")
	}
	now := t.now()
	if off := now.Sub(ticket.At); off > wire.TicketTime || off < -wire.TicketTime {
		return wrongTime(off, now)
	}
	return t.use(ticket)
}

// wrongTime says of a ticket that was made too long ago, or is not made yet.
func wrongTime(off time.Duration, now time.Time) error {
	how := "was made " + off.Round(time.Second).String() + " ago"
	if off < 0 {
		how = "will be made in " + (-off).Round(time.Second).String()
	}
	return tool.Errorf(tool.Permission, "the ticket %s by the worker's clock, which says %s; %v are let pass",
		how, now.UTC().Format(time.RFC3339), wire.TicketTime).
		WithHint("Set the clocks of gateway and worker by NTP. If they are right, the bus held the message back.")
}

// use takes a ticket, once. One that is much older than another cannot be told from one that was used before.
func (t *tickets) use(ticket wire.Ticket) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	span := ticket.At.UnixMilli() / ticketSpan.Milliseconds()
	switch {
	case t.used == nil || span > t.span+1:
		t.span, t.used, t.before = span, map[string]bool{}, map[string]bool{}
	case span == t.span+1:
		t.span, t.used, t.before = span, map[string]bool{}, t.used
	case span < t.span-1:
		return tool.Errorf(tool.Permission, "the ticket was made at %s, more than a minute before one that came already: "+
			"clocks were set back", ticket.At.UTC().Format(time.RFC3339)).
			WithHint("Restart the worker: the next one takes what fits its clock.")
	}
	nonces := t.used
	if span < t.span {
		nonces = t.before
	}
	switch {
	case nonces[ticket.Nonce]:
		return errReplayed
	case len(nonces) >= mostTickets:
		return tool.Errorf(tool.Busy, "the worker has taken %d messages in a minute", mostTickets)
	}
	nonces[ticket.Nonce] = true
	return nil
}

// news tells whether a refusal should be said, and how many were not since the last.
func (t *tickets) news() (withheld int, say bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if now.Sub(t.said) < sayEvery {
		t.withheld++
		return 0, false
	}
	withheld, t.withheld, t.said = t.withheld, 0, now
	return withheld, true
}
