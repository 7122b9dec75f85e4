package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Page is what a URL answered.
type Page struct {
	URL    string // where it was found, after redirects on its host
	Status int
	Type   string // Content-Type as sent
	Body   []byte
	Cut    bool   // there was more than is read of a page
	Moved  string // set: the answer is that it is at this URL on another host, which was not asked
	Cached bool

	etag, modified string
	life           time.Duration // how long its server lets it be used without asking
	private        bool          // not to be remembered
}

// key is under what a page is remembered: one that came from a private host, because a person allowed that, is none for
// whom it is not.
func (t *Target) key() string {
	if t.private {
		return "private " + t.URL.String()
	}
	return "public " + t.URL.String()
}

// accept asks for Markdown first: some servers write it for programs that read.
const accept = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.9, text/plain;q=0.8, */*;q=0.5"

// Get asks for a page, following redirects on its host. A page of the last minutes is answered from memory; an older
// one is asked for only if it changed. What is kept of a private host is kept for those only to whom that host is
// allowed.
func (c *Client) Get(ctx context.Context, t *Target) (*Page, error) {
	key := t.key()
	kept, fresh := c.cache.get(key, c.opts.Fresh)
	if fresh {
		return kept.again(), nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Time)
	defer cancel()
	p, err := c.follow(ctx, t, kept)
	if err != nil {
		return nil, err
	}
	if p == nil { // not modified
		c.cache.touch(key)
		return kept.again(), nil
	}
	// Neither errors nor what a password was sent for.
	if p.Status == http.StatusOK && !p.private && t.URL.User == nil && c.opts.Fresh > 0 {
		c.cache.put(key, p)
	}
	return p, nil
}

// again is a copy to hand out, so that what is remembered stays as it is.
func (p *Page) again() *Page {
	own := *p
	own.Cached = true
	return &own
}

// follow asks until something is no redirect on the same host. A nil page says that what was kept still holds.
func (c *Client) follow(ctx context.Context, t *Target, kept *Page) (*Page, error) {
	for range maxRedirects + 1 {
		p, next, err := c.once(ctx, t, kept)
		if err != nil || next == nil {
			return p, err
		}
		// Another host needs an approval of its own, and so does what leaves encryption.
		if next.Host != t.Host || t.URL.Scheme == "https" && next.URL.Scheme == "http" {
			return &Page{
				URL:     t.String(),
				Status:  http.StatusFound,
				Moved:   next.String(),
				private: true,
			}, nil
		}
		t = next
	}
	return nil, fmt.Errorf("%w: more than %d", ErrRedirects, maxRedirects)
}

// once is one request: a page, or where to ask next.
func (c *Client) once(ctx context.Context, t *Target, kept *Page) (*Page, *Target, error) {
	req, err := http.NewRequestWithContext(context.WithValue(ctx, targetKey{}, t), http.MethodGet, t.URL.String(), nil)
	if err != nil {
		return nil, nil, bad("%v", err)
	}
	req.Header.Set("User-Agent", c.opts.Agent)
	req.Header.Set("Accept", accept)
	if kept != nil && kept.URL == t.String() { // not the steps to it
		kept.ask(req.Header)
	} else {
		kept = nil
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, nil, plain(err, t)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotModified && kept != nil {
		return nil, nil, nil
	}
	next := res.Header.Get("Location")
	if next != "" && res.StatusCode/100 == 3 {
		to, err := c.next(t, next)
		return nil, to, err
	}
	p, err := read(res, t)
	return p, nil, err
}

// ask makes a request one for what changed since this page was read.
func (p *Page) ask(h http.Header) {
	if p.etag != "" {
		h.Set("If-None-Match", p.etag)
	}
	if p.modified != "" {
		h.Set("If-Modified-Since", p.modified)
	}
}

// next is where a redirect leads.
func (c *Client) next(t *Target, location string) (*Target, error) {
	if err := plausible(location); err != nil {
		return nil, fmt.Errorf("redirect: %w", err)
	}
	u, err := t.URL.Parse(location)
	if err != nil {
		return nil, fmt.Errorf("redirect: %w: %w", ErrBadURL, err)
	}
	to, err := c.target(u)
	if err != nil {
		return nil, fmt.Errorf("redirect to %s: %w", u.Redacted(), err)
	}
	return to, nil
}

// read takes the answer as a page. One that breaks off is shown as far as it came, and not remembered.
func read(res *http.Response, t *Target) (*Page, error) {
	enc := res.Header.Get("Content-Encoding")
	if enc != "" && !strings.EqualFold(enc, "identity") {
		return nil, fmt.Errorf("the answer is compressed as %q, which was not asked for", enc)
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil && !(errors.Is(err, io.ErrUnexpectedEOF) && len(b) > 0) {
		return nil, plain(err, t)
	}
	p := &Page{
		URL:      t.String(),
		Status:   res.StatusCode,
		Type:     res.Header.Get("Content-Type"),
		Body:     b,
		etag:     res.Header.Get("ETag"),
		modified: res.Header.Get("Last-Modified"),
	}
	if len(b) > maxBody {
		p.Body, p.Cut = b[:maxBody], true
	}
	p.life, p.private = lifetime(res.Header.Values("Cache-Control"))
	p.private = p.private || err != nil
	return p, nil
}

// lifetime is how long a server lets a page be used unasked, and whether it must not be kept at all.
func lifetime(cacheControl []string) (life time.Duration, private bool) {
	life = math.MaxInt64
	for word := range strings.SplitSeq(strings.ToLower(strings.Join(cacheControl, ",")), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(word), "=")
		switch name {
		case "no-store", "private":
			private = true
		case "no-cache":
			life = 0
		case "max-age":
			n, err := strconv.Atoi(strings.Trim(value, `"`))
			if err == nil && n >= 0 && n < int(maxKeptAge/time.Second) {
				life = min(life, time.Duration(n)*time.Second)
			}
		}
	}
	return life, private
}

// plain drops the method and the URL that net/http puts before every error: the URL may have a password.
func plain(err error, t *Target) error {
	wrapped, ok := errors.AsType[*url.Error](err)
	if ok {
		err = wrapped.Err
	}
	return fmt.Errorf("%s: %w", t.Host, err)
}
