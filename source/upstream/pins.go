package upstream

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	lines "helve/internal/diff"
	rawjson "helve/internal/json"
	"helve/internal/names"
	"helve/tool"
)

// pins are the definitions that somebody saw, or could have seen, when the
// server was first listed. A definition that is another now is not used until
// it is approved: a server must not turn into another under the same name.
type pins struct {
	Server string         `json:"server"` // digest of the configuration
	Tools  map[string]pin `json:"tools"`
}

type pin struct {
	Digest     string `json:"digest"`     // of the canonical definition
	Definition string `json:"definition"` // as text, so that it keeps its bytes
}

// approvals are the pins of a server, as this process has seen them last.
type approvals struct {
	*server

	mu   sync.Mutex // held while what was approved is read and written
	seen *pins      // what a PinStore had last; nil: nothing yet
}

// A Change is a definition that is not the one that was approved.
type Change struct {
	Tool   string `json:"tool"`
	Diff   string `json:"diff"` // unified, of the two definitions
	before json.RawMessage
	after  json.RawMessage
}

// Digest names what changed into what.
func (c *Change) Digest() string { return digestOf(c.before)[:16] + digestOf(c.after)[:16] }

// relied are the parts of a definition that a model or a person relies on.
var relied = []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations"}

// canonical is those parts in one spelling.
func canonical(def json.RawMessage) []byte {
	b, _ := json.Marshal(parts(def)) // what was decoded can be encoded
	return b
}

func parts(def json.RawMessage) map[string]any {
	parts := map[string]any{}
	for _, k := range relied {
		if v := rawjson.Get(def, k); v != nil {
			d := json.NewDecoder(bytes.NewReader(v))
			d.UseNumber()
			var x any
			if d.Decode(&x) == nil {
				parts[k] = x
			}
		}
	}
	return parts
}

func digestOf(def json.RawMessage) string {
	sum := sha256.Sum256(canonical(def))
	return hex.EncodeToString(sum[:])
}

func (a *approvals) file() string { return "pins-" + names.Public(a.cfg.Name) + ".json" }

// pinned tells whether definitions have to stay what they were.
func (a *approvals) pinned() bool { return !a.cfg.Unpinned && (a.o.StateDir != "" || a.o.Pins != nil) }

// load reads what was approved, by this program or another. The error says that it cannot be known.
func (a *approvals) load() (*pins, error) {
	if a.o.Pins == nil {
		return a.local(), nil
	}
	b, err := a.o.Pins.Read(a.file())
	if err != nil {
		return nil, err
	}
	p, err := a.parse(b)
	if err == nil && len(p.Tools) > 0 {
		a.seen = p
	}
	return p, err
}

// parse reads the text of a PinStore. One that has nothing may have lost it, so that what this process saw there
// counts then, and what this machine knows. Pins of another configuration are none.
func (a *approvals) parse(b []byte) (*pins, error) {
	switch {
	case b == nil && a.seen != nil:
		return &pins{Server: a.seen.Server, Tools: maps.Clone(a.seen.Tools)}, nil
	case b == nil:
		return a.local(), nil
	}
	in := &pins{}
	if err := json.Unmarshal(b, in); err != nil {
		return nil, fmt.Errorf("what is kept of %s: %w", a.cfg.Name, err)
	}
	if in.Server != a.digest || in.Tools == nil {
		return a.none(), nil
	}
	return in, nil
}

func (a *approvals) none() *pins { return &pins{Server: a.digest, Tools: map[string]pin{}} }

// local are those of StateDir. A file that cannot be read has none.
func (a *approvals) local() *pins {
	if a.o.StateDir == "" {
		return a.none()
	}
	b, err := os.ReadFile(filepath.Join(a.o.StateDir, a.file()))
	if errors.Is(err, fs.ErrNotExist) {
		return a.none()
	}
	in := &pins{}
	if err == nil {
		err = json.Unmarshal(b, in)
	}
	switch {
	case err != nil:
		a.warn("what was approved cannot be read; every definition counts as new", "error", err)
	case in.Server == a.digest && in.Tools != nil:
		return in
	}
	return a.none()
}

// change changes what was approved, and is what stands then. change may be called more than once.
func (a *approvals) change(change func(*pins)) (*pins, error) {
	var now *pins
	var text []byte
	apply := func(old []byte) ([]byte, error) {
		var err error
		if now, err = a.parse(old); err != nil {
			return nil, err
		}
		change(now)
		text, err = json.Marshal(now)
		return text, err
	}
	var err error
	if a.o.Pins != nil {
		err = a.o.Pins.Update(a.file(), apply)
		if err == nil {
			a.seen = now
		}
	} else {
		_, err = apply(nil)
	}
	if err == nil && a.o.StateDir != "" {
		_, err = tool.DirStore(a.o.StateDir).Put(a.file(), bytes.NewReader(text))
	}
	return now, err
}

// compare tells what is not as it was approved, and if pinNew says so pins what is
// new.
func (a *approvals) compare(defs map[string]json.RawMessage, pinNew bool) map[string]*Change {
	if !a.pinned() {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p, err := a.load()
	if err != nil {
		a.warn("what was approved cannot be read; no definition counts as approved", "error", err)
		return changesOf(a.none(), defs, true)
	}
	if pinNew && slices.ContainsFunc(slices.Collect(maps.Keys(defs)), p.lacks) {
		stands, err := a.change(func(p *pins) { p.add(defs) })
		switch {
		case err == nil:
			p = stands // another process may have been quicker
		case a.o.Pins == nil:
			a.warn("the definitions could not be pinned", "error", err)
		default:
			a.warn("the definitions could not be pinned; no new one is used", "error", err)
			return changesOf(p, defs, true)
		}
	}
	return changesOf(p, defs, false)
}

func (p *pins) lacks(name string) bool {
	_, has := p.Tools[name]
	return !has
}

// add pins what is new.
func (p *pins) add(defs map[string]json.RawMessage) {
	for name, def := range defs {
		if p.lacks(name) {
			p.Tools[name] = pin{digestOf(def), string(def)}
		}
	}
}

// changesOf are the definitions that are not as they were pinned, those that are new, too, if strict says so.
func changesOf(p *pins, defs map[string]json.RawMessage, strict bool) map[string]*Change {
	out := map[string]*Change{}
	for name, def := range defs {
		old := p.Tools[name]
		if p.lacks(name) && !strict || old.Definition == string(def) || old.Digest == digestOf(def) {
			continue
		}
		before := json.RawMessage(old.Definition)
		out[name] = &Change{
			Tool:   name,
			Diff:   diff(before, def),
			before: before,
			after:  def,
		}
	}
	return out
}

// diff is for people: what hides in a definition is left out of it.
func diff(before, after json.RawMessage) string {
	change := lines.Of(indented(before), indented(after), lines.Options{})
	d, _ := rawjson.Visible(change.Unified("approved", "now"))
	return d
}

func indented(def json.RawMessage) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // people read it
	e.SetIndent("", "  ")
	if e.Encode(parts(def)) != nil {
		return string(def)
	}
	return b.String()
}

// approve pins what changes brought, and nothing else: what was shown is what counts.
func (a *approvals) approve(changes ...Change) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := a.change(func(p *pins) {
		for _, c := range changes {
			p.Tools[c.Tool] = pin{digestOf(c.after), string(c.after)}
		}
	})
	return err
}
