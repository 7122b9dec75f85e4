package server

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"helve/tool"
)

// A client whose stream broke, and that says nothing else, is gone after a minute; one that never had a stream, that
// comes back, or that still has a call is not.
func TestAClientIsGoneWhenItsStreamBroke(t *testing.T) {
	const soon, long = goneTime / 2, 2 * goneTime
	for name, c := range map[string]struct {
		does func(p *presence)
		want string
	}{
		"it never had a stream":    {func(p *presence) { p.come(); p.leave(); time.Sleep(long) }, ""},
		"it ended its stream well": {func(p *presence) { p.come(); p.leave(); time.Sleep(long) }, ""},
		"its stream broke":         {func(p *presence) { p.come(); p.lost(); p.leave(); time.Sleep(long) }, "gone "},
		"it was back soon": {func(p *presence) {
			p.come()
			p.lost()
			p.leave()
			time.Sleep(soon)
			p.come()
			p.leave()
			time.Sleep(long)
		}, ""},
		"it was back late": {func(p *presence) {
			p.come()
			p.lost()
			p.leave()
			time.Sleep(long)
			p.come()
			time.Sleep(long)
			p.leave()
			time.Sleep(long)
		}, "gone back "},
		"a call of it runs": {func(p *presence) {
			p.come()
			p.come()
			p.lost()
			p.leave()
			time.Sleep(long)
			p.leave()
			time.Sleep(soon)
		}, ""},
		"its call is over": {func(p *presence) {
			p.come()
			p.come()
			p.lost()
			p.leave()
			time.Sleep(long)
			p.leave()
			time.Sleep(long)
		}, "gone "},
		"its conversation is over": {func(p *presence) { p.come(); p.lost(); p.leave(); p.end(); time.Sleep(long) }, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex // the timer tells, and so does whoever comes back
			told := ""
			p := &presence{after: goneTime, tell: func(there bool) {
				mu.Lock()
				defer mu.Unlock()
				told += map[bool]string{true: "back ", false: "gone "}[there]
			}}
			c.does(p)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if told != c.want {
				t.Errorf("%s: told %q, want %q", name, told, c.want)
			}
			p.end()
		})
	}
}

// attendance is an Upstream that writes down what it is told.
type attendance struct {
	Upstream
	mu   sync.Mutex
	told []bool
	slow func(there bool) // called before it is written down
}

func (a *attendance) note(there bool) {
	a.slow(there)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = append(a.told, there)
}

func (a *attendance) Left(*tool.Session)     { a.note(false) }
func (a *attendance) Returned(*tool.Session) { a.note(true) }

// A client that is back while servers are still told that it is gone is back for them, too: what came about later is
// told later, however long one of them takes.
func TestServersAreToldOfComingAndGoingInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &attendance{slow: func(there bool) {
			if !there { // the word that it is gone takes a while
				time.Sleep(time.Second)
			}
		}}
		srv := &Server{o: Options{Upstreams: func() []Upstream { return []Upstream{a} }}}
		c := srv.newConversation(connect{}, &clientInfo{})
		c.session = &tool.Session{}
		for range 3 {
			c.there(false)
			time.Sleep(time.Millisecond)
			c.there(true)
			time.Sleep(10 * time.Second)
		}
		c.there(false)
		c.there(true)
		c.there(false)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		a.mu.Lock()
		defer a.mu.Unlock()
		want := []bool{false, true, false, true, false, true, false}
		if !slices.Equal(a.told, want) {
			t.Errorf("told %v, want %v", a.told, want)
		}
		c.end()
	})
}

// Whoever comes back just as it is told that they are gone is told of last.
func TestWhoIsBackIsToldAfterBeingGone(t *testing.T) {
	var mu sync.Mutex
	var told []bool
	telling := make(chan bool)
	p := &presence{}
	p.tell = func(there bool) {
		if !there {
			telling <- true
			time.Sleep(10 * time.Millisecond) // whoever tells is held up
		}
		mu.Lock()
		defer mu.Unlock()
		told = append(told, there)
	}
	p.come()
	p.lost()
	p.leave()
	<-telling
	p.come()
	p.leave()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		mu.Lock()
		both := len(told) == 2
		mu.Unlock()
		if both {
			break
		}
	}
	p.end()
	mu.Lock()
	defer mu.Unlock()
	if !slices.Equal(told, []bool{false, true}) {
		t.Errorf("told %v, want that it is gone, then that it is back", told)
	}
}
