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

type cached struct {
	page  *Page
	since time.Time
}

// get is what is kept of a URL, nil for nothing, and whether it needs no asking: for fresh, or for as long as its
// server said if that is less. What is on disk may be newer than what this process remembers.
func (c *cache) get(key string, fresh time.Duration) (*Page, bool) {
	e := c.known(key)
	if e == nil || !e.holds(fresh) {
		if p, since := c.disk.load(key); p != nil {
			e = c.keep(key, p, since)
		}
	}
	switch {
	case e == nil:
		return nil, false
	case e.holds(fresh):
		return e.page, true
	case e.page.etag == "" && e.page.modified == "":
		return nil, false
	}
	return e.page, false
}

func (c *cache) known(key string) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.pages[key]; e != nil {
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
	if e := c.pages[key]; e != nil {
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
