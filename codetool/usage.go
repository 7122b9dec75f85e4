package codetool

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// usage is what the tools were used for since the index was opened. Every figure is measured; what a tool saved is not
// told, because nobody knows what would have been read without it.
type usage struct {
	since time.Time
	mu    sync.Mutex
	tools map[string]count
}

// A count is what one tool was used for.
type count struct {
	calls    int
	returned int64 // bytes of the answers
	files    int64 // bytes of the files that the answers speak of
}

func (c count) plus(d count) count {
	return count{
		calls:    c.calls + d.calls,
		returned: c.returned + d.returned,
		files:    c.files + d.files,
	}
}

// add counts one call.
func (u *usage) add(name string, returned, files int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.tools == nil {
		u.tools = map[string]count{}
	}
	u.tools[name] = u.tools[name].plus(count{calls: 1, returned: returned, files: files})
}

// snapshot is a copy: writing the answer takes no lock.
func (u *usage) snapshot() map[string]count {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.tools)
}

type usageIn struct{}

func (usageIn) String() string { return "usage of the code tools" }

// getUsageStats needs no index, and is no reason to build one.
func getUsageStats(x *Index) spec[usageIn] {
	return spec[usageIn]{
		name:  "get_usage_stats",
		title: "Usage Statistics",
		short: "Calls and bytes of the code tools.",
		run: func(_ context.Context, s *sheet, _ usageIn) error {
			x.usage.write(s, time.Now())
			return nil
		},
	}
}

// write lists the tools by how often they were called.
func (u *usage) write(s *sheet, now time.Time) {
	tools := u.snapshot()
	var all count
	for _, c := range tools {
		all = all.plus(c)
	}
	s.printf("duration: %s\ncalls: %d\n", now.Sub(u.since).Round(time.Second), all.calls)
	s.printf("bytes returned: %d\n", all.returned)
	s.printf("bytes of the files that the answers speak of: %d\n", all.files)
	mostCalled := func(a, b string) int {
		return cmp.Or(cmp.Compare(tools[b].calls, tools[a].calls), cmp.Compare(a, b))
	}
	for _, name := range slices.SortedFunc(maps.Keys(tools), mostCalled) {
		c := tools[name]
		s.printf("%s: %d calls, %d bytes returned, files of %d bytes\n", name, c.calls, c.returned, c.files)
	}
}

type reindexIn struct{}

func (reindexIn) String() string { return "rebuild the code index" }

// reindex builds anew what is otherwise kept fresh by itself: for whoever does not trust that.
func reindex(x *Index) spec[reindexIn] {
	return spec[reindexIn]{
		name:  "reindex",
		title: "Rebuild Code Index",
		short: "Rebuilds the code index. It stays fresh by itself.",
		run: func(ctx context.Context, s *sheet, _ reindexIn) error {
			err := x.Clear()
			if err != nil {
				return err
			}
			snap, err := x.Snapshot(ctx)
			if err != nil {
				return err
			}
			sum, err := snap.Summary(ctx)
			if err != nil {
				return err
			}
			s.printf("Indexed %d of %d files: %d functions, %d classes",
				sum.Indexed, sum.Files, sum.Functions, sum.Classes)
			return nil
		},
	}
}
