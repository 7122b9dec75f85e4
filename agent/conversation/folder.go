package conversation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"helve/internal/state"
)

// A Folder keeps each conversation in a folder of its own below Dir: conversation.jsonl is what was said, about.json
// what is known of it, and beside them lies what its calls keep, such as long outputs. All of it is private to the
// user.
type Folder struct {
	Dir string
	// Secrets are texts that are masked wherever they are said, such as the key that this run was given; see Mask.
	Secrets []string
}

var _ Store = Folder{}

const (
	logName   = "conversation.jsonl"
	aboutName = "about.json"

	// maxAbout bounds what is known of one conversation, in bytes: names are shorter.
	maxAbout = 64 << 10
	// maxLog bounds what is read of one conversation, in bytes: some hundred times what the largest model reads.
	maxLog = 1 << 30
)

// anID is what a conversation may be called: what a session may.
var anID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
})

// Of is where a conversation lies. The ID is one that a session can have, or the error says so.
func (f Folder) Of(id string) (string, error) {
	if !anID().MatchString(id) {
		return "", fmt.Errorf("conversation %.80q: %w", id, fs.ErrNotExist)
	}
	return filepath.Join(f.Dir, id), nil
}

// List reads what is known of each. One that cannot be read is in the list with its ID alone.
func (f Folder) List() ([]About, error) {
	entries, err := os.ReadDir(f.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("conversations: %w", err)
	}
	var out []About
	for _, e := range entries {
		a, err := f.About(e.Name())
		if err == nil {
			out = append(out, a)
		}
	}
	slices.SortStableFunc(out, func(a, b About) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// stored is About as it stands in the file.
type stored struct {
	About
	Open bool `json:"open"` // a process holds it, or was killed while it did
}

// About is what is known of one conversation. An unknown ID is an fs.ErrNotExist.
func (f Folder) About(id string) (About, error) {
	dir, err := f.Of(id)
	if err != nil {
		return About{}, err
	}
	st, err := os.Stat(filepath.Join(dir, logName))
	if err != nil {
		return About{}, err
	}
	s, _ := readAbout(dir) // it is listed all the same: what was said is there
	s.ID = id
	if s.Started.IsZero() { // an older version knew nothing of it
		s.Started = st.ModTime().UTC()
	}
	s.Updated = st.ModTime().UTC()
	s.Bytes = sizeOf(dir)
	s.State, s.Holder = Idle, nil
	if holder, held := heldBy(dir); held {
		s.State, s.Holder = Running, holder
	} else if s.Open {
		s.State = Interrupted
	}
	return s.About, nil
}

// readAbout is what the file of a conversation says; of one of an older version it is nothing. A damaged one is an error.
func readAbout(dir string) (stored, error) {
	b, err := state.Read(filepath.Join(dir, aboutName), maxAbout)
	if err != nil {
		return stored{}, err
	}
	return unmarshalAbout(dir, b)
}

func unmarshalAbout(dir string, b []byte) (s stored, err error) {
	if len(b) == 0 {
		return stored{}, nil
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return stored{}, fmt.Errorf("conversation %s: %s is damaged, and left as it is: %w; a fork goes on with a copy",
			filepath.Base(dir), aboutName, err)
	}
	return s, nil
}

// sizeOf is what a folder takes. What goes meanwhile takes nothing.
func sizeOf(dir string) int64 {
	var bytes int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// Change changes what is known of a conversation, whoever holds it.
func (f Folder) Change(id string, change func(*About)) error {
	dir, err := f.Of(id)
	if err != nil {
		return err
	}
	return changeAbout(dir, func(s *stored) { change(&s.About) })
}

func changeAbout(dir string, change func(*stored)) error {
	return state.Update(filepath.Join(dir, aboutName), maxAbout, func(old []byte) ([]byte, error) {
		s, err := unmarshalAbout(dir, old)
		if err != nil {
			return nil, err
		}
		change(&s)
		return json.Marshal(s)
	})
}

// Open opens what was said, without the end of a line that was cut off.
func (f Folder) Open(id string) (io.ReadCloser, error) {
	dir, err := f.Of(id)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(dir, logName)
	st, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxLog { // before it is opened: a pipe would be waited for
		return nil, fmt.Errorf("conversation %s: %s is no regular file of at most %d bytes", id, logName, maxLog)
	}
	return os.Open(name)
}

// Hold makes or takes a conversation.
func (f Folder) Hold(a About) (Conversation, error) {
	dir, err := f.Of(a.ID)
	if err != nil {
		return nil, err
	}
	if err := state.MakeDir(dir); err != nil {
		return nil, err
	}
	lock, err := take(dir, a.ID)
	if err != nil {
		return nil, err
	}
	h := &held{dir: dir, lock: lock, mask: NewMask(f.Secrets)}
	if err := h.open(a); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// Delete removes the folder of a conversation. Its calls in the history of a workspace are the caller's to forget.
func (f Folder) Delete(id string) error {
	dir, err := f.Of(id)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, logName)); err != nil {
		return err
	}
	lock, err := take(dir, id)
	if err != nil {
		return err
	}
	// What was said goes first: should the rest fail, it is no conversation any more.
	err = os.Remove(filepath.Join(dir, logName))
	lock.release() // Windows removes no file that is open
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// held is a conversation that this process holds.
type held struct {
	dir  string
	lock *lock
	mask *Mask

	mu    sync.Mutex
	log   *os.File
	about stored
}

// open opens the log, and notes that somebody is at it.
func (h *held) open(a About) (err error) {
	if _, err := readAbout(h.dir); err != nil {
		return err
	}
	path := filepath.Join(h.dir, logName)
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("conversation %s: %s is no regular file", a.ID, logName)
	}
	h.log, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if err := endLine(h.log); err != nil {
		return err
	}
	return h.change(func(s *stored) {
		if s.Started.IsZero() {
			id := a.ID
			s.About = a
			s.ID, s.Started = id, time.Now().UTC()
		}
		s.Open = true
	})
}

// endLine cuts off the end of a file behind its last whole line: what a process was about to say when it was killed.
func endLine(f *os.File) error {
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return err
	}
	const block = 64 << 10
	buf := make([]byte, block)
	for end := st.Size(); end > 0; {
		n := min(end, block)
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return err
		}
		if at := bytes.LastIndexByte(buf[:n], '\n'); at >= 0 {
			whole := end - n + int64(at) + 1
			if whole == st.Size() {
				return nil
			}
			return f.Truncate(whole)
		}
		end -= n
	}
	return f.Truncate(0)
}

// Write appends whole lines, with secrets masked.
func (h *held) Write(lines []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.log == nil {
		return 0, fs.ErrClosed
	}
	if _, err := h.log.Write(h.mask.JSON(lines)); err != nil {
		return 0, err
	}
	return len(lines), nil
}

func (h *held) About() About {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.about.About
}

func (h *held) Change(change func(*About)) error {
	return h.change(func(s *stored) {
		change(&s.About)
		s.Name = string(h.mask.Text([]byte(s.Name)))
	})
}

func (h *held) change(change func(*stored)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return changeAbout(h.dir, func(s *stored) {
		change(s)
		h.about = *s
	})
}

// Close lets the conversation go. A second Close does nothing.
func (h *held) Close() error {
	h.mu.Lock()
	log := h.log
	h.log = nil
	h.mu.Unlock()
	var err error
	if log != nil {
		err = errors.Join(h.change(func(s *stored) { s.Open = false }), log.Close())
	}
	h.lock.release()
	return err
}
