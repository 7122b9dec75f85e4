package wrap_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"helve/tool"
	"helve/wrap"
)

// A brief says what the whole record says.
func TestABriefAgreesWithTheRecord(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 123_000_000, time.UTC)
	records := []wrap.Record{
		{Time: at, Name: "read", Origin: &tool.Origin{Kind: tool.Builtin, Name: "read"}, Outcome: "ok", Duration: 1.25, In: 3, Out: 400, Title: `a "quoted" title`},
		{Time: at, Name: "mcp__docs__search", Origin: &tool.Origin{Kind: tool.MCP, Server: "docs", Name: "search"}, Outcome: "execution_error", Asked: 3000.5, Cut: 9},
		{Time: at, Name: "no\ttool \"at\" all", Outcome: "unknown_tool", Error: "Error: there is none."},
		{Time: at.In(time.FixedZone("", 3600)), Name: "x", Outcome: "need"},
		{Time: at, Name: "write", Gateway: "7k2m", Outcome: "ok"},
	}
	var r wrap.BriefReader
	for range 2 { // the second time from what it remembers
		for _, want := range records {
			line, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := r.Read(line)
			source := ""
			if want.Origin != nil {
				source = want.Origin.Source()
			}
			same := got.Time.Equal(want.Time) && got.Name == want.Name && got.Source == source && got.Outcome == want.Outcome &&
				got.Duration == want.Duration && got.Asked == want.Asked && got.Out == want.Out && got.Cut == want.Cut &&
				got.Run == (want.Gateway != "")
			if !ok || !same {
				t.Errorf("%s: %v %+v", line, ok, got)
			}
		}
	}
	for _, line := range []string{"", "{}", "x", `{"time":"2026-03-01T12:00:00Z"`, `{"time":"never","outcome":"ok"}`, `{"time":"2026-03-01T12:00:00Z","name":"x"}`} {
		if got, ok := r.Read([]byte(line)); ok {
			t.Errorf("%q is a record: %+v", line, got)
		}
	}
}

func BenchmarkARecordForAChart(b *testing.B) {
	line := fmt.Appendf(nil, `{"time":"2026-03-01T12:00:00.123456789Z","principal":"local","session":"%026d","name":"read","origin":{"kind":"builtin","name":"read"},`+
		`"title":"read src/main.go","effects":[{"kind":"read","target":"src/main.go"}],"digest":"%064d","verdict":{"decision":"allow","reason":"reading is allowed"},`+
		`"outcome":"ok","ms":1.25,"in":30,"out":400,"args_digest":"%064d","result_digest":"%064d","prev":"%064d"}`, 1, 2, 3, 4, 5)
	b.Run("brief", func(b *testing.B) {
		var r wrap.BriefReader
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := r.Read(line); !ok {
				b.Fatal("no record")
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var r wrap.Record
			if err := json.Unmarshal(line, &r); err != nil {
				b.Fatal(err)
			}
		}
	})
}
