package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	rawjson "helve/internal/json"
)

// A Schema describes the arguments of one tool. It is immutable and safe for concurrent use; a nil
// *Schema, like the zero one, accepts any object. Compiling waits for the first Check, Repair or
// Notes and is shared by equal schemas.
type Schema struct {
	raw   []byte        // compact; nil means openSchema
	later func() []byte // makes raw when it is first wanted; nil: it is there

	once struct{ digest, compiled, properties sync.Once }
	// Written once, by the sync.Once of the same name.
	digest     string
	compiled   *compiled
	properties []Property
}

const openSchema = `{"type":"object"}`

// Parse reads a foreign schema. Nothing, null and what is not an object stand for the schema of any
// object. The guard refuses schemas that are not JSON, too large, too deep, that loop or explode
// when validated, or that refer to other documents. What is only sloppy (a keyword with a wrong
// value, a dangling reference, a pattern that Go cannot compile) is accepted and not enforced: see
// Notes. Parse keeps no reference to raw.
func Parse(raw json.RawMessage) (*Schema, error) {
	if len(raw) > MaxSchema {
		return nil, fmt.Errorf("schema: %d bytes, at most %d are taken", len(raw), MaxSchema)
	}
	if blank := (rawjson.Scanner{Src: raw}); blank.Peek() == 0 && blank.Pos == len(raw) {
		return &Schema{}, nil
	}
	root, err := rawjson.Read(raw, maxSchemaDepth)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if root.Kind != rawjson.KindObject {
		return &Schema{}, nil
	}
	if err := guardTree(&root); err != nil {
		return nil, fmt.Errorf("schema: refused: %w", err)
	}
	return &Schema{raw: rawjson.Compact(raw)}, nil
}

// JSON returns the schema as it was given, without white space, properties in their order. Do not
// change it.
func (s *Schema) JSON() json.RawMessage {
	switch {
	case s != nil && s.later != nil:
		return s.later()
	case s == nil || s.raw == nil:
		return json.RawMessage(openSchema)
	}
	return s.raw
}

// Digest returns the SHA-256, in hex, of the canonical JSON: two spellings or property orders of
// one schema agree.
func (s *Schema) Digest() string {
	if s == nil {
		return new(Schema).Digest()
	}
	s.once.digest.Do(func() {
		root := s.tree()
		sum := sha256.Sum256(root.AppendCanonical(nil, nil))
		s.digest = hex.EncodeToString(sum[:])
	})
	return s.digest
}

// Notes says what validation ignores, sorted: patterns that Go cannot compile, dangling references,
// keywords with values that mean nothing. It compiles the schema.
func (s *Schema) Notes() []string {
	return slices.Clone(s.compile().notes)
}

// tree parses the schema again: most schemas are never looked into, so the tree is not kept.
func (s *Schema) tree() *node {
	root, _ := rawjson.Read(s.JSON(), maxSchemaDepth+reserve)
	return &root
}

// reserve lets schemas of Go types, which no guard has seen, nest somewhat deeper than foreign
// ones.
const reserve = 64

// compile is done at the first use: of ten thousand registered tools most are never called.
func (s *Schema) compile() *compiled {
	if s == nil {
		return new(Schema).compile()
	}
	s.once.compiled.Do(func() { s.compiled = shared.get(s) })
	return s.compiled
}

// shared holds compiled schemas by digest. It is the one global of the package and changes nothing
// but speed.
var shared cache

// A cache keeps the latest maxCompiled compiled schemas; the oldest leave first.
type cache struct {
	mu    sync.Mutex
	forms map[string]*compiled
	order []string
}

// get shares what equal schemas need: servers list the same tool to every session.
func (c *cache) get(s *Schema) *compiled {
	key := s.Digest()
	c.mu.Lock()
	form := c.forms[key]
	c.mu.Unlock()
	if form != nil {
		return form
	}
	form = compileTree(s.tree())
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.forms[key]; first != nil {
		return first
	}
	if c.forms == nil {
		c.forms = map[string]*compiled{}
	}
	if len(c.order) >= maxCompiled {
		delete(c.forms, c.order[0])
		c.order = c.order[1:]
	}
	c.forms[key] = form
	c.order = append(c.order, key)
	return form
}
