package server

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"strings"

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

func listResources(ctx context.Context, v *visit) (json.RawMessage, error) {
	return v.list(ctx, kindResources, func(conv *conversation) []json.RawMessage {
		if calls, _ := conv.offersHistory(); calls {
			return []json.RawMessage{historyResource}
		}
		return nil
	})
}

func listTemplates(ctx context.Context, v *visit) (json.RawMessage, error) {
	return v.list(ctx, kindTemplates, func(conv *conversation) []json.RawMessage {
		own := []json.RawMessage{spillTemplate}
		if v.conn.srv.o.Files != nil {
			own = []json.RawMessage{fileTemplate, spillTemplate}
		}
		if _, changes := conv.offersHistory(); changes {
			own = append(own, callTemplate)
		}
		return own
	})
}

// readResource reads ours by their scheme, and asks the upstreams for the rest.
func readResource(ctx context.Context, v *visit, uri string) (json.RawMessage, error) {
	switch {
	case strings.HasPrefix(uri, tool.SpillScheme):
		return v.readSpill(uri)
	case strings.HasPrefix(uri, fileScheme) && v.conn.srv.o.Files != nil:
		return v.readFile(ctx, uri)
	case v.conv.isHistory(uri):
		return v.readHistory(ctx, uri)
	}
	return v.forward(ctx, v.conv.upstreamsFor(ctx, uri), uri)
}

func (v *visit) readSpill(uri string) (json.RawMessage, error) {
	blob, err := v.conv.session.Kept(uri)
	if err != nil {
		return nil, v.notFound(uri)
	}
	defer blob.Close()
	b, err := io.ReadAll(io.NewSectionReader(blob, 0, min(blob.Size(), maxResource)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return v.contents(textOrBlob(uri, b)), nil
}

// readFile reads a file. The kit's read tool is called first, for a line: what
// it may not read is no resource, and who reads is on record.
func (v *visit) readFile(ctx context.Context, uri string) (json.RawMessage, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(uri, fileScheme))
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "invalid params: %v", err)
	}
	args := encodePlain(map[string]any{"file_path": path, "limit": 1})
	res, err := (&calling{visit: v, want: &toolCall{name: "read", args: args}}).call(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	if why := unreadable(res); why != "" {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%s", why)
	}
	if res.Err != nil || res.Job == nil || len(res.Job.Effects) != 1 {
		return nil, v.notFound(uri)
	}
	b, err := v.conn.srv.o.Files.Read(ctx, v.conv.session, res.Job.Effects[0].Target, maxResource)
	if err != nil {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%v", err)
	}
	return v.contents(textOrBlob(uri, b)), nil
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
func subscribe(ctx context.Context, v *visit, uri string) (json.RawMessage, error) {
	if v.conv.isHistory(uri) {
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "the history cannot be followed: read it again after a call")
	}
	v.conn.mu.Lock()
	full := len(v.conn.follows) >= maxSubscribed
	already := v.conn.follows[uri]
	if !full {
		v.conn.follows[uri] = true
	}
	v.conn.mu.Unlock()
	switch w := v.conv.watcher(uri); {
	case full:
		return nil, rpc.Errorf(rpc.CodeBusy, "at most %d resources can be followed", maxSubscribed)
	case w == nil:
		v.conv.follow(ctx, uri)
	case !already:
		if err := v.conv.followFile(ctx, w, uri); err != nil {
			v.conn.forget(uri)
			return nil, err
		}
	}
	return json.RawMessage("{}"), nil
}

func unsubscribe(_ context.Context, v *visit, uri string) (json.RawMessage, error) {
	switch had := v.conn.forget(uri); {
	case v.conv.watcher(uri) == nil:
		v.conv.unfollow(uri)
	case had:
		v.conv.unfollowFile(uri)
	}
	return json.RawMessage("{}"), nil
}
