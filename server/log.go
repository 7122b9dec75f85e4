package server

import (
	"encoding/json"

	rawjson "helve/internal/json"
)

// wantsLog tells whether the client asked for a log message of this level: in the newer era with the request, in the older one for
// all of them, where nothing said means everything.
func (r *request) wantsLog(params json.RawMessage) bool {
	level, _ := rawjson.String(rawjson.Get(params, "level"))
	if r.modern {
		return r.logLevel != "" && !quieter(level, r.logLevel)
	}
	r.peer.mu.Lock()
	defer r.peer.mu.Unlock()
	return !quieter(level, r.peer.level)
}
