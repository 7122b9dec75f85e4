package server

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
