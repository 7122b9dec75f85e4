package files

import (
	"io/fs"
	"sync"

	"helve/internal/fsroot"
)

// maxIndexed is how many large files' line indexes are kept; an index of 1 GB takes 130 KB.
const maxIndexed = 32

// lineCache keeps the line indexes of large files while they do not change. The zero value is ready.
type lineCache struct {
	mu    sync.Mutex
	files map[string]*indexed
	uses  int
}

// indexed is an index, the state of the file that it is for, and when it was used last.
type indexed struct {
	knownLines
	fi   fs.FileInfo
	used int
}

// get is the index of a file, if the file is as it was when the index was made.
func (c *lineCache) get(p fsroot.Path, fi fs.FileInfo) (knownLines, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.files[seenKey(p)]
	if e == nil || !fsroot.Same(e.fi, fi) {
		return knownLines{}, false
	}
	c.uses++
	e.used = c.uses
	return e.knownLines, true
}

// put keeps an index in the place of the one that was not used for the longest time.
func (c *lineCache) put(p fsroot.Path, fi fs.FileInfo, k knownLines) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil {
		c.files = map[string]*indexed{}
	}
	c.uses++
	c.files[seenKey(p)] = &indexed{k, fi, c.uses}
	if len(c.files) <= maxIndexed {
		return
	}
	oldest, least := "", c.uses
	for key, e := range c.files {
		if e.used < least {
			oldest, least = key, e.used
		}
	}
	delete(c.files, oldest)
}
