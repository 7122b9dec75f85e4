package wrap_test

import (
	"encoding/json"
	"testing"
	"time"

	"helve/tool"
	"helve/wrap"
)

func TestAQueryChoosesRecords(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	line, err := json.Marshal(wrap.Record{
		Time:     at,
		Session:  "s1",
		Name:     "mcp__hub__find",
		Origin:   &tool.Origin{Kind: tool.MCP, Server: "hub", Name: "find"},
		Title:    `find "Größe" <b>`,
		Effects:  []tool.Effect{{Kind: tool.Read, Target: "src/Main.go"}},
		Verdict:  &wrap.RecordVerdict{Decision: tool.Ask, Reason: "a server asks", Rule: "hub:*"},
		Outcome:  "permission_error",
		Error:    "Error: find: declined.",
		Duration: 5,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    wrap.Query
		want bool
	}{
		{wrap.Query{}, true},
		{wrap.Query{Tool: "find"}, true},
		{wrap.Query{Tool: "mcp__hub__find"}, true},
		{wrap.Query{Tool: "hub"}, false},
		{wrap.Query{Outcome: "permission_error"}, true},
		{wrap.Query{Outcome: "ok"}, false},
		{wrap.Query{Verdict: "ask"}, true},
		{wrap.Query{Verdict: "allow"}, false},
		{wrap.Query{Session: "s1"}, true},
		{wrap.Query{Judged: true}, true},
		{wrap.Query{Session: "s"}, false},
		{wrap.Query{Text: "MAIN.go"}, true},
		{wrap.Query{Text: "main.GO", Tool: "find", Verdict: "ask"}, true},
		{wrap.Query{Text: "größe"}, true},
		{wrap.Query{Text: `"Größe" <b>`}, true}, // which JSON writes otherwise
		{wrap.Query{Text: "HUB"}, true},
		{wrap.Query{Text: "declined"}, true},
		{wrap.Query{Text: "outcome"}, false}, // a key is no text
		{wrap.Query{Text: "s1"}, false},
		{wrap.Query{Since: at}, true},
		{wrap.Query{Since: at.Add(time.Second)}, false},
		{wrap.Query{Until: at}, false},
		{wrap.Query{Until: at.Add(time.Second)}, true},
	} {
		if got := c.q.Finder().Find(line); (got != nil) != c.want {
			t.Errorf("%+v: %v, want %v", c.q, got, c.want)
		}
	}
	for _, bad := range []string{"", "{", `{"time":"soon"}`, `[1]`} {
		if got := (wrap.Query{}).Finder().Find([]byte(bad)); got != nil {
			t.Errorf("%q is a record: %v", bad, got)
		}
	}
}

func TestACallThatTookLongIsNotPast(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	f := wrap.Query{Since: now}.Finder()
	for _, c := range []struct {
		began time.Duration // before now
		ms    float64
		want  bool
	}{
		{10 * time.Hour, 1, true},
		{10 * time.Hour, 9.5 * 3_600_000, false}, // written half an hour before: shorter calls before it may have begun later
		{time.Minute, 1, false},                  // a clock may have been set back
	} {
		line, err := json.Marshal(wrap.Record{Time: now.Add(-c.began), Duration: c.ms})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Past(line); got != c.want {
			t.Errorf("%v before, %v ms: past %v, want %v", c.began, c.ms, got, c.want)
		}
	}
}

// A record is found by who brought its tool, where neither its name nor a rule says so.
func TestARecordIsFoundByItsOrigin(t *testing.T) {
	line, err := json.Marshal(wrap.Record{
		Time:   time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Name:   "look",
		Origin: &tool.Origin{Kind: tool.MCP, Server: "depot", Name: "fetch_item"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"depot": true, "fetch_item": true, "store": false} {
		if got := (wrap.Query{Text: text}).Finder().Find(line); (got != nil) != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// What a host ran for a gateway is on both records: who counts calls counts those that were judged first.
func TestACallOfAGatewayIsJudgedThere(t *testing.T) {
	line, err := json.Marshal(wrap.Record{Time: time.Now(), Gateway: "7k2m", Name: "read", Outcome: "ok"})
	if err != nil {
		t.Fatal(err)
	}
	for judged, want := range map[bool]bool{true: false, false: true} {
		if got := (wrap.Query{Judged: judged}).Finder().Find(line); (got != nil) != want {
			t.Errorf("judged here %v: %+v", judged, got)
		}
	}
}
