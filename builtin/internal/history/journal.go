package history

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"helve/internal/change"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// version is that of the journal's form.
const version = 1

// maxLine bounds a line of the journal, in bytes: a call with a million changes is a few hundred megabytes.
const maxLine = 512 << 20

// A line of the journal is one of these.
type line struct {
	Version int      `json:"history,omitempty"` // the first line of a file
	Roots   []string `json:"roots,omitempty"`   // what the numbers of roots mean from here on
	Call    *Call    `json:"call,omitempty"`    // what is to happen, with
	Changes []Change `json:"changes,omitempty"` // its changes
	Done    string   `json:"done,omitempty"`    // the ID of a call that happened, but for
	Refused []int    `json:"refused,omitempty"` // these of its changes
	Dirs    []Dated  `json:"dirs,omitempty"`    // of a call that happened; before it did, without Now
	Dropped string   `json:"dropped,omitempty"` // the ID of a call that did not happen
}

// ErrVersion: the journal was written by another version of helve, whose form is
// not known here. Nothing of it is changed.
var ErrVersion = errors.New("the history was written by another version of helve")

// sumSize is how many bytes of a line's digest stand before it.
const sumSize = 8

// encode is a line as it stands in the file: the beginning of its digest, and JSON.
func (l line) encode() ([]byte, error) {
	b, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s %s\n", checksum(b), b), nil
}

func checksum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:sumSize])
}

