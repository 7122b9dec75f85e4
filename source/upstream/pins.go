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
	"strings"

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

func (s *Source) pinFile() string { return "pins-" + names.Public(s.cfg.Name) + ".json" }

// A PinStore keeps for several processes what was approved, as a text for each server. Update changes one as a whole:
// change gets what stands, nil if there is nothing, and is called again where another process was quicker. Methods are
// safe for concurrent use.
type PinStore interface {
	Read(name string) ([]byte, error) // nil: there is none
	Update(name string, change func(old []byte) ([]byte, error)) error
}

// pinned tells whether definitions have to stay what they were.
func (s *Source) pinned() bool { return !s.cfg.Unpinned && (s.o.StateDir != "" || s.o.Pins != nil) }

// loadPins reads what was approved, by this program or another. The error says that it cannot be known.
func (s *Source) loadPins() (*pins, error) {
	if s.o.Pins == nil {
		return s.localPins(), nil
	}
	b, err := s.o.Pins.Read(s.pinFile())
	if err != nil {
		return nil, err
	}
	p, err := s.parsePins(b)
	if err == nil && len(p.Tools) > 0 {
		s.seen = p
	}
	return p, err
}

// parsePins reads the text of a PinStore. One that has nothing may have lost it, so that what this process saw there
// counts then, and what this machine knows. Pins of another configuration are none.
func (s *Source) parsePins(b []byte) (*pins, error) {
	switch {
	case b == nil && s.seen != nil:
		return &pins{Server: s.seen.Server, Tools: maps.Clone(s.seen.Tools)}, nil
	case b == nil:
		return s.localPins(), nil
	}
	in := &pins{}
	if err := json.Unmarshal(b, in); err != nil {
		return nil, fmt.Errorf("what is kept of %s: %w", s.cfg.Name, err)
	}
	if in.Server != s.digest || in.Tools == nil {
		return s.noPins(), nil
	}
	return in, nil
}

func (s *Source) noPins() *pins { return &pins{Server: s.digest, Tools: map[string]pin{}} }

// localPins are those of StateDir. A file that cannot be read has none.
func (s *Source) localPins() *pins {
	if s.o.StateDir == "" {
		return s.noPins()
	}
	b, err := os.ReadFile(filepath.Join(s.o.StateDir, s.pinFile()))
	if errors.Is(err, fs.ErrNotExist) {
		return s.noPins()
	}
	in := &pins{}
	if err == nil {
		err = json.Unmarshal(b, in)
	}
	switch {
	case err != nil:
		s.warn("what was approved cannot be read; every definition counts as new", "error", err)
	case in.Server == s.digest && in.Tools != nil:
		return in
	}
	return s.noPins()
}

// changePins changes what was approved, and is what stands then. change may be called more than once.
func (s *Source) changePins(change func(*pins)) (*pins, error) {
	var now *pins
	var text []byte
	apply := func(old []byte) ([]byte, error) {
		var err error
		if now, err = s.parsePins(old); err != nil {
			return nil, err
		}
		change(now)
		text, err = json.Marshal(now)
		return text, err
	}
	var err error
	if s.o.Pins != nil {
		err = s.o.Pins.Update(s.pinFile(), apply)
		if err == nil {
			s.seen = now
		}
	} else {
		_, err = apply(nil)
	}
	if err == nil && s.o.StateDir != "" {
		_, err = tool.DirStore(s.o.StateDir).Put(s.pinFile(), bytes.NewReader(text))
	}
	return now, err
}

// compare tells what is not as it was approved, and if pinNew says so pins what is
// new.
func (s *Source) compare(defs map[string]json.RawMessage, pinNew bool) map[string]*Change {
	if !s.pinned() {
		return nil
	}
	s.pinning.Lock()
	defer s.pinning.Unlock()
	p, err := s.loadPins()
	if err != nil {
		s.warn("what was approved cannot be read; no definition counts as approved", "error", err)
		return changesOf(s.noPins(), defs, true)
	}
	if pinNew && slices.ContainsFunc(slices.Collect(maps.Keys(defs)), p.lacks) {
		stands, err := s.changePins(func(p *pins) { p.add(defs) })
		switch {
		case err == nil:
			p = stands // another process may have been quicker
		case s.o.Pins == nil:
			s.warn("the definitions could not be pinned", "error", err)
		default:
			s.warn("the definitions could not be pinned; no new one is used", "error", err)
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

// Changes are the definitions of the lists in use, or remembered, that differ
// from what was approved, by name.
func (s *Source) Changes() []Change {
	found := map[string]*Change{}
	for _, l := range s.everyList() {
		defs, _ := s.definitions(l)
		for name, c := range s.compare(byName(defs), false) {
			if found[name] == nil {
				found[name] = c
			}
		}
	}
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, *found[name])
	}
	return out
}

// everyList are the lists in use, and those remembered of sessions whose clients
// can be asked for more: they have tools that the common list has not.
func (s *Source) everyList() []*listing {
	var out []*listing
	for _, v := range s.allViews() {
		v.mu.Lock()
		if v.list != nil {
			out = append(out, v.list)
		}
		v.mu.Unlock()
	}
	if len(out) == 0 || s.o.CacheDir == "" {
		return out
	}
	files, _ := filepath.Glob(filepath.Join(s.o.CacheDir, "mcp-"+s.key+"-*.json")) // a fixed pattern
	for _, f := range files {
		if l := s.stored(filepath.Base(f)); l != nil && strings.HasPrefix(l.Where, s.cfg.Dir) {
			out = append(out, l)
		}
	}
	return out
}

// Changed is the change of one tool's definition in a list as it was last made
// into tools. It costs nothing.
func (s *Source) Changed(tool string) (Change, bool) {
	for _, v := range s.allViews() {
		v.mu.Lock()
		c := v.changed[tool]
		v.mu.Unlock()
		if c != nil {
			return *c, true
		}
	}
	return Change{}, false
}

// Accept pins the definition that a change brought, and nothing else: what was
// shown is what counts. The next listing has it, without asking the server
// again.
func (s *Source) Accept(c Change) error {
	s.pinning.Lock()
	defer s.pinning.Unlock()
	_, err := s.changePins(func(p *pins) { p.approve(c) })
	if err != nil {
		return fmt.Errorf("mcp server %s: %w", s.cfg.Name, err)
	}
	for _, v := range s.allViews() {
		v.again()
	}
	return nil
}

// Approve pins the definitions as they are now, of the named tools or of all.
// The next listing has them.
func (s *Source) Approve(tools ...string) error {
	changes := s.Changes()
	for _, name := range tools {
		if !slices.ContainsFunc(changes, func(c Change) bool { return c.Tool == name }) {
			return fmt.Errorf("mcp server %s: the definition of %q is not changed", s.cfg.Name, name)
		}
	}
	if len(changes) == 0 {
		return nil
	}
	s.pinning.Lock()
	defer s.pinning.Unlock()
	_, err := s.changePins(func(p *pins) {
		for _, c := range changes {
			if len(tools) == 0 || slices.Contains(tools, c.Tool) {
				p.approve(c)
			}
		}
	})
	for _, v := range s.allViews() {
		v.stale()
	}
	return err
}

// approve pins what a change brought.
func (p *pins) approve(c Change) { p.Tools[c.Tool] = pin{digestOf(c.after), string(c.after)} }
