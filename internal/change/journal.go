package change

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"slices"
)

// journalVersion is the form of the journal. A journal of another form is left alone and told.
const journalVersion = 1

// maxJournalLine bounds a line of a journal: a path and a link's target, escaped, and a few numbers.
const maxJournalLine = 64 << 10

// ErrJournal wraps what is wrong with a journal that cannot be followed: it is of another version, cut or damaged.
var ErrJournal = errors.New("the journal cannot be followed")

// journalHead is the first line of a journal.
type journalHead struct {
	Version int      `json:"version"`
	Roots   []Name   `json:"roots"`
	Steps   int      `json:"steps"`
	Units   []string `json:"units,omitempty"`
}

// journalEnd is the last line: the digest of all before it.
type journalEnd struct {
	Sum string `json:"sha256"`
}

// journalWriter writes lines and sums them.
type journalWriter struct {
	out *bufio.Writer
	sum hash.Hash
}

// line writes one value as a line of JSON.
func (w *journalWriter) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	w.sum.Write(text)
	_, err = w.out.Write(text)
	return err
}

// writeJournal writes the journal beside its name and then gives it that name: it is whole or not there.
func (t *Transaction) writeJournal(p *plan) error {
	var steps []*step
	for _, st := range p.steps {
		if st.why == nil && !st.met {
			steps = append(steps, st)
		}
	}
	head := journalHead{Version: journalVersion, Roots: t.rootNames(), Steps: len(steps)}
	const draft = journalName + ".tmp"
	f, err := t.home.create(draft)
	if err != nil {
		return err
	}
	defer f.Close()
	w := &journalWriter{bufio.NewWriterSize(f, 64<<10), sha256.New()}
	if err := w.line(head); err != nil {
		return err
	}
	for _, st := range steps {
		if err := w.line(st); err != nil {
			return err
		}
	}
	end := journalEnd{Sum: hex.EncodeToString(w.sum.Sum(nil))}
	if err := w.line(end); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	if err := t.flush(f); err != nil {
		return err
	}
	t.at("journal written")
	if err := t.o.plain.rename(spot{t.home, draft}, spot{t.home, journalName}); err != nil {
		return err
	}
	return t.flushDir(t.home)
}

// rootNames are the roots as a journal names them: it is followed for the same ones only.
func (t *Transaction) rootNames() []Name {
	var out []Name
	for _, r := range t.o.Roots {
		out = append(out, Name(r))
	}
	return out
}

// readJournal reads a journal back. It is whole, of this version and of these roots, or an error says what is wrong.
func (t *Transaction) readJournal(name string) (*plan, error) {
	f, err := t.home.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &journalReader{bufio.NewReaderSize(f, maxJournalLine), sha256.New()}
	var head journalHead
	if err := r.line(&head); err != nil {
		return nil, err
	}
	if err := t.checkHead(head); err != nil {
		return nil, err
	}
	p := emptyPlan(head.Steps)
	for range head.Steps {
		st := &step{index: -1}
		if err := r.line(st); err != nil {
			return nil, err
		}
		if err := t.checkStep(st); err != nil {
			return nil, err
		}
		p.steps = append(p.steps, st)
		if !st.Late {
			p.at[st.Place] = st
		}
	}
	sum := hex.EncodeToString(r.sum.Sum(nil))
	var end journalEnd
	if err := r.line(&end); err != nil {
		return nil, err
	}
	if end.Sum != sum {
		return nil, fmt.Errorf("%w: it is damaged", ErrJournal)
	}
	p.group()
	return p, nil
}

// checkHead refuses a journal that this program cannot follow, or that speaks of other directories: a state folder may
// have been copied.
func (t *Transaction) checkHead(h journalHead) error {
	if h.Version != journalVersion {
		return fmt.Errorf("%w: it is of version %d, this program writes %d", ErrJournal, h.Version, journalVersion)
	}
	if !slices.Equal(h.Roots, t.rootNames()) {
		return fmt.Errorf("%w: it is of other directories: %q", ErrJournal, h.Roots)
	}
	if h.Steps < 0 || h.Steps > 3*MaxChanges {
		return fmt.Errorf("%w: it says that it has %d steps", ErrJournal, h.Steps)
	}
	return nil
}

// checkStep keeps a journal that was tampered with inside the roots and the folder.
func (t *Transaction) checkStep(st *step) error {
	if !slices.Contains([]action{put, swap, take, alter}, st.Do) {
		return fmt.Errorf("%w: a step %q", ErrJournal, st.Do)
	}
	if err := t.checkPlace(st.Place); err != nil {
		return err
	}
	if st.Slot.Path == "" {
		return nil
	}
	return t.checkPlace(Place{st.Root, st.Slot.Path})
}

// checkPlace refuses a place that no set could have held.
func (t *Transaction) checkPlace(p Place) error {
	if p.Root < 0 || p.Root >= len(t.o.Roots) {
		return fmt.Errorf("%w: root %d", ErrJournal, p.Root)
	}
	if err := checkPath(string(p.Path)); err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return nil
}

// journalReader reads lines and sums them.
type journalReader struct {
	in  *bufio.Reader
	sum hash.Hash
}

// line reads one value. The slice that the reader returns is valid until the next line.
func (r *journalReader) line(v any) error {
	text, err := r.in.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("%w: it ends too early: %w", ErrJournal, err)
	}
	r.sum.Write(text)
	if err := json.Unmarshal(bytes.TrimSpace(text), v); err != nil {
		return fmt.Errorf("%w: %w", ErrJournal, err)
	}
	return nil
}

// A note is a file in a root that is there for a moment only. It is written down before the file is made, so that a
// process that is killed leaves nothing behind for ever.
type note struct {
	Place
	Lock bool   `json:"lock,omitempty"` // it holds the transaction's id
	Unit string `json:"unit,omitempty"` // that a lock is for
}

// noteDown adds notes to those of the transaction.
func (t *Transaction) noteDown(notes []note) error {
	if len(notes) == 0 {
		return nil
	}
	path := t.folder + string(os.PathSeparator) + notesName
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for _, n := range notes {
		text, err := json.Marshal(n)
		if err != nil {
			return err
		}
		w.Write(append(text, '\n')) // its error is Flush's
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return t.flush(f)
}

// notes reads them back. A last line that is cut was not acted upon.
func (t *Transaction) notes() ([]note, error) {
	f, err := t.home.open(notesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []note
	r := bufio.NewReaderSize(f, maxJournalLine)
	for {
		text, err := r.ReadSlice('\n')
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		var n note
		if err := json.Unmarshal(text, &n); err != nil {
			return out, fmt.Errorf("%w: a note of it: %w", ErrJournal, err)
		}
		if err := t.checkPlace(n.Place); err != nil {
			return out, err
		}
		out = append(out, n)
	}
}

// flush has a file reach the disk, where that was asked for.
func (t *Transaction) flush(f *os.File) error {
	if !t.o.Sync {
		return nil
	}
	return f.Sync()
}

// flushDir has the names in a directory reach the disk, where that was asked for.
func (t *Transaction) flushDir(d *dir) error {
	if !t.o.Sync {
		return nil
	}
	return d.flush()
}
