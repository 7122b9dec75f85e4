package shared_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"helve/internal/testing/loopback"
	"helve/server/nats/broker"
	"helve/source/nats/shared"
	"helve/tool"
)

func startBroker(t *testing.T, o broker.Options) *broker.Broker {
	t.Helper()
	if o.Addr == "" {
		o.Addr = loopback.Addr()
	}
	b, err := loopback.Again(func() (*broker.Broker, error) { return broker.Start(o) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func open(t *testing.T, url string) *shared.Shared {
	t.Helper()
	s, err := shared.Open(t.Context(), connect(t, url), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Replicas that change a document at once lose nothing of each other's, and make the buckets at once.
func TestAllChangesOfADocumentStand(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	var all sync.WaitGroup
	for range 4 {
		nc := connect(t, b.URL())
		all.Go(func() {
			s, err := shared.Open(t.Context(), nc, nil)
			if err != nil {
				t.Error(err)
				return
			}
			for range 10 {
				if err := s.Update("grants.json", func(old []byte) ([]byte, error) { return append(old, 'x'), nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	s := open(t, b.URL())
	if got, err := s.Read("grants.json"); err != nil || len(got) != 40 {
		t.Errorf("%d changes stand, want 40: %v", len(got), err)
	}
	if got, err := s.Read("none"); err != nil || got != nil {
		t.Errorf("a document that nobody wrote: %q, %v", got, err)
	}
	no := errors.New("no")
	if err := s.Update("grants.json", func([]byte) ([]byte, error) { return nil, no }); !errors.Is(err, no) {
		t.Errorf("a change that fails: %v", err)
	}
}

func TestABlobIsFoundByEveryReplicaOfItsConversation(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	one, other := open(t, b.URL()), open(t, b.URL())
	for _, size := range []int{0, 1, 128<<10 - 1, 128 << 10, 128<<10 + 1, 9 << 20} {
		want := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)[:size]
		n, err := one.Conversation("c1").Put("spill-ab.1", bytes.NewReader(want))
		if err != nil || n != int64(size) {
			t.Fatalf("%d bytes: %d are kept: %v", size, n, err)
		}
		blob, err := other.Conversation("c1").Get("spill-ab.1")
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		got, err := io.ReadAll(io.NewSectionReader(blob, 0, blob.Size()))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: %d come back: %v", size, len(got), err)
		}
		if err := blob.Close(); err != nil {
			t.Error(err)
		}
		if _, err := other.Conversation("c2").Get("spill-ab.1"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("another conversation has it: %v", err)
		}
		if err := other.Conversation("c1").Delete("spill-ab.1"); err != nil {
			t.Error(err)
		}
		if _, err := one.Conversation("c1").Get("spill-ab.1"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%d bytes are there after they were removed: %v", size, err)
		}
	}
	// A document and a blob of one name are two things.
	c := one.Conversation("c1")
	if err := c.Update("same", func([]byte) ([]byte, error) { return []byte("document"), nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get("same"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the document is a blob: %v", err)
	}
}

func TestAServerThatKeepsNothingIsRefused(t *testing.T) {
	b := startBroker(t, broker.Options{})
	_, err := shared.Open(t.Context(), connect(t, b.URL()), nil)
	if err == nil || !strings.Contains(err.Error(), "hint: enable JetStream there, or share a folder") {
		t.Errorf("%v", err)
	}
}

// What a server lost is nowhere: nothing is approved, and what comes then is kept again. While there is no server, it is
// not known.
func TestAServerThatLostWhatItKeptIsFilledAnew(t *testing.T) {
	first := startBroker(t, broker.Options{Keep: t.TempDir()})
	addr := first.Addr()
	s := open(t, first.URL())
	c := s.Conversation("c1")
	put := func() error {
		_, err := c.Put("seen-1", strings.NewReader("x"))
		_, err2 := c.Put("spill-1", bytes.NewReader(make([]byte, 1<<20)))
		return errors.Join(err, err2, s.Update("grants.json", func(old []byte) ([]byte, error) { return append(old, 'x'), nil }))
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if got, err := s.Read("grants.json"); err == nil {
		t.Errorf("without a server: %q", got)
	}
	startBroker(t, broker.Options{Addr: addr, Keep: t.TempDir()}) // with none of its memory
	if got, err := s.Read("grants.json"); err != nil || got != nil {
		t.Errorf("after the loss: %q, %v", got, err)
	}
	if _, err := c.Get("seen-1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the loss: %v", err)
	}
	if err := put(); err != nil {
		t.Error(err)
	}
	if got, err := s.Read("grants.json"); err != nil || string(got) != "x" {
		t.Errorf("kept again: %q, %v", got, err)
	}
}

// What a session keeps passes through, and a session of another conversation has none of it.
func TestASessionKeepsItsOutputsOnTheServer(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	one, other := open(t, b.URL()), open(t, b.URL())
	ref, err := (&tool.Session{Store: one.Conversation("c1")}).Keep(strings.NewReader("a long output"))
	if err != nil {
		t.Fatal(err)
	}
	blob, err := (&tool.Session{Store: other.Conversation("c1")}).Kept(ref.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer blob.Close()
	if got, _ := io.ReadAll(io.NewSectionReader(blob, 0, blob.Size())); string(got) != "a long output" {
		t.Errorf("%q", got)
	}
	if _, err := (&tool.Session{Store: other.Conversation("c2")}).Kept(ref.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another conversation: %v", err)
	}
}
