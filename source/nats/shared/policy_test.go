package shared_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"helve/server/nats/broker"
	"helve/source/nats/shared"
)

// A watcher follows a policy, and notes what it is told.
type watcher struct {
	*shared.Policy
	changed chan struct{}
	said    chan string
}

func follow(t testing.TB, url string) *watcher {
	t.Helper()
	w := &watcher{changed: make(chan struct{}, 1000), said: make(chan string, 1000)}
	p, err := shared.FollowPolicy(t.Context(), connect(t, url), shared.PolicyOptions{
		Changed: func() { w.changed <- struct{}{} },
		Say:     func(format string, args ...any) { w.said <- fmt.Sprintf(format, args...) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	w.Policy = p
	return w
}

func (w *watcher) stands(t testing.TB, want string) {
	t.Helper()
	if got, err := w.Text(); err != nil || string(got) != want {
		t.Errorf("%q stands, want %q: %v", got, want, err)
	}
}

func put(t testing.TB, url, text string) {
	t.Helper()
	if err := shared.PutPolicy(t.Context(), connect(t, url), []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// What is put stands at all who follow. What others keep in the bucket means nothing, however much it is.
func TestAPolicyThatIsPutStandsEverywhere(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	put(t, b.URL(), `{"mode":"ask"}`)
	one, other := follow(t, b.URL()), follow(t, b.URL())
	one.stands(t, `{"mode":"ask"}`)
	js, err := jetstream.New(connect(t, b.URL()))
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), shared.PolicyBucket)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 {
		if _, err := js.PublishAsync(fmt.Sprintf("$KV.%s.others.%d", shared.PolicyBucket, i), []byte(`{"mode":"auto"}`)); err != nil {
			t.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
	put(t, b.URL(), `{"mode":"plan"}`)
	for _, w := range []*watcher{one, other} {
		<-w.changed
		w.stands(t, `{"mode":"plan"}`)
		if len(w.changed) > 0 {
			t.Error("others' keys count as changes")
		}
	}

	// One that is too large, or is taken away, changes nothing: no policy ends by an accident.
	if err := shared.PutPolicy(t.Context(), connect(t, b.URL()), make([]byte, 300<<10)); err == nil {
		t.Error("a policy of 300 KiB is put")
	}
	if _, err := kv.Put(t.Context(), "policy", make([]byte, 300<<10)); err != nil {
		t.Fatal(err)
	}
	if got := <-one.said; !strings.Contains(got, "the last policy stands") || !strings.Contains(got, "300") && !strings.Contains(got, "307200") {
		t.Errorf("%q", got)
	}
	if err := kv.Delete(t.Context(), "policy"); err != nil {
		t.Fatal(err)
	}
	one.stands(t, `{"mode":"plan"}`)
	put(t, b.URL(), `{}`)
	<-one.changed
	one.stands(t, `{}`)
}

// Without a policy nobody begins. One that the server lost stands where it was seen, and a new one is seen.
func TestAPolicyThatTheServerLostStandsWhereItWasSeen(t *testing.T) {
	first := startBroker(t, broker.Options{Keep: t.TempDir()})
	addr := first.Addr()
	_, err := shared.FollowPolicy(t.Context(), connect(t, first.URL()), shared.PolicyOptions{})
	if err == nil || !strings.Contains(err.Error(), "hint: helve nodes policy FILE puts one") {
		t.Errorf("without one: %v", err)
	}
	put(t, first.URL(), `{"mode":"plan"}`)
	w := follow(t, first.URL())
	first.Close()
	second := startBroker(t, broker.Options{Addr: addr, Keep: t.TempDir()}) // without its memory
	if got := <-w.said; !strings.Contains(got, "the last policy stands") {
		t.Errorf("%q", got)
	}
	w.stands(t, `{"mode":"plan"}`)
	put(t, second.URL(), `{"mode":"ask"}`)
	<-w.changed
	w.stands(t, `{"mode":"ask"}`)

	none := startBroker(t, broker.Options{})
	if _, err := shared.FollowPolicy(t.Context(), connect(t, none.URL()), shared.PolicyOptions{}); err == nil {
		t.Error("a server that keeps nothing has a policy")
	}
}

// How long a policy takes from whoever puts it to whoever follows.
func BenchmarkPolicySeen(b *testing.B) {
	server, err := broker.Start(broker.Options{Addr: "127.0.0.1:0", Keep: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	put(b, server.URL(), "{}")
	w := follow(b, server.URL())
	nc := connect(b, server.URL())
	var longest time.Duration
	n := 0
	for b.Loop() {
		n++
		text := fmt.Sprintf(`{"disabled_tools":["x%d"]}`, n)
		began := time.Now()
		if err := shared.PutPolicy(b.Context(), nc, []byte(text)); err != nil {
			b.Fatal(err)
		}
		<-w.changed
		longest = max(longest, time.Since(began))
	}
	b.ReportMetric(float64(longest.Microseconds()), "max-µs")
}

// Whoever hears that another goes by another policy goes by it, too, without waiting to be told.
func TestAPolicyThatAnotherGoesByIsCaughtUpWith(t *testing.T) {
	b := startBroker(t, broker.Options{Keep: t.TempDir()})
	put(t, b.URL(), `{}`)
	one, other := follow(t, b.URL()), follow(t, b.URL())
	nc := connect(t, b.URL())
	for n := range 50 {
		text := fmt.Sprintf(`{"rules":[{"deny":"write:%d"}]}`, n)
		if err := shared.PutPolicy(t.Context(), nc, []byte(text)); err != nil {
			t.Fatal(err)
		}
		one.CatchUp(t.Context(), "of somebody who knows it already")
		one.stands(t, text)
		other.CatchUp(t.Context(), one.Sum())
		other.stands(t, text)
	}
	before := other.Sum()
	other.CatchUp(t.Context(), "of somebody who goes by an older one") // the newer stands
	if other.Sum() != before {
		t.Error("it goes back to another one")
	}
}
