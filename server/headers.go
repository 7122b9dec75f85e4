package server

import (
	"net/http"
	"strconv"
	"strings"

	rawjson "helve/internal/json"
	"helve/internal/rpc"
)

// checkParams holds the headers Mcp-Param-… of a request over HTTP against the
// arguments that the tool's schema wants there, too.
func (k *calling) checkParams() error {
	out, ok := k.Out.(*response)
	if !ok {
		return nil
	}
	t, ok := k.conv.kit.View().Get(k.want.name)
	if !ok || t.Spec().Input == nil {
		return nil
	}
	schema := t.Spec().Input.JSON()
	if !strings.Contains(string(schema), rpc.HeaderMark) {
		return nil
	}
	if bad := checkProperties(out.head, schema, k.want.args); bad != nil {
		return bad
	}
	return nil
}

// checkProperties goes through nested parameters, too: a schema may want one of
// them in a header.
func checkProperties(head http.Header, schema, args []byte) *rpc.Error {
	properties, _ := rawjson.Object(rawjson.Get(schema, "properties"))
	for _, p := range properties {
		v := rawjson.Get(args, p.Key)
		name, ok := rawjson.String(rawjson.Get(p.Value, rpc.HeaderMark))
		if ok && name != "" {
			if bad := checkParam(head, rpc.HeaderParam+name, p.Key, v); bad != nil {
				return bad
			}
		}
		if bad := checkProperties(head, p.Value, v); bad != nil {
			return bad
		}
	}
	return nil
}

func checkParam(head http.Header, header, key string, v []byte) *rpc.Error {
	present := len(head.Values(header)) > 0
	if v == nil || string(v) == jsonNull {
		if present {
			return mismatch("%s is there, the parameter %.80q is not", header, key)
		}
		return nil
	}
	got, ok := rpc.DecodeHeader(head.Get(header))
	if !present || !ok || !sameValue(got, v) {
		return mismatch("%s does not say what the parameter %.80q says", header, key)
	}
	return nil
}

// sameValue compares a header's text with a string, number or boolean; 1 and
// 1.0 are the same number.
func sameValue(text string, v []byte) bool {
	if s, ok := rawjson.String(v); ok {
		return text == s
	}
	a, err := strconv.ParseFloat(text, 64)
	b, err2 := strconv.ParseFloat(string(v), 64)
	if err == nil && err2 == nil {
		return a == b
	}
	return text == string(v)
}
