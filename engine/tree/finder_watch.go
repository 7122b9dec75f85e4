package tree

import "path/filepath"

// A quiet tree is one in which nothing came or went: what was found last is the answer, and no directory is looked at.
// The kernel's word counts only for directories that were compared one by one after their watches had begun.
type quiet struct {
	notify *notifier // nil: nobody listens
	mounts *mountTable
	still  bool // nothing has happened since found was made
	failed bool // a directory could not be watched in the search at hand
	found  []string
}

// Watch has the kernel tell of names that come and go, for a process that asks for long. Where it cannot, each
// directory is compared. Close ends it.
func (f *Finder) Watch() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.quiet.notify != nil {
		return
	}
	m, err := openMountTable()
	if err != nil {
		return
	}
	n, err := newNotifier()
	if err != nil {
		m.close()
		return
	}
	f.quiet = quiet{notify: n, mounts: m}
	f.top = nil // every directory is to be watched before it is read
}

// Close ends the watching. The finder can still be asked.
func (f *Finder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.quiet.close()
	return nil
}

func (q *quiet) close() {
	if q.notify != nil {
		q.notify.close()
		q.mounts.close()
	}
	*q = quiet{}
}

// holds reports whether nothing happened since the last search. A mount hides what lies below it, and makes no event.
func (q *quiet) holds() bool {
	if q.notify == nil {
		return false
	}
	happened := q.mounts.changed()
	q.notify.read(func(happening) { happened = true })
	q.still = q.still && !happened
	q.failed = false
	return q.still
}

// listen watches a directory before it is read, or compared.
func (q *quiet) listen(root, dir string) bool {
	if q.notify == nil {
		return false
	}
	err := q.notify.addNames(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		q.failed = true
	}
	if full(err) {
		q.close()
	}
	return err == nil
}
