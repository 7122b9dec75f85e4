package neighbours

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// A round is some calls at the same time, and a blow while they run.
type round struct {
	n     int
	calls []call
	blow  blow
}

// A call is one of a kind by one of those who call. Its mark is in what it writes.
type call struct{ who, kind, mark string }

// A blow falls on somebody a moment after the calls began.
type blow struct {
	kind, on string
	after    time.Duration
}

func (r round) String() string {
	var calls []string
	for _, c := range r.calls {
		calls = append(calls, c.who+" "+c.kind)
	}
	return fmt.Sprintf("%s; after %v %s %s", strings.Join(calls, ", "), r.blow.after, r.blow.kind, r.blow.on)
}

var (
	callers = []string{"serve", "gate a", "gate b", "cli", "run"}
	kinds   = []string{"write", "bash", "append", "note", "flap", "probe", "read", "background", "script"}
	lasting = []string{"serve", "gate a", "gate b", "worker"}
	blows   = []string{"kill", "kill", "kill", "stop", "term", "server", "disk", "clock", "git", "person"}
)

// planned is what happens in a round: by the seed alone, whatever came of the rounds before.
func planned(seed uint64, n int) round {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	out := round{n: n}
	out.blow = blow{kind: blows[r.IntN(len(blows))], after: time.Duration(r.IntN(700)) * time.Millisecond}
	if r.IntN(8) == 0 {
		out.calls = []call{{"cli", "undo", fmt.Sprint("m", n, "x")}} // alone: it is of the last call
		out.blow = blow{kind: "none"}
		return out
	}
	targets := append([]string{}, lasting...)
	for i, at := range r.Perm(len(callers))[:1+r.IntN(len(callers))] {
		who, kind := callers[at], kinds[r.IntN(len(kinds))]
		switch {
		case who == "run":
			kind = "run"
		case who != "serve" && (kind == "script" || kind == "background"):
			kind = "bash"
		}
		if who == "cli" || who == "run" {
			targets = append(targets, who)
		}
		out.calls = append(out.calls, call{who, kind, fmt.Sprint("m", n, string(rune('a'+i)))})
	}
	switch out.blow.kind {
	case "kill", "stop", "term":
		out.blow.on = targets[r.IntN(len(targets))]
	}
	return out
}
