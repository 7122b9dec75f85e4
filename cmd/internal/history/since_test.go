package history

import (
	"testing"
	"time"
)

func TestSinceTakesWhatPeopleWrite(t *testing.T) {
	now := time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"":                          "0001-01-01T00:00:00Z",
		"90m":                       "2026-05-06T10:30:00Z",
		"7d":                        "2026-04-29T12:00:00Z",
		"2026-05-01":                "2026-05-01T00:00:00Z",
		"2026-05-01 08:30":          "2026-05-01T08:30:00Z",
		"2026-05-01 08:30:09":       "2026-05-01T08:30:09Z",
		"2026-05-01T08:30:00+02:00": "2026-05-01T08:30:00+02:00",
		"-2h":                       "error",
		"yesterday":                 "error",
		"9999999999999d":            "error",
	} {
		got := "error"
		if at, err := sinceWhen("--since", text, now); err == nil {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
