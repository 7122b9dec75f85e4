package codetool_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"helve/codetool"
	"helve/internal/testing/racing"
)

func TestNoSymbolIsFoundBehindALinkThatIsPutInTheWay(t *testing.T) {
	p := racing.Make(t)
	h := open(t, nil, codetool.Options{Dir: p.Dir})
	worked := 0
	look := func(n int) {
		// The index reads again what has changed, and what was exchanged has.
		name := []string{"needle_inside", "needle_" + racing.Mark}[n%2]
		r := h.call("find_symbol", fmt.Sprintf(`{"name":%q}`, name))
		if strings.Contains(r.Text(), "def needle_"+racing.Mark) || strings.Contains(r.Text(), "py:1-2 needle_"+racing.Mark) {
			t.Errorf("find_symbol shows what lies outside:\n%s", r.Text())
		}
		if r.Err == nil && n%2 == 1 {
			t.Errorf("a symbol outside was found:\n%s", r.Text())
		}
		if r.Err == nil {
			worked++
		}
	}
	p.Run(t, racing.Exchanges(t), look)
	for end := time.Now().Add(20 * time.Second); worked == 0 && !t.Failed() && time.Now().Before(end); {
		p.Run(t, p.Made()+racing.Exchanges(t), look) // on a busy machine few questions are asked in that time
	}
	t.Logf("%d exchanges, the symbol inside was found %d times", p.Made(), worked)
	if worked == 0 {
		t.Error("the symbol inside was never found: nothing was tested")
	}
}
