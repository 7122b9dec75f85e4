package wrap

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"helve/tool"
)

// The encoder of records has json.Marshal as its oracle.
func TestARecordIsEncodedAsTheLibraryDoes(t *testing.T) {
	kinds := []tool.Kind{tool.Read, tool.Write, tool.Exec, tool.Net, tool.State, 99}
	origins := []tool.OriginKind{tool.Builtin, tool.MCP, tool.Go, "other"}
	same := func(texts [18]string, effects []tool.Effect, ms uint32, origin *tool.Origin, verdict *RecordVerdict, in, out int) bool {
		r := Record{
			Principal: texts[0],
			Session:   texts[1],
			Call:      texts[2],
			Name:      texts[3],
			Title:     texts[4],
			Effects:   effects,
			Digest:    tool.Digest(texts[5]),
			Approver: tool.Approver{
				Kind: tool.ApproverKind(texts[6]), Via: texts[7], Grant: texts[8], Client: texts[9],
			},
			Outcome:      texts[9],
			Error:        texts[10],
			In:           in,
			Out:          out,
			Cut:          out / 2,
			ArgsDigest:   texts[11],
			ResultDigest: texts[12],
			Prev:         texts[13],
			Parent:       texts[14],
			Family:       texts[15],
			Gateway:      texts[16],
			Workspace:    texts[17],
			Changed:      texts[:in&3],
			Held:         texts[:out&1],
			WouldWait:    texts[:out&2],
		}
		r.Time = time.Unix(int64(ms), int64(in%1e9)).UTC()
		r.Duration, r.Asked = float64(ms)/1000, float64(ms%7)/1000
		r.Origin, r.Verdict, r.Args = origin, verdict, nil
		for i := range r.Effects {
			r.Effects[i].Kind = kinds[rand.IntN(len(kinds))]
		}
		if origin != nil {
			origin.Kind = origins[rand.IntN(len(origins))]
		}
		if verdict != nil {
			verdict.Decision %= 3
			if ms%5 == 0 {
				verdict.Reason, verdict.Rule, verdict.Layer, verdict.File, verdict.Line = "", "", "", "", 0
			}
		}
		if ms%2 == 0 {
			r.Args = json.RawMessage(`{"a": "<b>"}`)
		}
		if ms%3 == 0 {
			r.Approver = tool.Approver{}
		}
		want, err := json.Marshal(r)
		if err != nil {
			t.Log(err)
			return false
		}
		got := r.encode()
		if string(got) != string(want) {
			t.Logf("\n%s\n%s", got, want)
		}
		return string(got) == string(want)
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "plain ~!", `quote " and \`, "<&>", "Größe\u2028", "tab\t\x00\x7f", "\xff"} {
		r := Record{Name: text, Outcome: "ok"}
		want, _ := json.Marshal(r)
		if got := r.encode(); string(got) != string(want) {
			t.Errorf("%q:\n%s\n%s", text, got, want)
		}
	}
}

// A line whose time does not end has none.
func TestALineHasATimeOrNone(t *testing.T) {
	for line, want := range map[string]bool{
		`{"time":"2026-03-04T05:06:07Z","name":"x"}`:                      true,
		`{"time":"2026-03-04T05:06:07Z`:                                   false,
		`{"time":"2026-03-04T05:06:07.` + strings.Repeat("0", 40) + `Z"}`: false,
		`{"time":"noon"}`: false,
		`{"name":"x"}`:    false,
	} {
		if at, ok := lineTime([]byte(line)); ok != want || ok && at.Year() != 2026 {
			t.Errorf("%s: %v, %v", line, at, ok)
		}
	}
}
