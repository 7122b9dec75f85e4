package upstream

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/oauth2"
)

// credentials are what a server gets that wants OAuth. The tokens are read when it is dialled first.
type credentials struct {
	*server
	life context.Context

	mu     sync.Mutex
	tokens *tokens // nil until then
}

// authorizer is what answers a server that wants OAuth. Headers of the configuration
// that carry a key of their own leave it out.
func (c *credentials) authorizer() (authorizer, error) {
	for k := range c.cfg.Headers {
		if strings.EqualFold(k, "Authorization") {
			return nil, nil
		}
	}
	t := c.kept()
	if c.cfg.OAuth.Grant != "" {
		g := &granted{t: t}
		return &single{t, g, g.TokenSource}, nil
	}
	if c.o.Login == nil {
		return &renewing{t}, nil
	}
	own, err := c.cfg.OAuth.expanded(c.o.Environ)
	if err != nil {
		return nil, err
	}
	h, err := c.o.Login.handler(loginFor{
		client:      t.client,
		id:          own.ClientID,
		secret:      own.ClientSecret,
		metadataURL: own.MetadataURL,
		kept:        t.source(),
		keep:        t.renewable,
	})
	if err != nil {
		return nil, err
	}
	return &single{t, h, func(context.Context) (oauth2.TokenSource, error) { return t.source(), nil }}, nil
}

// kept are the tokens that there are.
func (c *credentials) kept() *tokens {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tokens == nil {
		t := &tokens{server: c.server, life: c.life, turn: make(chan struct{}, 1)}
		t.client = &http.Client{Transport: &bound{c.o.HTTP, &t.binder}, Timeout: authTime}
		t.load()
		c.tokens = t
	}
	return c.tokens
}

// loggingIn tells whether a person is at it.
func (c *credentials) loggingIn() bool {
	c.mu.Lock()
	t := c.tokens
	c.mu.Unlock()
	return t != nil && t.logins.Load() > 0
}

// forget forgets the token that a login brought, for this program and for the next: the server asks for a login again.
// It tells whether there was one. A server that is reached with a key of the configuration has none.
func (c *credentials) forget() (had bool, err error) {
	if c.o.StateDir == "" {
		return false, nil
	}
	c.mu.Lock()
	c.tokens = nil
	c.mu.Unlock()
	err = os.Remove(filepath.Join(c.o.StateDir, c.tokenFile()))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// binderOf signs the requests to the server whose handler this is; nil: nobody.
func binderOf(h authorizer) *binder {
	switch h := h.(type) {
	case *single:
		return &h.t.binder
	case *renewing:
		return &h.t.binder
	}
	return nil
}
