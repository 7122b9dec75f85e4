package wrap_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"helve/tool"
	"helve/wrap"
)

// How much of a result was left out is on record: what cutting saves is told from there.
func TestWhatWasCutOfAResultIsOnRecord(t *testing.T) {
	for _, c := range []struct{ size, room, least, most int }{{100, 4000, 0, 0}, {50_000, 4000, 45_000, 46_500}} {
		var line []byte
		audit := wrap.Audit(wrap.AuditOptions{Write: func(b []byte) error {
			line = b
			return nil
		}})
		text := strings.Repeat("123456789\n", c.size/10)
		o := tool.KitOptions{Around: []func(tool.Caller) tool.Caller{audit}, Wrap: wrap.Standard(wrap.Options{ResultBytes: c.room})}
		k := kit(t, o, tool.Spec{Name: "x"}, func(context.Context) (*tool.Result, error) { return tool.NewResult(tool.Text(text)), nil })
		if _, err := k.Call(t.Context(), &tool.Call{Name: "x"}); err != nil {
			t.Fatal(err)
		}
		var r wrap.Record
		if err := json.Unmarshal(line, &r); err != nil || r.Cut < c.least || r.Cut > c.most || r.Out+r.Cut != c.size {
			t.Errorf("%d bytes of %d: %s %v", c.room, c.size, line, err)
		}
	}
}
