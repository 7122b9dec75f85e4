package server

import (
	"cmp"
	"context"
	"encoding/json"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// extended tells whether a method that is not known here may be one of an
// extension: the client has some, and there are servers that may know it.
func (r *request) extended() bool {
	info := r.era.said(r)
	return info != nil && extended(info.capabilities) && len(r.conn.srv.o.Upstreams()) > 0
}

// passOn asks the servers behind this one what is asked here by a method that
// only they can know: the one that has the resource, if one is named, else one
// after the other until one knows the method.
func passOn(ctx context.Context, v *visit) (json.RawMessage, error) {
	ups := v.conv.srv.o.Upstreams()
	if uri, ok := rawjson.String(rawjson.Get(v.Params, "uri")); ok {
		ups = v.conv.upstreamsFor(ctx, uri)
	}
	var failed error // of one that might have known
	for _, u := range ups {
		res, err := u.Request(ctx, v.conv.session, v.Method, v.passed())
		if err == nil {
			return v.complete(res, false), nil
		}
		if rpc.AsError(err).Code != rpc.CodeMethodNotFound {
			failed = cmp.Or(failed, err)
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, rpc.Errorf(rpc.CodeMethodNotFound, "method not found: %.80s", v.Method)
}
