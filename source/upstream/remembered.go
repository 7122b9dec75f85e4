package upstream

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// A list is remembered by the server's definition and by what the client can be
// asked for, so that the first session in a new folder has it, too. A server
// that was seen to list differently in another folder has one for each.

func (v *view) cacheFile() string {
	name := "mcp-" + v.key
	if v.asks != "" {
		name += "-" + v.asks
	}
	return name + ".json"
}

func (v *view) apartFile() string {
	sum := sha256.Sum256([]byte(v.where))
	return strings.TrimSuffix(v.cacheFile(), ".json") + "-in-" + hex.EncodeToString(sum[:8]) + ".json"
}

// recall is the list on disk, nil if there is none for this definition.
func (v *view) recall() *listing {
	l := v.stored(v.cacheFile())
	if l != nil && l.Apart && l.Where != v.where {
		l = v.stored(v.apartFile())
	}
	return l
}

// memorize keeps a listing for the next start.
func (v *view) memorize(l *listing) {
	if v.o.CacheDir == "" {
		return
	}
	first := v.stored(v.cacheFile())
	if first == nil || first.Where == l.Where {
		own := *l
		own.Apart = first != nil && first.Apart
		v.store(v.cacheFile(), &own)
		return
	}
	differs := first.About.Version == l.About.Version && first.digest() != l.digest()
	if !differs && !first.Apart {
		v.store(v.cacheFile(), l) // the newer one
		return
	}
	if !first.Apart {
		first.Apart = true
		v.store(v.cacheFile(), first)
	}
	v.store(v.apartFile(), l)
}
