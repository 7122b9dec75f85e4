package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
	"helve/tool"
)

const (
	// fileScheme starts the address of a workspace's file:
	// workspace:///src/main.go.
	fileScheme = "workspace:///"
	// maxResource is how much of a kept output is read as one resource, in
	// bytes; what is longer is paged with read.
	maxResource = 4 << 20
	// maxCompletions is what the protocol lets one answer hold.
	maxCompletions = 100
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

// list is a whole list, ours first (nil: there are none). Of two with one key
// the first stays: the key is how they are asked for.
func (r *request) list(
	ctx context.Context, k kind, ours func(*conversation) []json.RawMessage,
) (json.RawMessage, error) {
	if err := r.first(); err != nil {
		return nil, err
	}
	conv, done, err := r.attach(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	seen := map[string]bool{}
	var all []json.RawMessage
	if ours != nil {
		all = ours(conv)
	}
	for _, raw := range all {
		if key, ok := rawjson.String(rawjson.Get(raw, k.key)); ok {
			seen[key] = true
		}
	}
	for _, it := range conv.items(ctx, k) {
		if !seen[it.key] {
			seen[it.key] = true
			all = append(all, it.raw)
		}
	}
	out := []rawjson.Member{{Key: k.member, Value: joined(all)}}
	return r.complete(rawjson.Join(out), true), nil
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

func noURI() *rpc.Error {
	return rpc.Errorf(rpc.CodeInvalidParams, `invalid params: "uri" is missing`)
}

// upstreamsFor are those to ask for a resource: who listed it, or the skill that
// it is a file of, who has a template that fits, and then all the others: a
// server need not list what it can read.
func (c *conversation) upstreamsFor(ctx context.Context, uri string) []Upstream {
	var out []Upstream
	if it := skillWith(c.skillsNear(ctx, uri), uri); it != nil {
		out = append(out, it.up)
	}
	for _, it := range c.items(ctx, kindResources) {
		if it.key == uri {
			out = append(out, it.up)
		}
	}
	for _, it := range c.items(ctx, kindTemplates) {
		if fits(it.key, uri) {
			out = append(out, it.up)
		}
	}
	out = append(out, c.srv.o.Upstreams()...)
	var once []Upstream
	for _, u := range out {
		if !slices.ContainsFunc(once, func(x Upstream) bool { return x.Name() == u.Name() }) {
			once = append(once, u)
		}
	}
	return once
}

// fits tells whether an address can come of a template: the literal text
// before, between and behind its expressions is in it in order. The server that
// made the template decides.
func fits(template, uri string) bool {
	rest := uri
	for first := true; ; first = false {
		lit, after, more := strings.Cut(template, "{")
		i := strings.Index(rest, lit)
		if i < 0 || first && i != 0 {
			return false
		}
		if !more {
			return strings.HasSuffix(rest, lit)
		}
		rest = rest[i+len(lit):]
		if _, template, more = strings.Cut(after, "}"); !more {
			return false
		}
	}
}

// forward asks one upstream after the other until one knows.
func (r *request) forward(
	ctx context.Context, conv *conversation, ups []Upstream, uri string,
) (json.RawMessage, error) {
	for _, u := range ups {
		res, err := u.Request(ctx, conv.session, r.Method, r.passed())
		if err == nil {
			return r.complete(res, true), nil
		}
		code := rpc.AsError(err).Code
		if len(ups) == 1 {
			if code == rpc.CodeNotFound && uri != "" {
				return nil, r.notFound(uri) // the protocols have codes of their own for it
			}
			return nil, err
		}
		switch code {
		case rpc.CodeMethodNotFound, rpc.CodeNotFound, rpc.CodeInvalidParams, 0: // the next one may know
		default:
			return nil, err
		}
	}
	return nil, r.notFound(uri)
}

// passed are the parameters as an upstream may see them: of the protocol's keys
// of _meta, which are between the client and us, only the wish for log messages.
func (r *request) passed() json.RawMessage { return rawjson.Set(r.Params, "_meta", r.upstreamMeta()) }

// shownURI is how much of an address an error repeats, in bytes.
const shownURI = 200

// notFound has the code that the protocol of the request has for it.
func (r *reply) notFound(uri string) *rpc.Error {
	code := rpc.CodeNotFound
	if r.stateless {
		code = rpc.CodeInvalidParams
	}
	data, _ := json.Marshal(map[string]string{"uri": uri}) // strings
	return &rpc.Error{Code: code, Message: "resource not found: " + shorten(uri, shownURI), Data: data}
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

// content is what resources/read shows: Text or Blob, which is base64.
type content struct {
	URI  string  `json:"uri"`
	MIME string  `json:"mimeType,omitempty"`
	Text *string `json:"text,omitempty"`
	Blob string  `json:"blob,omitempty"`
}

func textOrBlob(uri string, b []byte) content {
	if utf8.Valid(b) {
		s := string(b)
		return content{URI: uri, MIME: "text/plain", Text: &s}
	}
	return content{URI: uri, MIME: "application/octet-stream", Blob: base64.StdEncoding.EncodeToString(b)}
}

func (r *reply) contents(c content) json.RawMessage {
	return r.complete(encodePlain(map[string]any{"contents": []content{c}}), true)
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

// follow asks the upstreams to tell of a resource. Those of the stateless
// protocol are listened to anyway; those who do not know it say so.
func (c *conversation) follow(ctx context.Context, uri string) {
	c.ask(ctx, rpc.MethodSubscribe, uri)
}

func (c *conversation) unfollow(uri string) { c.ask(c.life, rpc.MethodUnsubscribe, uri) }

// ask sends the wish to one upstream after the other until one takes it. That none
// does is no error: a client may follow what is not there yet.
func (c *conversation) ask(ctx context.Context, method, uri string) {
	ctx, stop := context.WithTimeout(ctx, listTime)
	defer stop()
	params := encodePlain(map[string]string{"uri": uri})
	for _, u := range c.upstreamsFor(ctx, uri) {
		if _, err := u.Request(ctx, c.session, method, params); err == nil {
			return
		}
	}
}
