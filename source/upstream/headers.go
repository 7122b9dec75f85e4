package upstream

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	rawjson "helve/internal/json"
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

// headerMark is the keyword by which a schema wants an argument in a header, too.
const headerMark = "x-mcp-header"

// headerParams are the arguments that a schema wants in headers: path → header. A mark that cannot be followed is an error.
func headerParams(in json.RawMessage) (map[string]string, error) {
	if !strings.Contains(string(in), headerMark) {
		return nil, nil
	}
	out := map[string]string{}
	if err := collectHeaders(in, "", out); err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, h := range out {
		if seen[strings.ToLower(h)] {
			return nil, fmt.Errorf("its schema wants two arguments in the header %q", h)
		}
		seen[strings.ToLower(h)] = true
	}
	return out, nil
}

func collectHeaders(s json.RawMessage, at string, out map[string]string) error {
	props, _ := rawjson.Object(rawjson.Get(s, "properties"))
	for _, p := range props {
		here := p.Key
		if at != "" {
			here = at + "\x00" + p.Key
		}
		if mark := rawjson.Get(p.Value, headerMark); mark != nil {
			h, _ := rawjson.String(mark)
			kind, _ := rawjson.String(rawjson.Get(p.Value, "type"))
			if !headerName(h) {
				return fmt.Errorf("its schema wants %s in a header of no possible name, %.40q", p.Key, h)
			}
			if kind != "string" && kind != "integer" && kind != "boolean" {
				return fmt.Errorf("its schema wants %s in a header, which holds strings, whole numbers and booleans only", p.Key)
			}
			out[here] = h
		}
		if err := collectHeaders(p.Value, here, out); err != nil {
			return err
		}
	}
	return nil
}

// headerName tells whether text can be part of a header's name (RFC 9110, token).
func headerName(s string) bool {
	return s != "" && strings.Trim(s, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// headerValues are the headers of one call.
func headerValues(params map[string]string, args json.RawMessage) map[string]string {
	out := map[string]string{}
	for _, p := range slices.Sorted(maps.Keys(params)) {
		v := args
		for k := range strings.SplitSeq(p, "\x00") {
			v = rawjson.Get(v, k)
		}
		if s, ok := headerValue(v); ok {
			out["Mcp-Param-"+params[p]] = s
		}
	}
	return out
}
