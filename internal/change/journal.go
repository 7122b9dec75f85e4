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

// A journal says which steps a set is made of, once nothing but the steps is left to do.
type journal struct {
	*workplace
}

// write writes the journal beside its name and then gives it that name: it is whole or not there.
func (j *journal) write(p *plan) error {
	var steps []*step
	for _, st := range p.steps {
		if st.why == nil && !st.met {
			steps = append(steps, st)
		}
	}
	head := journalHead{Version: journalVersion, Roots: j.rootNames(), Steps: len(steps)}
	const draft = journalName + ".tmp"
	f, err := j.home.create(draft)
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
	if err := j.flush(f); err != nil {
		return err
	}
	j.at("journal written")
	if err := j.o.plain.rename(spot{j.home, draft}, spot{j.home, journalName}); err != nil {
		return err
	}
	return j.flushDir(j.home)
}

// read reads a journal back. It is whole, of this version and of these roots, or an error says what is wrong.
func (j *journal) read(name string) (*plan, error) {
	f, err := j.home.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := &journalReader{bufio.NewReaderSize(f, maxJournalLine), sha256.New()}
	var head journalHead
	if err := r.line(&head); err != nil {
		return nil, err
	}
	if err := j.checkHead(head); err != nil {
		return nil, err
	}
	p := emptyPlan(head.Steps)
	for range head.Steps {
		st := &step{index: -1}
		if err := r.line(st); err != nil {
			return nil, err
		}
		if err := j.checkStep(st); err != nil {
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
func (j *journal) checkHead(h journalHead) error {
	if h.Version != journalVersion {
		return fmt.Errorf("%w: it is of version %d, this program writes %d", ErrJournal, h.Version, journalVersion)
	}
	if !slices.Equal(h.Roots, j.rootNames()) {
		return fmt.Errorf("%w: it is of other directories: %q", ErrJournal, h.Roots)
	}
	if h.Steps < 0 || h.Steps > 3*MaxChanges {
		return fmt.Errorf("%w: it says that it has %d steps", ErrJournal, h.Steps)
	}
	return nil
}

// checkStep keeps a journal that was tampered with inside the roots and the folder.
func (j *journal) checkStep(st *step) error {
	if !slices.Contains([]action{put, swap, take, alter}, st.Do) {
		return fmt.Errorf("%w: a step %q", ErrJournal, st.Do)
	}
	if err := j.checkPlace(st.Place); err != nil {
		return err
	}
	if st.Slot.Path == "" {
		return nil
	}
	return j.checkPlace(Place{st.Root, st.Slot.Path})
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
