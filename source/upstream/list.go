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
	"helve/internal/rpc"
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
	Server string            `json:"server"` // digest of the configuration
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

// Tools lists the server's tools. The first listing takes the remembered list,
// if there is one, and starts nothing; it is ErrAway for a server that did not
// answer in its time shortly before. Each later one asks the server. A server
// that is not ready when ctx is done goes on starting, and a Watch tells when
// it is.
func (s *Source) Tools(ctx context.Context) ([]tool.Tool, error) {
	s.mu.Lock()
	first, fresh := !s.asked, s.fresh
	s.asked, s.fresh = true, false
	l := s.list
	s.mu.Unlock()
	if fresh {
		return s.tools(l), nil
	}
	if first && l == nil && !s.o.Fresh {
		if l = s.recall(); l != nil {
			s.take(l)
			if s.cfg.Eager {
				s.stale()
			}
			return s.tools(l), nil
		}
		if err := s.away(); err != nil {
			return nil, err
		}
	}
	l, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	return s.tools(l), nil
}

// take makes a listing the one in use. What a connection said of the server is
// newer than what is remembered.
func (s *Source) take(l *listing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = l
	if s.about == nil {
		a := l.About
		s.about = &a
	}
}

// read asks the server for its list and remembers it.
func (s *Source) read(ctx context.Context) (*listing, error) {
	select {
	case s.one <- struct{}{}:
		defer func() { <-s.one }()
	case <-ctx.Done():
		return nil, s.late(ctx.Err())
	}
	var l *listing
	start := time.Now()
	err := s.with(ctx, nil, func(c *conn) error {
		ctx, stop := context.WithTimeout(ctx, s.cfg.StartTimeout)
		defer stop()
		l = &listing{Server: s.digest, About: c.about, At: time.Now()}
		silent := false // it declares nothing at all: it may have tools all the same
		if !c.about.can("tools") && c.about.Capabilities != nil {
			if silent = string(c.about.Capabilities) == "{}"; !silent {
				return nil
			}
		}
		p, err := c.all(ctx, "tools/list", "tools")
		refusal, refused := errors.AsType[*RPCError](err)
		if refused && silent && refusal.Code == rpc.CodeMethodNotFound {
			return nil
		}
		if err != nil {
			return fmt.Errorf("mcp server %s: tools/list: %w", s.cfg.Name, err)
		}
		if p.note != "" {
			s.warn(p.note)
		}
		l.Tools = p.items
		return nil
	})
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) && time.Since(start) >= s.cfg.StartTimeout {
			s.absent() // it shook hands, and then said nothing more
		}
		return nil, s.late(err)
	}
	s.take(l)
	s.memorize(l)
	return l, nil
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
	head, err := json.Marshal(listing{Server: l.Server, About: l.About, At: l.At})
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

func (s *Source) cacheFile() string { return "mcp-" + s.digest + ".json" }

// recall is the list on disk, nil if there is none for this configuration.
func (s *Source) recall() *listing {
	if s.o.CacheDir == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(s.o.CacheDir, s.cacheFile()))
	if err != nil {
		return nil
	}
	l, err := parseListing(b)
	if err != nil || l.Server != s.digest {
		return nil
	}
	if age := time.Since(l.At); age < 0 || age > cacheAge {
		return nil
	}
	l.recalled = true
	return l
}

// memorize keeps a listing for the next start. That it cannot is no reason to
// fail: the server is asked then.
func (s *Source) memorize(l *listing) {
	if s.o.CacheDir == "" {
		return
	}
	b, err := l.encode()
	if err == nil {
		_, err = tool.DirStore(s.o.CacheDir).Put(s.cacheFile(), bytes.NewReader(b))
	}
	if err != nil {
		s.warn("the list could not be remembered", "error", err)
	}
}

// stale says that the list may have changed.
func (s *Source) stale() {
	select {
	case s.dirt <- struct{}{}:
	default:
	}
}

// Watch follows the server until ctx is done: it reads the list again when the
// server says that it changed, or when it was not ready before, and calls
// changed when it is another one.
func (s *Source) Watch(ctx context.Context, changed func()) {
	damp := damper{}
	retry := retryMin
	for {
		var again <-chan time.Time
		if s.lacking() {
			again = time.After(retry)
		}
		select {
		case <-ctx.Done():
			return
		case <-s.life.Done():
			return
		case <-s.dirt:
			if !damp.wait(ctx, s.dirt) {
				return
			}
		case <-again:
		}
		if s.refresh(ctx, changed) == nil {
			retry = retryMin
		} else {
			retry = min(2*retry, retryMax)
		}
	}
}

// lacking tells that a server should be up, or listed, and is not.
func (s *Source) lacking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		return s.asked
	}
	if !s.cfg.Eager {
		return false
	}
	l := s.shared[""]
	if l == nil {
		return true
	}
	up, _ := l.state()
	return !up
}

// refresh reads the list and tells of it if it is another one.
func (s *Source) refresh(ctx context.Context, changed func()) error {
	ctx, stop := context.WithTimeout(ctx, s.cfg.StartTimeout)
	defer stop()
	after, err := s.read(ctx)
	if err != nil {
		if s.o.Log != nil && ctx.Err() == nil { // a server that stays away would be told of again and again
			s.o.Log.Info("the list could not be read", "server", s.cfg.Name, "error", err)
		}
		return err
	}
	defs, _ := s.definitions(after)
	now := signature(after, s.compare(byName(defs)))
	s.mu.Lock()
	same := s.told == now
	s.fresh = !same
	s.mu.Unlock()
	if !same {
		changed()
	}
	return nil
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
