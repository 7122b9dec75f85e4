package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"helve/internal/state"
)

// Bounds of what is kept on disk: a few days' reading, and less than any browser keeps. A head is a few headers.
const (
	maxKept      = 300
	maxKeptBytes = 64 << 20
	maxKeptAge   = 30 * 24 * time.Hour
	maxHead      = 64 << 10
	pageEnd      = ".page"
)

// kept are pages in a private folder, so that what one process has read the next need not ask for. They are found by
// their whole key, and whatever does not look like what was written is not there. The zero value keeps nothing.
type kept struct{ dir string }

// A keptHead is the first line of a file; the body follows.
type keptHead struct {
	Key      string        `json:"key"`
	URL      string        `json:"url"`
	Status   int           `json:"status"`
	Type     string        `json:"type,omitempty"`
	ETag     string        `json:"etag,omitempty"`
	Modified string        `json:"modified,omitempty"`
	Life     time.Duration `json:"life,omitempty"`
	Cut      bool          `json:"cut,omitempty"`
	Sum      string        `json:"sum"` // of the body
}

// path is the file of a key. Its name says nothing of the URL.
func (k kept) path(key string) string {
	h := sha256.Sum256([]byte(key))
	return filepath.Join(k.dir, hex.EncodeToString(h[:16])+pageEnd)
}

// sum tells a damaged body; it is no protection against whoever may write here.
func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// load is the page that is kept under a key and since when, nil for none. A damaged file is removed.
func (k kept) load(key string) (*Page, time.Time) {
	if k.dir == "" {
		return nil, time.Time{}
	}
	path := k.path(key)
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, time.Time{}
	}
	b, err := state.Read(path, maxBody+maxHead)
	if err != nil {
		return nil, time.Time{}
	}
	head, body, _ := bytes.Cut(b, []byte("\n"))
	var h keptHead
	if json.Unmarshal(head, &h) != nil || h.Key != key || h.Sum != sum(body) {
		os.Remove(path)
		return nil, time.Time{}
	}
	return &Page{
		URL:      h.URL,
		Status:   h.Status,
		Type:     h.Type,
		Body:     body,
		Cut:      h.Cut,
		etag:     h.ETag,
		modified: h.Modified,
		life:     h.Life,
	}, fi.ModTime()
}

// save keeps a page. One that cannot be kept is asked for again: nobody needs to know.
func (k kept) save(key string, p *Page) {
	if k.dir == "" || state.MakeDir(k.dir) != nil {
		return
	}
	head, err := json.Marshal(keptHead{key, p.URL, p.Status, p.Type, p.etag, p.modified, p.life, p.Cut, sum(p.Body)})
	if err != nil || len(head) >= maxHead {
		return
	}
	if state.Replace(k.path(key), slices.Concat(head, []byte("\n"), p.Body), 0o600) == nil {
		k.trim()
	}
}

// touch says that a page still holds.
func (k kept) touch(key string) {
	if k.dir != "" {
		now := time.Now()
		os.Chtimes(k.path(key), now, now)
	}
}

// trim removes the oldest pages beyond the bounds, and what a killed writer left an hour ago.
func (k kept) trim() {
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	for _, e := range entries {
		fi, err := e.Info()
		switch {
		case err != nil || !fi.Mode().IsRegular():
		case strings.HasSuffix(fi.Name(), pageEnd):
			files = append(files, fi)
		case time.Since(fi.ModTime()) > time.Hour:
			os.Remove(filepath.Join(k.dir, fi.Name()))
		}
	}
	sort.SliceStable(files, func(i, j int) bool { return files[i].ModTime().After(files[j].ModTime()) })
	total := int64(0)
	for i, fi := range files {
		total += fi.Size()
		if i >= maxKept || total > maxKeptBytes || time.Since(fi.ModTime()) > maxKeptAge {
			os.Remove(filepath.Join(k.dir, fi.Name()))
		}
	}
}
