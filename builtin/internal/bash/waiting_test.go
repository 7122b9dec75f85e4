package bash

import (
	"testing"
	"testing/synctest"
	"time"
)

// Who does not bring the answer within ten minutes has said no: the command does not wait any longer.
func TestAnAnswerIsWaitedForTenMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w waiting
		reviewed := func() *finished { return &finished{c: &command{review: true}} }
		first, second := w.add(reviewed()), w.add(reviewed())
		time.Sleep(10*time.Minute - time.Second)
		if w.take(first) == nil {
			t.Error("an answer in time is too late")
		}
		if w.take(first) != nil {
			t.Error("a ticket is good twice")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if w.take(second) != nil {
			t.Error("an answer is taken after ten minutes")
		}
	})
}
