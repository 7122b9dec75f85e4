package conversation

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"helve/agent"
)

// Fork makes the conversation a of what was said in another one, and holds it: what is said from now on, the other one
// does not have. The other may be running; what it was about to say is left out.
func (f Folder) Fork(id string, a About) (Conversation, error) {
	from, err := f.Of(id)
	if err != nil {
		return nil, err
	}
	log, err := f.Open(id)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	of, _ := readAbout(from) // of a damaged one what was said is copied
	c, err := f.Hold(a)
	if err != nil {
		return nil, err
	}
	to, err := f.Of(a.ID)
	if err == nil {
		err = errors.Join(copyLines(c, log), copyBlobs(from, to))
	}
	if err == nil {
		err = c.Change(func(a *About) { a.From, a.Name = id, of.Name })
	}
	if err != nil {
		return nil, errors.Join(err, c.Close(), f.Delete(a.ID))
	}
	return c, nil
}

// copyLines copies whole lines.
func copyLines(to io.Writer, from io.Reader) error {
	const block = 1 << 20
	r := bufio.NewReaderSize(from, block)
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil // what has no end yet is still being said
		}
		if err != nil {
			return err
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
	}
}

// copyBlobs copies what the calls of a conversation keep: what was read, lists, long outputs.
func copyBlobs(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		own := e.Name() == logName || e.Name() == aboutName || strings.HasPrefix(e.Name(), "holder.")
		if own || strings.HasPrefix(e.Name(), ".") || !e.Type().IsRegular() {
			continue
		}
		err := copyFile(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be gone since
			return err
		}
	}
	return nil
}

func copyFile(from, to string) (err error) {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = io.Copy(w, r)
	return err
}

// Mentions tells whether all words stand in the name of a conversation or in what was said, whatever their case.
func Mentions(s Store, a About, words string) bool {
	open := map[string]bool{}
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		open[w] = true
	}
	take := func(text string) {
		text = strings.ToLower(text)
		for w := range open {
			if strings.Contains(text, w) {
				delete(open, w)
			}
		}
	}
	take(a.Name)
	if len(open) == 0 {
		return true
	}
	log, err := Read(s, a.ID)
	if err != nil {
		return false
	}
	for _, said := range log.Said {
		take(said.Text)
		if len(open) == 0 {
			return true
		}
	}
	return false
}

// Back has turn be the last one of a conversation that counts. What came after it stays in the file.
func Back(c Conversation, turn int) error {
	if _, err := c.Write(agent.Back(turn)); err != nil {
		return err
	}
	return c.Change(func(a *About) { a.Turns, a.Updated = turn, time.Now().UTC() })
}
