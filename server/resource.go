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
	"helve/tool"
)

const (
	// fileScheme starts the address of a workspace's file: workspace:///src/main.go.
	fileScheme = "workspace:///"
	// maxResource is how much of a kept output is read as one resource, in bytes; what is longer is paged with read.
	maxResource = 4 << 20
	// maxCompletions is what the protocol lets one answer hold.
	maxCompletions = 100
)

// Templates of our own. Files are judged by the kit as its read tool is; outputs that were cut are the session's.
var (
	fileTemplate  = json.RawMessage(`{"uriTemplate":"workspace:///{+path}","name":"file","title":"File of the workspace","description":"A file, by its path in the workspace"}`)
	spillTemplate = json.RawMessage(`{"uriTemplate":"spill:{id}","name":"output","title":"Output that was cut","description":"The whole of an output of which a result showed a part"}`)
)

func listResources(ctx context.Context, r *request) (json.RawMessage, error) {
	return r.list(ctx, kindResources, nil)
}

func listTemplates(ctx context.Context, r *request) (json.RawMessage, error) {
	own := []json.RawMessage{spillTemplate}
	if r.peer.srv.o.Files != nil {
		own = []json.RawMessage{fileTemplate, spillTemplate}
	}
	return r.list(ctx, kindTemplates, own)
}

// list is a whole list, ours first. Of two with one key the first stays: the key is how they are asked for.
func (r *request) list(ctx context.Context, k kind, own []json.RawMessage) (json.RawMessage, error) {
	if c := rawjson.Get(r.params, "cursor"); c != nil && string(c) != jsonNull {
		return nil, errorf(codeInvalidParams, "invalid params: unknown cursor: list again from the start")
	}
	home, err := r.room(ctx)
	if err != nil {
		return nil, err
	}
	r.live = home
	defer home.begin(r)()
	seen := map[string]bool{}
	all := slices.Clone(own)
	for _, it := range home.items(ctx, k) {
		if !seen[it.key] {
			seen[it.key] = true
			all = append(all, it.raw)
		}
	}
	return r.complete(rawjson.Join([]rawjson.Member{{Key: k.member, Value: joined(all)}}), true), nil
}

func readResource(ctx context.Context, r *request) (json.RawMessage, error) {
	uri, ok := rawjson.String(rawjson.Get(r.params, "uri"))
	if !ok {
		return nil, errorf(codeInvalidParams, `invalid params: "uri" is missing`)
	}
	home, err := r.room(ctx)
	if err != nil {
		return nil, err
	}
	r.live = home
	defer home.begin(r)()
	switch {
	case strings.HasPrefix(uri, tool.SpillScheme):
		return r.readSpill(home, uri)
	case strings.HasPrefix(uri, fileScheme) && r.peer.srv.o.Files != nil:
		return r.readFile(ctx, home, uri)
	}
	return r.forward(ctx, home, home.upstreamsFor(ctx, uri), uri)
}

// upstreamsFor are those to ask for a resource: who listed it, who has a template that fits, and then all the others: a server need not
// list what it can read.
func (r *room) upstreamsFor(ctx context.Context, uri string) []Upstream {
	var out []Upstream
	for _, it := range r.items(ctx, kindResources) {
		if it.key == uri {
			out = append(out, it.up)
		}
	}
	for _, it := range r.items(ctx, kindTemplates) {
		if fits(it.key, uri) {
			out = append(out, it.up)
		}
	}
	out = append(out, r.srv.o.Upstreams()...)
	var once []Upstream
	for _, u := range out {
		if !slices.ContainsFunc(once, func(x Upstream) bool { return x.Name() == u.Name() }) {
			once = append(once, u)
		}
	}
	return once
}

// fits tells whether an address can come of a template: the literal text before, between and behind its expressions stands in it in
// order. The server that made the template decides.
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
func (r *request) forward(ctx context.Context, home *room, ups []Upstream, what string) (json.RawMessage, error) {
	for _, u := range ups {
		res, err := u.Request(ctx, home.session, r.method, r.passed())
		if err == nil {
			return r.complete(res, r.method == "resources/read"), nil
		}
		code := asRPC(err).Code
		if code == codeNotFound && what != "" && len(ups) == 1 {
			return nil, r.notFound(what) // the eras have codes of their own for it
		}
		if len(ups) == 1 || code != codeMethodNotFound && code != codeNotFound && code != codeInvalidParams && code != 0 {
			return nil, err
		}
	}
	return nil, r.notFound(what)
}

