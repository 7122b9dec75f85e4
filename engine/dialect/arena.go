package dialect

// An arena hands out the small things of one conversion from larger pieces. They are reused for the next tool, unless something of this
// one must stay. A nil arena takes everything from the heap. It is used by one goroutine.
type arena struct {
	nodes   slab[node]
	refs    slab[*node]
	places  slab[place]
	shapes  slab[shape]
	scratch []node // of the parser
	bytes   []byte // where schemas are written out
	keep    bool   // an undo holds nodes: they are not reused
}

// reset says that the conversion is over.
func (a *arena) reset() {
	if a.keep {
		a.nodes, a.keep = slab[node]{}, false
	}
	a.nodes.reset()
	a.refs.reset()
	a.places.reset()
	a.shapes.reset()
	a.bytes = a.bytes[:0]
}

// How many a slab allocates at once: a tool of usual size needs no second piece.
const (
	small = 512
	large = 64 // of shapes, which are larger
)

// A slab hands out parts of larger slices.
type slab[T any] struct {
	all  []T
	used int
}

// take returns an empty slice with room for n, from a piece of the given size.
func (s *slab[T]) take(n, piece int) []T {
	if n > len(s.all)-s.used {
		if n > piece/4 {
			return make([]T, 0, n)
		}
		s.all, s.used = make([]T, piece), 0
	}
	out := s.all[s.used : s.used : s.used+n]
	s.used += n
	return out
}

func (s *slab[T]) reset() {
	clear(s.all[:s.used])
	s.used = 0
}

func (s *slab[T]) one(piece int) *T { return &s.take(1, piece)[:1][0] }

// kids is room for n nodes.
func (a *arena) kids(n int) []node {
	if a == nil {
		return make([]node, 0, n)
	}
	return a.nodes.take(n, small)
}

func (a *arena) object(members ...node) node {
	return node{kind: '{', kids: append(a.kids(max(usual, len(members))), members...)}
}

func (a *arena) array(items ...node) node {
	return node{kind: '[', kids: append(a.kids(len(items)), items...)}
}

func (a *arena) textList(list []string) node {
	out := node{kind: '[', kids: a.kids(len(list))}
	for _, s := range list {
		out.kids = append(out.kids, text(s))
	}
	return out
}

// typed starts a schema of one type.
func (a *arena) typed(typ string) node { return a.object(named("type", text(typ))) }

func (a *arena) step(up *place, key string) *place {
	if a == nil {
		return up.to(key)
	}
	p := a.places.one(small)
	p.up, p.key = up, key
	return p
}

func (a *arena) shape() *shape {
	if a == nil {
		return &shape{}
	}
	return a.shapes.one(large)
}

// pointers is room for n members of a schema.
func (a *arena) pointers(n int) []*node {
	if a == nil {
		return make([]*node, 0, n)
	}
	return a.refs.take(n, small)
}
