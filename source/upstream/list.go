package upstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	rawjson "helve/internal/json"
	"helve/tool"
)

const (
	// cacheAge is how old a remembered list may be. An older one was about
	// another version of the server.
	cacheAge = 7 * 24 * time.Hour

	// settleTime is how long the list must have been quiet before it is read
	// again; a server that says at every turn that it changed is listened to
	// less and less, down to once in dampMax.
	settleTime = 100 * time.Millisecond
	dampMin    = time.Second
	dampMax    = time.Minute

	// retryMin and retryMax bound the time between attempts to list a server
	// that failed, while somebody watches.
	retryMin = time.Second
	retryMax = time.Minute
)

// A listing is what a server offers.
type listing struct {
	Server string            `json:"server"` // key of the definition
	Where  string            `json:"where"`  // the folders that it was read in
	Apart  bool              `json:"apart"`  // the server was seen to list differently in another folder
	About  About             `json:"about"`
	Tools  []json.RawMessage `json:"tools"`
	At     time.Time         `json:"at"`

	recalled bool // it was read from disk
}

func (l *listing) digest() string {
	h := sha256.New()
	for _, t := range l.Tools {
		h.Write(t)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// late says of a deadline that the server is not ready yet: it goes on starting,
// and a Watch tells when it is.
func (s *Source) late(err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fmt.Errorf("mcp server %s: not ready yet: %w", s.cfg.Name, bare(err, s.cfg.Name))
	}
	return err
}

// encode writes the listing with its definitions byte for byte: encoding/json
// would write them anew, and then they had another digest.
func (l *listing) encode() ([]byte, error) {
	plain := *l
	plain.Tools = nil
	head, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	defs := []byte{'['}
	for i, t := range l.Tools {
		if i > 0 {
			defs = append(defs, ",\n"...)
		}
		defs = append(defs, t...)
	}
	return rawjson.Set(head, "tools", append(defs, ']')), nil
}

// parseListing reads what encode wrote, the definitions byte for byte.
func parseListing(b []byte) (*listing, error) {
	l := &listing{}
	if err := json.Unmarshal(rawjson.Set(b, "tools", nil), l); err != nil {
		return nil, err
	}
	var err error
	l.Tools, err = rawjson.Array(rawjson.Get(b, "tools"))
	return l, err
}

// bare is an error without the server's name, which is before it already.
func bare(err error, name string) error {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if !strings.HasPrefix(e.Error(), "mcp server "+name+": ") {
			return e
		}
	}
	return err
}

// A list is remembered by the server's definition and by what the client can be
// asked for, so that the first session in a new folder has it, too. A server
// that was seen to list differently in another folder has one for each.

func (v *view) cacheFile() string {
	name := "mcp-" + v.src.key
	if v.asks != "" {
		name += "-" + v.asks
	}
	return name + ".json"
}

func (v *view) apartFile() string {
	sum := sha256.Sum256([]byte(v.where))
	return strings.TrimSuffix(v.cacheFile(), ".json") + "-in-" + hex.EncodeToString(sum[:8]) + ".json"
}

// recall is the list on disk, nil if there is none for this definition.
func (v *view) recall() *listing {
	l := v.src.stored(v.cacheFile())
	if l != nil && l.Apart && l.Where != v.where {
		l = v.src.stored(v.apartFile())
	}
	return l
}

func (s *Source) stored(file string) *listing {
	if s.o.CacheDir == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(s.o.CacheDir, file))
	if err != nil {
		return nil
	}
	l, err := parseListing(b)
	if err != nil || l.Server != s.key {
		return nil
	}
	if age := time.Since(l.At); age < 0 || age > cacheAge {
		return nil
	}
	l.recalled = true
	return l
}

// memorize keeps a listing for the next start.
func (v *view) memorize(l *listing) {
	if v.src.o.CacheDir == "" {
		return
	}
	first := v.src.stored(v.cacheFile())
	if first == nil || first.Where == l.Where {
		own := *l
		own.Apart = first != nil && first.Apart
		v.src.store(v.cacheFile(), &own)
		return
	}
	differs := first.About.Version == l.About.Version && first.digest() != l.digest()
	if !differs && !first.Apart {
		v.src.store(v.cacheFile(), l) // the newer one
		return
	}
	if !first.Apart {
		first.Apart = true
		v.src.store(v.cacheFile(), first)
	}
	v.src.store(v.apartFile(), l)
}

// store writes a listing. That it cannot is no reason to fail: the server is
// asked the next time.
func (s *Source) store(file string, l *listing) {
	b, err := l.encode()
	if err == nil {
		_, err = tool.DirStore(s.o.CacheDir).Put(file, bytes.NewReader(b))
	}
	if err != nil {
		s.warn("the list could not be remembered", "error", err)
	}
}

// A damper spaces out what follows changes.
type damper struct {
	gap  time.Duration
	last time.Time
}

// wait lets the changes settle, and waits longer the more often they come. It
// tells whether ctx is still there.
func (d *damper) wait(ctx context.Context, more <-chan struct{}) bool {
	if time.Since(d.last) > dampMax {
		d.gap = dampMin
	} else {
		d.gap = min(2*d.gap, dampMax)
	}
	rest := settleTime
	if !d.last.IsZero() {
		rest = max(rest, d.gap-time.Since(d.last))
	}
	t := time.NewTimer(rest)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-more:
		case <-t.C:
			d.last = time.Now()
			return true
		}
	}
}
