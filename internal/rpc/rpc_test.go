package rpc

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAMessageIsSplitAndNothingInItChanges(t *testing.T) {
	m, err := Split([]byte(` { "params" : {"b":1.0, "a":[]} ,"id": "x","method":"tools/list", "jsonrpc":"2.0","extra":1}`))
	want := Message{Version: "2.0", ID: json.RawMessage(`"x"`), Method: "tools/list", Params: json.RawMessage(`{"b":1.0, "a":[]}`)}
	if d := cmp.Diff(want, m); d != "" || err != nil {
		t.Error(d, err)
	}
	for _, bad := range []string{``, `[]`, `{"id":1,"id":2}`, `{"id":1`, `1`} {
		if m, err := Split([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", bad, m)
		}
	}
}

func TestWhatIsWrittenIsOneLine(t *testing.T) {
	params := json.RawMessage("{\n\"a\": \"\\n\"\r\n}")
	for got, want := range map[string]string{
		string(AppendCall(nil, nil, "n", params)):                                 `{"jsonrpc":"2.0","method":"n","params":{ "a": "\n"  }}`,
		string(AppendCall(nil, json.RawMessage("1"), "n", nil)):                   `{"jsonrpc":"2.0","id":1,"method":"n"}`,
		string(AppendResult(nil, json.RawMessage(`"x"`), params)):                 `{"jsonrpc":"2.0","id":"x","result":{ "a": "\n"  }}`,
		string(AppendResult(nil, json.RawMessage(`1`), nil)):                      `{"jsonrpc":"2.0","id":1,"result":{}}`,
		string(AppendError(nil, nil, json.RawMessage(`{"code":1,"message":""}`))): `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`,
	} {
		if got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"read","arguments":{"file_path":"a.go"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Split(line); err != nil {
			b.Fatal(err)
		}
	}
}
