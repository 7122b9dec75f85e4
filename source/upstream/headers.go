package upstream

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// pathSeparator joins the names of nested parameters: no name has it.
const pathSeparator = "\x00"

// headerParams are the arguments that a schema wants in headers: path → header.
// A mark that cannot be followed is an error.
func headerParams(in json.RawMessage) (map[string]string, error) {
	if !strings.Contains(string(in), rpc.HeaderMark) {
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

// collectHeaders goes through nested parameters, too.
func collectHeaders(s json.RawMessage, at string, out map[string]string) error {
	properties, _ := rawjson.Object(rawjson.Get(s, "properties"))
	for _, p := range properties {
		here := p.Key
		if at != "" {
			here = at + pathSeparator + p.Key
		}
		if mark := rawjson.Get(p.Value, rpc.HeaderMark); mark != nil {
			h, err := markedHeader(mark, p)
			if err != nil {
				return err
			}
			out[here] = h
		}
		if err := collectHeaders(p.Value, here, out); err != nil {
			return err
		}
	}
	return nil
}

// markedHeader is the header that a mark names, for a parameter that fits in
// one.
func markedHeader(mark json.RawMessage, p rawjson.Member) (string, error) {
	h, _ := rawjson.String(mark)
	if !headerName(h) {
		return "", fmt.Errorf("its schema wants %s in a header of no possible name, %.40q", p.Key, h)
	}
	switch kind, _ := rawjson.String(rawjson.Get(p.Value, "type")); kind {
	case "string", "integer", "boolean":
		return h, nil
	}
	return "", fmt.Errorf(
		"its schema wants %s in a header, which holds strings, whole numbers and booleans only", p.Key)
}

// tokenBytes are those of a token (RFC 9110, 5.6.2).
const tokenBytes = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// headerName tells whether text can be part of a header's name.
func headerName(s string) bool { return s != "" && strings.Trim(s, tokenBytes) == "" }

// headerValues are the headers of one call.
func headerValues(params map[string]string, args json.RawMessage) map[string]string {
	out := map[string]string{}
	for _, p := range slices.Sorted(maps.Keys(params)) {
		v := args
		for k := range strings.SplitSeq(p, pathSeparator) {
			v = rawjson.Get(v, k)
		}
		if s, ok := rpc.EncodeHeader(v); ok {
			out[rpc.HeaderParam+params[p]] = s
		}
	}
	return out
}

// subject is the parameter that a header names a message by.
func subject(m *rpc.Message) json.RawMessage {
	if key := rpc.Subject(m.Method); key != "" {
		return rawjson.Get(m.Params, key)
	}
	return nil
}
