package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"sync"

	"helve/internal/fsroot"
	"helve/tool"
)

const (
	// hashedFile is up to which size a file is known by its content. Above it size and time must do: hashing 50 MB
	// costs more than the edit.
	hashedFile = 1 << 20
	// maxSeen bounds what a session remembers; an agent opens hundreds of files, not more.
	maxSeen = 50_000
)

// seen is what a session knows of files: how each was when the session last read or wrote it. With a store it
// outlives the process.
type seen struct {
	store tool.Store // nil: this process only

	mu    sync.Mutex
	files map[string]sight
}

// A sight is one look at a file.
type sight struct {
	Size int64  `json:"size"`           // bytes
	Time int64  `json:"time"`           // of the last change, in nanoseconds
	Hash string `json:"hash,omitempty"` // of the content, up to hashedFile
}

// SeenBy is the record of a session, nil where there is none.
func SeenBy(s *tool.Session) *seen {
	if s == nil {
		return nil
	}
	return tool.Of(s, func() *seen {
		return &seen{store: s.Store, files: map[string]sight{}}
	})
}

// sightOf is a look at a file. content is nil where it was not read as a whole.
func sightOf(fi fs.FileInfo, content []byte) sight {
	out := sight{Size: fi.Size(), Time: fi.ModTime().UnixNano()}
	if content != nil && len(content) <= hashedFile {
		h := sha256.Sum256(content)
		out.Size, out.Hash = int64(len(content)), hex.EncodeToString(h[:16])
	}
	return out
}

// same compares by content where both looks know it.
func (a sight) same(b sight) bool {
	if a.Hash != "" && b.Hash != "" {
		return a.Hash == b.Hash && a.Size == b.Size
	}
	return a == b
}

// seenKey tells files of the same name in different roots, and workspaces of one session, apart.
func seenKey(p fsroot.Path) string { return p.Root().Dir() + "\x00" + p.Target() }

// Note remembers a file as it is now. content is nil where it was not read as a whole. A store that fails costs no
// more than another read.
func (s *seen) Note(p fsroot.Path, fi fs.FileInfo, content []byte) {
	s.note(seenKey(p), fi, content)
}

// diskKey is the key under which it stands how a file was on the disk when the session saw what an editor held of it.
func diskKey(p fsroot.Path) string { return seenKey(p) + "\x00disk" }

// noteDisk remembers a file as it is on the disk, beside what an editor holds of it.
func (s *seen) noteDisk(p fsroot.Path, fi fs.FileInfo, content []byte) {
	s.note(diskKey(p), fi, content)
}

// moved tells whether a file is another on the disk since the session saw what an editor held of it.
func (s *seen) moved(p fsroot.Path, fi fs.FileInfo, content []byte) bool {
	if s == nil {
		return false
	}
	k := diskKey(p)
	s.mu.Lock()
	last, known := s.files[k]
	s.mu.Unlock()
	if !known {
		last, known = s.load(k)
	}
	return known && !last.same(sightOf(fi, content))
}

func (s *seen) note(k string, fi fs.FileInfo, content []byte) {
	if s == nil {
		return
	}
	now := sightOf(fi, content)
	s.mu.Lock()
	old, known := s.files[k]
	if len(s.files) >= maxSeen && !known {
		for other := range s.files {
			delete(s.files, other)
			break
		}
	}
	s.files[k] = now
	s.mu.Unlock()
	if s.store == nil || known && old == now {
		return
	}
	b, err := json.Marshal(now)
	if err == nil {
		s.store.Put(seenBlob(k), bytes.NewReader(b))
	}
}

// Check refuses a change to a file that the session has not read, or that is another since.
func (s *seen) Check(p fsroot.Path, fi fs.FileInfo, content []byte) error {
	if s == nil {
		return nil
	}
	k, now := seenKey(p), sightOf(fi, content)
	s.mu.Lock()
	last, known := s.files[k]
	s.mu.Unlock()
	if known && last.same(now) {
		return nil
	}
	kept, ok := s.load(k)
	if ok { // another process of this session may know better
		known = true
		if kept.same(now) {
			return nil
		}
	}
	if known {
		return tool.Errorf(tool.Validation, "%s changed since it was read", p.Shown()).
			WithHint("Read it again, then make the change to what is there now.")
	}
	return tool.Errorf(tool.Validation, "%s has not been read in this session", p.Shown()).
		WithHint("Read it first: nobody can safely change what they have not seen.")
}

// load asks the store, which other processes of the session write to, too. What cannot be read is not known.
func (s *seen) load(key string) (out sight, ok bool) {
	if s.store == nil {
		return out, false
	}
	b, err := s.store.Get(seenBlob(key))
	if err != nil {
		return out, false
	}
	defer b.Close()
	err = json.NewDecoder(io.NewSectionReader(b, 0, min(b.Size(), 1<<10))).Decode(&out)
	return out, err == nil
}

// seenBlob is the name under which a look is stored: names of blobs are short and plain.
func seenBlob(key string) string {
	h := sha256.Sum256([]byte(key))
	return "seen-" + hex.EncodeToString(h[:16])
}
