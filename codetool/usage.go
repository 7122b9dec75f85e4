package codetool

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// usage is what the tools were used for since the index was opened. Every figure is measured.
type usage struct {
	since time.Time
	mu    sync.Mutex
	tools map[string]count
}

type count struct {
	calls           int
	returned, files int64 // bytes of the answers; bytes of the files that the answers speak of
}

func (u *usage) add(name string, returned, files int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.tools == nil {
		u.tools = map[string]count{}
	}
	c := u.tools[name]
	u.tools[name] = count{c.calls + 1, c.returned + returned, c.files + files}
}

func (u *usage) snapshot() map[string]count {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.tools)
}

type usageIn struct{}

func (usageIn) String() string { return "usage of the code tools" }

func getUsageStats(x *Index) spec[usageIn] {
	return spec[usageIn]{name: "get_usage_stats", title: "Usage Statistics", short: "Calls and bytes of the code tools.",
		run: func(_ context.Context, s *sheet, _ usageIn) error { x.usage.write(s, time.Now()); return nil }}
}

func (u *usage) write(s *sheet, now time.Time) {
	tools := u.snapshot()
	var all count
	for _, c := range tools {
		all = count{all.calls + c.calls, all.returned + c.returned, all.files + c.files}
	}
	s.printf("duration: %s\ncalls: %d\nbytes returned: %d\nbytes of the files that the answers speak of: %d\n",
		now.Sub(u.since).Round(time.Second), all.calls, all.returned, all.files)
	for _, name := range slices.SortedFunc(maps.Keys(tools), func(a, b string) int {
		return cmp.Or(cmp.Compare(tools[b].calls, tools[a].calls), cmp.Compare(a, b))
	}) {
		c := tools[name]
		s.printf("%s\n", fmt.Sprintf("%s: %d calls, %d bytes returned, files of %d bytes", name, c.calls, c.returned, c.files))
	}
}

type reindexIn struct{}

func (reindexIn) String() string { return "rebuild the code index" }

// reindex builds anew what is otherwise kept fresh by itself.
func reindex(x *Index) spec[reindexIn] {
	return spec[reindexIn]{name: "reindex", title: "Rebuild Code Index", short: "Rebuilds the code index. It stays fresh by itself.",
		run: func(ctx context.Context, s *sheet, _ reindexIn) error {
			if err := x.Clear(); err != nil {
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
			s.printf("Indexed %d of %d files: %d functions, %d classes", sum.Indexed, sum.Files, sum.Functions, sum.Classes)
			return nil
		}}
}
