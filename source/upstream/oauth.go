package upstream

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/oauth2"

	"helve/internal/names"
	"helve/tool"
)

// authTime bounds one request to an authorisation server.
const authTime = 30 * time.Second

// tokens are what an authorisation server gave us for one MCP server, kept in
// the state directory.
type tokens struct {
	*server
	life   context.Context // of the source: a renewal ends with it
	client *http.Client

	mu   sync.Mutex
	kept grantFile

	renewing sync.Mutex // one renewal at a time: many servers take a refresh token once

	binder binder

	turn   chan struct{} // a token: one login at a time
	logins atomic.Int32  // under way: a person needs longer than a server to start
}

// A grantFile is a token with what is needed to renew it. It is bound to the
// address that it was given for.
type grantFile struct {
	URL      string           `json:"url"`
	ClientID string           `json:"client_id"`
	Secret   string           `json:"client_secret,omitempty"`
	TokenURL string           `json:"token_url"`
	Resource string           `json:"resource,omitempty"` // that it is good for (RFC 8707); "" means URL
	Style    oauth2.AuthStyle `json:"auth_style"`
	Token    *oauth2.Token    `json:"token"`
	Key      []byte           `json:"key,omitempty"` // PKCS #8, of a token that is bound to it
}

func (s *server) tokenFile() string { return "oauth-" + names.Public(s.cfg.Name) + ".json" }

// single lets one login happen at a time: of two requests that were refused
// together only one sends a person anywhere.
type single struct {
	t      *tokens
	inner  authorizer
	source func(context.Context) (oauth2.TokenSource, error)
}

// TokenSource is the source of the token that is kept.
func (s *single) TokenSource(ctx context.Context) (oauth2.TokenSource, error) { return s.source(ctx) }

// Authorize logs in, unless somebody did since the request was sent.
func (s *single) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	s.t.logins.Add(1)
	defer s.t.logins.Add(-1)
	select {
	case s.t.turn <- struct{}{}:
		defer func() { <-s.t.turn }()
	case <-ctx.Done():
		resp.Body.Close()
		return ctx.Err()
	}
	s.t.mu.Lock()
	now := s.t.kept.Token
	s.t.mu.Unlock()
	if _, err := s.t.binder.wanted(resp); err != nil {
		resp.Body.Close()
		return err
	}
	if now != nil && now.Valid() && req.Header.Get("Authorization") != now.Type()+" "+now.AccessToken {
		resp.Body.Close()
		return nil
	}
	return s.inner.Authorize(ctx, req, resp)
}

// renewable keeps a new token of a login with what renews it.
func (t *tokens) renewable(resource string, c *oauth2.Config, tok *oauth2.Token) oauth2.TokenSource {
	t.keep(grantFile{
		URL:      t.cfg.URL,
		ClientID: c.ClientID,
		Secret:   c.ClientSecret,
		TokenURL: c.Endpoint.TokenURL,
		Resource: resource,
		Style:    c.Endpoint.AuthStyle,
		Token:    tok,
	})
	return t.source()
}

// load takes what was kept, by this program or another.
func (t *tokens) load() {
	if in, ok := t.stored(); ok {
		t.mu.Lock()
		t.kept = in
		t.mu.Unlock()
		if in.Key != nil {
			t.binder.load(in.Key)
		}
	}
}

// stored reads what was kept. A token for another address is none of ours.
func (t *tokens) stored() (in grantFile, ok bool) {
	if t.o.StateDir == "" {
		return in, false
	}
	b, err := os.ReadFile(filepath.Join(t.o.StateDir, t.tokenFile()))
	return in, err == nil && json.Unmarshal(b, &in) == nil && in.URL == t.cfg.URL && in.Token != nil
}

// keep remembers a token, for this program and for the next. One that cannot be
// written still serves this one.
func (t *tokens) keep(g grantFile) {
	g.Key = t.binder.stored()
	t.mu.Lock()
	t.kept = g
	t.mu.Unlock()
	if t.o.StateDir == "" {
		return
	}
	b, err := json.Marshal(g)
	if err == nil {
		_, err = tool.DirStore(t.o.StateDir).Put(t.tokenFile(), strings.NewReader(string(b)))
	}
	if err != nil {
		t.warn("the token could not be kept", "error", err)
	}
}

// source is a token source that renews and keeps; nil while there is no token.
func (t *tokens) source() oauth2.TokenSource {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept.Token == nil {
		return nil
	}
	return &renewer{t}
}

type renewer struct{ t *tokens }

// Token is the token that is kept, renewed if its time is over.
func (r *renewer) Token() (*oauth2.Token, error) {
	if now := r.t.current(); now.Token.Valid() {
		return now.Token, nil
	}
	r.t.renewing.Lock()
	defer r.t.renewing.Unlock()
	if now := r.t.current(); now.Token.Valid() { // renewed while we waited
		return now.Token, nil
	}
	r.t.load() // another program may have renewed it
	g := r.t.current()
	if g.Token.Valid() {
		return g.Token, nil
	}
	client := *r.t.client
	client.Transport = &forResource{client.Transport, cmp.Or(g.Resource, g.URL)}
	ctx, stop := context.WithTimeout(context.WithValue(r.t.life, oauth2.HTTPClient, &client), authTime)
	defer stop()
	c := oauth2.Config{
		ClientID:     g.ClientID,
		ClientSecret: g.Secret,
		Endpoint:     oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.Style},
	}
	tok, err := c.TokenSource(ctx, g.Token).Token()
	if err != nil {
		return nil, err
	}
	g.Token = tok
	r.t.keep(g)
	return tok, nil
}

func (t *tokens) current() grantFile {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}

// forResource says in a renewal for which server the token is to be (RFC 8707),
// which the library leaves out.
type forResource struct {
	base     http.RoundTripper // nil: the default
	resource string
}

// maxRenewal bounds the body of a renewal, which we wrote ourselves.
const maxRenewal = 64 << 10

func (f *forResource) RoundTrip(r *http.Request) (*http.Response, error) {
	base := f.base
	if base == nil {
		base = http.DefaultTransport
	}
	if r.Body == nil {
		return base.RoundTrip(r)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxRenewal))
	if err != nil {
		return nil, err
	}
	body = append(body, "&resource="+url.QueryEscape(f.resource)...)
	own := r.Clone(r.Context())
	own.Body, own.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	own.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	return base.RoundTrip(own)
}

// renewing uses and renews a kept token and cannot ask a person.
type renewing struct{ t *tokens }

func (r *renewing) TokenSource(context.Context) (oauth2.TokenSource, error) { return r.t.source(), nil }

var errLogin = errors.New("it wants a person to log in")

func (r *renewing) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	resp.Body.Close()
	return fmt.Errorf("%w (HTTP %d): helve mcp test %s", errLogin, resp.StatusCode, r.t.cfg.Name)
}
