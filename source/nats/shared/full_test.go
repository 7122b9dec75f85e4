package shared_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"helve/source/nats/shared"
)

// startLimited starts a server of NATS that keeps something, within limits.
func startLimited(t *testing.T, limit func(*server.Options)) string {
	t.Helper()
	o := &server.Options{
		Host:      "127.0.0.1",
		Port:      server.RANDOM_PORT,
		NoLog:     true,
		NoSigs:    true,
		JetStream: true,
		StoreDir:  t.TempDir(),
	}
	limit(o)
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not listen")
	}
	return s.ClientURL()
}

// A server that may keep no more says so. What it has stays, and where something is removed there is room again.
func TestAServerThatIsFullSaysSoAndKeepsWhatItHas(t *testing.T) {
	const room, size = 8 << 20, 1 << 20
	s := open(t, startLimited(t, func(o *server.Options) { o.JetStreamMaxStore = room }))
	c := s.Conversation("c1")
	if err := s.Update("grants.json", func([]byte) ([]byte, error) { return []byte("approved"), nil }); err != nil {
		t.Fatal(err)
	}
	want := bytes.Repeat([]byte("x"), size)
	kept := 0
	var full error
	for ; full == nil && kept < 2*room/size; kept++ {
		_, full = c.Put(name(kept), bytes.NewReader(want))
	}
	kept--
	if full == nil || !strings.Contains(full.Error(), "store: "+name(kept)) || kept == 0 {
		t.Fatalf("%d MiB are kept where there is room for %d: %v", kept, room/size, full)
	}
	t.Logf("after %d MiB: %v", kept, full)
	for i := range kept {
		blob, err := c.Get(name(i))
		if err != nil {
			t.Errorf("what was kept before is lost: %v", err)
			continue
		}
		if got, err := io.ReadAll(io.NewSectionReader(blob, 0, blob.Size())); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", name(i), len(got), err)
		}
		blob.Close()
	}
	if got, err := s.Read("grants.json"); err != nil || string(got) != "approved" {
		t.Errorf("what was approved: %q, %v", got, err)
	}
	for i := range kept {
		if err := c.Delete(name(i)); err != nil {
			t.Errorf("it cannot be removed: %v", err)
		}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, err := c.Put(name(0), bytes.NewReader(want))
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("there is no room after all was removed: %v", err)
		}
	}
}

func name(i int) string { return "spill-" + string(rune('a'+i)) }

// A client that a server has no place for comes in when there is one.
func TestAClientThatHasNoPlaceComesInWhenThereIsOne(t *testing.T) {
	url := startLimited(t, func(o *server.Options) { o.MaxConn = 1 })
	first := connect(t, url)
	if nc, err := nats.Connect(url); err == nil {
		nc.Close()
		t.Fatal("there is a place for two")
	}
	first.Close()
	var second *nats.Conn
	for end := time.Now().Add(time.Minute); second == nil; time.Sleep(20 * time.Millisecond) {
		second, _ = nats.Connect(url)
		if time.Now().After(end) {
			t.Fatal("it is not let in")
		}
	}
	defer second.Close()
	if _, err := shared.Open(t.Context(), second, nil); err != nil {
		t.Error(err)
	}
}
