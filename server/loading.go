package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"helve/tool"
)

const (
	// loadTime is how long a search or a call waits for sources that were never
	// listed: longer than nearly all need to start, shorter than clients wait.
	loadTime = 10 * time.Second
	// firstListTime is how long a list does, counted from when they began to start,
	// unless the client's profile says otherwise: with it a client starts, and
	// what comes later is announced.
	firstListTime = 2 * time.Second
)

// missing are the sources that have not come, as far as a tool of this name may
// come from them; "" means all.
func (c *conversation) missing(name string) (m missing) {
	if c.srv.o.Loading != nil {
		m.starting, m.absent = c.srv.o.Loading.Missing(c.session, name)
	}
	return m
}

// missing are the names of sources that have brought nothing yet.
type missing struct{ starting, absent []string }

// none tells that every source has come.
func (m missing) none() bool { return len(m.starting)+len(m.absent) == 0 }

// await waits for the sources that a tool of this name may come from, "" for
// all.
func (v *visit) await(ctx context.Context, name string) {
	m := v.conv.missing(name)
	if m.none() || name == "" && m.starting == nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, loadTime)
	defer stop()
	v.telling(m, func() { v.conv.srv.o.Loading.Await(ctx, v.conv.session, name) })
}

// awaitFirst waits for the sources that have just begun to start: a list is whole
// where they are quick, and comes without them where they are not.
func (v *visit) awaitFirst(ctx context.Context) {
	m := v.conv.missing("")
	if m.starting == nil {
		return
	}
	m.absent = nil
	most := cmp.Or(v.conv.profile().ListWait, firstListTime)
	v.telling(m, func() { v.conv.srv.o.Loading.AwaitFirst(ctx, v.conv.session, most) })
}

// telling waits. A client that wants progress is told for whom.
func (r *request) telling(m missing, wait func()) {
	come := make(chan struct{})
	go func() { // ends with the wait
		defer close(come)
		wait()
	}()
	r.say("waiting for " + strings.Join(slices.Concat(m.starting, m.absent), ", "))
	<-come
}

// words tell a model which sources have brought nothing, and what it can do: what
// it looks for may be theirs. again is what to do in a moment. "" means that all
// have come.
func (m missing) words(again string) string {
	var out []string
	if len(m.starting) > 0 {
		out = append(out, fmt.Sprintf("%s still starting: %s.", sources(m.starting), again))
	}
	if len(m.absent) > 0 {
		out = append(out, sources(m.absent)+" not available: what it offers is not known. "+
			"Tell the user; helve mcp list says why.")
	}
	return strings.Join(out, "\n")
}

// sources is the beginning of a sentence about sources of these names.
func sources(names []string) string {
	servers := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == string(tool.Command) })
	command := len(servers) < len(names)
	switch {
	case len(servers) == 0:
		return "The discovery command is"
	case command:
		return fmt.Sprintf("The discovery command and the MCP servers (%s) are", strings.Join(servers, ", "))
	case len(servers) == 1 && strings.HasPrefix(servers[0], "pool:"):
		return "The tools of the workers (" + servers[0] + ") are"
	case len(servers) == 1:
		return fmt.Sprintf("The server %s is", servers[0])
	}
	return fmt.Sprintf("The servers %s are", strings.Join(servers, ", "))
}

// explained is the result of a call that found no tool, with a word about the
// sources that may have it and have not come.
func (c *conversation) explained(name string, res *tool.Result) *tool.Result {
	unknown := res.Err
	if unknown == nil || unknown.Code != tool.UnknownTool || unknown.Tool != "" {
		return res // one that is switched off has a name: it has come
	}
	said := c.missing(name).words("call it again in a moment")
	if said == "" {
		return res
	}
	told := *unknown
	told.Hint = strings.TrimSuffix(said+"\n"+unknown.Hint, "\n")
	return tool.Fail(&told)
}
