package server

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"helve/internal/rpc"
	"helve/tool"
)

const (
	// historyURI is the address of the calls that changed files, historyScheme what that of one of them begins with.
	historyURI    = "helve://history"
	historyScheme = historyURI + "/"
)

// Resources of our own that show the history, where the session may read it.
var (
	historyResource = json.RawMessage(`{"uri":"helve://history","name":"history","title":"History",` +
		`"description":"The calls of this session that changed files, newest first","mimeType":"application/json"}`)
	callTemplate = json.RawMessage(`{"uriTemplate":"helve://history/{call}","name":"diff","title":"Diff of a call",` +
		`"description":"What a call changed, by its ID; A..B: what came after A up to B","mimeType":"text/x-diff"}`)
)

// A History tells what the calls of a session changed in files, so that its client can show it. Methods are safe for
// concurrent use.
type History interface {
	// Offers tells what the session may read now: the list of its calls, and what one of them changed. What it may not
	// is not listed, and is no resource.
	Offers(s *tool.Session) (calls, changes bool)
	// Read is the list for call "", as JSON in the result's data; else what that call changed, as a diff in its text.
	// At most max bytes are read: what is longer is an error. So is a call that is not there (tool.Validation), and
	// what may not be read (tool.Permission): both are in the result. The error is ctx's.
	Read(ctx context.Context, s *tool.Session, call string, max int) (*tool.Result, error)
}

// offersHistory is what the session may read of its history; nothing where nobody tells.
func (c *conversation) offersHistory() (calls, changes bool) {
	if c.srv.o.History == nil {
		return false, false
	}
	return c.srv.o.History.Offers(c.session)
}

// isHistory tells whether an address is one of the history's that the session may read. Any other one may be a server's
// behind us, which can be helve, too.
func (c *conversation) isHistory(uri string) bool {
	if uri != historyURI && !strings.HasPrefix(uri, historyScheme) {
		return false
	}
	calls, changes := c.offersHistory()
	if uri == historyURI {
		return calls
	}
	return changes
}

// readHistory reads the list of calls, or what one of them changed.
func (r *request) readHistory(ctx context.Context, conv *conversation, uri string) (json.RawMessage, error) {
	call := ""
	if name, one := strings.CutPrefix(uri, historyScheme); one {
		var err error
		if call, err = url.PathUnescape(name); err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "invalid params: %v", err)
		}
		if call == "" {
			return nil, r.notFound(uri)
		}
	}
	res, err := conv.srv.o.History.Read(ctx, conv.session, call, maxResource)
	if err != nil {
		return nil, err
	}
	switch {
	case res.Err != nil && res.Err.Code == tool.Validation:
		return nil, r.notFound(uri)
	case res.Err != nil:
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%s", res.Err.Text())
	}
	out := content{URI: uri, MIME: "text/x-diff"}
	text := res.Text()
	if call == "" {
		out.MIME, text = "application/json", string(res.Data)
	}
	out.Text = &text
	return r.contents(out), nil
}
