package codetool

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"helve/tool"
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

// toolUsage is what one tool was used for, for programs.
type toolUsage struct {
	Name     string `json:"name"`
	Calls    int    `json:"calls"`
	Returned int64  `json:"bytes_returned"`
	Files    int64  `json:"file_bytes" jsonschema:"description=Of the files that its answers speak of"`
}

// usageData is what the tools were used for.
type usageData struct {
	Seconds  int64       `json:"seconds" jsonschema:"description=Since the index was opened"`
	Calls    int         `json:"calls"`
	Returned int64       `json:"bytes_returned"`
	Files    int64       `json:"file_bytes" jsonschema:"description=Of the files that the answers speak of"`
	Tools    []toolUsage `json:"tools" jsonschema:"description=Those that were called\\, the most used first"`
}

// Text lists the tools by how often they were called.
func (d usageData) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "duration: %s\ncalls: %d\n", time.Duration(d.Seconds)*time.Second, d.Calls)
	fmt.Fprintf(&b, "bytes returned: %d\n", d.Returned)
	fmt.Fprintf(&b, "bytes of the files that the answers speak of: %d", d.Files)
	for _, t := range d.Tools {
		fmt.Fprintf(&b, "\n%s: %d calls, %d bytes returned, files of %d bytes", t.Name, t.Calls, t.Returned, t.Files)
	}
	return b.String()
}

// getUsageStats needs no index, and is no reason to build one.
func getUsageStats(x *Index) spec[usageIn] {
	return spec[usageIn]{
		name:    "get_usage_stats",
		title:   "Usage Statistics",
		short:   "Calls and bytes of the code tools.",
		renders: tool.Renders[usageData],
		run: func(context.Context, *sheet, usageIn) (tool.Rendered, error) {
			return x.usage.data(time.Now()), nil
		},
	}
}

// data are the tools by how often they were called.
func (u *usage) data(now time.Time) usageData {
	tools := u.snapshot()
	var all count
	for _, c := range tools {
		all = all.plus(c)
	}
	d := usageData{
		Seconds:  int64(now.Sub(u.since).Round(time.Second) / time.Second),
		Calls:    all.calls,
		Returned: all.returned,
		Files:    all.files,
		Tools:    []toolUsage{},
	}
	mostCalled := func(a, b string) int {
		return cmp.Or(cmp.Compare(tools[b].calls, tools[a].calls), cmp.Compare(a, b))
	}
	for _, name := range slices.SortedFunc(maps.Keys(tools), mostCalled) {
		c := tools[name]
		d.Tools = append(d.Tools, toolUsage{name, c.calls, c.returned, c.files})
	}
	return d
}

type reindexIn struct{}

func (reindexIn) String() string { return "rebuild the code index" }

// reindexData is what the new index holds.
type reindexData struct {
	Indexed   int `json:"indexed" jsonschema:"description=Files that are read for definitions"`
	Files     int `json:"files" jsonschema:"description=All of them"`
	Functions int `json:"functions"`
	Classes   int `json:"classes"`
}

// Text says how much there is.
func (d reindexData) Text() string {
	return fmt.Sprintf("Indexed %d of %d files: %d functions, %d classes", d.Indexed, d.Files, d.Functions, d.Classes)
}

// reindex builds anew what is otherwise kept fresh by itself: for whoever does not trust that.
func reindex(x *Index) spec[reindexIn] {
	return spec[reindexIn]{
		name:    "reindex",
		title:   "Rebuild Code Index",
		short:   "Rebuilds the code index. It stays fresh by itself.",
		renders: tool.Renders[reindexData],
		run: func(ctx context.Context, _ *sheet, _ reindexIn) (tool.Rendered, error) {
			err := x.Clear()
			if err != nil {
				return nil, err
			}
			snap, err := x.Snapshot(ctx)
			if err != nil {
				return nil, err
			}
			sum, err := snap.Summary(ctx)
			if err != nil {
				return nil, err
			}
			return reindexData{sum.Indexed, sum.Files, sum.Functions, sum.Classes}, nil
		},
	}
}
