package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

// inMemory is up to how many bytes a content is looked up before it is compressed: most contents were
// kept by the call before.
const inMemory = 1 << 20

// An objects keeps contents by their digest, in files that are compressed. It
// keeps its encoders and decoders, too: making one costs more than a file of
// usual size does.
type objects struct {
	dir                string
	encoders, decoders sync.Pool
	added              atomic.Int64 // bytes, as they are stored
}

// encoder is one that writes to w. Who uses it puts it back.
func (o *objects) encoder(w io.Writer) *zstd.Encoder {
	z, ok := o.encoders.Get().(*zstd.Encoder)
	if !ok {
		fast := zstd.WithEncoderLevel(zstd.SpeedFastest)
		z, _ = zstd.NewWriter(nil, fast, zstd.WithEncoderConcurrency(1)) // these options are right
	}
	z.Reset(w)
	return z
}

// decoder is one that reads from r. Who uses it puts it back.
func (o *objects) decoder(r io.Reader) (*zstd.Decoder, error) {
	z, ok := o.decoders.Get().(*zstd.Decoder)
	if !ok {
		z, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)) // this option is right
	}
	return z, z.Reset(r)
}

func (o *objects) path(d Digest) string { return filepath.Join(o.dir, string(d[:2]), string(d[2:])) }

// keep stores what r holds and returns its digest. A content that is there already costs only its reading.
func (o *objects) keep(r io.Reader) (Digest, int64, error) {
	head, err := io.ReadAll(io.LimitReader(r, inMemory))
	if err != nil {
		return "", 0, err
	}
	if len(head) < inMemory {
		d := digestOf(head)
		if o.has(d) {
			return d, int64(len(head)), nil
		}
		r = bytes.NewReader(nil)
	}
	return o.write(io.MultiReader(bytes.NewReader(head), r))
}

func digestOf(b []byte) Digest {
	sum := sha256.Sum256(b)
	return Digest(hex.EncodeToString(sum[:]))
}

func (o *objects) has(d Digest) bool {
	_, err := os.Lstat(o.path(d))
	return err == nil
}

// write compresses a content into a file of its own, which gets its name when its digest is known.
func (o *objects) write(r io.Reader) (d Digest, size int64, err error) {
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return "", 0, err
	}
	f, err := os.CreateTemp(o.dir, "new-*")
	if err != nil {
		return "", 0, err
	}
	defer func() {
		f.Close()
		os.Remove(f.Name()) // fails where it got its name
	}()
	sum := sha256.New()
	z := o.encoder(f)
	defer o.encoders.Put(z)
	size, err = io.Copy(io.MultiWriter(z, sum), r)
	err = errors.Join(err, z.Close())
	if st, bad := f.Stat(); bad == nil {
		o.added.Add(st.Size())
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", 0, err
	}
	d = Digest(hex.EncodeToString(sum.Sum(nil)))
	path := o.path(d)
	err = os.Rename(f.Name(), path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", 0, err
		}
		err = os.Rename(f.Name(), path)
	}
	return d, size, err
}

// ErrObject wraps what is wrong with a content that should be kept: it is gone or damaged.
var ErrObject = errors.New("the content that was kept is not whole")

// open reads a content. What it reads is checked at its end: a damaged one is an error there, never a
// wrong text.
func (o *objects) open(d Digest) (io.ReadCloser, error) {
	if len(d) != 2*sha256.Size {
		return nil, fmt.Errorf("%w: %q is no digest", ErrObject, d)
	}
	f, err := os.Open(o.path(d))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrObject, err)
	}
	z, err := o.decoder(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", ErrObject, err)
	}
	return &object{o: o, f: f, z: z, sum: sha256.New(), want: d}, nil
}

// An object reads one content.
type object struct {
	o    *objects
	f    *os.File
	z    *zstd.Decoder
	sum  hash.Hash
	want Digest
}

func (o *object) Read(p []byte) (int, error) {
	n, err := o.z.Read(p)
	o.sum.Write(p[:n])
	switch {
	case err == nil:
		return n, nil
	case err != io.EOF:
		return n, fmt.Errorf("%w: %w", ErrObject, err)
	case Digest(hex.EncodeToString(o.sum.Sum(nil))) != o.want:
		return n, fmt.Errorf("%w: another digest", ErrObject)
	}
	return n, io.EOF
}

func (o *object) Close() error {
	o.o.decoders.Put(o.z)
	return o.f.Close()
}

func digestAll(r io.Reader) (Digest, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, r)
	return Digest(hex.EncodeToString(sum.Sum(nil))), err
}
