package shared

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"helve/tool"
)

const (
	// smallBlob is up to which size a blob is kept as one value.
	smallBlob = 128 << 10
	// mostBlob is how large a blob may be, in bytes: above what a session keeps of one output.
	mostBlob = 128 << 20

	// The first byte of a value says where the blob is.
	inValue  = 'v'
	inObject = 'o'
)

// A Conversation keeps what one conversation needs at whichever replica goes on with it, for a day after it was
// written.
type Conversation struct{ part }

var _ tool.Store = (*Conversation)(nil)

// Conversation is the place of one; id is made of letters and digits.
func (s *Shared) Conversation(id string) *Conversation {
	p := s.conversations
	p.prefix = id + "."
	return &Conversation{p}
}

// blobKey keeps blobs and documents of the same name apart.
func (c *Conversation) blobKey(name string) string { return c.prefix + "blob." + part{}.key(name) }

// Put keeps a blob.
func (c *Conversation) Put(name string, r io.Reader) (int64, error) {
	var head bytes.Buffer
	head.WriteByte(inValue)
	n, err := io.CopyN(&head, r, smallBlob)
	if errors.Is(err, io.EOF) {
		return n, c.putValue(name, head.Bytes(), quickTime)
	}
	if err != nil {
		return n, fmt.Errorf("store: %s: %w", name, err)
	}
	counted := &counter{r: io.MultiReader(bytes.NewReader(head.Bytes()[1:]), r)}
	ctx, stop := context.WithTimeout(context.Background(), largeTime)
	defer stop()
	o, err := c.s.outputs(ctx)
	if err == nil {
		_, err = o.Put(ctx, jetstream.ObjectMeta{Name: c.blobKey(name)}, counted)
	}
	if err != nil {
		return counted.n, fmt.Errorf("store: %s: %w", name, err)
	}
	return counted.n, c.putValue(name, []byte{inObject}, quickTime)
}

func (c *Conversation) putValue(name string, b []byte, limit time.Duration) error {
	err := c.with(limit, func(ctx context.Context, kv jetstream.KeyValue) error {
		_, err := kv.Put(ctx, c.blobKey(name), b)
		return err
	})
	if err != nil {
		return fmt.Errorf("store: %s: %w", name, err)
	}
	return nil
}

// A counter counts what is read, and refuses what is too much.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	if c.n > mostBlob {
		return n, fmt.Errorf("it is larger than %d bytes", mostBlob)
	}
	return n, err
}

// Get opens a blob. A large one is fetched into a temporary file.
func (c *Conversation) Get(name string) (tool.Blob, error) {
	var value []byte
	err := c.with(quickTime, func(ctx context.Context, kv jetstream.KeyValue) error {
		e, err := kv.Get(ctx, c.blobKey(name))
		if err == nil {
			value = e.Value()
		}
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, fmt.Errorf("store: %s: %w", name, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("store: %s: %w", name, err)
	case len(value) > 0 && value[0] == inValue:
		return memoryBlob{bytes.NewReader(value[1:])}, nil
	}
	return c.fetch(name)
}

// fetch gets a large blob.
func (c *Conversation) fetch(name string) (_ tool.Blob, err error) {
	ctx, stop := context.WithTimeout(context.Background(), largeTime)
	defer stop()
	o, err := c.s.outputs(ctx)
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", name, err)
	}
	from, err := o.Get(ctx, c.blobKey(name))
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fmt.Errorf("store: %s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", name, err)
	}
	defer from.Close()
	f, err := os.CreateTemp("", "helve-shared-")
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", name, err)
	}
	b := &fetched{File: f}
	b.size, err = io.Copy(f, io.LimitReader(from, mostBlob))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: %s: %w", name, err), b.Close())
	}
	return b, nil
}

// Delete removes a blob; one that is not there is no error.
func (c *Conversation) Delete(name string) error {
	ctx, stop := context.WithTimeout(context.Background(), largeTime)
	defer stop()
	o, err := c.s.outputs(ctx)
	if err == nil {
		err = o.Delete(ctx, c.blobKey(name))
	}
	if err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("store: %s: %w", name, err)
	}
	return c.with(quickTime, func(ctx context.Context, kv jetstream.KeyValue) error {
		return kv.Delete(ctx, c.blobKey(name))
	})
}

// A memoryBlob is a small one, which has nothing to close.
type memoryBlob struct{ *bytes.Reader }

func (memoryBlob) Close() error { return nil }

// A fetched blob is a temporary file.
type fetched struct {
	*os.File
	size int64
}

func (f *fetched) Size() int64 { return f.size }

func (f *fetched) Close() error { return errors.Join(f.File.Close(), os.Remove(f.Name())) }
