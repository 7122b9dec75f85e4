package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"helve/tool"
)

// awayTime is for how long a server that did not answer within its time is not
// waited for again by those who only want to know what there is: long enough
// for a few commands in a row, short enough for whoever mends the server.
const awayTime = 2 * time.Minute

// ErrAway says that a server did not answer in time shortly before, so that the
// first listing did not ask it again. Later listings do.
var ErrAway = errors.New("not asked again so soon")

// errSlow says that the start time-out is over.
var errSlow = errors.New("it did not answer")

// An absence is what is remembered of a server that did not answer in its time.
type absence struct {
	Server string        `json:"server"` // key of the definition
	Waited time.Duration `json:"waited"` // nanoseconds
	At     time.Time     `json:"at"`
}

func (s *Source) awayFile() string { return "mcp-" + s.key + ".away.json" }

// away tells that the server did not answer shortly before; nil where nothing
// is known.
func (s *Source) away() error {
	if s.o.CacheDir == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(s.o.CacheDir, s.awayFile()))
	if err != nil {
		return nil
	}
	var in absence
	if json.Unmarshal(b, &in) != nil || in.Server != s.key {
		return nil
	}
	age := time.Since(in.At)
	if age < 0 || age > awayTime || s.cfg.StartTimeout > in.Waited {
		return nil
	}
	return fmt.Errorf("mcp server %s: it did not answer within %v, %v ago: %w (helve mcp test %s asks now)",
		s.cfg.Name, in.Waited, age.Round(time.Second), ErrAway, s.cfg.Name)
}

// absent remembers that the server did not answer in its time.
func (s *Source) absent() {
	if s.o.CacheDir == "" {
		return
	}
	b, _ := json.Marshal(absence{s.key, s.cfg.StartTimeout, time.Now()}) // strings and numbers
	// What cannot be remembered is waited for again.
	tool.DirStore(s.o.CacheDir).Put(s.awayFile(), bytes.NewReader(b))
}

// back forgets it.
func (s *Source) back() {
	if s.o.CacheDir != "" {
		os.Remove(filepath.Join(s.o.CacheDir, s.awayFile())) // mostly there is none
	}
}
