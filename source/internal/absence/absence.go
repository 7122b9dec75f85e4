// Package absence remembers across processes which sources of tools did not come, and why, so that one that is away is
// not waited for by each who lists it. The more often in a row it did not come, the longer it is left alone.
package absence

import (
	"bytes"
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
	// pauseMin and pauseMax bound the time after which a source is tried again: soon enough for whoever mends it, and
	// rarely enough that one that is gone for good costs nothing.
	pauseMin = time.Second
	pauseMax = 10 * time.Minute
	// share is how much longer it is left alone than it was waited for: trying takes at most a sixtieth of the time.
	share = 60
	// kept is how old a record may be; an older one is about another time.
	kept = 7 * 24 * time.Hour
	// maxWhy is how much of a reason is kept, in bytes: what is said of it is a line.
	maxWhy = 1000
	// NoteAfter is how long a source may be tried before it is noted that it has not come. Whoever tries it may be
	// ended at any moment, and then it is known all the same.
	NoteAfter = 1500 * time.Millisecond
)

// ErrAway says that a source did not come shortly before, so that it was not asked again.
var ErrAway = errors.New("not asked again so soon")

// A Record is what is remembered of a source that did not come.
type Record struct {
	Of     string        `json:"of"`     // what it was, so that a changed one is another one
	With   string        `json:"with"`   // what the files were that it was given
	Why    string        `json:"why"`    // it did not answer within 10s
	Limit  time.Duration `json:"limit"`  // the longest that anybody would have waited
	Waited time.Duration `json:"waited"` // how long it was waited for
	At     time.Time     `json:"at"`
	Tries  int           `json:"tries"` // in a row
	Since  time.Time     `json:"since"` // of the first of these

	// Changed tells that With changed and it still did not come. After a first time it may have been mended; later that
	// says little, as its files are such that are written all the time.
	Changed bool `json:"changed,omitempty"`

	doubtful bool // of another time, or of files that have changed since: it is tried again, and not for long
}

// An Absence is what is remembered of a source that did not come, for whoever asks about it.
type Absence struct {
	Why   string    `json:"why"`
	Since time.Time `json:"since"` // when it first did not come
	Last  time.Time `json:"last"`  // when it was tried last
	Next  time.Time `json:"next"`  // from when on the next that needs it tries it again
	Tries int       `json:"tries"` // in a row
}

// Text is the absence in a line.
func (a *Absence) Text(now time.Time) string {
	next := "the next that needs it tries it again"
	if left := a.Next.Sub(now); left > 0 {
		next = "tried again in " + left.Round(time.Second).String()
	}
	tries := "1 try"
	if a.Tries > 1 {
		tries = fmt.Sprintf("%d tries", a.Tries)
	}
	return fmt.Sprintf("%s; away since %s (%s, the last %v ago), %s",
		a.Why, a.Since.Local().Format(time.DateTime), tries, max(now.Sub(a.Last), 0).Round(time.Second), next)
}

// pause is how long the source is left alone.
func (r *Record) pause() time.Duration {
	grown := pauseMin << min(max(r.Tries-1, 0), 20) // 20 doublings are far above the most
	return min(max(grown, share*r.Waited), pauseMax)
}

// Due tells that the source may be tried again.
func (r *Record) Due(now time.Time) bool { return r.doubtful || !now.Before(r.At.Add(r.pause())) }

// Ago is how long the record is old, in words.
func (r *Record) Ago(now time.Time) string {
	if now.Before(r.At) {
		return "before the clock was set"
	}
	return now.Sub(r.At).Round(time.Second).String() + " ago"
}

// A Book is where the record of one source is kept. Without a folder it remembers nothing. Its methods are safe for
// concurrent use, of several processes as well: the last to write is right.
type Book struct {
	Dir   string           // a folder for caches; "": nothing is remembered
	File  string           // its name there
	Of    string           // what the source is
	With  string           // what the files are that it is given
	Limit time.Duration    // the longest that it is waited for; one who would wait longer than others did asks anew
	Now   func() time.Time // nil: time.Now
}

func (b *Book) now() time.Time {
	if b.Now == nil {
		return time.Now()
	}
	return b.Now()
}

