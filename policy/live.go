package policy

import (
	"sync"
	"sync/atomic"

	"helve/tool"
)

// Live are Rules that can be exchanged while kits go by them: each call is judged by those that stand when it is
// judged, and kits list anew. Methods are safe for concurrent use. Make one with NewLive.
type Live struct {
	mu  sync.Mutex // held to exchange them
	now atomic.Pointer[standing]
}

var (
	_ tool.Policy    = (*Live)(nil)
	_ tool.Announcer = (*Live)(nil)
)

// standing are rules with the number of their exchange.
type standing struct {
	rules    *Rules
	revision uint64
	over     chan struct{} // closed when others stand
}

// NewLive has these rules stand.
func NewLive(r *Rules) *Live {
	l := &Live{}
	l.now.Store(&standing{rules: r, over: make(chan struct{})})
	return l
}

// Set exchanges the rules. What was allowed and runs goes on.
func (l *Live) Set(r *Rules) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.now.Load()
	l.now.Store(&standing{
		rules:    r,
		revision: old.revision + 1,
		over:     make(chan struct{}),
	})
	close(old.over)
}

// Rules are those that stand. They never change.
func (l *Live) Rules() *Rules { return l.now.Load().rules }

// Lists is that of the rules.
func (l *Live) Lists(s *tool.Spec) tool.Verdict { return l.Rules().Lists(s) }

// Judge is that of the rules.
func (l *Live) Judge(j *tool.Job) tool.Verdict { return l.Rules().Judge(j) }

// Denies is that of the rules.
func (l *Live) Denies(kind tool.Kind, target string) bool { return l.Rules().Denies(kind, target) }

// Revision counts the exchanges.
func (l *Live) Revision() uint64 { return l.now.Load().revision }

// Changed is closed when other rules stand than now.
func (l *Live) Changed() <-chan struct{} { return l.now.Load().over }
