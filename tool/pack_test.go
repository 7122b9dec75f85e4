package tool_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"helve/tool"
)

func packable() *tool.Result {
	long := strings.Repeat("line <&> \u2028\n", 1000)
	r := tool.NewResult(
		tool.Text("short"),
		tool.Text(long),
		tool.Image{MIME: "image/png", Data: []byte{0, 255, 1}},
		tool.Audio{MIME: "audio/wav", Data: []byte("x")},
		tool.Resource{URI: "a:b", MIME: "text/plain", Text: "t"},
		tool.Resource{URI: "a:c", MIME: "image/x-c", Blob: []byte{9}},
		tool.Resource{URI: "a:d", Blob: []byte{}},
		tool.Link{URI: "a:e", Name: "n", Size: 3},
		tool.Foreign(`{"type":"new","n":1}`),
	)
	data, _ := json.Marshal(map[string]string{"text": long})
	r.Data = data
	r.Cut = 7
	r.Display = tool.Diff{Path: "a.go", Unified: "@@", Added: 1}
	return r.WithMeta(map[string]int{"n": 1})
}

func TestAPackedResultIsTheSameElsewhere(t *testing.T) {
	failed := tool.Fail(tool.Errorf(tool.Execution, "no such file").WithHint("look"))
	failed.Display = nil
	for _, r := range []*tool.Result{packable(), {}, failed, {Need: &tool.Need{State: []byte("s"), Requests: json.RawMessage(`{}`)}}} {
		b, err := tool.Pack(r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tool.Unpack(b)
		if err != nil {
			t.Fatal(err)
		}
		same := cmp.Comparer(func(a, b *tool.Error) bool { return a == b || a != nil && b != nil && a.Text() == b.Text() })
		if diff := cmp.Diff(r, got, same, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(tool.Result{})); diff != "" {
			t.Error(diff)
		}
	}
}

// A protocolError has a code of a protocol.
type protocolError struct{ data string }

func (protocolError) Error() string { return "in words" }
func (e protocolError) RPC() (int, string, json.RawMessage) {
	return -32602, "by its code", json.RawMessage(e.data)
}

func TestAnErrorOfAProtocolKeepsItsCodeElsewhere(t *testing.T) {
	for data, want := range map[string]string{`{"a":1}`: `{"a":1}`, "": "", "no JSON": ""} {
		failed := tool.Fail(tool.Errorf(tool.Execution, "%w", protocolError{data}))
		b, err := tool.Pack(failed)
		if err != nil {
			t.Fatal(err)
		}
		got, err := tool.Unpack(b)
		if err != nil {
			t.Fatal(err)
		}
		e, ok := errors.AsType[interface {
			error
			RPC() (int, string, json.RawMessage)
		}](got.Err)
		if !ok || got.Err.Text() != failed.Err.Text() {
			t.Fatalf("%v", got.Err)
		}
		if code, words, data := e.RPC(); code != -32602 || words != "by its code" || string(data) != want {
			t.Errorf("%d %q %q, want %q", code, words, data, want)
		}
	}
	long := tool.Fail(tool.Errorf(tool.Execution, "%w", protocolError{`"` + strings.Repeat("x", 2<<20) + `"`}))
	b, err := tool.Pack(long)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tool.Unpack(b); err == nil {
		t.Error("an error may be of any size")
	}
}

func FuzzUnpackRefusesOrReads(f *testing.F) {
	for _, r := range []*tool.Result{packable(), {}} {
		b, err := tool.Pack(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)-1])
	}
	f.Add([]byte("\x00\x00\x00\x29" + `{"result":{},"raw":[-5],"data":1000000000}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := tool.Unpack(b)
		if err != nil {
			return
		}
		again, err := tool.Pack(r)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		second, err := tool.Unpack(again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		third, _ := tool.Pack(second)
		if !bytes.Equal(again, third) {
			t.Errorf("%q, then %q", again, third)
		}
	})
}