// Known is the record; nil where the source is not known to be away, or not to those who wait as long as this.
func (b *Book) Known() *Record {
	r := b.read()
	if r == nil || r.Limit < b.Limit {
		return nil
	}
	return r
}

// Absence is what is remembered, however long whoever noted it waited; nil: nothing.
func (b *Book) Absence() *Absence {
	r := b.read()
	if r == nil {
		return nil
	}
	a := &Absence{Why: r.Why, Since: r.Since, Last: r.At, Next: r.At.Add(r.pause()), Tries: r.Tries}
	if a.Since.IsZero() { // noted before that was kept
		a.Since = r.At
	}
	if r.doubtful {
		a.Next = b.now()
	}
	return a
}

// read is the record of this source, whoever wrote it.
func (b *Book) read() *Record {
	r := b.load()
	if r == nil || !b.same(r) {
		return nil
	}
	return r
}

// same tells that a record is of this source as it is now: that it was not mended since, as far as can be told.
func (b *Book) same(r *Record) bool { return r.With == b.With || r.Changed }

// load is what is kept of the source.
func (b *Book) load() *Record {
	if b.Dir == "" {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(b.Dir, b.File))
	if err != nil {
		return nil
	}
	r := &Record{}
	if json.Unmarshal(text, r) != nil || r.Of != b.Of {
		return nil
	}
	age := b.now().Sub(r.At)
	if age > kept {
		return nil
	}
	r.doubtful = age < 0 || r.With != b.With // a clock that was set back says nothing of the source
	return r
}

// Away is the record as long as the source is left alone for it; nil where it may be tried.
func (b *Book) Away() *Record {
	r := b.Known()
	if r == nil || r.Due(b.now()) {
		return nil
	}
	return r
}

// Forget says that the source came.
func (b *Book) Forget() {
	if b.Dir != "" {
		os.Remove(filepath.Join(b.Dir, b.File)) // mostly there is none
	}
}

// write keeps a record. What cannot be remembered is waited for again.
func (b *Book) write(r *Record) {
	if b.Dir == "" {
		return
	}
	r.Of, r.With, r.Limit, r.At = b.Of, b.With, b.Limit, b.now()
	before := b.load()
	switch {
	case before == nil:
	case !b.same(before):
		r.Changed = true
	default:
		// It has not come since somebody waited longer: that stays known, whoever tries briefly.
		r.Limit, r.Waited, r.Changed = max(r.Limit, before.Limit), max(r.Waited, before.Waited), before.Changed
		r.Since = before.Since
	}
	if r.Since.IsZero() {
		r.Since = r.At
	}
	if len(r.Why) > maxWhy {
		r.Why = strings.ToValidUTF8(r.Why[:maxWhy], "") + " …"
	}
	r.Why, _ = rawjson.Visible(r.Why)
	text, err := json.Marshal(r)
	if err == nil {
		tool.DirStore(b.Dir).Put(b.File, bytes.NewReader(text))
	}
}

// A Try is one attempt to reach a source. Safe for concurrent use.
type Try struct {
	book  *Book
	began time.Time
	tries int
	timer *time.Timer

	mu   sync.Mutex
	over bool
}

// Try begins an attempt. One that goes on for long is noted as one that failed until it is over, so that it counts too
// where whoever tries is ended meanwhile.
func (b *Book) Try() *Try {
	t := &Try{book: b, began: b.now(), tries: 1}
	if r := b.read(); r != nil {
		t.tries = r.Tries + 1
	}
	t.timer = time.AfterFunc(NoteAfter, func() { t.note(fmt.Sprintf("it had not answered after %v", NoteAfter)) })
	return t
}

// note writes that the source did not come, unless the attempt is over.
func (t *Try) note(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.write(why)
	}
}

func (t *Try) write(why string) {
	waited := max(t.book.now().Sub(t.began), 0)
	t.book.write(&Record{Why: why, Waited: waited, Tries: t.tries})
}

// end ends the attempt; what comes is what there is to write.
func (t *Try) end(last func()) {
	t.timer.Stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.over = true
		last()
	}
}

// Came says that the source came.
func (t *Try) Came() { t.end(t.book.Forget) }

// Failed says why it did not.
func (t *Try) Failed(why string) { t.end(func() { t.write(why) }) }

// Left says that nobody waits any more: what was noted so far stands.
func (t *Try) Left() { t.end(func() {}) }
