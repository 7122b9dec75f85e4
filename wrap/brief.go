package wrap

import (
	"encoding/json"
	"strconv"
	"time"

	rawjson "helve/internal/json"
	"helve/tool"
)

// A Brief is what charts want of a record: it is read several times faster than the whole.
type Brief struct {
	Time     time.Time
	Name     string // as it was called
	Source   string // of the tool; "": no tool has the name
	Outcome  string
	Run      bool    // a gateway judged it, and has it on its record, too: this host ran it
	Duration float64 // milliseconds, without those of Asked
	Asked    float64
	Out, Cut int // bytes
}

// A BriefReader reads Briefs. It is made for one reader.
type BriefReader struct {
	fields [9]json.RawMessage
	known  map[string]string // texts that were read before
}

// briefKeys are the members that it looks at, in the order of their uses below.
var briefKeys = []string{"time", "name", "origin", "outcome", "ms", "asked_ms", "out", "cut", "gateway"}

// maxKnown bounds the texts that are remembered: names of tools, sources and outcomes are few, unless somebody makes
// them up.
const maxKnown = 10_000

// Read reads a line as Audit writes them. ok tells whether it is one.
func (r *BriefReader) Read(line []byte) (b Brief, ok bool) {
	r.fields = [len(r.fields)]json.RawMessage{}
	if rawjson.Pick(line, briefKeys, r.fields[:]) != nil {
		return b, false
	}
	at, ok := lineTime(line)
	if !ok && json.Unmarshal(r.fields[0], &at) != nil {
		return b, false
	}
	b.Time = at
	b.Name = r.text(r.fields[1])
	b.Source = r.source(r.fields[2])
	b.Outcome = r.text(r.fields[3])
	b.Duration, b.Asked = number(r.fields[4]), number(r.fields[5])
	b.Out, b.Cut = int(number(r.fields[6])), int(number(r.fields[7]))
	b.Run = len(r.fields[8]) > 0
	return b, b.Outcome != ""
}

// text is a string, of which there are not many.
func (r *BriefReader) text(raw json.RawMessage) string {
	if s, ok := r.known[string(raw)]; ok {
		return s
	}
	s, _ := rawjson.String(raw)
	r.keep(raw, s)
	return s
}

// source is what an origin names.
func (r *BriefReader) source(raw json.RawMessage) string {
	if s, ok := r.known[string(raw)]; ok {
		return s
	}
	var o *tool.Origin
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil || o == nil {
		return ""
	}
	r.keep(raw, o.Source())
	return o.Source()
}

func (r *BriefReader) keep(raw json.RawMessage, s string) {
	if r.known == nil || len(r.known) >= maxKnown {
		r.known = map[string]string{}
	}
	r.known[string(raw)] = s
}

// number is a number; 0 where there is none.
func number(raw json.RawMessage) float64 {
	n, _ := strconv.ParseFloat(string(raw), 64) // NaN and infinity are no JSON
	return n
}
