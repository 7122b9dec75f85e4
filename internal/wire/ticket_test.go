package wire_test

import (
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"helve/internal/wire"
)

func ticketKey(t testing.TB) (ed25519.PublicKey, ed25519.PrivateKey) {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, key
}

func TestATicketVouchesForOneMessageToOneWorker(t *testing.T) {
	public, key := ticketKey(t)
	made := wire.NewTicket(key, "UKEY", "one", wire.VerbRun, []byte("body"), time.Now())
	got, err := wire.ParseTicket(made.String())
	if err != nil {
		t.Fatal(err)
	}
	if !got.Vouches(public, "one", wire.VerbRun, []byte("body")) {
		t.Error("it does not vouch for what it was made for")
	}
	later, renamed, other := got, got, got
	later.At = later.At.Add(time.Millisecond)
	renamed.Key = "UOTHER"
	other.Nonce = strings.Repeat("0", 32)
	stranger, _ := ticketKey(t)
	for name, vouches := range map[string]bool{
		"another worker":  got.Vouches(public, "other", wire.VerbRun, []byte("body")),
		"another verb":    got.Vouches(public, "one", wire.VerbGo, []byte("body")),
		"another message": got.Vouches(public, "one", wire.VerbRun, []byte("Body")),
		"another key":     got.Vouches(stranger, "one", wire.VerbRun, []byte("body")),
		"another time":    later.Vouches(public, "one", wire.VerbRun, []byte("body")),
		"another name":    renamed.Vouches(public, "one", wire.VerbRun, []byte("body")),
		"another nonce":   other.Vouches(public, "one", wire.VerbRun, []byte("body")),
	} {
		if vouches {
			t.Errorf("it vouches for %s", name)
		}
	}
}

func FuzzTicketsAreReadOrRefused(f *testing.F) {
	_, key := ticketKey(f)
	f.Add(wire.NewTicket(key, "UKEY", "one", wire.VerbRun, nil, time.UnixMilli(1)).String())
	f.Add("")
	f.Add("1 2 3 4")
	f.Fuzz(func(t *testing.T, s string) {
		got, err := wire.ParseTicket(s)
		if err != nil {
			return
		}
		again, err := wire.ParseTicket(got.String())
		if err != nil || again.String() != got.String() {
			t.Errorf("%q is read as %q, which is read as %q: %v", s, got, again, err)
		}
	})
}

// BenchmarkTicket is what it costs to sign a message and to check one.
func BenchmarkTicket(b *testing.B) {
	public, key := ticketKey(b)
	body := make([]byte, 300)
	t := wire.NewTicket(key, "UKEY", "one", wire.VerbRun, body, time.Now())
	b.Run("sign", func(b *testing.B) {
		for b.Loop() {
			_ = wire.NewTicket(key, "UKEY", "one", wire.VerbRun, body, t.At).String()
		}
	})
	b.Run("check", func(b *testing.B) {
		told := t.String()
		for b.Loop() {
			got, err := wire.ParseTicket(told)
			if err != nil || !got.Vouches(public, "one", wire.VerbRun, body) {
				b.Fatal("it does not vouch")
			}
		}
	})
}
