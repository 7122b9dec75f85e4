package web

import (
	"sync"
	"time"
)

// What is remembered of pages: enough for one task, little beside what a page may bring.
const (
	maxCached      = 100
	maxCachedBytes = 32 << 20
)

// A cache keeps pages by URL. The zero value is ready.
type cache struct {
	mu    sync.Mutex
	pages map[string]*cached
	bytes int
}

type cached struct {
	page  *Page
	since time.Time
}

// get is what is kept of a URL, nil for nothing, and whether it needs no asking.
func (c *cache) get(url string, fresh time.Duration) (*Page, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[url]
	if e == nil {
		return nil, false
	}
	if time.Since(e.since) < fresh {
		return e.page, true
	}
	if e.page.etag == "" && e.page.modified == "" {
		return nil, false
	}
	return e.page, false
}

// touch makes a page fresh again.
func (c *cache) touch(url string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.pages[url]; e != nil {
		e.since = time.Now()
	}
}

// put keeps a page and drops the oldest where there are too many.
func (c *cache) put(url string, p *Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages == nil {
		c.pages = map[string]*cached{}
	}
	c.drop(url)
	c.pages[url] = &cached{p, time.Now()}
	c.bytes += len(p.Body)
	for len(c.pages) > maxCached || c.bytes > maxCachedBytes {
		c.drop(c.oldest())
	}
}

func (c *cache) drop(url string) {
	if e := c.pages[url]; e != nil {
		c.bytes -= len(e.page.Body)
		delete(c.pages, url)
	}
}

func (c *cache) oldest() string {
	var out string
	var since time.Time
	for url, e := range c.pages {
		if out == "" || e.since.Before(since) {
			out, since = url, e.since
		}
	}
	return out
}
