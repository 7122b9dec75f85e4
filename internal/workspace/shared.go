package workspace

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"helve/internal/state"
	"helve/policy"
	"helve/tool"
)

const (
	// maxShared bounds a document that replicas share, in bytes: as many approvals as are kept, definitions of a large
	// server.
	maxShared = 4 << 20
	// sharedTime is how long what a conversation keeps is kept after it was written.
	sharedTime = 24 * time.Hour
	// tidyEvery is how often a folder is looked through for what is older.
	tidyEvery = time.Hour
)

// Documents are texts by name, for several processes. Update changes one as a whole: change gets what stands, nil if
// there is nothing, and is called again where another process was quicker; with an error nothing is changed. Names are
// made as those of a tool.Store. Methods are safe for concurrent use.
type Documents interface {
	Read(name string) ([]byte, error) // nil: there is none
	Update(name string, change func(old []byte) ([]byte, error)) error
}

// A Conversation keeps what one conversation needs at whichever replica goes on with it: blobs, and documents beside
// them, for a day after they were written.
type Conversation interface {
	tool.Store
	Documents
}

// Shared keeps what the replicas of a server have in common: approvals and approved definitions as documents, and what
// conversations need. SharedFolder is one. Methods are safe for concurrent use.
type Shared interface {
	Documents
	// Conversation is the place of one; id is made as the name of a blob.
	Conversation(id string) Conversation
}

// The documents of all conversations, and of one.
const (
	sharedGrantsName  = "grants.json"
	sharedKeyName     = "state-key"
	sessionGrantsName = "session-grants.json"
)

// SharedKey is the key for server.Options.StateKey that replicas have in common. It is made by the first.
func SharedKey(s Shared) ([]byte, error) {
	var key []byte
	err := s.Update(sharedKeyName, func(old []byte) ([]byte, error) {
		key = old
		if key == nil {
			key = []byte(rand.Text())
		}
		return key, nil
	})
	return key, err
}

// SharedFolder shares by a folder that all replicas see: of one machine, or of a file system that several have, with
// locks. It is made if it is not there. Nobody else may be able to write to it: what is approved there is approved.
func SharedFolder(dir string) (Shared, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("shared: %w", err)
	}
	if err := state.MakeDir(dir); err != nil {
		return nil, err
	}
	st, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("shared: %w", err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("shared: %s can be written by others: chmod 700 %s", dir, dir)
	}
	f := &sharedFolder{sharedPart: sharedPart{tool.DirStore(filepath.Join(dir, "documents"))}, dir: dir}
	f.tidy(time.Now())
	return f, nil
}

// A sharedFolder is a Shared of files.
type sharedFolder struct {
	sharedPart
	dir string

	mu     sync.Mutex
	tidied time.Time
}

// A sharedPart is one folder of it, with blobs and documents.
type sharedPart struct{ tool.DirStore }

var (
	_ Shared       = (*sharedFolder)(nil)
	_ Conversation = sharedPart{}
)

func (p sharedPart) path(name string) string { return filepath.Join(string(p.DirStore), name) }

func (p sharedPart) Read(name string) ([]byte, error) { return state.Read(p.path(name), maxShared) }

func (p sharedPart) Update(name string, change func([]byte) ([]byte, error)) error {
	if err := state.MakeDir(string(p.DirStore)); err != nil {
		return err
	}
	return state.Update(p.path(name), maxShared, change)
}

func (f *sharedFolder) conversations() string { return filepath.Join(f.dir, "conversations") }

func (f *sharedFolder) Conversation(id string) Conversation {
	f.tidy(time.Now())
	return sharedPart{tool.DirStore(filepath.Join(f.conversations(), id))}
}

// tidy removes what was written long ago, now and then. What cannot be removed stays: the next time is tried again.
func (f *sharedFolder) tidy(now time.Time) {
	f.mu.Lock()
	due := now.Sub(f.tidied) >= tidyEvery
	if due {
		f.tidied = now
	}
	f.mu.Unlock()
	if !due {
		return
	}
	var folders []string
	_ = filepath.WalkDir(f.conversations(), func(path string, d fs.DirEntry, err error) error {
		if err != nil { // another replica removes, too
			return nil
		}
		if d.IsDir() {
			folders = append(folders, path)
			return nil
		}
		st, err := d.Info()
		if err == nil && now.Sub(st.ModTime()) > sharedTime {
			os.Remove(path)
		}
		return nil
	})
	for i := len(folders) - 1; i > 0; i-- { // the inner ones first; the first is the folder of all
		os.Remove(folders[i]) // only what is empty goes
	}
}

// sharedGrants are approvals in a document.
type sharedGrants struct {
	in   Documents
	name string
	log  *slog.Logger
}

var _ policy.GrantStore = sharedGrants{}

// SharedApprovals are the approvals for always that replicas have in common.
func SharedApprovals(in Documents, log *slog.Logger) policy.GrantStore {
	return sharedGrants{in, sharedGrantsName, log}
}

// Load reads the approvals. What cannot be read approves nothing.
func (g sharedGrants) Load() ([]policy.Grant, error) {
	b, err := g.in.Read(g.name)
	if err == nil {
		var list []policy.Grant
		list, err = parseGrants(b)
		if err == nil {
			return list, nil
		}
	}
	g.log.Warn(fmt.Sprintf("approvals: what replicas share cannot be read: %v: nothing is approved", err))
	return nil, err
}

// Update changes them. What cannot be read is replaced: it approved nothing.
func (g sharedGrants) Update(change func([]policy.Grant) ([]policy.Grant, error)) error {
	return g.in.Update(g.name, func(old []byte) ([]byte, error) {
		list, err := parseGrants(old)
		if err != nil {
			list = nil
		}
		list, err = change(list)
		if err != nil {
			return nil, err
		}
		return json.MarshalIndent(list, "", "  ")
	})
}

func parseGrants(b []byte) ([]policy.Grant, error) {
	var list []policy.Grant
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, errors.New("they are not what was written")
	}
	return list, nil
}

// sharedSession is the place of a session that goes on at other replicas.
type sharedSession struct{ Conversation }

// sharedOf is that place; nil for a session of this process alone.
func sharedOf(s *tool.Session) Conversation {
	return tool.Of(s, func() *sharedSession { return &sharedSession{} }).Conversation
}
