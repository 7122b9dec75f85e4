package shared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"helve/internal/wire"
)

const (
	// PolicyBucket is where the policy is, under policyKey. Whatever else is in it means nothing.
	PolicyBucket = "helve_policy"
	policyKey    = "policy"
	// maxPolicy bounds it, in bytes: thousands of rules.
	maxPolicy = 256 << 10
	// lookEvery is how often the policy is looked at beside being told of: who tells may be lost.
	lookEvery = 2 * time.Second
)

// PolicyOptions say who is told. nil: nobody.
type PolicyOptions struct {
	Changed func()                           // another policy stands
	Say     func(format string, args ...any) // what a person should know: there is none any more, or it cannot be reached
}

// A Policy is the one of the bus, as it was last seen. What is taken away or lost there stands here: no policy ends by
// an accident. Its methods are safe for concurrent use. Close it.
type Policy struct {
	js   jetstream.JetStream
	o    PolicyOptions
	end  context.CancelFunc
	work sync.WaitGroup

	catching sync.Mutex // held by who looks because of another's word

	mu   sync.Mutex
	text []byte
	gone string // why it was not seen last; "": it was
}

// FollowPolicy reads the policy and follows it. The error says that there is none, or that it cannot be read.
func FollowPolicy(ctx context.Context, nc *nats.Conn, o PolicyOptions) (*Policy, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	p := &Policy{js: js, o: o}
	if p.text, err = p.look(ctx); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	p.end = end
	p.work.Go(func() { p.follow(life) })
	return p, nil
}

// PutPolicy puts a policy in place of the one that stands.
func PutPolicy(ctx context.Context, nc *nats.Conn, text []byte) error {
	if len(text) > maxPolicy {
		return fmt.Errorf("the policy has %d bytes, want at most %d", len(text), maxPolicy)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return fmt.Errorf("bus: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, 5*quickTime)
	defer stop()
	servers := 1
	if len(nc.Servers()) >= safeServers {
		servers = safeServers
	}
	kv, err := js.KeyValue(ctx, PolicyBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: PolicyBucket, History: 10, Replicas: servers})
	}
	if err == nil {
		_, err = kv.Put(ctx, policyKey, text)
	}
	if err != nil {
		return fmt.Errorf("bus: %s: %w", PolicyBucket, err)
	}
	return nil
}

// errNoPolicy says that nobody put one.
var errNoPolicy = errors.New("there is no policy on the bus\nhint: helve nodes policy FILE puts one; {} takes nothing away")

// look reads the policy.
func (p *Policy) look(ctx context.Context) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, quickTime)
	defer stop()
	kv, err := p.js.KeyValue(ctx, PolicyBucket)
	var e jetstream.KeyValueEntry
	if err == nil {
		e, err = kv.Get(ctx, policyKey)
	}
	switch {
	case errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, errNoPolicy
	case err != nil:
		return nil, fmt.Errorf("bus: the policy cannot be read: %w", err)
	case len(e.Value()) > maxPolicy:
		return nil, fmt.Errorf("bus: the policy has %d bytes, want at most %d", len(e.Value()), maxPolicy)
	}
	return e.Value(), nil
}

// Text is the policy that stands.
func (p *Policy) Text() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.text), nil
}

// Sum names the policy that stands.
func (p *Policy) Sum() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return wire.Sum(p.text)
}

// CatchUp looks for another policy where somebody goes by another one. Whose is the newer counts here then.
func (p *Policy) CatchUp(ctx context.Context, sum string) {
	if p.Sum() == sum {
		return
	}
	p.catching.Lock()
	defer p.catching.Unlock()
	if p.Sum() != sum { // nobody caught up meanwhile
		p.see(ctx)
	}
}

// follow takes what is told, and looks now and then.
func (p *Policy) follow(life context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for life.Err() == nil {
		told, stop := p.watch(life)
		for again := true; again; {
			select {
			case <-life.Done():
				again = false
			case _, ok := <-told:
				again = ok
				if ok {
					p.see(life)
				}
			case <-tick.C:
				again = p.see(life) && told != nil
			}
		}
		stop()
	}
}

// watch is told of changes; nil where the server tells nothing, and follow looks instead.
func (p *Policy) watch(life context.Context) (told <-chan jetstream.KeyValueEntry, stop func()) {
	ctx, cancel := context.WithTimeout(life, quickTime)
	kv, err := p.js.KeyValue(ctx, PolicyBucket)
	cancel()
	if err != nil {
		return nil, func() {}
	}
	w, err := kv.Watch(life, policyKey)
	if err != nil {
		return nil, func() {}
	}
	return w.Updates(), func() { _ = w.Stop() } // of a bucket that is gone there is none any more
}

// see has the policy stand that is there now. It is false where there is none to be seen: the last one stands.
func (p *Policy) see(life context.Context) bool {
	text, err := p.look(life)
	if life.Err() != nil {
		return false
	}
	p.mu.Lock()
	why := ""
	if err != nil {
		why = err.Error()
	}
	news := why != "" && p.gone == ""
	p.gone = why
	changed := err == nil && !bytes.Equal(text, p.text)
	if changed {
		p.text = text
	}
	p.mu.Unlock()
	if news {
		p.o.Say("bus: the last policy stands: %v", err)
	}
	if changed {
		p.o.Changed()
	}
	return err == nil
}

// Close ends it.
func (p *Policy) Close() error {
	p.end()
	p.work.Wait()
	return nil
}
