package server

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	rawjson "helve/internal/json"
	"helve/tool"
)

// decodeHeader is a header's text: what headers cannot hold is written =?base64?…?=; anything else
// is literal.
func decodeHeader(v string) (string, bool) {
	in, begins := strings.CutPrefix(v, "=?base64?")
	in, ends := strings.CutSuffix(in, "?=")
	if !begins || !ends {
		return v, true
	}
	b, err := base64.StdEncoding.DecodeString(in)
	return string(b), err == nil
}

// checkParams holds the headers Mcp-Param-… against the arguments that a tool's schema wants there, too.
func checkParams(head http.Header, s *tool.Spec, args []byte) *Error {
	if s.Input == nil || !strings.Contains(string(s.Input.JSON()), "x-mcp-header") {
		return nil
	}
	return checkProps(head, s.Input.JSON(), args)
}

func checkProps(head http.Header, schema, args []byte) *Error {
	props, _ := rawjson.Object(rawjson.Get(schema, "properties"))
	for _, p := range props {
		v := rawjson.Get(args, p.Key)
		if name, ok := rawjson.String(rawjson.Get(p.Value, "x-mcp-header")); ok && name != "" {
			if bad := checkParam(head, "Mcp-Param-"+name, p.Key, v); bad != nil {
				return bad
			}
		}
		if bad := checkProps(head, p.Value, v); bad != nil {
			return bad
		}
	}
	return nil
}

func checkParam(head http.Header, header, key string, v []byte) *Error {
	text, there := head.Get(header), len(head.Values(header)) > 0
	if v == nil || string(v) == jsonNull {
		if there {
			return errorf(codeHeaderMismatch, "header mismatch: %s is there, the parameter %.80q is not", header, key)
		}
		return nil
	}
	got, ok := decodeHeader(text)
	if !there || !ok || !sameValue(got, v) {
		return errorf(codeHeaderMismatch, "header mismatch: %s does not say what the parameter %.80q says", header, key)
	}
	return nil
}

// sameValue compares a header's text with a string, number or boolean; 1 and 1.0 are the same number.
func sameValue(text string, v []byte) bool {
	if s, ok := rawjson.String(v); ok {
		return text == s
	}
	a, err := strconv.ParseFloat(text, 64)
	if b, err2 := strconv.ParseFloat(string(v), 64); err == nil && err2 == nil {
		return a == b
	}
	return text == string(v)
}
