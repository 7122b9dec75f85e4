package upstream

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"helve/internal/redirect"
	"helve/internal/rpc"
)

// maxBody bounds one answer that is no stream, and one error.
const maxBody = 64 << 20

// headers adds to every request what the configuration says, and only on the
// way to its own server.
type headers struct {
	fixed   map[string]string
	origin  string
	base    http.RoundTripper
	own     *http.Transport // nil: somebody else's
	version atomic.Value    // string: the protocol's, once it is agreed on
}

// RoundTrip is for http.Client. A body that is no stream is bounded.
func (h *headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if redirect.Origin(r.URL.String()) == h.origin {
		h.add(r)
	}
	resp, err := h.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxBody), resp.Body}
	}
	return resp, nil
}

// add sets what belongs to this server. A token that was logged in for is newer
// than one in the configuration.
func (h *headers) add(r *http.Request) {
	for k, v := range h.fixed {
		if k != "Authorization" || r.Header.Get(k) == "" {
			r.Header.Set(k, v)
		}
	}
	v, _ := h.version.Load().(string)
	if v != "" && r.Header.Get(rpc.HeaderVersion) == "" {
		r.Header.Set(rpc.HeaderVersion, v)
	}
	params, _ := r.Context().Value(paramKey{}).(map[string]string)
	for k, v := range params {
		r.Header.Set(k, v)
	}
}

func (h *headers) close() {
	if h.own != nil {
		h.own.CloseIdleConnections()
	}
}

// paramKey is the context key of the headers that carry arguments.
type paramKey struct{}
