package upstream

import (
	"encoding/json"
	"sync/atomic"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// About is what a server says of itself.
type About struct {
	Protocol     string          `json:"protocol"` // the version that is spoken with it
	Name         string          `json:"name,omitempty"`
	Version      string          `json:"version,omitempty"`
	Instructions string          `json:"instructions,omitempty"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	Transport    string          `json:"transport,omitempty"` // stdio, http or sse
}

// Stateless tells whether the server speaks the protocol without sessions.
func (a *About) Stateless() bool { return a.Protocol >= rpc.Stateless }

// can tells whether the server declared a capability: tools.listChanged.
func (a *About) can(path ...string) bool {
	v := a.Capabilities
	for _, p := range path {
		if v = rawjson.Get(v, p); v == nil {
			return false
		}
	}
	return string(v) != "false" && string(v) != "null"
}

func (a *About) named(info json.RawMessage) {
	name, _ := rawjson.String(rawjson.Get(info, "name"))
	version, _ := rawjson.String(rawjson.Get(info, "version"))
	a.Name, _ = rawjson.Visible(name)
	a.Version, _ = rawjson.Visible(version)
}

// An introduction is what a server said of itself last, to whichever connection. The zero value is ready.
type introduction struct{ about atomic.Pointer[About] }

// last is nil where nothing is known yet.
func (i *introduction) last() *About { return i.about.Load() }

// note takes what a connection was told.
func (i *introduction) note(a About) { i.about.Store(&a) }

// recall takes what is remembered, where no connection was told anything: that is newer.
func (i *introduction) recall(a About) { i.about.CompareAndSwap(nil, &a) }
