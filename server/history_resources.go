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
func (v *visit) readHistory(ctx context.Context, uri string) (json.RawMessage, error) {
	call := ""
	if name, one := strings.CutPrefix(uri, historyScheme); one {
		var err error
		if call, err = url.PathUnescape(name); err != nil {
			return nil, rpc.Errorf(rpc.CodeInvalidParams, "invalid params: %v", err)
		}
		if call == "" {
			return nil, v.notFound(uri)
		}
	}
	res, err := v.conv.srv.o.History.Read(ctx, v.conv.session, call, maxResource)
	if err != nil {
		return nil, err
	}
	switch {
	case res.Err != nil && res.Err.Code == tool.Validation:
		return nil, v.notFound(uri)
	case res.Err != nil:
		return nil, rpc.Errorf(rpc.CodeInvalidParams, "%s", res.Err.Text())
	}
	out := content{URI: uri, MIME: "text/x-diff"}
	text := res.Text()
	if call == "" {
		out.MIME, text = "application/json", string(res.Data)
	}
	out.Text = &text
	return v.contents(out), nil
}
