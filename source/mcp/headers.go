package mcp

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"helve/internal/rawjson"
)

// headerValue is a string, a whole number or a boolean as a header has it; text that no header may hold is in Base64.
func headerValue(v json.RawMessage) (string, bool) {
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
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?=", true
}

func plainHeader(s string) bool {
	if strings.TrimSpace(s) != s || strings.HasPrefix(s, "=?base64?") && strings.HasSuffix(s, "?=") {
		return false
	}
	for _, c := range []byte(s) {
		if c < 0x20 || c > 0x7e {
			return false
		}
	}
	return true
}
