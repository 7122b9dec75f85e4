package wire

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

// TicketHeader is the header of a message that brings its ticket.
const TicketHeader = "Helve-Ticket"

// TicketTime is how long before and after it was made a ticket counts: clocks differ, and a message is on its way.
const TicketTime = 30 * time.Second

// A Ticket says which gateway tells a worker something: of one message, for one worker, once. It covers the message
// as a whole, and with it the job's digest, the principal and the run.
type Ticket struct {
	Key       string // the gateway's public key
	Nonce     string // is in no other ticket
	At        time.Time
	Signature []byte
}

// nonceLength is how many bytes of random a nonce has.
const nonceLength = 16

// NewTicket signs what one worker is told; public is the key as workers know it.
func NewTicket(key ed25519.PrivateKey, public, instance, verb string, body []byte, now time.Time) Ticket {
	var nonce [nonceLength]byte
	_, _ = rand.Read(nonce[:]) // it never fails
	t := Ticket{Key: public, Nonce: hex.EncodeToString(nonce[:]), At: time.UnixMilli(now.UnixMilli())}
	t.Signature = ed25519.Sign(key, t.signed(instance, verb, body))
	return t
}

// Vouches tells whether the owner of a key signed this message for this worker.
func (t Ticket) Vouches(public ed25519.PublicKey, instance, verb string, body []byte) bool {
	return ed25519.Verify(public, t.signed(instance, verb, body), t.Signature)
}

// signed is what the signature is of. None of the words before the last has a line end.
func (t Ticket) signed(instance, verb string, body []byte) []byte {
	words := []string{"helve " + Version + " ticket", instance, verb, t.Key, t.Nonce, t.at(), Sum(body)}
	return []byte(strings.Join(words, "\n"))
}

func (t Ticket) at() string { return strconv.FormatInt(t.At.UnixMilli(), 10) }

// String is the ticket as a header brings it.
func (t Ticket) String() string {
	return strings.Join([]string{t.at(), t.Nonce, t.Key, base64.RawURLEncoding.EncodeToString(t.Signature)}, " ")
}

// ticketLength is how long a ticket may be, in bytes: it has some 200.
const ticketLength = 512

var errTicket = errors.New("a ticket that is none")

// ParseTicket reads one.
func ParseTicket(s string) (Ticket, error) {
	words := strings.Split(s, " ")
	if len(s) > ticketLength || len(words) != 4 {
		return Ticket{}, errTicket
	}
	ms, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return Ticket{}, errTicket
	}
	nonce, err := hex.DecodeString(words[1])
	if err != nil || len(nonce) != nonceLength {
		return Ticket{}, errTicket
	}
	signature, err := base64.RawURLEncoding.DecodeString(words[3])
	if err != nil || len(signature) != ed25519.SignatureSize {
		return Ticket{}, errTicket
	}
	return Ticket{Key: words[2], Nonce: hex.EncodeToString(nonce), At: time.UnixMilli(ms), Signature: signature}, nil
}

// Sum is a text that no other message has.
func Sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
