package dialect

import rawjson "helve/internal/json"

// An arena hands out the small things of one conversion from larger pieces: without it, most of the time goes into
// allocating them. They are reused for the next tool, unless something of this one must stay. It is used by one
// goroutine.
type arena struct {
	nodes  slab[node]
	refs   slab[*node]
	places slab[place]
	shapes slab[shape]
	reader rawjson.Reader
	bytes  []byte // where schemas are written out
	keep   bool   // an undo holds nodes: they are not reused
}

// newArena is an arena for the tools of one set.
func newArena() *arena {
	a := &arena{}
	a.reader = rawjson.Reader{Loose: true, Lazy: true, Take: a.kids}
	return a
}

// reset says that the conversion is over.
func (a *arena) reset() {
	if a.keep {
		a.nodes.leave()
		a.keep = false
	}
	a.nodes.used = 0
	a.refs.used = 0
	a.places.used = 0
	a.shapes.clear() // a shape is filled field by field: it must begin empty
	a.bytes = a.bytes[:0]
}

// release ends the use of the arena. An undo may hold a piece of nodes, and what else is in it must not stay with it.
func (a *arena) release() { clear(a.nodes.all) }

// How many a slab allocates at once: a tool of usual size needs no second piece.
const (
	small = 512
	large = 64 // of shapes, which are larger
)

// A slab hands out parts of larger slices. A part that was used before holds what was there: whoever takes it fills it.
type slab[T any] struct {
	all  []T
	used int
}

// take returns an empty slice with room for n, from a piece of the given size.
func (s *slab[T]) take(n, piece int) []T {
	if n > len(s.all)-s.used {
		if n > piece/4 { // a new piece would be gone at once
			return make([]T, 0, n)
		}
		s.all = make([]T, piece)
		s.used = 0
	}
	start := s.used
	s.used += n
	return s.all[start:start:s.used]
}

func (s *slab[T]) one(piece int) *T {
	part := s.take(1, piece)
	return &part[:1][0]
}

// leave lets go of what was handed out: only the rest of the piece is used from now on.
func (s *slab[T]) leave() {
	s.all = s.all[s.used:]
	s.used = 0
}

// clear takes everything back and makes it zero again.
func (s *slab[T]) clear() {
	clear(s.all[:s.used])
	s.used = 0
}

// parse reads a schema; its nodes are the arena's.
func (a *arena) parse(b []byte) (node, bool) {
	n, err := a.reader.Read(b)
	return n, err == nil
}

// kids is room for n nodes.
func (a *arena) kids(n int) []node { return a.nodes.take(n, small) }

// pointers is room for n members of a schema.
func (a *arena) pointers(n int) []*node { return a.refs.take(n, small) }

func (a *arena) shape() *shape { return a.shapes.one(large) }

func (a *arena) step(up *place, key string) *place {
	p := a.places.one(small)
	p.up = up
	p.key = key
	return p
}

func (a *arena) object(members ...node) node {
	kids := a.kids(max(usual, len(members)))
	return node{Kind: rawjson.KindObject, Kids: append(kids, members...)}
}

func (a *arena) array(items ...node) node {
	kids := a.kids(len(items))
	return node{Kind: rawjson.KindArray, Kids: append(kids, items...)}
}

func (a *arena) textList(list []string) node {
	out := node{Kind: rawjson.KindArray, Kids: a.kids(len(list))}
	for _, s := range list {
		out.Kids = append(out.Kids, text(s))
	}
	return out
}

// typed starts a schema of one type.
func (a *arena) typed(typ string) node { return a.object(named("type", text(typ))) }
