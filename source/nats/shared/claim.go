package shared

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"helve/internal/visible"
	"helve/internal/wire"
)

const (
	// Places is the bucket of claims, for the permissions of a server.
	Places = "helve_places"
	// claimTime is how long a claim stands that nobody renews.
	claimTime = 10 * time.Second
	// renewals is how often it is renewed in that time.
	renewals = 4
	// mostHost is how much of a host's name is told, in bytes.
	mostHost = 256
)

// ClaimOptions say what is claimed. Pool and Workspace are required.
type ClaimOptions struct {
	Pool, Workspace string
	Time            time.Duration                    // how long it stands without its holder; 0: ten seconds
	Say             func(format string, args ...any) // what a person should know: who has it; nil: nobody is told
}

// A Lease is a claim of a workspace, for one worker alone. It is renewed until it is closed. Its methods are safe for
// concurrent use.
type Lease struct {
	o    ClaimOptions
	js   jetstream.JetStream
	nc   *nats.Conn
	key  string
	text []byte // what the others read; no other claim has it
	end  context.CancelFunc
	work sync.WaitGroup
	lost chan struct{}

	mu       sync.Mutex
	kv       jetstream.KeyValue
	revision uint64
	until    time.Time // by our own clock, which is ahead of the server's here: the claim stands no longer
}

// A claimant is who has a claim, for people.
type claimant struct {
	Host  string    `json:"host"`
	Since time.Time `json:"since"`
	ID    string    `json:"id"`
}

// Claim waits until nobody else has the workspace, and has it then. The connection stays the caller's.
func Claim(ctx context.Context, nc *nats.Conn, o ClaimOptions) (*Lease, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if o.Time <= 0 {
		o.Time = claimTime
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	host, _ := os.Hostname() // "" is a host without a name
	l := &Lease{
		o:    o,
		js:   js,
		nc:   nc,
		key:  claimKey(o.Pool, o.Workspace),
		text: wire.Encode(claimant{host, time.Now(), wire.NewID()}),
		lost: make(chan struct{}),
	}
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	l.end = end
	l.work.Go(func() { l.keep(life) })
	return l, nil
}

func claimKey(pool, workspace string) string { return "ws." + wire.Hash(pool+"\n"+workspace) }

// Claimed tells whether somebody has claimed a workspace. On a server that keeps nothing nobody has.
func Claimed(ctx context.Context, nc *nats.Conn, pool, workspace string) bool {
	js, err := jetstream.New(nc)
	if err != nil {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, quickTime)
	defer stop()
	kv, err := js.KeyValue(ctx, Places)
	if err != nil {
		return false
	}
	_, err = kv.Get(ctx, claimKey(pool, workspace))
	return err == nil
}

// wait claims until it has the claim, and says who is in the way.
func (l *Lease) wait(ctx context.Context) error {
	said := ""
	for {
		err := l.create(ctx)
		switch {
		case err == nil:
			return nil
		case !quicker(err):
			return fmt.Errorf("bus: workspace %s cannot be claimed: %w\n"+
				"hint: enable JetStream on the server, and let this key use the bucket %s", l.o.Workspace, err, Places)
		}
		if who := l.holder(ctx); who != "" && who != said {
			l.o.Say("workspace %s is claimed by %s; waiting until it is free", l.o.Workspace, who)
			said = who
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(l.o.Time / (2 * renewals)):
		}
	}
}

// bucket is the server's, made where there is none. It lies in memory: what is claimed is claimed anew.
func (l *Lease) bucket(ctx context.Context) (jetstream.KeyValue, error) {
	kv, err := l.js.KeyValue(ctx, Places)
	if !errors.Is(err, jetstream.ErrBucketNotFound) {
		return kv, err
	}
	c := jetstream.KeyValueConfig{Bucket: Places, TTL: l.o.Time, Storage: jetstream.MemoryStorage, Replicas: 1}
	if len(l.nc.Servers()) >= safeServers {
		c.Replicas = safeServers
	}
	kv, err = l.js.CreateKeyValue(ctx, c)
	if err != nil { // another was quicker
		return l.js.KeyValue(ctx, Places)
	}
	return kv, nil
}

// create makes the claim, if there is none.
func (l *Lease) create(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, quickTime)
	defer stop()
	began := time.Now()
	kv, err := l.bucket(ctx)
	if err != nil {
		return err
	}
	revision, err := kv.Create(ctx, l.key, l.text)
	if err == nil {
		l.has(kv, revision, began)
	}
	return err
}