// passed are the parameters as an upstream may see them: without the protocol's keys of _meta, which are the client's.
func (r *request) passed() json.RawMessage { return rawjson.Set(r.params, "_meta", r.meta) }

func (r *request) notFound(uri string) *Error {
	code := codeNotFound
	if r.modern {
		code = codeInvalidParams
	}
	data, _ := json.Marshal(map[string]string{"uri": uri}) // strings
	return &Error{Code: code, Message: "resource not found: " + shorten(uri, 200), Data: data}
}

func (r *request) readSpill(home *room, uri string) (json.RawMessage, error) {
	blob, err := home.session.Kept(uri)
	if err != nil {
		return nil, r.notFound(uri)
	}
	defer blob.Close()
	b, err := io.ReadAll(io.NewSectionReader(blob, 0, min(blob.Size(), maxResource)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return r.contents([]content{textOrBlob(uri, b)}), nil
}

// readFile reads a file. The kit's read tool is called first, for a line: what it may not read is no resource, and who reads is on record.
func (r *request) readFile(ctx context.Context, home *room, uri string) (json.RawMessage, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(uri, fileScheme))
	if err != nil {
		return nil, errorf(codeInvalidParams, "invalid params: %v", err)
	}
	args := encodePlain(map[string]any{"file_path": path, "limit": 1})
	res, err := r.call(ctx, home, &toolCall{name: "read", args: args}, nil, nil)
	switch {
	case err != nil:
		return nil, err
	case res.Need != nil || res.Err != nil && res.Err.Code == tool.Permission:
		return nil, errorf(codeInvalidParams, "%s", cmpText(res, "reading this file needs approval: use the read tool"))
	case res.Err != nil || res.Job == nil || len(res.Job.Effects) != 1:
		return nil, r.notFound(uri)
	}
	b, err := r.peer.srv.o.Files.Read(ctx, home.session, res.Job.Effects[0].Target, maxResource)
	if err != nil {
		return nil, errorf(codeInvalidParams, "%v", err)
	}
	return r.contents([]content{textOrBlob(uri, b)}), nil
}

func cmpText(res *tool.Result, otherwise string) string {
	if res.Err != nil {
		return res.Err.Text()
	}
	return otherwise
}

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

func (r *request) contents(list []content) json.RawMessage {
	return r.complete(encodePlain(map[string]any{"contents": list}), true)
}

func subscribe(ctx context.Context, r *request) (json.RawMessage, error) {
	uri, home, err := r.subscription(ctx)
	if err != nil {
		return nil, err
	}
	r.peer.mu.Lock()
	full := len(r.peer.follows) >= maxSubscribed
	if !full {
		r.peer.follows[uri] = true
	}
	r.peer.mu.Unlock()
	if full {
		return nil, errorf(codeBusy, "at most %d resources can be followed", maxSubscribed)
	}
	home.follow(ctx, uri)
	return json.RawMessage("{}"), nil
}

func unsubscribe(ctx context.Context, r *request) (json.RawMessage, error) {
	uri, home, err := r.subscription(ctx)
	if err != nil {
		return nil, err
	}
	r.peer.mu.Lock()
	delete(r.peer.follows, uri)
	r.peer.mu.Unlock()
	home.unfollow(uri)
	return json.RawMessage("{}"), nil
}

func (r *request) subscription(ctx context.Context) (string, *room, error) {
	uri, ok := rawjson.String(rawjson.Get(r.params, "uri"))
	if !ok {
		return "", nil, errorf(codeInvalidParams, `invalid params: "uri" is missing`)
	}
	home, err := r.room(ctx)
	return uri, home, err
}

// follow asks the upstreams to tell of a resource. Those of the newer era are listened to anyway; those who do not know it say so.
func (r *room) follow(ctx context.Context, uri string) { r.ask(ctx, "resources/subscribe", uri) }

func (r *room) unfollow(uri string) { r.ask(r.life, "resources/unsubscribe", uri) }

func (r *room) ask(ctx context.Context, method, uri string) {
	ctx, stop := context.WithTimeout(ctx, listTime)
	defer stop()
	params := encodePlain(map[string]string{"uri": uri})
	for _, u := range r.upstreamsFor(ctx, uri) {
		if _, err := u.Request(ctx, r.session, method, params); err == nil {
			return
		}
	}
}
