package meaning

import (
	"bytes"
	"math"
	"regexp"
	"strings"
	"sync"
)

// Accepts counts the parameters in the head of a function; false: they cannot be counted.
func (r *Rules) Accepts(head []byte, name string, method bool) (Accepted, bool) {
	at := callOf(head, name)
	if at < 0 {
		return Accepted{}, false
	}
	list, end := separated(head[at:])
	if end == 0 {
		return Accepted{}, false
	}
	if r.receiver && method {
		if len(list) == 0 || bytes.Contains(head[:at], []byte("staticmethod")) {
			return Accepted{}, false
		}
		list = list[1:] // the object or the class
	}
	a := Accepted{}
	for _, p := range list {
		switch {
		case len(p) == 0:
			return Accepted{}, false
		case strings.IndexByte(r.marks, p[0]) >= 0:
			return Accepted{}, false
		case bytes.Contains(p, []byte("...")):
			a.Most = math.MaxInt32
			return a, true
		case bytes.IndexByte(p, '=') >= 0 || optional().Match(p):
		default:
			a.Least++
		}
		a.Most++
	}
	return a, true
}

// optional is a parameter of TypeScript that may be left out.
var optional = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\w\s]+\?`)
})
