package server

import (
	"context"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"helve/internal/rpc"
)

const (
	// lookTime is between two looks at the files that are followed: soon enough for
	// a person, and a thousand of them cost few milliseconds.
	lookTime = time.Second
	// lookShare is which part of the time looking may take at most, one in so many,
	// where the system tells nothing and the whole tree has to be read.
	lookShare = 20
)

// followedFiles are the files that the clients of a conversation follow. The zero
// value is ready.
type followedFiles struct {
	mu    sync.Mutex
	all   map[string]*followedFile // by address
	looks bool                     // a goroutine looks at them
}

type followedFile struct {
	path  string
	users int
	state string
}

// fileOf is the path that an address of a file names; "." for the whole tree.
func fileOf(uri string) (string, *rpc.Error) {
	p, err := url.PathUnescape(strings.TrimPrefix(uri, fileScheme))
	if err != nil {
		return "", rpc.Errorf(rpc.CodeInvalidParams, "invalid params: %v", err)
	}
	p = path.Clean(p)
	if !filepath.IsLocal(p) {
		return "", rpc.Errorf(rpc.CodeInvalidParams, "invalid params: %s is outside the workspace", shorten(uri, shownURI))
	}
	return p, nil
}

// watcher tells of changes of the file at an address; nil if it is none of the
// workspace's.
func (c *conversation) watcher(uri string) FileWatcher {
	if !strings.HasPrefix(uri, fileScheme) {
		return nil
	}
	w, _ := c.srv.o.Files.(FileWatcher)
	return w
}

// followFile begins to look at a file, for one more client.
func (c *conversation) followFile(ctx context.Context, w FileWatcher, uri string) error {
	at, bad := fileOf(uri)
	if bad != nil {
		return bad
	}
	state, err := w.State(ctx, c.session, at)
	if err != nil {
		return rpc.Errorf(rpc.CodeInvalidParams, "invalid params: %v", err)
	}
	c.files.mu.Lock()
	defer c.files.mu.Unlock()
	f := c.files.all[uri]
	if f == nil {
		if c.files.all == nil {
			c.files.all = map[string]*followedFile{}
		}
		f = &followedFile{path: at, state: state}
		c.files.all[uri] = f
	}
	f.users++
	if !c.files.looks {
		c.files.looks = c.start(func() { c.look(w) })
	}
	return nil
}

// unfollowFile ends it for one client.
func (c *conversation) unfollowFile(uri string) {
	c.files.mu.Lock()
	defer c.files.mu.Unlock()
	f := c.files.all[uri]
	if f == nil {
		return
	}
	f.users--
	if f.users == 0 {
		delete(c.files.all, uri)
	}
}

// look looks at what is followed until nothing is, or the conversation ends.
func (c *conversation) look(w FileWatcher) {
	rest := lookTime
	for {
		select {
		case <-c.life.Done():
			return
		case <-time.After(rest):
		}
		begin := time.Now()
		if !c.lookOnce(w) {
			return
		}
		rest = max(lookTime, lookShare*time.Since(begin))
	}
}

// lookOnce tells of each file that is another than at the last look. It tells
// whether there is anything to look at.
func (c *conversation) lookOnce(w FileWatcher) bool {
	c.files.mu.Lock()
	paths := make(map[string]string, len(c.files.all))
	for uri, f := range c.files.all {
		paths[uri] = f.path
	}
	c.files.looks = len(paths) > 0
	c.files.mu.Unlock()
	for uri, at := range paths {
		state, err := w.State(c.life, c.session, at)
		if err == nil && c.files.moved(uri, state) {
			c.announce(rpc.NoticeUpdated, encodePlain(map[string]string{"uri": uri}))
		}
	}
	return len(paths) > 0
}

// moved notes a file's state, and tells whether it was another one.
func (f *followedFiles) moved(uri, state string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.all[uri]
	if known == nil || known.state == state {
		return false
	}
	known.state = state
	return true
}

// follow asks the upstreams to tell of a resource. Those of the stateless
// protocol are listened to anyway; those who do not know it say so.
func (c *conversation) follow(ctx context.Context, uri string) {
	c.ask(ctx, rpc.MethodSubscribe, uri)
}

func (c *conversation) unfollow(uri string) { c.ask(c.life, rpc.MethodUnsubscribe, uri) }

// ask sends the wish to one upstream after the other until one takes it. That none
// does is no error: a client may follow what is not there yet.
func (c *conversation) ask(ctx context.Context, method, uri string) {
	ctx, stop := context.WithTimeout(ctx, listTime)
	defer stop()
	params := encodePlain(map[string]string{"uri": uri})
	for _, u := range c.upstreamsFor(ctx, uri) {
		if _, err := u.Request(ctx, c.session, method, params); err == nil {
			return
		}
	}
}
