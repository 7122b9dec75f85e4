package change

// The names in a folder to which a layer was saved.
const (
	savedTree = "tree"   // what the layer held
	savedList = "hidden" // what its overlay noted beside that, as JSON: written last, so that what has it is whole
)

// A hiding is what an overlay noted in its upper layer: paths from the layer's top. Nil: nothing is a note.
type hiding struct {
	Gone   []Name `json:"gone,omitempty"`   // what is not there any more
	Opaque []Name `json:"opaque,omitempty"` // directories that hide all that was in them
	Copied []Name `json:"copied,omitempty"` // directories that came from below

	Changed map[Name]int64 `json:"changed,omitempty"` // when files were changed, which copying them tells anew
}

// copied takes down when a file was changed.
func (h *hiding) copied(e Entry, path Name) {
	if h == nil || len(h.Changed) >= maxTouched {
		return
	}
	if h.Changed == nil {
		h.Changed = map[Name]int64{}
	}
	h.Changed[path] = e.Changed
}

// whiteout takes an entry down that only says that something is gone, and reports it.
func (h *hiding) whiteout(e Entry, path Name) bool {
	if h == nil || !e.isWhiteout() {
		return false
	}
	h.Gone = append(h.Gone, path)
	return true
}

// hidden is a hiding to look things up in.
type hidden struct {
	names  map[Name][]string // by directory, what is gone from it
	paths  map[Name]bool     // what is gone
	covers map[Name]bool     // the opaque directories
	came   map[Name]bool     // the directories that came from below
	times  map[Name]int64    // when files were changed
}

// index sorts a hiding for a reader.
func (h *hiding) index() *hidden {
	out := &hidden{
		names:  map[Name][]string{},
		paths:  map[Name]bool{},
		covers: map[Name]bool{},
		came:   map[Name]bool{},
		times:  h.Changed,
	}
	for _, path := range h.Gone {
		up := Place{Path: path}.Parent().Path
		out.names[up] = append(out.names[up], base(path))
		out.paths[path] = true
	}
	for _, path := range h.Opaque {
		out.covers[path] = true
	}
	for _, path := range h.Copied {
		out.came[path] = true
	}
	return out
}

// in lists what is gone from a directory.
func (h *hidden) in(dir Name) []string {
	if h == nil {
		return nil
	}
	return h.names[dir]
}

// changed is when a file was changed that was copied since.
func (h *hidden) changed(path Name) (int64, bool) {
	if h == nil {
		return 0, false
	}
	t, known := h.times[path]
	return t, known
}

// gone reports a path at which nothing is any more.
func (h *hidden) gone(path Name) bool { return h != nil && h.paths[path] }

// opaque reports a directory of which nothing is there that the layer does not hold.
func (h *hidden) opaque(path Name) bool { return h != nil && h.covers[path] }

// copied reports a directory that the overlay had from below.
func (h *hidden) copied(path Name) bool { return h != nil && h.came[path] }
