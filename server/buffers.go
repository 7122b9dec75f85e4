package server

import "sync"

// maxSpare is the largest buffer that is kept for the next answer.
const maxSpare = 1 << 20

// A spares keeps buffers that answers were written in: of large ones, new
// memory each time is most of what they cost.
type spares struct{ pool sync.Pool }

func (s *spares) take(size int) []byte {
	if b, ok := s.pool.Get().(*[]byte); ok && cap(*b) >= size {
		return (*b)[:0]
	}
	return make([]byte, 0, size)
}

func (s *spares) give(b []byte) {
	if cap(b) <= maxSpare {
		s.pool.Put(&b)
	}
}
