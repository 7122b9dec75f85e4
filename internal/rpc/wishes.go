package rpc

import "sync/atomic"

// Wishes are what a client of the session protocol wants of all its requests. A
// server keeps them with the client's session; a source of tools finds them
// there and tells its servers.
type Wishes struct {
	level atomic.Pointer[string]
}

// defaultLevel is what a client hears of that has not said what it wants: how
// far the work is, not how it is done.
const defaultLevel = "info"

// Level is the least urgent level of log messages that the client wants.
func (w *Wishes) Level() string {
	if l := w.level.Load(); l != nil {
		return *l
	}
	return defaultLevel
}

// Chosen tells whether the client has said which level it wants.
func (w *Wishes) Chosen() bool { return w.level.Load() != nil }

// SetLevel notes that the client wants messages of this level, and more urgent
// ones.
func (w *Wishes) SetLevel(level string) { w.level.Store(&level) }
