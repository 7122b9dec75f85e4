package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	rawjson "helve/internal/json"
)

const (
	// maxPages and maxItems bound a list; maxBytes what it may bring in all.
	maxPages = 1000
	maxItems = 10_000
	maxBytes = 64 << 20
)

// A pages is everything that a list method brings.
type pages struct {
	items []json.RawMessage
	ttl   time.Duration // how long the server says that it holds; 0: nothing said
	note  string        // what is wrong with it: a cursor that does not advance, too many items
}

// arrayOf is an array of a result. None at all and null, which servers in
// several languages make of an empty list, are an empty one.
func arrayOf(raw json.RawMessage) ([]json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	return rawjson.Array(raw)
}

// all reads every page of a list. A cursor that comes back a second time ends
// it: it would never end.
func (c *conn) all(ctx context.Context, method, member string) (*pages, error) {
	out := &pages{}
	seen := map[string]bool{}
	var params json.RawMessage
	size := 0
	for range maxPages {
		res, err := c.request(ctx, method, params)
		if err != nil {
			return nil, err
		}
		items, err := arrayOf(rawjson.Get(res, member))
		if err != nil {
			return nil, fmt.Errorf("%s is no array", member)
		}
		if size += len(res); size > maxBytes {
			return nil, fmt.Errorf("%s: more than %d bytes", method, maxBytes)
		}
		out.items = append(out.items, items...)
		out.ttl = ttl(res)
		cursor, _ := rawjson.String(rawjson.Get(res, "nextCursor"))
		switch {
		case len(out.items) > maxItems:
			out.items = out.items[:maxItems]
			out.note = fmt.Sprintf("%s: more than %d items, the rest is left out", method, maxItems)
			return out, nil
		case cursor == "":
			return out, nil
		case seen[cursor]:
			out.note = fmt.Sprintf("%s: the cursor %.40q comes back: the list ends there", method, cursor)
			return out, nil
		}
		seen[cursor] = true
		params = rawjson.Join([]rawjson.Member{{Key: "cursor", Value: rawjson.Quote(cursor)}})
	}
	out.note = fmt.Sprintf("%s: more than %d pages, the rest is left out", method, maxPages)
	return out, nil
}

// maxTTL is the longest time for which a list is believed, in milliseconds:
// above it the number does not fit into a Duration.
const maxTTL = 1e9

func ttl(res json.RawMessage) time.Duration {
	var ms float64
	if json.Unmarshal(rawjson.Get(res, "ttlMs"), &ms) != nil || ms <= 0 {
		return 0
	}
	return time.Duration(min(ms, maxTTL)) * time.Millisecond
}
