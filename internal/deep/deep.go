// Package deep has goroutines that live as long as one call begin with the stack that the call needs.
package deep

// room is that in bytes: what a call of most tools comes to, by trial among 4, 8 and 16 KB.
const room = 15 << 10

// Stack makes the stack of a new goroutine large. Grown on the way it is copied each time that it doubles, with all
// frames that stand on it by then, whose tables are looked up in the program: a twentieth of a small call.
func Stack() { below(0) }

// below takes the room; the runtime makes place for it at once.
//
//go:noinline
func below(i int) byte {
	var b [room]byte
	return b[i]
}
