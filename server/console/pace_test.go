package console

import (
	"testing"
	"time"
)

// What a page is told of one call follows it at once; what has no end comes every pageEvery.
func TestAPageIsToldOfACallAtOnceAndOfAThousandSeldom(t *testing.T) {
	var p pace
	now := time.Now()
	for step := range pageBurst {
		if wait := p.next(now); wait != pageSettle {
			t.Errorf("message %d of a call waits %v", step, wait)
		}
		now = now.Add(pageSettle)
	}
	began, messages := now, 0
	for now.Sub(began) < 10*time.Second {
		now = now.Add(p.next(now))
		messages++
	}
	if most := int(10*time.Second/pageEvery) + pageBurst; messages > most || messages < most-2*pageBurst {
		t.Errorf("%d messages in ten seconds, want about %d", messages, most)
	}
	now = now.Add(time.Second)
	if wait := p.next(now); wait != pageSettle {
		t.Errorf("after a pause a message waits %v", wait)
	}
}
