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

// FuzzSplit holds the reader against encoding/json: what one takes for a member, the other does, and what is split can be put together.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`, `{"id":"a","result":[1,{}]}`, `{"i\u0064":1}`, `{"ID":1}`, `{"error":null}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		m, err := Split([]byte(line))
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatalf("%q is split and is none: %v", line, err)
		}
		for key, got := range map[string]json.RawMessage{"id": m.ID, "params": m.Params, "result": m.Result, "error": m.Err} {
			if string(got) != string(want[key]) {
				t.Errorf("%q: %s is %s, want %s", line, key, got, want[key])
			}
		}
		if m.ID != nil && m.Result != nil && !json.Valid(AppendResult(nil, m.ID, m.Result)) {
			t.Errorf("%q: what is put together is no JSON", line)
		}
	})
}
