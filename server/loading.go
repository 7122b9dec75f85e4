package server

import (
	"context"
	"fmt"
	"strings"
	"time"

	"helve/tool"
)

// loadTime is how long a list, a search or a call waits for sources that were
// never listed: longer than nearly all need to start, shorter than clients wait.
const loadTime = 10 * time.Second

// Loading tells of sources of tools that are starting and whose lists nobody
// knows yet. Its methods are safe for concurrent use.
type Loading interface {
	// Pending are the names of the sources that a session waits for, sorted.
	Pending(s *tool.Session) []string
	// Await returns when those that may bring a tool of this name have come or
	// failed, or ctx is done. "" means all of them.
	Await(ctx context.Context, s *tool.Session, name string)
}

// pending are the sources that have not come yet.
func (c *conversation) pending() []string {
	if c.srv.o.Loading == nil {
		return nil
	}
	return c.srv.o.Loading.Pending(c.session)
}

// await waits for the sources that a tool of this name may come from, "" for
// all. A client that wants progress is told whom it waits for.
func (r *request) await(ctx context.Context, conv *conversation, name string) {
	if len(conv.pending()) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, loadTime)
	defer stop()
	come := make(chan struct{})
	go func() { // ends with ctx at the latest
		defer close(come)
		conv.srv.o.Loading.Await(ctx, conv.session, name)
	}()
	r.say("waiting for " + strings.Join(conv.pending(), ", "))
	<-come
}

// starting is a sentence about sources that have not come yet; "" for none.
func starting(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("The server %s is still starting: search again in a moment for its tools.", names[0])
	}
	return fmt.Sprintf("The servers %s are still starting: search again in a moment for their tools.",
		strings.Join(names, ", "))
}