// has notes that the claim stands, for so long from when it was asked for.
func (l *Lease) has(kv jetstream.KeyValue, revision uint64, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kv, l.revision, l.until = kv, revision, began.Add(l.o.Time)
}

// holder is who has the claim, in words; "": nobody, or it is not known.
func (l *Lease) holder(ctx context.Context) string {
	ctx, stop := context.WithTimeout(ctx, quickTime)
	defer stop()
	kv, err := l.bucket(ctx)
	if err != nil {
		return ""
	}
	e, err := kv.Get(ctx, l.key)
	if err != nil {
		return ""
	}
	var c claimant
	if json.Unmarshal(e.Value(), &c) != nil || len(c.Host) > mostHost {
		return "somebody who does not say who"
	}
	return fmt.Sprintf("a worker on %s, since %s", visible.Text(c.Host), c.Since.Local().Format(time.DateTime))
}

// keep renews the claim.
func (l *Lease) keep(life context.Context) {
	tick := time.NewTicker(l.o.Time / renewals)
	defer tick.Stop()
	for {
		select {
		case <-life.Done():
			return
		case <-tick.C:
		}
		if !l.renew(life) {
			close(l.lost)
			return
		}
	}
}

// renew is false where another has the claim. While the server cannot be reached it is not known: Holds says so in
// time.
func (l *Lease) renew(life context.Context) bool {
	ctx, stop := context.WithTimeout(life, l.o.Time/renewals)
	defer stop()
	began := time.Now()
	l.mu.Lock()
	kv, revision := l.kv, l.revision
	l.mu.Unlock()
	revision, err := kv.Update(ctx, l.key, l.text, revision)
	if err == nil {
		l.has(kv, revision, began)
		return true
	}
	if life.Err() != nil || !quicker(err) && !lost(err) && l.Holds() {
		return true
	}
	// It ran out while we stood still, or the server lost it: whoever is quicker has it.
	return !quicker(l.create(life)) || l.stillOurs(life)
}

// stillOurs tells whether the claim that is in the way is our own, of which we did not hear that it was renewed. What
// cannot be known now is asked again.
func (l *Lease) stillOurs(life context.Context) bool {
	ctx, stop := context.WithTimeout(life, quickTime)
	defer stop()
	began := time.Now()
	kv, err := l.bucket(ctx)
	if err != nil {
		return true
	}
	e, err := kv.Get(ctx, l.key)
	switch {
	case err == nil && !bytes.Equal(e.Value(), l.text):
		return false
	case err != nil:
		return true
	}
	revision, err := kv.Update(ctx, l.key, l.text, e.Revision())
	if err == nil {
		l.has(kv, revision, began)
	}
	return !quicker(err)
}

// Holds tells whether the claim stands for certain. A machine that slept is told by its wall clock alone, one whose
// clock was set by the other.
func (l *Lease) Holds() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	return now.Before(l.until) && now.Round(0).Before(l.until.Round(0))
}

// Lost is closed when another has the claim.
func (l *Lease) Lost() <-chan struct{} { return l.lost }

// Close gives the claim up.
func (l *Lease) Close() error {
	l.end()
	l.work.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = time.Time{}
	select {
	case <-l.lost:
		return nil
	default:
	}
	ctx, stop := context.WithTimeout(context.Background(), quickTime)
	defer stop()
	err := l.kv.Delete(ctx, l.key, jetstream.LastRevision(l.revision))
	if err != nil && !quicker(err) && !lost(err) && !l.nc.IsClosed() {
		return fmt.Errorf("bus: workspace %s is claimed for %v more: %w", l.o.Workspace, l.o.Time, err)
	}
	return nil
}
