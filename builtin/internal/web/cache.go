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

// A cache keeps pages by URL, on disk too where there is a folder for them. The zero value is ready.
type cache struct {
	disk kept

	mu    sync.Mutex
	pages map[string]*cached
	bytes int
}

// cached is a page and when it was last known to be right.
type cached struct {
	page  *Page
	since time.Time
}

// get is what is kept of a URL, nil for nothing, and whether it needs no asking: for fresh, or for as long as its
// server said if that is less. What is on disk may be newer than what this process remembers.
func (c *cache) get(key string, fresh time.Duration) (*Page, bool) {
	e := c.known(key)
	if e == nil || !e.holds(fresh) {
		p, since := c.disk.load(key)
		if p != nil {
			e = c.keep(key, p, since)
		}
	}
	switch {
	case e == nil:
		return nil, false
	case e.holds(fresh):
		return e.page, true
	case e.page.etag == "" && e.page.modified == "": // nothing to ask with
		return nil, false
	}
	return e.page, false
}

// known is what this process remembers, as a copy: touch writes to the one that is kept.
func (c *cache) known(key string) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.pages[key]
	if e != nil {
		own := *e
		return &own
	}
	return nil
}

// holds tells whether a page needs no asking. One from the future, by another clock, does.
func (e *cached) holds(fresh time.Duration) bool {
	age := time.Since(e.since)
	return age >= 0 && age < min(fresh, e.page.life)
}

// touch makes a page fresh again.
func (c *cache) touch(key string) {
	c.mu.Lock()
	e := c.pages[key]
	if e != nil {
		e.since = time.Now()
	}
	c.mu.Unlock()
	c.disk.touch(key)
}

// put keeps a page.
func (c *cache) put(key string, p *Page) {
	c.keep(key, p, time.Now())
	c.disk.save(key, p)
}

// keep remembers a page in this process, and drops the oldest where there are too many.
func (c *cache) keep(key string, p *Page, since time.Time) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pages == nil {
		c.pages = map[string]*cached{}
	}
	c.drop(key)
	c.pages[key] = &cached{p, since}
	c.bytes += len(p.Body)
	for len(c.pages) > maxCached || c.bytes > maxCachedBytes {
		c.drop(c.oldest())
	}
	return &cached{p, since}
}

// drop forgets a page; the lock is held.
func (c *cache) drop(url string) {
	e := c.pages[url]
	if e != nil {
		c.bytes -= len(e.page.Body)
		delete(c.pages, url)
	}
}

// oldest is the key of the page that was longest not asked for; the lock is held.
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
