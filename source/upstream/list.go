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
	"sync"
	"time"

	rawjson "helve/internal/json"
	"helve/tool"
)

const (
	// cacheAge is how old a remembered list may be. An older one was about
	// another version of the server.
	cacheAge = 7 * 24 * time.Hour
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
func (s *server) late(err error) error {
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

func (s *server) stored(file string) *listing {
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

// store writes a listing. That it cannot is no reason to fail: the server is
// asked the next time.
func (s *server) store(file string, l *listing) {
	b, err := l.encode()
	if err == nil {
		_, err = tool.DirStore(s.o.CacheDir).Put(file, bytes.NewReader(b))
	}
	if err != nil {
		s.warn("the list could not be remembered", "error", err)
	}
}

// A sharedList is what was listed over a connection, for all sessions that share
// it: a list that changed is read once, and not once for each.
type sharedList struct {
	one chan struct{} // a token: one reading at a time

	mu      sync.Mutex
	changes int
	last    *listing // nil: there is none, or it changed
}

// changed forgets the list.
func (l *sharedList) changed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changes++
	l.last = nil
}

func (l *sharedList) get() (last *listing, changes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, l.changes
}

// keep keeps a list, unless it changed while it was read.
func (l *sharedList) keep(read *listing, changes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changes == changes {
		l.last = read
	}
}
