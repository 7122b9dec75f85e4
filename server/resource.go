package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

// Templates of our own. Files are judged by the kit as its read tool is;
// outputs that were cut are the session's.
var (
	fileTemplate = json.RawMessage(`{"uriTemplate":"workspace:///{+path}","name":"file",` +
		`"title":"File of the workspace","description":"A file, by its path in the workspace"}`)
	spillTemplate = json.RawMessage(`{"uriTemplate":"spill:{id}","name":"output",` +
		`"title":"Output that was cut","description":"The whole of an output of which a result showed a part"}`)
)

func listResources(ctx context.Context, r *request) (json.RawMessage, error) {
	return r.list(ctx, kindResources, func(conv *conversation) []json.RawMessage {
		if calls, _ := conv.offersHistory(); calls {
			return []json.RawMessage{historyResource}
		}
		return nil
	})
}

func listTemplates(ctx context.Context, r *request) (json.RawMessage, error) {
	return r.list(ctx, kindTemplates, func(conv *conversation) []json.RawMessage {
		own := []json.RawMessage{spillTemplate}
		if r.conn.srv.o.Files != nil {
			own = []json.RawMessage{fileTemplate, spillTemplate}
		}
		if _, changes := conv.offersHistory(); changes {
			own = append(own, callTemplate)
		}
		return own
	})
}

// readResource reads ours by their scheme, and asks the upstreams for the rest.
func readResource(ctx context.Context, r *request) (json.RawMessage, error) {
	uri, ok := rawjson.String(rawjson.Get(r.Params, "uri"))
	if !ok {
		return nil, noURI()
	}
	conv, done, err := r.attach(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	switch {
	case strings.HasPrefix(uri, tool.SpillScheme):
		return r.readSpill(conv, uri)
	case strings.HasPrefix(uri, fileScheme) && r.conn.srv.o.Files != nil:
		return r.readFile(ctx, conv, uri)
	case conv.isHistory(uri):
		return r.readHistory(ctx, conv, uri)
	}
	return r.forward(ctx, conv, conv.upstreamsFor(ctx, uri), uri)
}

func (r *request) readSpill(conv *conversation, uri string) (json.RawMessage, error) {
	blob, err := conv.session.Kept(uri)
	if err != nil {
		return nil, r.notFound(uri)
	}
	defer blob.Close()
	b, err := io.ReadAll(io.NewSectionReader(blob, 0, min(blob.Size(), maxResource)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return r.contents(textOrBlob(uri, b)), nil
}

// readFile reads a file. The kit's read tool is called first, for a line: what
// it may not read is no resource, and who reads is on record.
func (r *request) readFile(ctx context.Context, conv *conversation, uri string) (json.RawMessage, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(uri, fileScheme))
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "invalid params: %v", err)
	}
	args := encodePlain(map[string]any{"file_path": path, "limit": 1})
	res, err := (&calling{r, &toolCall{name: "read", args: args}}).call(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	if why := unreadable(res); why != "" {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%s", why)
	}
	if res.Err != nil || res.Job == nil || len(res.Job.Effects) != 1 {
		return nil, r.notFound(uri)
	}
	b, err := r.conn.srv.o.Files.Read(ctx, conv.session, res.Job.Effects[0].Target, maxResource)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
	}
	return r.contents(textOrBlob(uri, b)), nil
}

// unreadable tells why a file that was found may not be read as a resource; ""
// if it may.
func unreadable(res *tool.Result) string {
	switch {
	case res.Err != nil && res.Err.Code == tool.Permission:
		return res.Err.Text()
	case res.Need != nil:
		return "reading this file needs approval: use the read tool"
	}
	return ""
}

// subscribe follows a resource for this connection. It is noted before the
// upstream is asked: an update may come at once.
func subscribe(ctx context.Context, r *request) (json.RawMessage, error) {
	uri, conv, err := r.subscription(ctx)
	if err != nil {
		return nil, err
	}
	if conv.isHistory(uri) {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "the history cannot be followed: read it again after a call")
	}
	r.conn.mu.Lock()
	full := len(r.conn.follows) >= maxSubscribed
	already := r.conn.follows[uri]
	if !full {
		r.conn.follows[uri] = true
	}
	r.conn.mu.Unlock()
	switch w := conv.watcher(uri); {
	case full:
		return nil, rpc.Errorf(rpc.CodeBusy, "at most %d resources can be followed", maxSubscribed)
	case w == nil:
		conv.follow(ctx, uri)
	case !already:
		if err := conv.followFile(ctx, w, uri); err != nil {
			r.conn.forget(uri)
			return nil, err
		}
	}
	return json.RawMessage("{}"), nil
}

func unsubscribe(ctx context.Context, r *request) (json.RawMessage, error) {
	uri, conv, err := r.subscription(ctx)
	if err != nil {
		return nil, err
	}
	switch had := r.conn.forget(uri); {
	case conv.watcher(uri) == nil:
		conv.unfollow(uri)
	case had:
		conv.unfollowFile(uri)
	}
	return json.RawMessage("{}"), nil
}

func (r *request) subscription(ctx context.Context) (string, *conversation, error) {
	uri, ok := rawjson.String(rawjson.Get(r.Params, "uri"))
	if !ok {
		return "", nil, noURI()
	}
	conv, err := r.open(ctx)
	return uri, conv, err
}
