package rpc

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	rawjson "helve/internal/json"
)

// Headers of Streamable HTTP. Those of the stateless protocol repeat what the
// body says, for whoever on the way does not read bodies.
const (
	HeaderSession = "Mcp-Session-Id"
	HeaderVersion = "Mcp-Protocol-Version"
	HeaderMethod  = "Mcp-Method"
	HeaderName    = "Mcp-Name"
	HeaderParam   = "Mcp-Param-" // and the name that the tool's schema gives it
	HeaderLast    = "Last-Event-Id"

	// HeaderMark is the keyword by which a schema wants an argument in a header.
	HeaderMark = "x-mcp-header"
)

// Subject is the parameter that HeaderName repeats; "" for methods that have
// none.
func Subject(method string) string {
	switch method {
	case MethodCall, "prompts/get":
		return "name"
	case "resources/read":
		return "uri"
	case MethodTaskGet, MethodTaskUpdate, MethodTaskCancel:
		return "taskId"
	}
	return ""
}

// MessageVersion is the version that a message of the stateless protocol says
// in its _meta; "" for one of the session protocol.
func MessageVersion(m *Message) string {
	v, _ := rawjson.String(rawjson.Get(rawjson.Get(m.Params, "_meta"), MetaVersion))
	return v
}

// Text that no header may hold is written =?base64?…?=.
const (
	base64Begins = "=?base64?"
	base64Ends   = "?="
)

// EncodeHeader is a string, a whole number or a boolean as a header has it.
func EncodeHeader(v json.RawMessage) (string, bool) {
	s, ok := rawjson.String(v)
	if !ok {
		switch {
		case string(v) == "true", string(v) == "false":
			return string(v), true
		case len(v) > 0 && strings.Trim(string(v), "-0123456789") == "":
			return string(v), true
		}
		return "", false
	}
	if plainHeader(s) {
		return s, true
	}
	return base64Begins + base64.StdEncoding.EncodeToString([]byte(s)) + base64Ends, true
}

func plainHeader(s string) bool {
	if strings.TrimSpace(s) != s {
		return false
	}
	if strings.HasPrefix(s, base64Begins) && strings.HasSuffix(s, base64Ends) {
		return false
	}
	for _, c := range []byte(s) {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}

// DecodeHeader is the text of a header that EncodeHeader wrote. Anything else
// is literal.
func DecodeHeader(v string) (string, bool) {
	in, begins := strings.CutPrefix(v, base64Begins)
	in, ends := strings.CutSuffix(in, base64Ends)
	if !begins || !ends {
		return v, true
	}
	b, err := base64.StdEncoding.DecodeString(in)
	return string(b), err == nil
}
