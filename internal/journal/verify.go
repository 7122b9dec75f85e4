package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
)

// maxBreaks is how many breaks a proof lists. The first says where to look; a hundred say that nothing is whole.
const maxBreaks = 100

// A Proof is what came of looking whether each line of a chained journal fits to the one before it.
type Proof struct {
	Lines     int     // that are kept
	Unchained int     // of these, from before lines were chained: whether they are whole nobody can tell
	Last      string  // SHA-256 of the last line in hexadecimal, "" where there is none
	Breaks    []Break // oldest first, 100 at most; none: all fits
}

// A Break is a place at which a journal is not what was written.
type Break struct {
	File   string // its path
	Line   int    // in the file, from 1; 0: the file as a whole
	Reason string
}

// Verify looks whether the lines that are kept are those that were written, in their order and up to the last one. Who
// can write the files can also make a chain of their own: against that helps a Last that was noted elsewhere.
func (j *File) Verify() (*Proof, error) {
	v := verifier{j: j}
	err := v.open()
	if err != nil {
		return nil, err
	}
	defer closeParts(v.parts)
	for _, p := range v.parts {
		v.file, v.line = p.f.Name(), 0
		if _, err := p.lines(v.take); err != nil {
			return nil, err
		}
	}
	v.end()
	return &v.Proof, nil
}

type verifier struct {
	Proof
	j        *File
	parts    []part
	head     head
	headless bool // there is no head, or none that can be read

	file    string
	line    int
	before  sum  // of the line before
	chained bool // a line was
	met     bool // a line was the one that the head calls the last
}

// open takes the head and the files as they stand together, between two writers.
func (v *verifier) open() error {
	f, err := open(v.j.Path, os.O_RDONLY, 0)
	if err == nil {
		defer f.Close()
		err = lockFile(f)
	} else if missing(err) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	h, ok, err := v.j.readHead()
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	v.head, v.headless = h, !ok
	v.parts, err = v.j.parts()
	return err
}

// take looks at the next line.
func (v *verifier) take(line []byte) bool {
	v.Lines++
	v.line++
	before, ok := link(line)
	switch {
	case !ok && !v.chained:
		v.Unchained++
	case !ok:
		v.broken("it does not name the line before it: it was not written by helve")
	case !v.chained && v.Lines == 1:
		v.first(before)
	case before == v.before:
	case before == sum{}:
		v.broken("it begins a chain of its own: the file %s was gone, and lines before it may be", v.j.headPath())
	default:
		v.broken("it does not follow the line before it: that was changed, or lines between them are missing")
	}
	v.chained = v.chained || ok
	v.before = sha256.Sum256(line)
	v.met = v.met || v.before == v.head.last
	return true
}

// first is the oldest line that is kept. Where it follows another, full files were let go for it, and as many as are
// kept are there.
func (v *verifier) first(before sum) {
	if before == (sum{}) {
		return
	}
	if _, err := os.Stat(v.j.numbered(Kept)); err != nil {
		v.broken("it follows a line that is gone, though no file was let go")
	}
}

// end looks whether the last line is the one that was written last.
func (v *verifier) end() {
	if v.Lines > 0 {
		v.Last = hex.EncodeToString(v.before[:])
	}
	v.file, v.line = v.j.Path, 0
	switch {
	case v.headless && v.chained:
		v.file = v.j.headPath()
		v.broken("it is gone or unreadable: whether lines are missing at the end cannot be told")
	case v.headless || v.met || v.head.last == sum{}:
	case v.Lines == 0:
		v.broken("no line is there, and there were some")
	default:
		v.broken("the line that was written last is not there: lines are missing at the end, or were changed")
	}
}

func (v *verifier) broken(format string, args ...any) {
	if len(v.Breaks) == maxBreaks {
		return
	}
	v.Breaks = append(v.Breaks, Break{v.file, v.line, fmt.Sprintf(format, args...)})
}