// appendLines writes at the end of the file, which it makes if need be. A line that
// a crash cut short is ended first, so that the new one is not lost with it.
func appendLines(path string, lines ...line) error {
	var out []byte
	for _, l := range lines {
		b, err := l.encode()
		if err != nil {
			return err
		}
		out = append(out, b...)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	size := st.Size()
	last := []byte{'\n'}
	if size > 0 {
		if _, err := f.ReadAt(last, size-1); err != nil {
			return err
		}
	} else {
		head, err := line{Version: version}.encode()
		if err != nil {
			return err
		}
		out = append(head, out...)
	}
	if last[0] != '\n' {
		out = append([]byte{'\n'}, out...)
	}
	if _, err := f.Write(out); err != nil {
		return errors.Join(err, f.Truncate(size)) // a full disk leaves no half line
	}
	return nil
}

// A log is a journal that was read.
type log struct {
	roots  []string          // the workspace's, then those that it had once
	moved  map[string]string // roots of older entries, and where they are now
	number []int             // what the numbers in the file are among these
	calls  []*Call           // that happened, in their order
	open   []*Call           // that nobody finished
	broken int               // lines that are damaged
}

// readLog reads a journal as far as it is whole. roots are the workspace's, as they are now.
func readLog(path string, roots []string, moved map[string]string) (*log, error) {
	g := &log{roots: slices.Clone(roots), moved: moved}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return g, g.read(f)
}

// read reads the lines of a journal.
func (g *log) read(f io.Reader) error {
	r := bufio.NewReaderSize(f, 1<<16)
	for {
		text, err := readLine(r)
		if len(text) > 0 {
			if err := g.take(text); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// left is what the calls left at each place that they changed.
func (g *log) left() map[change.Place]State {
	out := map[change.Place]State{}
	for _, c := range g.calls {
		for _, ch := range c.Changes {
			out[ch.Place] = ch.Now
		}
	}
	return out
}

// readSince reads the calls that are not older than a moment.
func (s *Store) readSince(at time.Time) (*log, error) {
	g, err := readLog(s.journal(), s.o.Roots, s.moved)
	if err == nil {
		g.calls = slices.DeleteFunc(g.calls, func(c *Call) bool { return c.Time.Before(at) })
	}
	return g, err
}

// readBehind reads the journal f from an offset on, where the numbers of roots in it are known; at is when it ended
// there.
func (s *Store) readBehind(f io.ReadSeeker, offset int64, at time.Time) (*log, error) {
	known, err := rootsKnown(s.o, s.journal())
	if err != nil {
		return nil, err
	}
	if !known {
		return s.readSince(at)
	}
	g := &log{roots: slices.Clone(s.o.Roots)}
	for i := range g.roots {
		g.number = append(g.number, i)
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	return g, g.read(f)
}

// readLine is the next line without its end. One that is too long is read as a
// damaged one: its end is still found.
func readLine(r *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(out)+len(part) > maxLine {
			out = []byte{'?'}
		} else {
			out = append(out, part...)
		}
		if err != bufio.ErrBufferFull {
			return bytes.TrimRight(out, "\n"), err
		}
	}
}

// take adds a line. What is damaged is counted, and what it said is not known.
func (g *log) take(text []byte) error {
	sum, body, ok := bytes.Cut(text, []byte{' '})
	var l line
	if !ok || string(sum) != checksum(body) || json.Unmarshal(body, &l) != nil {
		g.broken++
		return nil
	}
	switch {
	case l.Version != 0 && l.Version != version:
		return fmt.Errorf("%w: its form is %d, known is %d", ErrVersion, l.Version, version)
	case l.Roots != nil:
		g.number = g.number[:0]
		for _, root := range l.Roots {
			if now, known := g.moved[root]; known {
				root = now
			}
			at := slices.Index(g.roots, root)
			if at < 0 {
				at = len(g.roots)
				g.roots = append(g.roots, root)
			}
			g.number = append(g.number, at)
		}
	case l.Call != nil:
		for i := range l.Changes {
			l.Changes[i].Root = g.root(l.Changes[i].Root)
		}
		l.Call.Changes = l.Changes
		for i := range l.Call.Left {
			l.Call.Left[i].Root = g.root(l.Call.Left[i].Root)
		}
		l.Call.Dirs = g.dirs(l.Dirs)
		g.open = append(g.open, l.Call)
	case l.Done != "":
		if c := g.close(l.Done); c != nil {
			c.refuse(l.Refused)
			c.Dirs = g.dirs(l.Dirs)
			g.calls = append(g.calls, c)
		}
	case l.Dropped != "":
		g.close(l.Dropped)
	}
	return nil
}

// root is what the number of a root means now; -1: the journal does not say.
func (g *log) root(number int) int {
	if number < 0 || number >= len(g.number) {
		return -1
	}
	return g.number[number]
}

// dirs are directories with their roots as they are now.
func (g *log) dirs(list []Dated) []Dated {
	for i := range list {
		list[i].Root = g.root(list[i].Root)
	}
	return list
}

// close takes a call from those that are open.
func (g *log) close(id string) *Call {
	i := slices.IndexFunc(g.open, func(c *Call) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	c := g.open[i]
	g.open = slices.Delete(g.open, i, i+1)
	return c
}

// refuse notes that some changes were not made, by their numbers. What an undo did not make it left alone.
func (c *Call) refuse(numbers []int) {
	if c.Kind != Work {
		for _, i := range numbers {
			if i >= 0 && i < len(c.Changes) {
				c.Left = append(c.Left, Left{Place: c.Changes[i].Place})
			}
		}
	}
	c.Changes = without(c.Changes, numbers)
}

// without leaves some changes out, by their numbers.
func without(changes []Change, numbers []int) []Change {
	if len(numbers) == 0 {
		return changes
	}
	out := make([]Change, 0, len(changes))
	for i, c := range changes {
		if !slices.Contains(numbers, i) {
			out = append(out, c)
		}
	}
	return out
}

// find is the call that an ID means; of several with one parent the last.
func (g *log) find(id string) (*Call, error) {
	found, err := g.named(id)
	if err != nil {
		return nil, err
	}
	return found[len(found)-1], nil
}

// named are the calls that an ID means, in their order: the call of that ID, or all calls with that parent. The
// beginning is enough where only one ID or parent has it.
func (g *log) named(id string) ([]*Call, error) {
	begin := map[string][]*Call{}
	for _, c := range g.calls {
		if c.ID == id {
			return []*Call{c}, nil
		}
		for _, name := range []string{c.ID, c.Parent} {
			if id != "" && strings.HasPrefix(name, id) {
				begin[name] = append(begin[name], c)
			}
		}
	}
	if family := begin[id]; family != nil {
		return family, nil
	}
	if len(begin) > 1 {
		return nil, fmt.Errorf("history: %w: %d begin with %q: give more of the ID", ErrUnknown, len(begin), id)
	}
	for _, found := range begin {
		return found, nil
	}
	return nil, fmt.Errorf("history: %w: %q", ErrUnknown, id)
}

// family are the calls of a session that have the parent of c, in their order; c alone where it has none.
func (g *log) family(c *Call) []*Call {
	if c.Parent == "" {
		return []*Call{c}
	}
	var out []*Call
	for _, other := range g.calls {
		if other.Parent == c.Parent && other.Session == c.Session {
			out = append(out, other)
		}
	}
	return out
}

// ErrUnknown: no call, or more than one, is meant.
var ErrUnknown = errors.New("there is no one call of that ID that changed files")
