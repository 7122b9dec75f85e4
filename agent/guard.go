package agent

import (
	"helve/tool"
)

const (
	// maxSame is how often one call may fail in the same way before it is not run any more.
	maxSame = 3
	// maxStubborn is how often such a call may still be made before the run ends.
	maxStubborn = 3
)

// A guard counts calls that fail in the same way again and again.
type guard map[string]*failing

type failing struct {
	words string // of the failure
	times int
}

func key(s step) string { return s.name + "\x00" + string(s.args) }

// refuse is the answer to a call that has failed too often.
func (g guard) refuse(s step) *tool.Error {
	f := g[key(s)]
	if f == nil || f.times < maxSame {
		return nil
	}
	e := tool.ErrorOf(tool.Execution, s.name, "not run: this call failed %d times in the same way", maxSame)
	return e.WithHint("Change the arguments or the approach, or say what stands in the way.")
}

// note remembers how a call ended. It is not called concurrently.
func (g guard) note(s step, r *tool.Result) {
	k := key(s)
	if r.Err == nil {
		delete(g, k)
		return
	}
	f := g[k]
	if f == nil || f.words != r.Text() && f.times < maxSame {
		g[k] = &failing{r.Text(), 1}
		return
	}
	f.times++
}

// hopeless tells whether the model goes on calling what is not run any more.
func (g guard) hopeless() bool {
	for _, f := range g {
		if f.times >= maxSame+maxStubborn {
			return true
		}
	}
	return false
}
