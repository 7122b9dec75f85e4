package agent

import (
	"fmt"

	"helve/tool"
)

// maxSame is how often one call may fail in the same way, with nothing changed in between, before the run ends.
const maxSame = 3

// onceMore is what a model reads below the answer that is the last but one of these.
const onceMore = "This call has failed %d times in the same way, with nothing changed in between. Change the " +
	"arguments or the approach, or say what stands in the way: once more, and the run ends."

// A guard counts calls that fail in the same way again and again. What changed a file in between gives all of them a
// new chance: tests that failed may pass now.
type guard map[string]*failing

type failing struct {
	what  string // the call
	words string // of the failure
	times int    // answers of the model that made it
}

func key(s step) string { return s.name + "\x00" + string(s.args) }

// note remembers how the calls of an answer ended. Calls of one answer count once: the model has not seen yet that they
// fail.
func (g guard) note(steps []step, results []*tool.Result) {
	seen := map[string]bool{}
	for i, s := range steps {
		r, k := results[i], key(s)
		switch {
		case r == nil:
		case r.Err == nil && (s.write || Undoes(r) != ""):
			clear(g)
		case r.Err == nil:
			delete(g, k)
		case g[k] == nil || g[k].words != r.Text():
			g[k] = &failing{shorten(s.name+" "+string(s.args), maxReason), r.Text(), 1}
			seen[k] = true
		case !seen[k]:
			g[k].times++
			seen[k] = true
		}
	}
}

// warns is what the model is told about a call that failed just now; "": nothing yet.
func (g guard) warns(s step) string {
	f := g[key(s)]
	if f == nil || f.times != maxSame-1 {
		return ""
	}
	return fmt.Sprintf(onceMore, f.times)
}

// maxReason bounds what a reason quotes, in bytes.
const maxReason = 500

// over is why the run ends; "": it goes on.
func (g guard) over() string {
	for _, f := range g {
		if f.times >= maxSame {
			words := shorten(f.words, maxReason)
			return fmt.Sprintf("the call %s failed %d times in the same way: %s", f.what, f.times, words)
		}
	}
	return ""
}
