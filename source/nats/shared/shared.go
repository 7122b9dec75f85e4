// Package shared keeps on a NATS server what the replicas of a gateway have in common: approvals, approved definitions,
// and what conversations read and keep. The server needs JetStream, which writes to its disk.
package shared

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// Documents, Conversations and Outputs are the buckets, for the permissions of a server.
	Documents     = "helve_shared"
	Conversations = "helve_conversations"
	Outputs       = "helve_outputs"

	// keepTime is how long what a conversation keeps is kept after it was written.
	keepTime = 24 * time.Hour
	// quickTime is how long the server may take for a document: calls wait for it.
	quickTime = 2 * time.Second
	// largeTime is how long it may take for a large output.
	largeTime = time.Minute
	// mostTries is how often a change is made anew because another was quicker.
	mostTries = 100
	// safeServers is how many servers a cluster has from which on each bucket is kept by that many.
	safeServers = 3
)

// A Shared is a place on a server. Its methods are safe for concurrent use. The connection stays the caller's.
type Shared struct {
	js  jetstream.JetStream
	nc  *nats.Conn
	log *slog.Logger
	part

	conversations part
}

// A part is a bucket, or what of it begins with a prefix.
type part struct {
	s      *Shared
	bucket *bucket
	prefix string
}

// A bucket is one of the server's. It is made anew where the server lost it.
type bucket struct {
	config jetstream.KeyValueConfig

	mu sync.Mutex
	kv jetstream.KeyValue
}

// Open finds what is shared, or makes room for it. log hears of what the server lost; nil: silent.
func Open(ctx context.Context, nc *nats.Conn, log *slog.Logger) (*Shared, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithTimeout(ctx, 5*quickTime)
	defer stop()
	if _, err := js.AccountInfo(ctx); err != nil {
		return nil, fmt.Errorf("bus: the server keeps nothing, or lets us keep nothing: %w\n"+
			"hint: enable JetStream there, or share a folder", err)
	}
	s := &Shared{js: js, nc: nc, log: log}
	s.part = part{s: s, bucket: &bucket{config: jetstream.KeyValueConfig{Bucket: Documents}}}
	lasting := jetstream.KeyValueConfig{Bucket: Conversations, TTL: keepTime}
	s.conversations = part{s: s, bucket: &bucket{config: lasting}}
	for _, p := range []part{s.part, s.conversations} {
		if _, err := s.open(ctx, p.bucket, false); err != nil {
			return nil, err
		}
	}
	_, err = s.outputs(ctx)
	return s, err
}

// servers is by how many servers a bucket is kept.
func (s *Shared) servers() int {
	if len(s.nc.Servers()) >= safeServers {
		return safeServers
	}
	return 1
}

// open is a bucket of the server, which is made where there is none. again says that the one we had is gone.
func (s *Shared) open(ctx context.Context, b *bucket, again bool) (jetstream.KeyValue, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kv != nil && !again {
		return b.kv, nil
	}
	kv, err := s.js.KeyValue(ctx, b.config.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		if again {
			s.log.Warn("bus: the server lost what replicas share", "bucket", b.config.Bucket)
		}
		c := b.config
		c.Replicas = s.servers()
		kv, err = s.js.CreateKeyValue(ctx, c)
		if err != nil { // another replica was quicker, with another number of servers
			kv, err = s.js.KeyValue(ctx, c.Bucket)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("bus: %s: %w", b.config.Bucket, err)
	}
	b.kv = kv
	return kv, nil
}

// outputs are looked up each time: the server may have lost them, and they are large enough.
func (s *Shared) outputs(ctx context.Context) (jetstream.ObjectStore, error) {
	o, err := s.js.ObjectStore(ctx, Outputs)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		made := jetstream.ObjectStoreConfig{Bucket: Outputs, TTL: keepTime, Replicas: s.servers()}
		o, err = s.js.CreateObjectStore(ctx, made)
		if err != nil {
			o, err = s.js.ObjectStore(ctx, Outputs)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("bus: %s: %w", Outputs, err)
	}
	return o, nil
}

// lost tells that an error says that the server has no such bucket any more.
func lost(err error) bool {
	return errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) ||
		errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders)
}

// with does something with the bucket, once more with a new one where the server lost it.
func (p part) with(limit time.Duration, do func(context.Context, jetstream.KeyValue) error) error {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	kv, err := p.s.open(ctx, p.bucket, false)
	if err == nil {
		err = do(ctx, kv)
	}
	if !lost(err) {
		return err
	}
	kv, err = p.s.open(ctx, p.bucket, true)
	if err != nil {
		return err
	}
	return do(ctx, kv)
}

// key is a name as the server takes it: names have no =, and its dots part words.
func (p part) key(name string) string { return p.prefix + strings.ReplaceAll(name, ".", "=") }

// Read is a document; nil: there is none.
func (p part) Read(name string) ([]byte, error) {
	b, _, err := p.read(name)
	return b, err
}

func (p part) read(name string) (b []byte, revision uint64, err error) {
	err = p.with(quickTime, func(ctx context.Context, kv jetstream.KeyValue) error {
		b, revision = nil, 0
		e, err := kv.Get(ctx, p.key(name))
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			return nil
		case err == nil:
			b, revision = e.Value(), e.Revision()
		}
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("bus: %s: %w", name, err)
	}
	return b, revision, nil
}

// errQuicker says that another changed a document since it was read.
var errQuicker = errors.New("another is quicker all the time")

// Update changes a document as a whole; change is called again where another was quicker.
func (p part) Update(name string, change func(old []byte) ([]byte, error)) error {
	for range mostTries {
		old, revision, err := p.read(name)
		if err != nil {
			return err
		}
		b, err := change(old)
		if err != nil {
			return err
		}
		err = p.with(quickTime, func(ctx context.Context, kv jetstream.KeyValue) error {
			if revision == 0 {
				_, err := kv.Create(ctx, p.key(name), b)
				return err
			}
			_, err := kv.Update(ctx, p.key(name), b, revision)
			return err
		})
		switch {
		case err == nil:
			return nil
		case !quicker(err):
			return fmt.Errorf("bus: %s: %w", name, err)
		}
		time.Sleep(rand.N(5 * time.Millisecond)) // they must not go on in step
	}
	return fmt.Errorf("bus: %s: %w", name, errQuicker)
}

// quicker tells that an error says that the document is not the one that was read.
func quicker(err error) bool {
	var e *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &e) && e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}
