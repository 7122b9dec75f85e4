package natsbus

import (
	"crypto/ed25519"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"helve/internal/wire"
)

// A Signer vouches for what a gateway tells workers, so that they need not trust the owner of the server between. Its
// key must have no other use: a server has its clients sign what it likes.
type Signer struct {
	key    ed25519.PrivateKey
	public string
}

// NewSigner is the signer of an nkey seed.
func NewSigner(seed []byte) (*Signer, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("tickets: %w", err)
	}
	defer pair.Wipe()
	public, err := pair.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("tickets: %w", err)
	}
	_, raw, err := nkeys.DecodeSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("tickets: %w", err)
	}
	return &Signer{ed25519.NewKeyFromSeed(raw), public}, nil
}

// Public is the key by which workers know it.
func (s *Signer) Public() string { return s.public }

// message is what a worker is told, with a ticket; without one where s is nil.
func (s *Signer) message(instance, verb, reply string, body []byte) *nats.Msg {
	m := &nats.Msg{Subject: wire.Worker(instance, verb), Reply: reply, Data: body}
	if s != nil {
		ticket := wire.NewTicket(s.key, s.public, instance, verb, body, time.Now())
		m.Header = nats.Header{wire.TicketHeader: {ticket.String()}}
	}
	return m
}

// sum is the Sum of something that a worker sent, for a message that is signed; "" where nothing is.
func (s *Signer) sum(b []byte) string {
	if s == nil {
		return ""
	}
	return wire.Sum(b)
}
