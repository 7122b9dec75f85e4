package wrap_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"helve/tool"
	"helve/wrap"
)

// How long a person thought is not how slow a tool is: counts leave it out, records tell it apart. The time here is the
// test's own: a second of it costs nothing.
func TestAPersonsThinkingIsNotTheToolsTime(t *testing.T) {
	for _, yes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var count wrap.Counter
			var kept wrap.Record
			audit := wrap.Audit(wrap.AuditOptions{Write: func(line []byte) error { return json.Unmarshal(line, &kept) }})
			work := func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
				time.Sleep(2 * time.Second)
				return tool.Textf("done"), nil
			}
			think := func(context.Context, *tool.Question) (tool.Answer, error) {
				time.Sleep(time.Minute)
				return tool.Answer{Yes: yes}, nil
			}
			r := &tool.Registry{}
			if err := r.Add(tool.New(tool.Spec{Name: "x", Kind: tool.Write}, work)); err != nil {
				t.Fatal(err)
			}
			k := r.Kit(tool.KitOptions{Around: []func(tool.Caller) tool.Caller{count.Count, audit}, Ask: think})
			if _, err := k.Call(t.Context(), &tool.Call{Name: "x", Args: json.RawMessage(`{}`)}); err != nil {
				t.Fatal(err)
			}
			worked := time.Duration(0)
			if yes {
				worked = 2 * time.Second
			}
			if got := count.Usage()[0].Duration; got != worked {
				t.Errorf("answer %v: counted %v, want %v", yes, got, worked)
			}
			if total := float64(worked.Milliseconds()); kept.Asked != 60_000 || kept.Duration != total {
				t.Errorf("answer %v: recorded %v ms, and %v asked; want %v, 60000", yes, kept.Duration, kept.Asked, total)
			}
		})
	}
}
