package wrap_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"helve/tool"
	"helve/wrap"
)

func TestACassetteAnswersWithoutRunning(t *testing.T) {
	runs := 0
	var tape bytes.Buffer
	kit := func(around func(tool.Caller) tool.Caller) *tool.Kit {
		var reg tool.Registry
		count := tool.New(tool.Spec{Name: "count", Kind: tool.Read}, func(context.Context, *tool.Call, struct {
			Of string `json:"of"`
		}) (*tool.Result, error) {
			runs++
			return tool.NewResult(tool.Text(strings.Repeat("x", runs))).WithSummary("counted").WithMeta(map[string]int{"n": runs}), nil
		})
		if err := reg.Add(count); err != nil {
			t.Fatal(err)
		}
		return reg.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{around}})
	}
	calls := []string{`{"of":"a"}`, `{"of":"a"}`, `{"of":3}`, `{"of":`, `{"of":"a"}`}
	call := func(k *tool.Kit, args string) *tool.Result {
		res, err := k.Call(context.Background(), &tool.Call{Name: "count", Args: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	recording := kit(wrap.Tape(&tape))
	var want []string
	for _, args := range calls {
		want = append(want, call(recording, args).Text())
	}
	ran := runs
	c, err := wrap.ReadCassette(&tape)
	if err != nil {
		t.Fatal(err)
	}
	playing := kit(c.Play)
	for i, args := range calls {
		args = strings.ReplaceAll(args, ":", " : ")
		if i == 3 {
			args = calls[3]
		}
		res := call(playing, args)
		if res.Text() != want[i] || (res.Err != nil) != (i == 3) {
			t.Errorf("%s: got %q, %v, want %q", args, res.Text(), res.Err, want[i])
		}
	}
	if runs != ran {
		t.Errorf("the tool ran %d times while its cassette played", runs-ran)
	}
	if c.Left() != 0 {
		t.Errorf("%d calls are left", c.Left())
	}
	if res := call(playing, calls[0]); res.Err == nil || !strings.Contains(res.Text(), "not on the cassette") {
		t.Errorf("a call beyond the cassette: %q", res.Text())
	}
}
