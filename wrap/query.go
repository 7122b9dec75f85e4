package wrap

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"helve/tool"
)

// A Query chooses records. What is empty chooses all.
type Query struct {
	Text    string // somewhere in name, server, title, targets, error, reason or rule; case of ASCII does not count
	Tool    string // the name by which it was called, or the tool's own
	Outcome string // ok, need, stopped, or the code of an error
	Verdict string // allow, ask or deny
	Session string // the session's ID
	// Workspace is the first folder of one. Records that name none, as those of older versions, are chosen as well.
	Workspace string
	Judged    bool // only calls that were judged here first, and not those that a gateway had this host run
	Since     time.Time
	Until     time.Time // exclusive
}

// clockSlack is by how much a clock may have been set back for Past to hold all the same.
const clockSlack = time.Hour

// A Finder looks for the records that a query chooses, in lines as Audit writes them. It is made for one reader.
type Finder struct {
	q     Query
	text  string   // in lower case
	must  [][]byte // what a line holds that can be chosen
	lower []byte
}

// Finder makes one.
func (q Query) Finder() *Finder {
	f := &Finder{q: q, text: foldASCII(q.Text)}
	for _, value := range []string{q.Outcome, q.Verdict, q.Session, q.Tool} {
		if value != "" && asWritten(value) {
			// Without its key: every second byte of a line is a quote, which makes the search for one slow.
			f.must = append(f.must, []byte(value+`"`))
		}
	}
	return f
}

// Find is the record of a line, nil where the query does not choose it or the line is none. Most lines that are not
// chosen are known without being read as JSON.
func (f *Finder) Find(line []byte) *Record {
	for _, m := range f.must {
		if !bytes.Contains(line, m) {
			return nil
		}
	}
	if f.text != "" && asWritten(f.text) {
		f.lower = foldBytes(f.lower[:0], line)
		if !bytes.Contains(f.lower, []byte(f.text)) {
			return nil
		}
	}
	if at, ok := lineTime(line); ok && !f.q.during(at) {
		return nil
	}
	var r Record
	if json.Unmarshal(line, &r) != nil || !f.q.during(r.Time) || !f.chosen(&r) {
		return nil
	}
	return &r
}

// Past tells whether the query can choose neither this line nor any that was written before it.
func (f *Finder) Past(line []byte) bool {
	if f.q.Since.IsZero() {
		return false
	}
	at, ok := lineTime(line)
	if !ok || !at.Before(f.q.Since.Add(-clockSlack)) {
		return false
	}
	// A record is written when the call is over, and has the time at which it began: one that took long may stand
	// behind others that began after it.
	var took struct {
		Duration float64 `json:"ms"`
		Asked    float64 `json:"asked_ms"`
	}
	if json.Unmarshal(line, &took) != nil {
		return false
	}
	end := at.Add(time.Duration((took.Duration + took.Asked) * float64(time.Millisecond)))
	return end.Before(f.q.Since.Add(-clockSlack))
}

func (q *Query) during(at time.Time) bool {
	return !at.Before(q.Since) && (q.Until.IsZero() || at.Before(q.Until))
}

func (f *Finder) chosen(r *Record) bool {
	q := &f.q
	// People know a tool of a server by its public name or by its own.
	named := q.Tool == "" || r.Name == q.Tool || r.Origin != nil && r.Origin.Name == q.Tool
	ended := q.Outcome == "" || r.Outcome == q.Outcome
	here := q.Session == "" || r.Session == q.Session
	judged := q.Verdict == "" || r.Verdict != nil && r.Verdict.Decision.String() == q.Verdict
	there := q.Workspace == "" || r.Workspace == "" || r.Workspace == q.Workspace
	own := !q.Judged || r.Gateway == ""
	return named && ended && here && there && judged && own && f.says(r)
}

// says tells whether a record has the text that is looked for.
func (f *Finder) says(r *Record) bool {
	if f.text == "" {
		return true
	}
	texts := []string{r.Name, r.Title, r.Error}
	if r.Origin != nil {
		texts = append(texts, r.Origin.Server, r.Origin.Name)
	}
	if r.Verdict != nil {
		texts = append(texts, r.Verdict.Reason, r.Verdict.Rule)
	}
	texts = append(texts, targets(r.Effects)...)
	for _, t := range texts {
		if strings.Contains(foldASCII(t), f.text) {
			return true
		}
	}
	return false
}

func targets(effects []tool.Effect) (out []string) {
	for _, e := range effects {
		out = append(out, e.Target)
	}
	return out
}

const timeKey = `{"time":"`

// lineTime is the time of a line, which comes first in it.
func lineTime(line []byte) (at time.Time, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(timeKey))
	if !ok {
		return at, false
	}
	text, _, ok := bytes.Cut(rest[:min(len(rest), 40)], []byte(`"`))
	if !ok {
		return at, false
	}
	at, err := time.Parse(time.RFC3339Nano, string(text))
	return at, err == nil
}

// asWritten tells whether JSON writes a text as it is, without an escape.
func asWritten(s string) bool {
	b, err := json.Marshal(s)
	return err == nil && string(b) == `"`+s+`"`
}

// foldASCII writes the letters of ASCII in lower case, and leaves all others as they are: byte for byte, so that it is
// the same in a text and in the line that holds it.
func foldASCII(s string) string { return string(foldBytes(nil, []byte(s))) }

func foldBytes(dst, src []byte) []byte {
	for _, c := range src {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}
